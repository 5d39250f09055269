import * as fs from "node:fs";
import * as path from "node:path";
import { ArchiveError, ByteSourceError } from "../../engine/binaries/archive/index.ts";
import { parseAddress } from "../../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../engine/binaries/remote/index.ts";
import { codeOf, CouldNotWrite, exclusively, sentenceOf, writeWhole } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";
import type { Workshop } from "../workshop.ts";
import { describeLibtorch } from "./describe.ts";
import { download, sha256Of } from "./download.ts";
import { found, warningsOf } from "./locate.ts";
import { thisPlatform } from "./platform.ts";
import { proxyRemark } from "./proxy.ts";
import { recordName } from "./record.ts";
import type { LibtorchRecord } from "./record.ts";
import { findSource, indexOf } from "./sources.ts";
import type { Source } from "./sources.ts";
import { requireWritable } from "./space.ts";
import { besidePrefix, contentFile, forgetAnswer, lockFolder, readAnswer, rememberPrefix, removeLeftovers, storeFolder, writeAnswer } from "./store.ts";
import type { Answer } from "./store.ts";
import type { Fetched, FetchRequest, LibtorchCandidate, LibtorchReport } from "./types.ts";
import { unpackLibtorch } from "./unpack.ts";
import { mismatch, variantOf } from "./wanted.ts";

/**
 * Puts a libtorch of a release into a prefix: an official archive, or a wheel of torch. Downloads are resumed and kept by their
 * content, so that a second fetch needs no network; the prefix is whole or absent. Never throws but for defects.
 */
export async function fetchLibtorch(request: FetchRequest, workshop: Workshop, options: RemoteOptions = {}): Promise<LibtorchReport> {
  const report = (outcome: LibtorchReport["outcome"], reason: string): LibtorchReport => ({ schema: 1, action: "fetch", outcome, reason, candidates: [], warnings: [] });
  try {
    const there = prefixHolds(request);
    if (there !== undefined || request.require === true) {
      return there === undefined ? report("not-found", `${request.prefix} holds no libtorch, and --require forbids to fetch one.`) : heldReport(there, request, workshop);
    }
    requireWritable(request.prefix);
    const store = storeFolder(request.cacheFolder, workshop.environment);
    return await exclusively(lockFolder(store, request.prefix), "abiding libtorch fetch", workshop.activity, async () => {
      // Another run may have made it while this one waited.
      const meanwhile = prefixHolds(request);
      return meanwhile === undefined ? make(request, store, workshop, options) : heldReport(meanwhile, request, workshop);
    }, request.prefix);
  } catch (error) {
    if (workshop.activity.signal.aborted || (error instanceof ByteSourceError && error.problem === "cancelled")) {
      return report("cancelled", "The fetch was cancelled. What was downloaded so far is kept, and the next fetch goes on from there.");
    }
    if (error instanceof CannotDo || error instanceof ArchiveError || error instanceof CouldNotWrite) {
      return report("failed", error.message);
    }
    if (error instanceof ByteSourceError) {
      return report("failed", [error.message, proxyRemark(request.index, workshop.environment)].filter((one) => one !== undefined).join(" "));
    }
    if (codeOf(error) !== undefined) {
      return report("failed", sentenceOf(error, `make ${request.prefix}`));
    }
    throw error;
  }
}

/** What a prefix holds; undefined when it is free. */
function prefixHolds(request: FetchRequest): LibtorchCandidate | undefined {
  const status = fs.statSync(request.prefix, { throwIfNoEntry: false });
  if (status === undefined || (status.isDirectory() && fs.readdirSync(request.prefix).length === 0)) {
    return undefined;
  }
  return describeLibtorch(request.prefix, "the prefix");
}

function heldReport(there: LibtorchCandidate, request: FetchRequest, workshop: Workshop): LibtorchReport {
  const own = there.record !== undefined;
  const refused = there.refused ?? mismatch(there, request.wanted);
  if (refused === undefined && (own || request.require === true)) {
    return { schema: 1, action: "fetch", outcome: "found", ...found(there), candidates: [there], warnings: warningsOf(there, workshop.environment) };
  }
  const reason = own || refused === undefined
    ? refused === undefined ? `${request.prefix} holds a libtorch that Abiding did not put there; nothing was changed. \`abiding libtorch locate ${request.prefix}\` takes it as it is.` : `${request.prefix} holds another libtorch, and nothing in it was changed. ${refused} Name another prefix, or remove this one.`
    : `${request.prefix} is not empty and holds nothing that Abiding put there; nothing in it was changed. Name another prefix, or remove this one. ${request.require === true ? refused : ""}`.trimEnd();
  return { schema: 1, action: "fetch", outcome: request.require === true ? "not-found" : "failed", reason, candidates: [refused === undefined ? there : { ...there, refused }], warnings: [] };
}

/** An archive that was fetched whole, and is not what was asked for. */
class OfNoUse extends CannotDo {}

/** The next fetch asks the server again: it may have a good one by then. What has the checksum that was given stays. */
function forget(store: string, key: readonly string[], fetched: Fetched): void {
  forgetAnswer(store, key);
  if (!fetched.checked) {
    fs.rmSync(contentFile(store, fetched.sha256), { force: true });
  }
}

async function make(request: FetchRequest, store: string, workshop: Workshop, options: RemoteOptions): Promise<LibtorchReport> {
  const { activity } = workshop;
  removeLeftovers(request.prefix);
  const fetched = await archiveFor(request, store, workshop, options);
  const name = fetched.url.slice(fetched.url.lastIndexOf("/") + 1);
  const file = contentFile(store, fetched.sha256);
  const folder = besidePrefix(request.prefix);
  try {
    activity.step(`Unpacking ${name}`);
    await unpackLibtorch(file, name, folder, activity);
    const made = describeLibtorch(folder, "fetched");
    // What was unpacked is named by the archive: its own place is gone a moment later.
    const refused = (made.refused ?? mismatch(made, wantedOf(request)))?.replaceAll(folder, name);
    if (refused !== undefined) {
      throw new OfNoUse(`${fetched.url} is not what was asked for, and ${request.prefix} was not made. ${refused}`);
    }
    await writeWhole(path.join(folder, recordName), `${JSON.stringify(recordOf(made, request, fetched, workshop), undefined, 2)}\n`);
    fs.renameSync(folder, request.prefix);
  } catch (error) {
    if (error instanceof OfNoUse || error instanceof ArchiveError) {
      forget(store, keyOfRequest(request, workshop), fetched);
    }
    throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  await rememberPrefix(store, request.prefix);
  const chosen = describeLibtorch(request.prefix, `fetched from ${fetched.url}`);
  if (chosen.refused !== undefined) {
    throw new CannotDo(chosen.refused);
  }
  return { schema: 1, action: "fetch", outcome: "found", ...found(chosen), candidates: [chosen], fetched, warnings: [...warningsOf(chosen, workshop.environment), ...remarksOf(chosen, request, fetched)] };
}

/** libtorch has no variant by itself: what is not asked for is the one that needs nothing else. */
function wantedOf(request: FetchRequest): FetchRequest["wanted"] {
  return request.wanted.variant === undefined && request.from === "libtorch" && !isOneArchive(request) ? { ...request.wanted, variant: "cpu" } : request.wanted;
}

function isOneArchive(request: FetchRequest): boolean {
  return request.index !== undefined && /\.(?:zip|whl)(?:[?#].*)?$/i.test(request.index);
}

/** What a request is known by in the store. */
function keyOfRequest(request: FetchRequest, workshop: Workshop): readonly string[] {
  const { shown } = parseAddress(indexOf(request, workshop.environment));
  return [request.from, shown, request.wanted.version, request.wanted.variant ?? "", String(request.wanted.abi ?? ""), request.sha256 ?? "", thisPlatform()];
}

/** The archive of a request in the store, downloaded unless it is there. */
async function archiveFor(request: FetchRequest, store: string, workshop: Workshop, options: RemoteOptions): Promise<Fetched> {
  const { activity } = workshop;
  const index = indexOf(request, workshop.environment);
  const shown = parseAddress(index).shown;
  const key = keyOfRequest(request, workshop);
  const before = readAnswer(store, key);
  if (before !== undefined && (await isWhole(store, before.sha256, activity))) {
    activity.note(`${before.url} is in the cache.`);
    return { ...before, bytes: 0, fromCache: true };
  }
  activity.step(`Asking ${shown}`);
  const remote: RemoteOptions = { ...options, signal: activity.signal };
  const source = await findSource(request, index, machineGlibc(), remote);
  const locked = await exclusively(lockFolder(store, source.address.url), "abiding libtorch fetch", activity, async () => {
    // Another process may have downloaded it while this one waited.
    const known = source.sha256 ?? readAnswer(store, key)?.sha256;
    if (known !== undefined && (await isWhole(store, known, activity))) {
      return { sha256: known, bytes: 0 };
    }
    activity.step(`Downloading ${source.name}`);
    const downloaded = await download(source.address, source.sha256, store, activity, remote);
    await writeAnswer(store, key, answerOf(source, downloaded.sha256));
    return downloaded;
  }, source.address.shown);
  const answer = answerOf(source, locked.sha256);
  await writeAnswer(store, key, answer);
  return { ...answer, bytes: locked.bytes, fromCache: locked.bytes === 0 };
}

function answerOf(source: Source, sha256: string): Answer {
  return { url: source.address.shown, sha256, checked: source.sha256 !== undefined };
}

/** Whether the store has a content and it is undamaged: a disk or a killed run may have left less. */
async function isWhole(store: string, sha256: string, activity: Workshop["activity"]): Promise<boolean> {
  const file = contentFile(store, sha256);
  if (!fs.existsSync(file)) {
    return false;
  }
  activity.step("Comparing the cached archive with its checksum");
  const is = await sha256Of(file);
  if (is === sha256) {
    return true;
  }
  activity.note(`${file} is damaged (its SHA-256 is ${is}); it is fetched again.`);
  fs.rmSync(file, { force: true });
  return false;
}

function recordOf(made: LibtorchCandidate, request: FetchRequest, fetched: Fetched, workshop: Workshop): LibtorchRecord {
  const variant = variantOf(made);
  return {
    schema: 1,
    ...(made.version === undefined ? {} : { version: made.version }),
    ...(made.gitVersion === undefined ? {} : { gitVersion: made.gitVersion }),
    ...(variant === undefined ? {} : { variant }),
    ...(made.cuda === undefined ? {} : { cuda: made.cuda }),
    ...(made.abi === undefined ? {} : { abi: made.abi }),
    ...(made.gxxAbiVersion === undefined ? {} : { gxxAbiVersion: made.gxxAbiVersion }),
    ...(made.linkage === undefined ? {} : { linkage: made.linkage }),
    ...(made.platform === undefined ? {} : { platform: made.platform }),
    source: { kind: /\.whl$/i.test(fetched.url) ? "wheel" : /\.zip$/i.test(fetched.url) ? "libtorch" : request.from, url: fetched.url, sha256: fetched.sha256, checked: fetched.checked },
    made: workshop.now().toISOString(),
    madeBy: workshop.version,
  };
}

function remarksOf(chosen: LibtorchCandidate, request: FetchRequest, fetched: Fetched): readonly string[] {
  const remarks = fetched.checked ? [] : [`${fetched.url} came without a checksum, so that it was compared with none. With --sha256 ${fetched.sha256} the next fetch is.`];
  return request.from === "wheel" && typeof chosen.cuda === "string"
    ? [...remarks, "A wheel of torch for CUDA finds cuBLAS, cuDNN and others in the nvidia-* packages that pip installs beside it; they are not in this prefix."]
    : remarks;
}

/** The C library of this machine, as Node was started with it; undefined where it is none of GNU. */
function machineGlibc(): string | undefined {
  const report: unknown = process.report.getReport();
  const header = typeof report === "object" && report !== null && "header" in report ? report.header : undefined;
  return typeof header === "object" && header !== null && "glibcVersionRuntime" in header && typeof header.glibcVersionRuntime === "string" ? header.glibcVersionRuntime : undefined;
}
