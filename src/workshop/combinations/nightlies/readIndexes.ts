import * as path from "node:path";
import { ByteSourceError } from "../../../engine/binaries/archive/index.ts";
import { fitOf, parseWheelFileName, projectPage, readIndex, Spending, userCacheFolder } from "../../../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../../engine/binaries/remote/index.ts";
import { compareVersions, normaliseName } from "../../../engine/model/index.ts";
import { CouldNotWrite } from "../../process/index.ts";
import { plural } from "../../../views/words.ts";
import { CannotDo } from "../../workshop.ts";
import type { Workshop } from "../../workshop.ts";
import type { IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";
import { changeMemory, memoryFile, readMemory } from "./memory.ts";
import { isNoIndex, layPage } from "./page.ts";
import { projectIndexes } from "./projectIndexes.ts";
import { learnPresence, learnRequirements } from "./requires.ts";
import type { Learned } from "./requires.ts";
import { targetOf } from "./fitting.ts";
import type { IndexRequest, Memory, RememberedWheel } from "./types.ts";
import { IndexUsers } from "./users.ts";

/** A page that was read so short a time ago is not read again: milliseconds. */
const fresh = 10 * 60_000;
/** Pages of torch have 1 to 8 MB each. */
const pageBudget = 256 * 1024 * 1024;
/** Wheels that are asked for at a time: each is a request. */
const mostProbed = 400;
const metadataBudget = 16 * 1024 * 1024;

interface Page {
  /** As it was given, perhaps with a user. */
  readonly address: string;
  /** As it is shown and remembered. */
  readonly index: string;
  readonly package: string;
  readonly file: string;
}

interface Outcome {
  readonly page: Page;
  readonly memory: Memory;
  readonly problem?: string;
  readonly problems: readonly string[];
}

/**
 * What indexes have and had of torch and the packages beside it: reads their pages (PEP 503, PEP 691) and the METADATA of
 * siblings, and remembers all of it in the user's cache folder, so that what an index no longer lists stays known. An index
 * that cannot be read costs nothing of what is known. Throws CannotDo for addresses that are none.
 */
export async function readIndexes(request: IndexRequest, workshop: Workshop): Promise<IndexKnowledge> {
  const packages = [...new Set(["torch", ...request.packages.map(normaliseName)])];
  const folder = request.memory ?? path.join(userCacheFolder(workshop.environment), "indexes");
  const { indexes, firstIndex } = request.wanted;
  const given = [...(firstIndex === undefined ? [] : [firstIndex]), ...(indexes.length > 0 ? indexes : projectIndexes(request.root, packages, workshop.environment))];
  const addresses = new Map(given.map((one) => [shownIndex(withoutPackage(one, packages)), withoutPackage(one, packages)]));
  const pages = [...addresses].flatMap(([index, address]) => packages.map((name): Page => ({ address, index, package: name, file: memoryFile(folder, index, name) })));
  const spending = new Spending(request.metadataBudget ?? metadataBudget);
  const users = new IndexUsers(request.root, given, workshop.environment);
  const options: RemoteOptions = { authorization: users.authorization, ...request.network, signal: workshop.activity.signal };
  const outcomes = await Promise.all(pages.map(async (page) => {
    const outcome = await readPage(page, request, workshop, { ...options, budget: pageBudget });
    return request.offline === true || (outcome.problem !== undefined && outcome.memory.readAt === undefined) ? outcome : learn(outcome, request, workshop, { ...options, budget: spending });
  }));
  return {
    wheels: outcomes.flatMap(({ memory }) => memory.wheels.map(told)),
    indexes: outcomes.map(({ page, memory, problem }) => ({ index: page.index, package: page.package, ...(memory.readAt === undefined ? {} : { readAt: memory.readAt }), ...(problem === undefined ? {} : { problem }) })),
    problems: [...new Set(outcomes.flatMap(({ problems }) => problems))],
  };
}

async function readPage(page: Page, request: IndexRequest, workshop: Workshop, options: RemoteOptions): Promise<Outcome> {
  const { memory, problem: damage } = await readMemory(page.file, page.index, page.package);
  const problems = damage === undefined ? [] : [damage];
  if (request.offline === true) {
    return { page, memory, problems, ...(memory.readAt === undefined ? { problem: `${page.index} was never read for ${page.package} on this machine, so that nothing of it is known without a connection.` } : {}) };
  }
  const now = workshop.now();
  const age = memory.readAt === undefined ? Infinity : now.getTime() - Date.parse(memory.readAt);
  if (request.refresh !== true && age >= 0 && age < fresh) {
    return { page, memory, problems };
  }
  workshop.activity.step(`Reading what ${page.index} has of ${page.package}`);
  try {
    const read = await readIndex(projectPage(page.address, page.package), options);
    if (isNoIndex(read, page.package)) {
      const why = [`${read.url} answered with a page that lists no wheel of ${page.package}${read.files.length === 0 ? "" : ` (it has ${plural(read.files.length, "link")})`}; it may be the page of a login or of an error.`, ...read.problems].join(" ");
      return { page, memory, problem: why, problems };
    }
    let told: readonly string[] = [];
    const lay = (before: Memory): Memory => {
      const laid = layPage(before, read, now.toISOString());
      told = laid.problems;
      return laid.memory;
    };
    const after = await remembered(page, workshop, lay, memory);
    return { page, memory: after.memory, problems: [...problems, ...told, ...after.problems] };
  } catch (error) {
    if (!(error instanceof ByteSourceError)) throw error;
    const why = error.problem === "missing" ? `${page.index} has no page of ${page.package}. ${error.message}` : error.message;
    return { page, memory, problem: why, problems };
  }
}

/** The answer does not depend on whether it can be kept. */
async function remembered(page: Page, workshop: Workshop, change: (memory: Memory) => Memory, without: Memory): Promise<{ readonly memory: Memory; readonly problems: readonly string[] }> {
  try {
    return { memory: await changeMemory(page.file, page.index, page.package, workshop.activity, change), problems: [] };
  } catch (error) {
    if (!(error instanceof CouldNotWrite)) throw error;
    return { memory: change(without), problems: [`What was read of ${page.index} could not be remembered: ${error.message}`] };
  }
}

async function learn(outcome: Outcome, request: IndexRequest, workshop: Workshop, options: RemoteOptions & { readonly budget: Spending }): Promise<Outcome> {
  const { page, memory } = outcome;
  const means = { index: page.address, now: workshop.now().toISOString(), options };
  const isWanted = (wheel: RememberedWheel): boolean => isAmong(wheel, request.wanted);
  const lessons: Learned[] = [];
  if (page.package !== "torch" || request.packages.some((one) => /triton/.test(one))) {
    workshop.activity.step(`Reading which torch the wheels of ${page.package} ask for`);
    lessons.push(await learnRequirements(memory.wheels, isWanted, means));
  }
  if (request.probe === true) {
    const hidden = memory.wheels.filter((one) => !one.listed && one.gone === undefined && isWanted(one));
    const asked = hidden.toSorted((a, b) => compareVersions(b.version, a.version)).slice(0, mostProbed);
    workshop.activity.step(`Asking whether ${asked.length} wheels of ${page.package} are still there that ${page.index} no longer lists`);
    const { wheels, problems } = await learnPresence(asked, means);
    lessons.push({ wheels, problems: hidden.length === asked.length ? problems : [...problems, `Whether ${hidden.length - asked.length} older wheels of ${page.package} at ${page.index} are still there was not asked: at most ${mostProbed} are asked for at a time. --python and --variant narrow it.`] });
  }
  const problems = [...outcome.problems, ...lessons.flatMap((one) => one.problems)];
  if (lessons.every((one) => one.wheels.size === 0)) {
    return { ...outcome, problems };
  }
  const after = await remembered(page, workshop, (before) => ({
    ...before,
    wheels: before.wheels.map((wheel) => Object.assign({}, wheel, ...lessons.map((one) => one.wheels.get(wheel.file))) as RememberedWheel),
  }), memory);
  return { ...outcome, memory: after.memory, problems: [...problems, ...after.problems] };
}

function isAmong(wheel: RememberedWheel, wanted: WheelWanted): boolean {
  const name = parseWheelFileName(wheel.file);
  return name !== undefined && fitOf(name, targetOf(wanted)) !== undefined;
}

/** Without what is only of use to whoever remembers. */
function told({ sidecar: _, identity: __, ...wheel }: RememberedWheel): KnownWheel {
  return wheel;
}

/** The index that the page of a package belongs to. */
function withoutPackage(address: string, packages: readonly string[]): string {
  const [, before = "", last = ""] = /^(.*)\/([^/]+)\/?$/.exec(address) ?? [];
  return packages.includes(normaliseName(last)) ? before : address;
}

/** Without user, password and fragment, and without a slash at the end. Throws CannotDo. */
export function shownIndex(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new CannotDo(`"${address}" is no address of a package index; it should begin with https:// as in https://pypi.org/simple.`);
  }
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href.replace(/\/$/, "");
}
