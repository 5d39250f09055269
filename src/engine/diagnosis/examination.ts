import * as path from "node:path";
import { ArchiveError, ByteSourceError, fileSource, memberImage, memberPath, openArchive, Spool } from "../binaries/archive/index.ts";
import type { Archive, ByteSource, Member } from "../binaries/archive/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import { builtAgainst } from "../binaries/history/index.ts";
import { describeBinary } from "../binaries/profile/index.ts";
import { locateWheel, parseRemoteSpec, readRemote } from "../binaries/remote/index.ts";
import type { RemoteOptions, WheelTarget } from "../binaries/remote/index.ts";
import { describeWheel } from "../binaries/wheel/index.ts";
import type { WheelLibrary } from "../binaries/wheel/index.ts";
import { loadSymbolHistory } from "../catalogue/index.ts";
import type { RecordedSymbols } from "../catalogue/index.ts";
import type { BuiltBody, Files, InspectReport, WheelProfile } from "../model/index.ts";
import { renamedFile } from "./renamedFile.ts";

/** A library with the image that the loading model reads. */
export interface ExaminedBinary {
  readonly body: BuiltBody;
  readonly image: LibraryImage;
}

/** A shared library or a wheel, opened. `dispose` gives back what was unpacked. */
export interface Examined {
  /** Absolute path or address. */
  readonly file: string;
  readonly kind: "binary" | "wheel";
  readonly wheel?: WheelProfile;
  readonly binaries: readonly ExaminedBinary[];
  /** What could not be read, in sentences. */
  readonly problems: readonly string[];
  dispose(): void;
}

export interface ExaminationOptions {
  readonly files: Files;
  /** Where relative paths start. */
  readonly root: string;
  readonly remote?: RemoteOptions;
  /** Also compares the content of every file of a wheel with RECORD, which reads all of them. */
  readonly verify?: boolean;
  /** Called often while a wheel is read, with what is being done. */
  readonly progress?: (what: string) => void;
}

export type ExaminationResult = { readonly ok: true; readonly examined: Examined } | { readonly ok: false; readonly message: string };

/** Members up to this size are read in memory; larger ones are unpacked into a temporary folder. */
const heldInMemory = 4 * 1024 * 1024;
/** All that is held in memory of one wheel. */
const heldInTotal = 32 * 1024 * 1024;
/** The wheels known have at most 400; thousands of names that end in ".so" are an attack. */
const mostLibraries = 8000;
/** Members of one wheel whose first bytes are looked at. */
const programsLookedFor = 200;

/** Opens what `inspect` and `fits` are asked about: a file, a wheel, or the address of a wheel. Never throws. */
export async function examine(spec: string, options: ExaminationOptions): Promise<ExaminationResult> {
  const address = parseRemoteSpec(spec);
  const file = path.resolve(options.root, spec);
  try {
    if (address !== undefined) {
      const url = await locateWheel(address, {}, options.remote);
      return { ok: true, examined: await readRemote(url, options.remote ?? {}, (source) => examineWheel(source, options)) };
    }
    const status = options.files.status(file);
    if (status?.kind !== "file") {
      return { ok: false, message: status === undefined ? `${file} does not exist.` : `${file} is ${status.kind === "directory" ? "a folder" : "no regular file"}; name a shared library or a wheel.` };
    }
    if (/\.whl$/i.test(file)) {
      return { ok: true, examined: await examineWheel(await fileSource(file), options) };
    }
    const described = describeBinary(file, options.files);
    return described.ok
      ? { ok: true, examined: { file, kind: "binary", binaries: [described], problems: [], dispose() {} } }
      : described;
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof ByteSourceError) {
      return { ok: false, message: error.message };
    }
    throw error;
  }
}

async function examineWheel(source: ByteSource, options: ExaminationOptions): Promise<Examined> {
  const archive = await openArchive(source);
  const signal = options.remote?.signal;
  const spool = new Spool({
    ...(signal === undefined ? {} : { signal }),
    progress: (done, member) => options.progress?.(`unpacking ${member.name}: ${megabytes(done)} of ${megabytes(member.size)}`),
  });
  try {
    const binaries: WheelLibrary[] = [];
    const problems: string[] = [];
    const unread: { readonly member: string; readonly size: number }[] = [];
    const sniffed = { left: programsLookedFor };
    let held = 0;
    for (const member of archive.members.values()) {
      if (signal?.aborted === true) {
        throw new ByteSourceError("cancelled", `Reading ${source.name} was cancelled.`);
      }
      if (!isLibraryName(member.name) && !(await isProgram(archive, member, sniffed))) {
        continue;
      }
      if (binaries.length + unread.length >= mostLibraries) {
        if (binaries.length + unread.length === mostLibraries) {
          problems.push(`${source.name} holds more than ${mostLibraries} libraries; the others were not read.`);
        }
        unread.push({ member: member.name, size: member.size });
        continue;
      }
      options.progress?.(`reading ${member.name}`);
      const inMemory = member.size <= heldInMemory && held + member.size <= heldInTotal;
      held += inMemory ? member.size : 0;
      const described = await describeMember(archive, member, inMemory ? undefined : spool, options);
      if (described.ok) {
        binaries.push({ member: member.name, size: member.size, body: described.body, image: described.image });
      } else {
        problems.push(described.message);
        unread.push({ member: member.name, size: member.size });
      }
    }
    options.progress?.(options.verify === true ? "comparing all files with RECORD" : `comparing ${binaries.length} libraries with the wheel's name and metadata`);
    const wheel = await describeWheel(archive, binaries, { verify: options.verify === true, unread });
    return { file: source.name, kind: "wheel", wheel, binaries, problems, dispose: () => spool.dispose() };
  } catch (error) {
    spool.dispose();
    throw error;
  }
}

async function describeMember(archive: Archive, member: Member, spool: Spool | undefined, options: ExaminationOptions): Promise<ReturnType<typeof describeBinary>> {
  try {
    if (spool === undefined) {
      const image = await memberImage(archive, member);
      return describeBinary(image.path, image.files);
    }
    const shown = memberPath(archive.source.name, member);
    return describeBinary(shown, renamedFile(shown, await spool.unpack(archive, member), options.files));
  } catch (error) {
    // One bad or too costly member costs only itself.
    if (error instanceof ArchiveError || (error instanceof ByteSourceError && (error.problem === "budget"))) {
      return { ok: false, message: error.message };
    }
    throw error;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function isLibraryName(name: string): boolean {
  return /\.so(?:\.[\w.]+)?$/.test(name);
}

/** Programs have names of no kind: their first bytes tell. Not looked at on a server, where each look is a request. */
async function isProgram(archive: Archive, member: Member, sniffed: { left: number }): Promise<boolean> {
  const name = path.posix.basename(member.name);
  if (/^https?:/i.test(archive.source.name) || name.includes(".") || member.size < 64 || sniffed.left === 0 || /\.dist-info\//.test(member.name)) {
    return false;
  }
  sniffed.left -= 1;
  try {
    const head = await archive.head(member, 4);
    return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1") === "\u007fELF";
  } catch (error) {
    if (error instanceof ArchiveError) {
      return false;
    }
    throw error;
  }
}

/** The interpreter and machine that could load it: which wheel of an index is meant when it is compared with one. */
export function targetOf(examined: Examined): WheelTarget {
  const [first] = examined.binaries;
  const python = pythonOf(examined);
  return { platform: first?.body.profile.machine === "aarch64" ? "linux-aarch64" : "linux-x86_64", ...(python === undefined ? {} : { python }) };
}

/** By the suffix of a module, else by the wheel's tag: a module without suffix may lie in a wheel for one Python (PEP 425). */
function pythonOf({ binaries, wheel }: Examined): string | undefined {
  const suffixes = binaries.flatMap(({ body }) => body.profile.modules).map((one) => /^cpython-3(\d+t?)-/.exec(one.suffix ?? "")?.[1]);
  const tags = (wheel?.tags.abis ?? []).map((abi) => /^cp3(\d+t?)$/.exec(abi)?.[1]);
  const minor = [...suffixes, ...tags].find((one) => one !== undefined);
  return minor === undefined ? undefined : `3.${minor}`;
}

/** What `inspect` says of it. */
export function inspectReport(examined: Examined, history: RecordedSymbols = loadSymbolHistory()): InspectReport {
  return {
    schema: 1,
    file: examined.file,
    kind: examined.kind,
    ...(examined.wheel === undefined ? {} : { wheel: examined.wheel }),
    binaries: examined.binaries.map(({ body, image }) => {
      const against = builtAgainst(image, examined.binaries.flatMap((other) => (other.image === image ? [] : [other.image])), history);
      return { profile: body.profile, facts: body.facts, notKnown: body.notKnown, ...(against === undefined ? {} : { builtAgainst: against }) };
    }),
    problems: examined.problems,
  };
}
