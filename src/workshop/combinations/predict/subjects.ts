import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import * as path from "node:path";
import { pipeline } from "node:stream/promises";
import type { WheelTarget } from "../../../engine/binaries/remote/index.ts";
import { examine, targetOf } from "../../../engine/diagnosis/index.ts";
import type { Examined } from "../../../engine/diagnosis/index.ts";
import type { Surroundings } from "../../../engine/installed/index.ts";
import { CannotDo } from "../../workshop.ts";
import { builtFiles } from "./builtFiles.ts";

/** A file that torches are compared with. */
export interface Subject {
  /** Absolute. */
  readonly file: string;
  readonly sha256: string;
  readonly examined: Examined;
}

export interface Subjects {
  readonly all: readonly Subject[];
  /** The Python and the machine that could load them. */
  readonly target: WheelTarget;
  /** One of them is for that Python and no other; where none is, the Python is that of the torch that was compared. */
  readonly isBoundToPython: boolean;
  /** The torch builds that they could be for, by the CUDA that they need: "cu13"; absent: any. */
  readonly cudaMajor?: number;
  /** What was left out, in sentences. */
  readonly said: readonly string[];
  dispose(): void;
}

/** Opens the files that are named, or what is built in the project. Throws `CannotDo` for a file that cannot be read. */
export async function openSubjects(named: readonly string[], where: Surroundings, python: string | undefined, signal: AbortSignal): Promise<Subjects> {
  const found = named.length > 0 ? { files: named, said: [] } : await builtFiles(where, signal);
  const opened: Subject[] = [];
  const dispose = (): void => {
    for (const one of opened) one.examined.dispose();
  };
  try {
    for (const given of found.files) {
      signal.throwIfAborted();
      if (/^(?:https?|index):/i.test(given)) throw new CannotDo(`${given} is an address; predictions are made of files on this machine.`);
      const answer = await examine(given, { files: where.files, root: where.root, remote: { signal } });
      if (!answer.ok) throw new CannotDo(answer.message);
      const file = path.resolve(where.root, given);
      opened.push({ file, sha256: await sha256Of(file, signal), examined: answer.examined });
    }
    const { all, target, isBoundToPython, left } = ofOneTarget(opened, python);
    return {
      all, target, isBoundToPython,
      ...cudaOf(all),
      said: [...found.said, ...(left.length === 0 ? [] : [`${left.map((one) => path.relative(where.root, one.file)).join(", ")} ${left.length === 1 ? "is" : "are"} for another Python or machine than ${nameOf(target)}, and ${left.length === 1 ? "was" : "were"} left out.`])],
      dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function sha256Of(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest("hex");
}

function nameOf({ python, platform }: WheelTarget): string {
  return [python === undefined ? undefined : `Python ${python}`, platform].filter((one) => one !== undefined).join(" on ");
}

/** A torch is for one Python and one machine: of files for several, those for the asked or the newest Python count. */
function ofOneTarget(subjects: readonly Subject[], asked: string | undefined): Pick<Subjects, "all" | "target" | "isBoundToPython"> & { readonly left: readonly Subject[] } {
  const targets = subjects.map((subject) => ({ subject, target: targetOf(subject.examined) }));
  const pythons = targets.flatMap(({ target }) => target.python ?? []).sort((a, b) => minorOf(b) - minorOf(a));
  const python = asked ?? pythons[0];
  const platform = targets[0]?.target.platform;
  const fits = ({ target }: { readonly target: WheelTarget }): boolean => target.platform === platform && (target.python === undefined || python === undefined || target.python === python);
  return {
    all: targets.filter(fits).map(({ subject }) => subject),
    target: { ...(platform === undefined ? {} : { platform }), ...(python === undefined ? {} : { python }) },
    isBoundToPython: targets.some((one) => fits(one) && one.target.python !== undefined),
    left: targets.filter((one) => !fits(one)).map(({ subject }) => subject),
  };
}

function minorOf(python: string): number {
  return Number(/^3\.(\d+)/.exec(python)?.[1] ?? 0);
}

/** By the libraries of CUDA and of torch's CUDA builds that they load: libcudart.so.13. */
function cudaOf(subjects: readonly Subject[]): Pick<Subjects, "cudaMajor"> {
  const needed = subjects.flatMap(({ examined }) => examined.binaries.flatMap(({ body }) => body.profile.needed));
  const major = needed.map((name) => /^libcudart(?:-[0-9a-f]{8})?\.so\.(\d+)/.exec(name)?.[1]).find((one) => one !== undefined);
  return major === undefined ? {} : { cudaMajor: Number(major) };
}
