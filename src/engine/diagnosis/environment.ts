import * as path from "node:path";
import { describeDefault, findToolchains, resolveAgainst } from "../installed/index.ts";
import type { Surroundings } from "../installed/index.ts";
import { valueOf } from "../model/index.ts";
import type { EvaluationContext, Files, InstalledBody, ToolchainBody } from "../model/index.ts";

/** What a project is checked against. */
export interface Environment {
  readonly installed: readonly InstalledBody[];
  readonly toolchains: readonly ToolchainBody[];
  /** Why what was asked for cannot be checked against, in full sentences. */
  readonly problems: readonly string[];
  readonly stamp: string;
}

/** Describes each torch that is asked for; what is installed nearest when none is. */
export function findEnvironment(specs: readonly string[], where: Surroundings): Environment {
  const installed: InstalledBody[] = [];
  const problems: string[] = [];
  for (const spec of specs) {
    const answer = resolveAgainst(spec, where);
    if (answer.ok) {
      installed.push(answer.body);
    } else {
      problems.push(answer.message);
    }
  }
  if (specs.length === 0) {
    const found = describeDefault(where);
    if (found !== undefined) {
      installed.push(found);
    }
  }
  return { installed, problems, toolchains: findToolchains(where), stamp: stampOf(installed, where.files) };
}

/** Changes when an environment is reinstalled or replaced. */
export function stampOf(installed: readonly InstalledBody[], files: Files): string {
  const witnesses = installed.flatMap((body) => [
    ...(body.torchRoot === undefined ? [] : [path.join(body.torchRoot, "version.py"), path.join(body.torchRoot, "build-version")]),
    ...(body.prefix === undefined ? [] : [path.join(body.prefix, "pyvenv.cfg"), path.join(body.prefix, "conda-meta", "history")]),
  ]);
  return witnesses.map((file) => files.status(file)?.modified ?? "-").join(" ");
}

/** The circumstances under which build files are read for a torch. */
export function contextFor(body: InstalledBody | undefined): EvaluationContext {
  const facts = body?.facts ?? [];
  const torchVersion = valueOf(facts, "torch-version");
  const torchCudaVersion = valueOf(facts, "cuda-version");
  const torchLibstdcxxAbi = valueOf(facts, "libstdcxx-abi");
  const pythonVersion = valueOf(facts, "python-version");
  return {
    platform: platformOf(valueOf(facts, "platform")),
    ...(torchVersion === undefined ? {} : { torchVersion }),
    ...(torchCudaVersion === undefined ? {} : { torchCudaVersion }),
    ...(torchLibstdcxxAbi === undefined ? {} : { torchLibstdcxxAbi }),
    ...(pythonVersion === undefined ? {} : { pythonVersion }),
  };
}

/** The platform of the torch, else of this machine: the project is going to be built here. */
function platformOf(platform: string | undefined): EvaluationContext["platform"] {
  const name = platform?.split("-", 1)[0] ?? { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string];
  return name === "linux" || name === "macos" || name === "windows" ? name : undefined;
}
