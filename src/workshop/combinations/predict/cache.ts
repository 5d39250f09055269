import { readdir, rm, stat } from "node:fs/promises";
import * as path from "node:path";
import { CouldNotWrite, appendRecord, readRecords } from "../../process/index.ts";
import type { CombinationReason } from "../types.ts";
import type { Judged, LackingSymbol } from "./types.ts";

/** Changes when a judgement would come out otherwise than before for the same files. */
const revision = 1;
/** Files of verdicts, one for each file that was compared: a project that is rebuilt often leaves many. */
const mostFiles = 200;
/** Wheels whose sizes are taken together. */
const measuredLately = 20;

/** What is known of a wheel on a server. */
interface SeenWheel {
  /** Its checksum, or ETag and size. */
  readonly identity: string;
  readonly variant: string;
  /** That were read of it. */
  readonly bytes: number;
}

/**
 * What earlier predictions found out, in the user's cache folder: verdicts by what was compared (checksum of the file,
 * identity of the wheel, version of Abiding and of what it knows), and the wheels that were read. JSON Lines, so that a
 * killed writer costs a line. A cache that cannot be read or written is no error.
 */
export class PredictionCache {
  readonly #folder: string;
  readonly #engine: string;
  readonly #verdicts = new Map<string, Promise<Map<string, Judged>>>();
  #wheels: Promise<Map<string, SeenWheel>> | undefined;

  /** `engine`: what the verdicts depend on beside the files. */
  constructor(folder: string, engine: string) {
    this.#folder = path.join(folder, "predictions");
    this.#engine = `${revision} ${engine}`;
  }

  async find(sha256: string, identity: string): Promise<Judged | undefined> {
    return (await this.#of(sha256)).get(identity);
  }

  async keep(sha256: string, identity: string, judged: Judged): Promise<void> {
    (await this.#of(sha256)).set(identity, judged);
    await this.#append(this.#file(sha256), { engine: this.#engine, identity, ...judged });
  }

  /** The wheel that was read under an address. */
  async seen(address: string): Promise<SeenWheel | undefined> {
    return (await this.#seenWheels()).get(address);
  }

  async keepSeen(address: string, wheel: SeenWheel): Promise<void> {
    const wheels = await this.#seenWheels();
    wheels.delete(address);
    wheels.set(address, wheel);
    await this.#append(path.join(this.#folder, "wheels.jsonl"), { address, ...wheel });
  }

  /** How many bytes wheels of a variant cost lately; undefined: none was read. */
  async measured(variant: string): Promise<number | undefined> {
    const sizes = [...(await this.#seenWheels()).values()].filter((one) => one.variant === variant && one.bytes > 0).slice(-measuredLately).map((one) => one.bytes);
    return sizes.length === 0 ? undefined : Math.ceil(sizes.reduce((sum, one) => sum + one, 0) / sizes.length);
  }

  #of(sha256: string): Promise<Map<string, Judged>> {
    const known = this.#verdicts.get(sha256) ?? this.#read(sha256);
    this.#verdicts.set(sha256, known);
    return known;
  }

  async #read(sha256: string): Promise<Map<string, Judged>> {
    await this.#forgetOld();
    return new Map((await lines(this.#file(sha256))).flatMap((line) => {
      const judged = line["engine"] === this.#engine ? judgedOf(line) : undefined;
      return judged === undefined || typeof line["identity"] !== "string" ? [] : [[line["identity"], judged] as const];
    }));
  }

  #seenWheels(): Promise<Map<string, SeenWheel>> {
    return (this.#wheels ??= lines(path.join(this.#folder, "wheels.jsonl")).then((all) => new Map(all.flatMap(({ address, identity, variant, bytes }) =>
      typeof address === "string" && typeof identity === "string" && typeof variant === "string" && typeof bytes === "number" ? [[address, { identity, variant, bytes }] as const] : []))));
  }

  #file(sha256: string): string {
    return path.join(this.#folder, `${sha256.slice(0, 40)}.jsonl`);
  }

  async #append(file: string, line: object): Promise<void> {
    try {
      await appendRecord(file, line);
    } catch (error) {
      // The next run finds it out again.
      if (!(error instanceof CouldNotWrite)) throw error;
    }
  }

  async #forgetOld(): Promise<void> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /^[0-9a-f]{40}\.jsonl$/.test(name));
    if (names.length <= mostFiles) return;
    const files = await Promise.all(names.map(async (name) => ({ file: path.join(this.#folder, name), used: (await stat(path.join(this.#folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })));
    for (const { file } of files.sort((a, b) => b.used - a.used).slice(mostFiles)) await rm(file, { force: true }).catch(() => undefined);
  }
}

type Line = Readonly<Record<string, unknown>>;

async function lines(file: string): Promise<readonly Line[]> {
  const records: readonly unknown[] = await readRecords(file).then((read) => read.records, () => []);
  return records.filter((one): one is Line => typeof one === "object" && one !== null && !Array.isArray(one));
}

/** A line that another program, or another version, wrote otherwise is none. */
function judgedOf({ verdict, reason, lacking, torch, gitVersion, cuda, notChecked }: Line): Judged | undefined {
  if ((verdict !== "no-conflict" && verdict !== "conflict" && verdict !== "unknown") || !Array.isArray(lacking) || !Array.isArray(notChecked)) return undefined;
  return {
    verdict,
    ...(isReason(reason) ? { reason } : {}),
    lacking: lacking.filter(isLacking),
    ...(typeof torch === "string" ? { torch } : {}),
    ...(typeof gitVersion === "string" ? { gitVersion } : {}),
    ...(typeof cuda === "string" || cuda === null ? { cuda } : {}),
    notChecked: notChecked.filter((one) => typeof one === "string"),
  };
}

function isReason(value: unknown): value is CombinationReason {
  return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
}

function isLacking(value: unknown): value is LackingSymbol {
  return typeof value === "object" && value !== null && "symbol" in value && typeof value.symbol === "string" && "demangled" in value && typeof value.demangled === "string";
}
