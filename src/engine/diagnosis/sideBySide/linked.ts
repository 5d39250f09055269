import * as path from "node:path";
import { resolveAgainst } from "../../installed/index.ts";
import type { Surroundings } from "../../installed/index.ts";
import type { BodyColumn, BuiltBody, Fact, InstalledBody } from "../../model/index.ts";
import { shortPath } from "../../rules/support.ts";
import { torchFolderOf } from "../built/builtWith.ts";
import type { Diagnosis } from "../diagnosis.ts";
import type { Subject } from "./assign.ts";

/** The torch that a build found or was given. */
export interface Linked {
  readonly column: BodyColumn;
  readonly facts: readonly Fact[];
}

/** Finds the linked torch of each subject; what a folder has is read once. */
export function linkedFinder(diagnosis: Diagnosis, where: Surroundings): (subject: Subject) => Linked {
  const folders = new Map<string, InstalledBody | undefined>();
  const bodyOf = (folder: string): InstalledBody | undefined => {
    if (!folders.has(folder)) {
      const found = resolveAgainst(folder, where);
      folders.set(folder, found.ok ? found.body : undefined);
    }
    return folders.get(folder);
  };
  return (subject) => linkedOf(subject, diagnosis, where, bodyOf);
}

function linkedOf(subject: Subject, diagnosis: Diagnosis, where: Surroundings, bodyOf: (folder: string) => InstalledBody | undefined): Linked {
  const stamped = subject.built.map((one) => one.body).find((one) => one.profile.stamp?.["torch.version"] !== undefined);
  const facts: Fact[] = stamped === undefined ? [] : stampFacts(stamped);
  const account = accountOf(subject, diagnosis, where);
  const found = account === undefined ? undefined : bodyOf(account.torch);
  if (account === undefined || found === undefined) {
    const absent = account === undefined ? nothingTells(subject) : `It was compiled with the torch in ${account.torch}, as ${shortPath(account.file, diagnosis.root)} says, and that is gone.`;
    return stamped === undefined ? { column: { role: "linked", name: "linked", absent }, facts: [] } : { column: { role: "linked", name: "as its stamp says" }, facts };
  }
  if (isReplaced(account, subject, where)) {
    const absent = `It was compiled with the torch in ${account.torch}, which was replaced after ${subject.built[0]?.body.name ?? "the file"} was made: what was there before is not known.`;
    return stamped === undefined ? { column: { role: "linked", name: "linked", absent }, facts: [] } : { column: { role: "linked", name: "as its stamp says" }, facts };
  }
  const known = new Set(facts.map((fact) => fact.trait));
  return { column: { role: "linked", name: shortPath(account.torch, diagnosis.root) }, facts: [...facts, ...found.facts.filter((fact) => !known.has(fact.trait))] };
}

function nothingTells({ body, built }: Subject): string {
  if (body?.target.usesTorch === false) {
    return "It does not link torch.";
  }
  return built.length === 0 ? "No configured build folder tells which torch it is going to be linked with." : "Neither a stamp in the file nor a build folder around it tells which torch it was linked with.";
}

interface Account {
  readonly torch: string;
  /** What says so: CMakeCache.txt, build.ninja. */
  readonly file: string;
}

/** From the newest built file that has an account of its build beside it, else from the configured build folder. */
function accountOf({ body, built }: Subject, diagnosis: Diagnosis, { files }: Surroundings): Account | undefined {
  for (const file of built) {
    const found = torchFolderOf(file.body.path, diagnosis.root, files);
    if (found !== undefined) {
      return found;
    }
  }
  const [configured] = body?.target.builder === "cmake" && body.target.usesTorch !== false ? diagnosis.configured : [];
  return configured === undefined ? undefined : torchFolderOf(path.join(configured.folder, "lib.so"), configured.folder, files);
}

function isReplaced({ torch }: Account, { built }: Subject, { files }: Surroundings): boolean {
  const [newest] = built;
  const written = files.status(path.join(torch, "version.py"))?.modified;
  return newest !== undefined && newest.modified > 0 && written !== undefined && written > newest.modified;
}

/** What the compiler and the build wrote into the file: docs/stamp.md. */
function stampFacts({ profile }: BuiltBody): Fact[] {
  const stamp = profile.stamp ?? {};
  const facts: Fact[] = [];
  const add = (key: string, fact: (text: string) => Pick<Fact, "trait" | "value"> | undefined): void => {
    const text = stamp[key];
    const read = text === undefined || text === "" ? undefined : fact(text);
    if (read !== undefined) {
      facts.push({ ...read, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: profile.path, what: `its stamp says ${key}=${text ?? ""}` }] });
    }
  };
  add("torch.version", (value) => ({ trait: "torch-version", value }));
  add("torch.git", (value) => ({ trait: "torch-git-version", value }));
  add("torch.cxx11_abi", (text) => (text === "0" || text === "1" ? { trait: "libstdcxx-abi", value: text === "1" ? 1 : 0 } : undefined));
  add("torch.cuda", (value) => ({ trait: "cuda-version", value }));
  return facts;
}
