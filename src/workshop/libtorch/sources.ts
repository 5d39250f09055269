import archives from "../../../data/libtorch-archives.json" with { type: "json" };
import { ArchiveError, ByteSourceError, openArchive } from "../../engine/binaries/archive/index.ts";
import { exchange, findWheels, httpSource, parseAddress } from "../../engine/binaries/remote/index.ts";
import type { Address, RemoteOptions, WheelTarget } from "../../engine/binaries/remote/index.ts";
import { compareVersions, localLabel } from "../../engine/model/index.ts";
import { CannotDo } from "../workshop.ts";
import { thisPlatform } from "./platform.ts";
import type { FetchRequest } from "./types.ts";

export interface Source {
  readonly address: Address;
  /** For people: the file's name. */
  readonly name: string;
  /** What the index, or the address itself, says. */
  readonly sha256: string | undefined;
}

interface ArchiveRow {
  readonly platform: string;
  readonly name: string;
  readonly abi?: number;
  readonly from?: string;
  readonly before?: string;
}

/** Where a request is served from: what it names, else a variable, else PyTorch's own server. */
export function indexOf(request: FetchRequest, environment: Readonly<Record<string, string>>): string {
  const given = request.index ?? nonEmpty(environment["ABIDING_INDEX_URL"]);
  if (given !== undefined) {
    return given;
  }
  if (request.from === "libtorch") {
    return archives.libtorch.address;
  }
  // An index of PyPI's shape has one build of each release, without a label: it serves when no variant was named.
  const pip = nonEmpty(environment["PIP_INDEX_URL"]);
  return request.wanted.variant === undefined && pip !== undefined ? pip : `${archives.wheels.address}/${request.wanted.variant ?? "cpu"}`;
}

/** Finds the archive that a request means. Throws ByteSourceError and CannotDo when there is none. */
export async function findSource(request: FetchRequest, index: string, glibc: string | undefined, options: RemoteOptions): Promise<Source> {
  if (/\.(?:zip|whl)$/i.test(parseAddress(index).url.replace(/\?.*$/, ""))) {
    return sourceAt(index, request);
  }
  return request.from === "wheel" ? findWheel(request, index, glibc, options) : findArchive(request, index, options);
}

function sourceAt(url: string, request: FetchRequest, sha256?: string): Source {
  const address = parseAddress(url);
  const said = sha256 ?? address.sha256;
  if (request.sha256 !== undefined && said !== undefined && request.sha256 !== said) {
    throw new CannotDo(`The index says that ${address.shown} has the SHA-256 ${said}; ${request.sha256} is asked for.`);
  }
  return { address, name: address.shown.slice(address.shown.lastIndexOf("/") + 1), sha256: request.sha256 ?? said };
}

async function findArchive(request: FetchRequest, index: string, options: RemoteOptions): Promise<Source> {
  const variant = request.wanted.variant ?? "cpu";
  const names = archiveNames(request);
  if (names.length === 0) {
    throw new CannotDo(`No official libtorch archive of torch ${request.wanted.version}${request.wanted.abi === undefined ? "" : ` with _GLIBCXX_USE_CXX11_ABI=${request.wanted.abi}`} is known for ${thisPlatform()}. A wheel of torch can be used as one: --from wheel.`);
  }
  const base = index.replace(/\/+$/, "");
  const tried: string[] = [];
  for (const folder of new Set([base.endsWith(`/${variant}`) ? base : `${base}/${variant}`, base])) {
    for (const name of names) {
      const url = `${folder}/${encodeURIComponent(name)}`;
      const missing = await whyMissing(parseAddress(url), options);
      if (missing === undefined) {
        return sourceAt(url, request);
      }
      tried.push(missing);
    }
  }
  throw new ByteSourceError("missing", `No libtorch archive of torch ${request.wanted.version} for ${thisPlatform()} was found. ${tried.join(" ")}${request.index === undefined ? "" : " A package index has wheels: --from wheel."}`);
}

/** Names of archives that a request could mean, by the table of what was published. */
export function archiveNames(request: Pick<FetchRequest, "wanted">, platform: string = thisPlatform()): readonly string[] {
  const variant = request.wanted.variant ?? "cpu";
  const version = request.wanted.version.replace(/\+.*$/, "");
  const rows: readonly ArchiveRow[] = archives.archives;
  return rows
    .filter((row) => row.platform === platform)
    .filter((row) => (row.from === undefined || compareVersions(version, row.from) >= 0) && (row.before === undefined || compareVersions(version, row.before) < 0))
    .filter((row) => request.wanted.abi === undefined || row.abi === undefined || row.abi === request.wanted.abi)
    .map((row) => row.name.replaceAll("{version}", version).replaceAll("{variant}", variant));
}

/** Asks for the first byte: servers answer HEAD differently or not at all. Undefined: the file is there. */
async function whyMissing(address: Address, options: RemoteOptions): Promise<string | undefined> {
  try {
    return await exchange({ address, headers: () => ({ range: "bytes=0-0" }), use: async () => Promise.resolve(undefined) }, options);
  } catch (error) {
    // Object stores, PyTorch's among them, answer 403 for what they do not have.
    if (error instanceof ByteSourceError && (error.problem === "missing" || error.message.includes("the server answers 403"))) {
      return error.message;
    }
    throw error;
  }
}

async function findWheel(request: FetchRequest, index: string, glibc: string | undefined, options: RemoteOptions): Promise<Source> {
  const { version, variant } = request.wanted;
  const platform = thisPlatform();
  const target: WheelTarget = { ...(isWheelPlatform(platform) ? { platform } : {}), ...(glibc === undefined ? {} : { glibc }) };
  const search = await findWheels(index, `torch==${version}`, target, options);
  if (!search.ok) {
    throw new ByteSourceError("missing", search.message);
  }
  const labels = search.wheels.map((wheel) => localLabel(wheel.version));
  // Without labels (PyPI, macOS) the index does not say which variant it has; what is unpacked will.
  const fitting = variant === undefined ? search.wheels : search.wheels.filter((_, at) => labels[at] === variant || (labels[at] === undefined && !labels.includes(variant)));
  const [best] = fitting;
  if (best === undefined) {
    throw new ByteSourceError("missing", `${parseAddress(index).shown} has no wheel of torch ${version} for ${variant ?? ""}; it has ${[...new Set(search.wheels.map((wheel) => wheel.version))].join(", ")}.`);
  }
  if (variant !== undefined && localLabel(best.version) === undefined && platform.startsWith("linux-")) {
    await requireVariant(best.url, variant, options);
  }
  return sourceAt(best.url, request, best.file.sha256);
}

/**
 * An index without labels does not say for which CUDA its wheel is; a few ranges of the wheel do, before gigabytes are fetched.
 * Where the server sends no ranges, what was unpacked is compared. Throws ByteSourceError.
 */
async function requireVariant(url: string, variant: string, options: RemoteOptions): Promise<void> {
  const text = await versionFile(url, options).catch((error: unknown) => {
    if (error instanceof ArchiveError || (error instanceof ByteSourceError && (error.problem === "no-ranges" || error.problem === "budget"))) {
      return undefined;
    }
    throw error;
  });
  const [, none, cuda = ""] = /^cuda\s*(?::[^=\n]*)?=\s*(?:(None)|['"]([\d.]+)['"])/m.exec(text ?? "") ?? [];
  const is = none !== undefined ? "cpu" : cuda === "" ? undefined : `cu${cuda.replace(".", "")}`;
  if (is !== undefined && is !== variant) {
    throw new ByteSourceError("missing", `${parseAddress(url).shown} is the variant ${is} by its torch/version.py; ${variant} is wanted. Nothing but that file was fetched. PyTorch's own indexes have one variant each: --index ${archives.wheels.address}/${variant}`);
  }
}

async function versionFile(url: string, options: RemoteOptions): Promise<string | undefined> {
  const archive = await openArchive(await httpSource(url, options));
  const member = archive.members.get("torch/version.py");
  return member === undefined ? undefined : Buffer.from(await archive.read(member, 64 * 1024)).toString("utf8");
}

function isWheelPlatform(platform: string): platform is NonNullable<WheelTarget["platform"]> {
  return ["linux-x86_64", "linux-aarch64", "macos-arm64", "macos-x86_64"].includes(platform);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
