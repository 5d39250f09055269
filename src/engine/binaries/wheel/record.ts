import { createHash } from "node:crypto";
import type { WheelDisagreement } from "../../model/index.ts";
import { ArchiveError, ByteSourceError } from "../archive/index.ts";
import type { Archive } from "../archive/index.ts";
import type { Verdict, WheelContent } from "./types.ts";

/** One row of RECORD. */
interface Row {
  readonly path: string;
  /** "sha256=..." as written; empty for none. */
  readonly hash: string;
  readonly size: number | undefined;
}

/** Bad lines that are named one by one. */
const maximumNamed = 5;
/** Signatures of RECORD cannot be listed in it, and its own hash cannot be known to it. Source: packaging.python.org, "Recording installed projects". */
const exempt = /\/RECORD(?:\.jws|\.p7s)?$/;
const algorithms: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/**
 * Compares RECORD with the archive: that each lists what the other has, with the same sizes, and that the content has
 * the hashes that it says. Without `verify` only texts that were read anyway are hashed. Throws ByteSourceError.
 */
export async function judgeRecord(archive: Archive, content: WheelContent, verify: boolean): Promise<Verdict> {
  const { folder, texts } = content.metadata;
  const name = `${folder}/RECORD`;
  const bytes = texts.get(name);
  if (bytes === undefined) {
    return { disagreements: [], notKnown: [] };
  }
  const { rows, problems } = parseRecord(new TextDecoder().decode(bytes));
  const say = (weight: WheelDisagreement["weight"], message: string, member: string = name): WheelDisagreement => ({ kind: "record", weight, message, member, evidence: [{ kind: "file", path: `${content.where}/${name}`, what: message }] });
  const disagreements = problems.slice(0, maximumNamed).map((one) => say("error", `${name}, ${one}`));
  const missing = [...rows.values()].filter((row) => !content.members.has(row.path));
  if (missing.length > 0) {
    disagreements.push(say(missing.some((row) => isLibrary(row.path)) ? "error" : "warning", `${name} lists ${named(missing.map((row) => row.path))}, which ${missing.length === 1 ? "is" : "are"} not in the wheel.`, missing[0]?.path));
  }
  const unlisted = [...content.members.keys()].filter((member) => !rows.has(member) && !(exempt.test(member) && member.startsWith(`${folder}/`)));
  if (unlisted.length > 0) {
    disagreements.push(say("warning", `${named(unlisted)} ${unlisted.length === 1 ? "is" : "are"} in the wheel and not listed in ${name}: installers know no hash of ${unlisted.length === 1 ? "it" : "them"}, and PyPI refuses a wheel whose RECORD is not complete.`, unlisted[0]));
  }
  const listed = [...rows.values()].filter((row) => content.members.has(row.path) && !exempt.test(row.path));
  const differing: Difference[] = listed.flatMap((row) => {
    const size = content.members.get(row.path)?.size;
    return row.size === undefined || size === row.size ? [] : [{ path: row.path, words: `${row.size} bytes listed, ${size} there` }];
  });
  const bare = listed.filter((row) => row.hash === "");
  if (bare.length > 0) {
    disagreements.push(say("warning", `${name} gives no hash of ${named(bare.map((row) => row.path))}.`, bare[0]?.path));
  }
  const notKnown: string[] = [];
  for (const row of listed.filter((one) => one.hash !== "" && (verify || texts.has(one.path)))) {
    const algorithm = row.hash.slice(0, Math.max(0, row.hash.indexOf("=")));
    if (!algorithms.has(algorithm)) {
      disagreements.push(say("warning", `${name} gives a hash of ${row.path} that installers do not take ("${row.hash.slice(0, 20)}"): SHA-256 or stronger is asked for.`, row.path));
      continue;
    }
    const found = await hashOf(archive, row.path, algorithm, texts);
    if (!found.ok && !found.isDamage) {
      notKnown.push(found.message);
      break;
    }
    if (!found.ok) {
      disagreements.push(say("error", found.message, row.path));
    } else if (found.hash !== row.hash.slice(algorithm.length + 1).replace(/=+$/, "")) {
      differing.push({ path: row.path, words: `${row.hash} listed, ${algorithm}=${found.hash} there` });
    }
  }
  for (const group of [differing.filter((one) => isLibrary(one.path)), differing.filter((one) => !isLibrary(one.path))]) {
    const [one] = group;
    if (one !== undefined) {
      // A text may have been edited by hand; a library that is not the one that was recorded was swapped.
      const paths = [...new Set(group.map(({ path }) => path))];
      disagreements.push(say(isLibrary(one.path) ? "error" : "warning", `${named(paths)} ${paths.length === 1 ? "has" : "have"} another content than ${name} says (${one.words}).`, one.path));
    }
  }
  return { disagreements, notKnown };
}

interface Difference {
  readonly path: string;
  readonly words: string;
}

function isLibrary(member: string): boolean {
  return /\.so(?:\.[\w.]+)?$/.test(member);
}

type Hashed = { readonly ok: true; readonly hash: string } | { readonly ok: false; readonly isDamage: boolean; readonly message: string };

async function hashOf(archive: Archive, name: string, algorithm: string, texts: ReadonlyMap<string, Uint8Array>): Promise<Hashed> {
  const hash = createHash(algorithm);
  const text = texts.get(name);
  const member = archive.members.get(name);
  if (text !== undefined) {
    hash.update(text);
  } else if (member !== undefined) {
    try {
      for await (const piece of archive.stream(member)) {
        hash.update(piece);
      }
    } catch (error) {
      if (error instanceof ArchiveError) {
        return { ok: false, isDamage: true, message: error.message };
      }
      if (error instanceof ByteSourceError && error.problem === "budget") {
        return { ok: false, isDamage: false, message: `The content of the wheel was not compared with RECORD to its end: ${error.message}` };
      }
      throw error;
    }
  }
  return { ok: true, hash: hash.digest("base64url") };
}

/** Reads RECORD: rows of path, hash and size, as CSV writes them. A bad row costs only itself. */
export function parseRecord(text: string): { readonly rows: ReadonlyMap<string, Row>; readonly problems: readonly string[] } {
  const rows = new Map<string, Row>();
  const problems: string[] = [];
  for (const [index, line] of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === "") {
      continue;
    }
    const fields = parseFields(line);
    const [path = "", hash = "", size = ""] = fields ?? [];
    if (fields === undefined || fields.length !== 3 || path === "" || !/^\d*$/.test(size)) {
      problems.push(`line ${index + 1}: not a path, a hash and a size ("${line.slice(0, 80)}").`);
      continue;
    }
    const row = { path: path.replaceAll("\\", "/").replace(/^\.\//, ""), hash, size: size === "" ? undefined : Number(size) };
    const before = rows.get(row.path);
    if (before !== undefined && (before.hash !== row.hash || before.size !== row.size)) {
      problems.push(`line ${index + 1}: ${row.path} is listed a second time with another content.`);
    }
    rows.set(row.path, row);
  }
  return { rows, problems };
}

/** The fields of one line of CSV; undefined where a quote is not closed. */
function parseFields(line: string): readonly string[] | undefined {
  const fields: string[] = [];
  const field = /"((?:[^"]|"")*)"(?=,|$)|([^",]*)(?=,|$)/y;
  for (let at = 0; at <= line.length; at = field.lastIndex + 1) {
    field.lastIndex = at;
    const match = field.exec(line);
    if (match === null) {
      return undefined;
    }
    fields.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
  }
  return fields;
}

function named(paths: readonly string[]): string {
  return paths.length === 1 ? (paths[0] ?? "") : `${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more files` : ""}`;
}
