import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, sep } from "node:path";
import { root } from "../../test/harness/locations.ts";
import { browser } from "../prerequisites/browser.ts";
import { codeServer } from "../prerequisites/codeServer.ts";
import { compiler } from "../prerequisites/compiler.ts";
import { debianTorch } from "../prerequisites/debianTorch.ts";
import { nativeTools } from "../prerequisites/nativeTools.ts";
import type { Prerequisite } from "../prerequisites/prerequisite.ts";
import { slurm } from "../prerequisites/slurm.ts";
import { torch } from "../prerequisites/torch.ts";
import { wheels } from "../prerequisites/releasedWheels.ts";
import { torchWheel } from "../prerequisites/torchWheel.ts";
import { runNative, runSanitizers } from "./native.ts";
import { runNodeTests } from "./nodeTests.ts";
import { runScripts } from "./staticChecks.ts";
import type { Tally } from "./tally.ts";

/** A group of tests that need the same things. CONTRIBUTING.md says what each is for. */
export interface Tier {
  readonly name: string;
  readonly needs: readonly Prerequisite[];
  /** Prepared too; without them some of its tests are skipped. */
  readonly wants?: readonly Prerequisite[];
  /** Tests what `npm run build` makes. */
  readonly usesBundles: boolean;
  run(): Promise<Tally>;
}

/** Folders of `test/` that are tiers of their own. */
const tierFolders = ["architecture", "lab", "workshop", "slurm", "server", "host", "ui", "vsix"];

/** Tests that read a real torch stand beside the others of their room. */
const torchSuffix = ".torch.test.ts";

const minute = 60_000;

function testFiles(folder: string): string[] {
  return globSync(`test/${folder}/*.test.ts`, { cwd: root, exclude: ["**/fixtures/**", "test/host/suite/**"] }).map((file) => join(root, file)).sort();
}

function torchFiles(): string[] {
  return testFiles("**").filter((file) => file.endsWith(torchSuffix));
}

function unitFiles(): string[] {
  return testFiles("**").filter((file) => !file.endsWith(torchSuffix) && !tierFolders.some((tier) => file.startsWith(join(root, "test", tier) + sep)));
}

function fileTier(name: string, needs: readonly Prerequisite[], files: () => string[], concurrency: number, timeout: number): Tier {
  return { name, needs, usesBundles: true, run: () => runNodeTests({ files: files(), concurrency, timeout }) };
}

export const tiers: readonly Tier[] = [
  { name: "static", needs: [], usesBundles: false, run: () => runScripts(["typecheck", "lint"]) },
  fileTier("architecture", [], () => testFiles("architecture"), 1, minute),
  fileTier("unit", [], unitFiles, availableParallelism(), 5 * minute),
  { ...fileTier("torch", [torch], torchFiles, Math.min(2, availableParallelism()), 5 * minute), wants: [torchWheel, wheels] },
  fileTier("lab", [torch, compiler], () => testFiles("lab"), 1, 5 * minute),
  fileTier("workshop", [nativeTools], () => testFiles("workshop/**").filter((file) => !file.endsWith(torchSuffix)), availableParallelism(), 5 * minute),
  fileTier("slurm", [slurm, nativeTools], () => testFiles("slurm"), 2, 5 * minute),
  { name: "native", needs: [nativeTools], wants: [torch, debianTorch], usesBundles: false, run: runNative },
  { name: "sanitizers", needs: [nativeTools], usesBundles: false, run: runSanitizers },
  fileTier("server", [], () => testFiles("server/**"), 1, 3 * minute),
  fileTier("host", [codeServer, browser], () => testFiles("host"), 1, 5 * minute),
  fileTier("ui", [codeServer, browser], () => testFiles("ui/**"), 1, 5 * minute),
  fileTier("vsix", [codeServer, browser], () => testFiles("vsix/**"), 1, 5 * minute),
];
