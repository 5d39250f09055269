import { createHash } from "node:crypto";
import { compareVersions, normaliseName, parseRequirementText, satisfies, selectVersions } from "../../model/index.ts";
import type { RequirementText } from "../../model/index.ts";
import { ByteSourceError } from "../archive/index.ts";
import { parseAddress } from "./address.ts";
import { exchange } from "./exchange.ts";
import { parseIndexPage } from "./indexPage.ts";
import type { IndexFile, IndexPage } from "./indexPage.ts";
import { spendingOf } from "./options.ts";
import type { RemoteOptions } from "./options.ts";
import { readBody } from "./rangeRequests.ts";
import { fitOf, parseWheelFileName } from "./wheelTags.ts";
import type { WheelName, WheelTarget } from "./wheelTags.ts";

/** The pages of torch at PyPI and at PyTorch's index have 1 to 8 MB. */
const largestPage = 32 * 1024 * 1024;
/** PEP 691, "Version + Format Selection". */
const accepted = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
const mostListed = 12;

/** A page of an index, at the address of the page itself. Throws ByteSourceError. */
export async function readIndex(url: string, options: RemoteOptions = {}): Promise<IndexPage> {
  const address = parseAddress(url);
  const spending = spendingOf(options);
  return exchange({
    address,
    startsOver: true,
    headers: () => ({ accept: accepted }),
    use: async (response, alive, from) => {
      const bytes = await readBody(response, Math.min(largestPage, spending.left), alive, spending, address);
      options.progress?.(bytes.length, address.shown);
      return parseIndexPage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"), response.headers.get("content-type") ?? "", from);
    },
  }, options);
}

/** A wheel that an index offers and that fits. */
export interface FoundWheel {
  readonly file: IndexFile;
  readonly version: string;
  /** What `httpSource` takes: with the checksum, where the index tells it. */
  readonly url: string;
}

export type WheelSearch = { readonly ok: true; readonly wheels: readonly FoundWheel[] } | { readonly ok: false; readonly message: string };

/**
 * The wheels of an index that a requirement ("torch==2.14.1+cu130") and a target admit, best first: newest version, then
 * the order of PEP 425. `index` is the address of the index or of the project's page. A search that finds nothing says
 * what was there. Throws ByteSourceError when the index cannot be read.
 */
export async function findWheels(index: string, requirement: string, target: WheelTarget, options: RemoteOptions = {}): Promise<WheelSearch> {
  const parsed = parseRequirementText(requirement);
  if (parsed === undefined || parsed.url !== undefined) {
    return { ok: false, message: `"${requirement}" is no requirement; write it as torch==2.14.1 or torch==2.14.1+cu130.` };
  }
  const found = chooseWheels(await readIndex(projectPage(index, parsed.name), options), parsed, target);
  return found.ok ? { ok: true, wheels: found.wheels.map((one) => ({ ...one, url: withUserOf(index, one.url) })) } : found;
}

/** Whoever needs a user for the index needs it for its files. It goes to the same server only. */
export function withUserOf(index: string, url: string): string {
  const from = new URL(index);
  const to = new URL(url);
  if (from.origin === to.origin) {
    to.username = from.username;
    to.password = from.password;
  }
  return to.href;
}

/** The choice among the files of a page. */
export function chooseWheels(page: IndexPage, requirement: RequirementText, target: WheelTarget): WheelSearch {
  const wheels = page.files.flatMap((file) => {
    const name = parseWheelFileName(file.name);
    return name !== undefined && normaliseName(name.distribution) === requirement.name ? [{ file, name }] : [];
  });
  if (wheels.length === 0) {
    return { ok: false, message: [`${page.url} offers no wheel of ${requirement.name}; it lists ${page.files.length} files.`, ...page.problems].join(" ") };
  }
  const versions = [...new Set(wheels.map((one) => one.name.version))].sort(compareVersions);
  const wanted = new Set(selectVersions(requirement.specifier, versions));
  const ofVersion = wheels.filter((one) => wanted.has(one.name.version));
  if (ofVersion.length === 0) {
    return { ok: false, message: `${page.url} has no wheel of ${requirement.name}${requirement.specifier}. It has ${listed(versions.reverse())}.` };
  }
  const python = fullPython(target.python);
  const fitting = ofVersion.flatMap((one) => {
    const fit = fitOf(one.name, target);
    const admits = python === undefined || one.file.requiresPython === undefined || satisfies(python, one.file.requiresPython) !== false;
    return fit === undefined || !admits ? [] : [{ ...one, fit }];
  });
  // PEP 592: yanked files only when nothing else will do and the version is pinned.
  const standing = fitting.filter((one) => one.file.yanked === undefined);
  const chosen = standing.length > 0 ? standing : /^===?[^*]+$/.test(requirement.specifier) ? fitting : [];
  if (chosen.length === 0) {
    return { ok: false, message: nothingFits(page, requirement, target, ofVersion.map((one) => one.name), fitting.length > 0) };
  }
  const ordered = chosen.sort((a, b) => compareVersions(b.name.version, a.name.version) || b.fit - a.fit);
  return { ok: true, wheels: ordered.map(({ file, name }) => ({ file, version: name.version, url: file.sha256 === undefined ? file.url : `${file.url}#sha256=${file.sha256}` })) };
}

function nothingFits(page: IndexPage, requirement: RequirementText, target: WheelTarget, there: readonly WheelName[], areYanked: boolean): string {
  const wanted = [target.python === undefined ? undefined : `Python ${target.python}`, target.platform, target.glibc === undefined ? undefined : `glibc ${target.glibc}`].filter((one) => one !== undefined).join(", ");
  const what = `${requirement.name}${requirement.specifier}`;
  if (areYanked) {
    return `${page.url} has only withdrawn (yanked) wheels of ${what} for ${wanted || "any Python"}.`;
  }
  return `${page.url} has no wheel of ${what} for ${wanted}. It has it for ${listed([...new Set(there.map((one) => `${one.pythons.join(".")}-${one.abis.join(".")}-${one.platforms.join(".")}`))])}.`;
}

function listed(all: readonly string[]): string {
  return all.length > mostListed ? `${all.slice(0, mostListed).join(", ")} and ${all.length - mostListed} more` : all.join(", ");
}

/** "3.11" of "cp311" or "3.11t", for Requires-Python. */
function fullPython(python: string | undefined): string | undefined {
  const match = /^(?:cp)?3[._]?(\d+)((?:\.\d+)*)t?$/.exec(python ?? "");
  return match === null ? undefined : `3.${match[1]}${match[2] === "" ? ".0" : match[2]}`;
}

/** The page of a project: below the address of an index, unless the address is that of the page already. */
export function projectPage(index: string, project: string): string {
  const { url } = parseAddress(index);
  const page = new URL(url);
  const last = page.pathname.split("/").filter((part) => part !== "").at(-1) ?? "";
  if (normaliseName(last) !== project && !last.endsWith(".html")) {
    page.pathname = `${page.pathname.replace(/\/$/, "")}/${project}/`;
  } else if (!last.includes(".") && !page.pathname.endsWith("/")) {
    page.pathname += "/";
  }
  return withUserOf(index, page.href);
}

/** METADATA of a wheel without opening it, where the index offers it beside (PEP 658); undefined where it does not. Throws ByteSourceError. */
export async function readSidecar(file: IndexFile, options: RemoteOptions = {}): Promise<string | undefined> {
  if (file.metadata === undefined) {
    return undefined;
  }
  const address = parseAddress(`${file.url}.metadata`);
  const spending = spendingOf(options);
  const bytes = await exchange({
    address,
    startsOver: true,
    headers: () => ({}),
    use: async (response, alive) => readBody(response, Math.min(largestPage, spending.left), alive, spending, address),
  }, options);
  if (file.metadata.sha256 !== undefined && file.metadata.sha256 !== createHash("sha256").update(bytes).digest("hex")) {
    throw new ByteSourceError("changed", `${address.shown} is not the file whose checksum the index tells.`);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
