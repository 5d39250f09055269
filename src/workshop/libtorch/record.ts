import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { LibtorchCandidate } from "./types.ts";

/** The file beside a libtorch that says what it is and where it came from. */
export const recordName = "abiding-libtorch.json";

const largestRecord = 1024 * 1024;

export interface LibtorchRecord {
  readonly schema: 1;
  readonly version?: string;
  readonly gitVersion?: string;
  /** "cpu", "cu130". */
  readonly variant?: string;
  /** null: built without CUDA. */
  readonly cuda?: string | null;
  readonly abi?: 0 | 1;
  /** `__GXX_ABI_VERSION`, measured with the compiler and flags of the build. */
  readonly gxxAbiVersion?: number;
  readonly compiler?: string;
  readonly linkage?: "shared" | "static";
  readonly platform?: string;
  readonly source:
    | { readonly kind: "libtorch" | "wheel"; readonly url: string; readonly sha256: string; readonly checked: boolean }
    | { readonly kind: "checkout"; readonly commit?: string; readonly modified?: boolean; readonly cmake?: string; readonly arguments: readonly string[] };
  /** The SHA-256 of the sorted names of all files, for those who would replace the folder: what was added since would be lost. */
  readonly names?: string;
  readonly made: string;
  /** Version of Abiding. */
  readonly madeBy: string;
}

/** The record beside a libtorch; a sentence where there is one that cannot be read. */
export function readRecord(folder: string): LibtorchRecord | string | undefined {
  const file = path.join(folder, recordName);
  const status = fs.statSync(file, { throwIfNoEntry: false });
  if (status === undefined) {
    return undefined;
  }
  if (!status.isFile() || status.size > largestRecord) {
    return `${file} is no record of a libtorch.`;
  }
  try {
    const record: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return isRecord(record) ? record : `${file} is no record that this version of Abiding understands.`;
  } catch (error) {
    return `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function isRecord(value: unknown): value is LibtorchRecord {
  return typeof value === "object" && value !== null && "schema" in value && value.schema === 1 && "source" in value && typeof value.source === "object" && value.source !== null;
}

/** The names of all files of a folder but the record itself, as one SHA-256. */
export function namesIn(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).map((one) => path.relative(folder, path.join(one.parentPath, one.name))).filter((name) => name !== recordName);
  return createHash("sha256").update(names.sort().join("\0")).digest("hex");
}

/** What a libtorch's files say otherwise than the record beside it: it was changed since. Undefined: nothing. */
export function differences(record: LibtorchRecord, found: Omit<LibtorchCandidate, "remarks">): string | undefined {
  const sides = [
    ["version", record.version, found.version],
    ["commit", record.gitVersion, found.gitVersion],
    ["_GLIBCXX_USE_CXX11_ABI", record.abi, found.abi],
    ["CUDA", record.cuda === null ? "none" : record.cuda, found.cuda === null ? "none" : found.cuda],
    ["linkage", record.linkage, found.linkage],
    ["platform", record.platform, found.platform],
  ] as const;
  const other = sides.filter(([, said, is]) => said !== undefined && is !== undefined && said !== is);
  return other.length === 0
    ? undefined
    : `${path.join(found.folder, recordName)} says ${other.map(([what, said]) => `${what} ${said}`).join(", ")}; its files are of ${other.map(([what, , is]) => `${what} ${is}`).join(", ")}. The folder was changed after it was made.`;
}
