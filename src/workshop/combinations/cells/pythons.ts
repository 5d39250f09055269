import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { findProgram } from "../../process/index.ts";
import type { Variables } from "../../process/types.ts";
import type { Workshop } from "../../workshop.ts";

export interface FoundPython {
  readonly file: string;
  /** "3.12", "3.13t". */
  readonly version: string;
}

/** What is asked of a Python: its version, whether it has a GIL, and the executable that is really run. */
const question = "import sys, sysconfig; print('%d.%d%s' % (*sys.version_info[:2], 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''), sys.executable)";

/** Milliseconds; a Python that does not answer in them is none to work with. */
const patience = 30_000;

/**
 * The Python of a version, or any: python3.X on PATH, among pyenv's, among uv's. Each candidate is asked, since a name on PATH may be a shim that leads nowhere. Nothing is downloaded unless
 * UV_PYTHON_DOWNLOADS tells uv to.
 */
export async function findPython(version: string | undefined, workshop: Workshop): Promise<FoundPython | { readonly problem: string }> {
  const { environment } = workshop;
  const asked: string[] = [];
  for (const candidate of candidates(version, environment)) {
    asked.push(candidate);
    const found = await ask(candidate, workshop);
    if (found !== undefined && (version === undefined || found.version === version)) {
      return found;
    }
  }
  const byUv = await pythonOfUv(version, workshop);
  if (byUv !== undefined) {
    return byUv;
  }
  const looked = asked.length === 0 ? "none of that name is on PATH" : `looked at ${asked.join(", ")}`;
  return { problem: version === undefined ? `No Python was found on PATH to make environments with (${looked}).` : `No Python ${version} was found on this machine (${looked}). Install it, or take ${version} out of the matrix.` };
}

function candidates(version: string | undefined, environment: Variables): readonly string[] {
  const names = version === undefined ? ["python3", "python"] : [`python${version}`];
  const onPath = (environment["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one)).flatMap((folder) => names.flatMap((name) => findProgram(name, { ...environment, PATH: folder }) ?? []));
  const found = [...onPath, ...(version === undefined ? [] : pyenvPythons(version, environment))];
  return [...new Set(found)];
}

/** pyenv keeps each in a folder of its version, newest last. Source: pyenv's README, "Locating pyenv-provided Python installations". */
function pyenvPythons(version: string, environment: Variables): readonly string[] {
  const versions = path.join(environment["PYENV_ROOT"] ?? path.join(homedir(), ".pyenv"), "versions");
  const [, plain = version, threads = ""] = /^([\d.]+)(t?)$/.exec(version) ?? [];
  try {
    const patch = (name: string): number => Number(/^[\d.]+\.(\d+)/.exec(name)?.[1] ?? 0);
    return readdirSync(versions).filter((name) => name.startsWith(`${plain}.`) && name.endsWith("t") === (threads === "t")).toSorted((a, b) => patch(b) - patch(a)).map((name) => path.join(versions, name, "bin", `python${version}`));
  } catch {
    return [];
  }
}

async function ask(file: string, { run, environment, activity }: Workshop): Promise<FoundPython | undefined> {
  const answer = await run({ file, arguments: ["-I", "-c", question], folder: "/", environment }, { signal: activity.signal, timeLimit: patience });
  const [, version, executable] = /^(\d+\.\d+t?) (.+)$/m.exec(answer.stdout.text) ?? [];
  return version === undefined || executable === undefined ? undefined : { file: executable, version };
}

/** Source: uv's documentation, "Python versions", "Disabling automatic Python downloads". */
async function pythonOfUv(version: string | undefined, workshop: Workshop): Promise<FoundPython | undefined> {
  const { run, environment, activity } = workshop;
  const uv = findProgram("uv", environment);
  if (uv === undefined || version === undefined) {
    return undefined;
  }
  const downloads = environment["UV_PYTHON_DOWNLOADS"] === undefined ? ["--no-python-downloads"] : [];
  const answer = await run({ file: uv, arguments: ["python", "find", ...downloads, version], folder: "/", environment }, { signal: activity.signal, timeLimit: 10 * patience });
  const file = answer.stdout.text.trim();
  const found = answer.ending.kind === "exited" && answer.ending.code === 0 && path.isAbsolute(file) ? await ask(file, workshop) : undefined;
  return found?.version === version ? found : undefined;
}
