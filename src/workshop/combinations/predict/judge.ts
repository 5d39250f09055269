import { ByteSourceError } from "../../../engine/binaries/archive/index.ts";
import { httpSource, parseAddress, readRemote } from "../../../engine/binaries/remote/index.ts";
import type { RangeCache, RemoteOptions, Spending } from "../../../engine/binaries/remote/index.ts";
import { judge, openEnvironment } from "../../../engine/diagnosis/index.ts";
import type { Surroundings } from "../../../engine/installed/index.ts";
import { valueOf } from "../../../engine/model/index.ts";
import type { FitReport, InstalledBody, Verdict } from "../../../engine/model/index.ts";
import { inSlices } from "../../process/index.ts";
import type { KnownWheel } from "../types.ts";
import type { PredictionCache } from "./cache.ts";
import { Purse } from "./purse.ts";
import { inLoadersOrder, reasonOf } from "./reason.ts";
import type { Subject } from "./subjects.ts";
import type { Asked, Judged } from "./types.ts";

export interface JudgeOptions {
  readonly where: Surroundings;
  readonly cache: PredictionCache;
  /** Where the ranges of wheels are kept. */
  readonly ranges: RangeCache;
  readonly offline: boolean;
  readonly signal: AbortSignal;
  readonly network: Pick<RemoteOptions, "silence" | "retries" | "backOff" | "authorization">;
  readonly tell: (bytes: number, wheel: KnownWheel) => void;
}

/** Of a torch wheel typically, measured: 2.13.0+cpu 4.7 MB, 2.14.1 with CUDA 7.0 MB. */
const typical = { cpu: 4_800_000, cuda: 7_000_000 };
/** A server that was asked whether a wheel is still the same answers soon or not at all. */
const shortSilence = 10_000;
const gravest: readonly Verdict[] = ["conflict", "unknown", "no-conflict"];

/** Compares files with torches that lie on servers, and remembers what came out. */
export class Judge {
  readonly #subjects: readonly Subject[];
  readonly #options: JudgeOptions;
  /** Servers that did not answer: they are not asked again for every wheel. */
  readonly #silent = new Map<string, string>();

  constructor(subjects: readonly Subject[], options: JudgeOptions) {
    this.#subjects = subjects;
    this.#options = options;
  }

  /** What is known of it without asking anybody. */
  async recall(wheel: KnownWheel): Promise<Judged | undefined> {
    const identity = wheel.sha256 === undefined ? (await this.#options.cache.seen(shownUrl(wheel)))?.identity : `sha256:${wheel.sha256}`;
    return identity === undefined ? undefined : this.#recalled(identity);
  }

  /** How many bytes it will take to compare with it. */
  async estimate(wheel: KnownWheel): Promise<number> {
    if (await this.recall(wheel) !== undefined) return 0;
    const seen = await this.#options.cache.seen(shownUrl(wheel));
    const key = wheel.sha256 === undefined ? `${parseAddress(wheel.url).url}\n${seen?.identity ?? ""}` : `sha256:${wheel.sha256}`;
    if (await this.#options.ranges.find(key) !== undefined && seen !== undefined) return 0;
    const variant = variantOf(wheel);
    const most = await this.#options.cache.measured(variant) ?? (variant === "cpu" ? typical.cpu : typical.cuda);
    return wheel.size === undefined ? most : Math.min(most, wheel.size);
  }

  /** Compares with it, from what is kept or by reading the wheel's tables from its server. Never throws for what a server does. */
  async ask(wheel: KnownWheel, spending: Spending): Promise<Asked> {
    const purse = new Purse(spending);
    try {
      return await this.#ask(wheel, purse);
    } catch (error) {
      const left = this.#options.signal.aborted ? this.#leftOver(purse) : undefined;
      if (left === undefined) throw error;
      return left;
    }
  }

  async #ask(wheel: KnownWheel, purse: Purse): Promise<Asked> {
    const identity = await this.#identify(wheel, purse);
    if (typeof identity !== "string") return { ...identity, bytes: purse.spent };
    const known = await this.#recalled(identity);
    if (known !== undefined) return { kind: "judged", judged: known, fromCache: true, bytes: purse.spent };
    const { where, cache, offline } = this.#options;
    const silent = this.#silent.get(parseAddress(wheel.url).origin);
    if (offline || silent !== undefined) return { kind: "left", because: offline ? "offline" : "server", message: silent ?? `${wheel.file} was not read before.`, bytes: purse.spent };
    const url = wheel.sha256 === undefined ? wheel.url : `${wheel.url.replace(/#.*$/, "")}#sha256=${wheel.sha256}`;
    const answer = await openEnvironment(url, where, this.#remote(wheel, purse));
    const left = this.#leftOver(purse);
    if (left !== undefined) return left;
    if (!answer.ok) return this.#notRead(wheel, answer.message, purse);
    const each: Judged[] = [];
    for (const { examined, sha256 } of this.#subjects) {
      const report = await inSlices(judge(examined, answer.environment, where), this.#options.signal);
      const judged = judgedOf(report, answer.environment.body);
      await cache.keep(sha256, identity, judged);
      each.push(judged);
    }
    const before = await cache.seen(shownUrl(wheel));
    if (before?.identity !== identity || purse.spent > before.bytes) await cache.keepSeen(shownUrl(wheel), { identity, variant: variantOf(wheel), bytes: purse.spent });
    return { kind: "judged", judged: changedNote(together(each), wheel, before?.identity, identity), fromCache: false, bytes: purse.spent };
  }

  async #recalled(identity: string): Promise<Judged | undefined> {
    const each = await Promise.all(this.#subjects.map(({ sha256 }) => this.#options.cache.find(sha256, identity)));
    const all = each.filter((one) => one !== undefined);
    return all.length === 0 || all.length < each.length ? undefined : together(all);
  }

  /** What tells one content of the wheel from another: its checksum, or what the server says of it now. */
  async #identify(wheel: KnownWheel, purse: Purse): Promise<string | Asked> {
    if (wheel.sha256 !== undefined) return `sha256:${wheel.sha256}`;
    const seen = (await this.#options.cache.seen(shownUrl(wheel)))?.identity;
    if (this.#options.offline || this.#silent.has(parseAddress(wheel.url).origin)) return seen ?? "";
    try {
      return (await httpSource(wheel.url, { silence: shortSilence, ...this.#options.network, budget: purse, signal: this.#options.signal, retries: 1 })).identity;
    } catch (error) {
      if (!(error instanceof ByteSourceError)) throw error;
      const left = this.#leftOver(purse);
      if (left !== undefined) return left;
      this.#note(wheel, error);
      return seen !== undefined && error.problem !== "missing" ? seen : this.#failed(wheel, error, purse);
    }
  }

  #remote(wheel: KnownWheel, purse: Purse): RemoteOptions {
    const { signal, ranges, network, tell } = this.#options;
    return { ...network, budget: purse, signal, cache: ranges, progress: (bytes) => { tell(bytes, wheel); } };
  }

  #leftOver(purse: Purse): Asked | undefined {
    if (this.#options.signal.aborted) return { kind: "left", because: "cancelled", message: "It was cancelled.", bytes: purse.spent };
    return purse.wasRefused ? { kind: "left", because: "budget", message: "The rest of it would cost more than the budget leaves.", bytes: purse.spent } : undefined;
  }

  /** Whether it is the wheel that cannot be read, or its server that does not answer, decides whether the others are asked for. */
  async #notRead(wheel: KnownWheel, message: string, purse: Purse): Promise<Asked> {
    if (this.#silent.has(parseAddress(wheel.url).origin)) return { kind: "left", because: "server", message, bytes: purse.spent };
    try {
      await readRemote(wheel.url, { silence: shortSilence, ...this.#options.network, budget: new Purse(purse), signal: this.#options.signal, retries: 0 }, () => Promise.resolve());
    } catch (error) {
      if (!(error instanceof ByteSourceError)) throw error;
      this.#note(wheel, error);
      return this.#leftOver(purse) ?? this.#failed(wheel, error, purse, message);
    }
    return unknown(message, purse.spent);
  }

  #note(wheel: KnownWheel, error: ByteSourceError): void {
    if (error.problem === "unreadable" || error.problem === "timeout" || error.problem === "refused") this.#silent.set(parseAddress(wheel.url).origin, error.message);
  }

  #failed(wheel: KnownWheel, error: ByteSourceError, purse: Purse, message = error.message): Asked {
    return this.#silent.has(parseAddress(wheel.url).origin) ? { kind: "left", because: "server", message, bytes: purse.spent } : unknown(message, purse.spent);
  }
}

/** It is not kept: the next time it may be there. */
function unknown(message: string, bytes: number): Asked {
  return { kind: "judged", judged: { verdict: "unknown", reason: { message }, lacking: [], notChecked: [] }, fromCache: false, bytes };
}

/** "cpu" or "cu130" of the version's label; "default" is what PyPI serves, which has CUDA on Linux x86_64. */
export function variantOf({ version }: KnownWheel): string {
  return version.split("+")[1] ?? "default";
}

/** For keys: without user, password and query. */
function shownUrl(wheel: KnownWheel): string {
  return parseAddress(wheel.url).shown;
}

function judgedOf(report: FitReport, body: InstalledBody): Judged {
  const reason = reasonOf(report);
  const gitVersion = valueOf(body.facts, "torch-git-version");
  const cuda = valueOf(body.facts, "cuda-version");
  return {
    verdict: report.verdict,
    ...(reason === undefined ? {} : { reason }),
    lacking: inLoadersOrder(report.missing).map(({ symbol, demangled, nearest }) => ({ symbol, demangled, ...(nearest === undefined ? {} : { nearest: nearest.demangled }) })),
    ...(report.against.torch === null ? {} : { torch: report.against.torch }),
    ...(gitVersion === undefined ? {} : { gitVersion }),
    ...(cuda === undefined ? {} : { cuda }),
    notChecked: report.notChecked,
  };
}

/** What holds of several files: the gravest verdict with its reason. */
function together(each: readonly Judged[]): Judged {
  const worst = gravest.flatMap((verdict) => each.find((one) => one.verdict === verdict) ?? [])[0];
  if (worst === undefined) throw new Error("nothing was compared");
  const lacking = [...new Map(each.flatMap((one) => one.lacking).map((one) => [one.symbol, one])).values()];
  return { ...worst, lacking, notChecked: [...new Set(each.flatMap((one) => one.notChecked))] };
}

function changedNote(judged: Judged, wheel: KnownWheel, before: string | undefined, now: string): Judged {
  if (before === undefined || before === now) return judged;
  return { ...judged, notChecked: [`${wheel.file} changed under its name since it was last read; it was read anew.`, ...judged.notChecked] };
}
