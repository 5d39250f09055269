import * as path from "node:path";
import { ArchiveError, ByteSourceError, fileSource } from "../binaries/archive/index.ts";
import type { ByteSource } from "../binaries/archive/index.ts";
import { locateWheel, parseRemoteSpec, readRemote } from "../binaries/remote/index.ts";
import type { RemoteOptions, WheelTarget } from "../binaries/remote/index.ts";
import { loadSymbolHistory } from "../catalogue/index.ts";
import { environmentOf, environmentOfImages, environmentOfRelease, headerShims } from "../fit/index.ts";
import type { FitEnvironment } from "../fit/index.ts";
import { describeDefault, describeTorchWheel, resolveAgainst } from "../installed/index.ts";
import type { Surroundings } from "../installed/index.ts";
import { valueOf } from "../model/index.ts";
import type { InstalledBody } from "../model/index.ts";

export type EnvironmentResult = { readonly ok: true; readonly environment: FitEnvironment } | { readonly ok: false; readonly message: string };

/**
 * The torch that a file is to be loaded with, as `--against` names it; the environment found around the root when nothing
 * is named. Reads a server only when an address is named. Of an index the wheel for `wanted` is taken. Never throws.
 */
export async function openEnvironment(spec: string | undefined, where: Surroundings, remote: RemoteOptions = {}, wanted: WheelTarget = { platform: "linux-x86_64" }): Promise<EnvironmentResult> {
  try {
    const address = spec === undefined ? undefined : parseRemoteSpec(spec);
    if (address !== undefined) {
      const url = await locateWheel(address, wanted, remote);
      return { ok: true, environment: await readRemote(url, remote, (source) => ofWheel(source, source.name, where)) };
    }
    if (spec !== undefined && isWheelFile(spec, where)) {
      const wheel = path.resolve(where.root, spec.trim());
      return { ok: true, environment: await ofWheel(await fileSource(wheel), wheel, where) };
    }
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof ByteSourceError) {
      return { ok: false, message: error.message };
    }
    throw error;
  }
  if (spec === undefined) {
    const body = describeDefault(where);
    return body === undefined
      ? { ok: false, message: "No torch was found: not in a virtual environment around this folder, not in the active one, not with the Python on PATH. Name one with --against." }
      : { ok: true, environment: ofBody(body, where) };
  }
  const answer = resolveAgainst(spec, where);
  if (!answer.ok) {
    return answer;
  }
  const served = buildOnPypi(answer.body, where);
  if (served === undefined) {
    return { ok: true, environment: ofBody(answer.body, where) };
  }
  const environment = ofBody(served, where);
  return { ok: true, environment: { ...environment, notKnown: [`${answer.body.name} has several builds; the one that PyPI serves, ${served.name}, was taken.`, ...environment.notKnown] } };
}

/** A release without a label may be any of its builds; whoever installs it without further ado gets this one. */
function buildOnPypi(body: InstalledBody, where: Surroundings): InstalledBody | undefined {
  const version = valueOf(body.facts, "torch-version");
  if (body.source !== "catalogue" || version === undefined || version.includes("+")) {
    return undefined;
  }
  const platform = valueOf(body.facts, "platform") ?? "linux-x86_64";
  const variant = where.catalogue.torchRelease(version)?.variants.find((one) => one.isDefault && one.platform === platform);
  const served = variant === undefined ? undefined : resolveAgainst(`torch==${version}+${variant.label}`, where);
  return served?.ok === true ? served.body : undefined;
}

export type WheelsResult = { readonly ok: true; readonly opened: ReadonlyMap<string, InstalledBody> } | { readonly ok: false; readonly message: string };

/**
 * Reads beforehand those of `specs` that are wheels, on servers or here, so that the others (see `Surroundings.opened`) can
 * answer at once and know what the wheels export. Never throws.
 */
export async function openWheels(specs: readonly string[], where: Surroundings, remote: RemoteOptions = {}): Promise<WheelsResult> {
  const opened = new Map<string, InstalledBody>();
  for (const spec of specs) {
    if (parseRemoteSpec(spec) === undefined && !isWheelFile(spec, where)) {
      continue;
    }
    const answer = await openEnvironment(spec, where, remote);
    if (!answer.ok) {
      return answer;
    }
    opened.set(spec.trim(), answer.environment.body);
  }
  return { ok: true, opened };
}

function isWheelFile(spec: string, where: Surroundings): boolean {
  return /\.whl$/i.test(spec.trim()) && where.files.status(path.resolve(where.root, spec.trim()))?.kind === "file";
}

/** What was read of wheels, for those who have the body only. */
const openedWheels = new WeakMap<InstalledBody, FitEnvironment>();

/** The loading environment of a torch that is described already. */
export function ofBody(body: InstalledBody, where: Pick<Surroundings, "files" | "environment">): FitEnvironment {
  const opened = openedWheels.get(body);
  if (opened !== undefined) {
    return opened;
  }
  return body.torchRoot === undefined ? environmentOfRelease(body, loadSymbolHistory()) : environmentOf(body, where.files, where);
}

async function ofWheel(source: ByteSource, name: string, where: Surroundings): Promise<FitEnvironment> {
  const { body, libraries, files, torchRoot, notKnown } = await describeTorchWheel(source, name, { catalogue: where.catalogue });
  const environment = environmentOfImages(body, libraries);
  const opened = { ...environment, notKnown: [...environment.notKnown, ...notKnown], stableShims: headerShims({ ...body, torchRoot }, files) };
  openedWheels.set(body, opened);
  return opened;
}
