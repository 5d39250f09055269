import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { userCacheFolder } from "../../engine/binaries/remote/index.ts";
import { makeFolder, writeWhole } from "../process/index.ts";

/** Where archives are kept, by their content, and what was made of them. Below it: content, parts, answers, prefixes, locks. */
export function storeFolder(given: string | undefined, environment: Readonly<Record<string, string>>): string {
  return given ?? path.join(userCacheFolder(environment), "libtorch");
}

/** The file of an archive with that SHA-256, whether it is there or not. */
export function contentFile(store: string, sha256: string): string {
  return path.join(store, "content", sha256);
}

/** What an earlier request was answered with. */
export interface Answer {
  /** Without user, query and fragment. */
  readonly url: string;
  readonly sha256: string;
  readonly checked: boolean;
}

/** Requests for a release have one answer for ever: a second one needs no network. */
export function readAnswer(store: string, request: readonly string[]): Answer | undefined {
  const read = readJson(path.join(store, "answers", `${keyOf(request)}.json`));
  return typeof read === "object" && read !== null && "url" in read && typeof read.url === "string" && "sha256" in read && typeof read.sha256 === "string" && /^[0-9a-f]{64}$/.test(read.sha256)
    ? { url: read.url, sha256: read.sha256, checked: "checked" in read && read.checked === true }
    : undefined;
}

export async function writeAnswer(store: string, request: readonly string[], answer: Answer): Promise<void> {
  await writeInto(path.join(store, "answers", `${keyOf(request)}.json`), JSON.stringify({ request, ...answer }));
}

export function forgetAnswer(store: string, request: readonly string[]): void {
  fs.rmSync(path.join(store, "answers", `${keyOf(request)}.json`), { force: true });
}

/** Remembers where a libtorch was put, for `locate`. */
export async function rememberPrefix(store: string, prefix: string): Promise<void> {
  await writeInto(path.join(store, "prefixes", `${keyOf([prefix])}.json`), JSON.stringify({ prefix }));
}

/** Where libtorches were put and still are, the newest first. */
export function knownPrefixes(store: string): readonly string[] {
  const folder = path.join(store, "prefixes");
  return list(folder)
    .map((name) => ({ file: path.join(folder, name), time: fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)
    .flatMap(({ file }) => {
      const read = readJson(file);
      const prefix = typeof read === "object" && read !== null && "prefix" in read ? read.prefix : undefined;
      return typeof prefix === "string" && fs.existsSync(prefix) ? [prefix] : [];
    });
}

/** A folder that stands for something to lock; it is there only while it is locked. */
export function lockFolder(store: string, what: string): string {
  return path.join(store, "locks", keyOf([what]));
}

export function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** A folder beside `prefix` in which it is made before it is renamed: on the same disk, and recognisable when a run was killed. */
export function besidePrefix(prefix: string): string {
  return path.join(path.dirname(prefix), `.${path.basename(prefix)}.abiding-${randomUUID()}`);
}

/** Removes what killed runs left beside a prefix; the caller holds its lock. */
export function removeLeftovers(prefix: string): void {
  const start = `.${path.basename(prefix)}.abiding-`;
  for (const name of list(path.dirname(prefix)).filter((one) => one.startsWith(start))) {
    fs.rmSync(path.join(path.dirname(prefix), name), { recursive: true, force: true });
  }
}

async function writeInto(file: string, text: string): Promise<void> {
  await makeFolder(path.dirname(file));
  await writeWhole(file, text);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
