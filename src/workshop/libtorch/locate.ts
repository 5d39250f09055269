import * as fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Workshop } from "../workshop.ts";
import { leadsOf } from "./candidates.ts";
import { describeLibtorch } from "./describe.ts";
import { placeOf } from "./places.ts";
import { storeFolder } from "./store.ts";
import type { LibtorchCandidate, LibtorchReport, LibtorchWanted, LocateRequest } from "./types.ts";
import { mismatch } from "./wanted.ts";

/**
 * Finds a libtorch by reading files: what was named, variables of the environment, CMAKE_PREFIX_PATH, caches of the project's
 * build folders, the selected environment, the system, what was fetched or built before. The first that can be used and is
 * what is wanted wins; what was named wins or nothing does. Nothing is run, and the network is not touched.
 */
export async function locate(request: LocateRequest, workshop: Pick<Workshop, "environment" | "activity">): Promise<LibtorchReport> {
  const seen = new Set<string>();
  const candidates: LibtorchCandidate[] = [];
  const named = request.prefixes.length;
  let position = 0;
  let chosen: LibtorchCandidate | undefined;
  workshop.activity.step("Looking for libtorch");
  for (const lead of leadsOf({ ...request, environment: workshop.environment, store: storeFolder(request.cacheFolder, workshop.environment) })) {
    position += 1;
    // Environments may lie on slow disks: a cancel comes through between two.
    await setImmediate();
    if (workshop.activity.signal.aborted) {
      return { schema: 1, action: "locate", outcome: "cancelled", reason: "The search was cancelled.", candidates, warnings: [] };
    }
    const place = placeOf(lead.path);
    const real = realPath(place?.torchDir ?? lead.path);
    if ((place === undefined && !lead.isPromise) || seen.has(real)) {
      continue;
    }
    seen.add(real);
    const found = describeLibtorch(lead.path, lead.because);
    const refused = found.refused ?? mismatch(found, request.wanted);
    const candidate = refused === undefined ? found : { ...found, refused };
    candidates.push(candidate);
    if (refused === undefined && (named === 0 || position <= named)) {
      chosen ??= candidate;
    }
  }
  return locateReport(candidates, chosen, request, workshop);
}

function locateReport(candidates: readonly LibtorchCandidate[], chosen: LibtorchCandidate | undefined, request: LocateRequest, workshop: Pick<Workshop, "environment">): LibtorchReport {
  if (chosen?.torchDir === undefined) {
    return { schema: 1, action: "locate", outcome: "not-found", reason: notFound(candidates, request), candidates, warnings: [] };
  }
  return { schema: 1, action: "locate", outcome: "found", ...found(chosen), candidates, warnings: warningsOf(chosen, workshop.environment) };
}

/** What every report of a libtorch says that can be used. */
export function found(chosen: LibtorchCandidate): Pick<LibtorchReport, "chosen" | "cmakeArgument" | "stampFile"> {
  return { chosen, cmakeArgument: `-DTorch_DIR=${chosen.torchDir ?? chosen.folder}`, ...(chosen.record === undefined ? {} : { stampFile: chosen.record }) };
}

export function warningsOf(chosen: LibtorchCandidate, environment: Readonly<Record<string, string>>): readonly string[] {
  // cmake/TorchConfig.cmake.in: it takes this variable for its own place.
  const elsewhere = environment["TORCH_INSTALL_PREFIX"];
  return elsewhere === undefined || realPath(elsewhere) === realPath(chosen.folder)
    ? []
    : [`TORCH_INSTALL_PREFIX is set to ${elsewhere}: TorchConfig.cmake takes headers and libraries from there, whatever Torch_DIR says. Unset it before CMake runs.`];
}

function notFound(candidates: readonly LibtorchCandidate[], request: LocateRequest): string {
  const [first] = candidates;
  if (request.prefixes.length > 0 && first !== undefined) {
    return request.prefixes.length === 1 ? (first.refused ?? `${first.folder} cannot be used.`) : `None of the ${request.prefixes.length} folders that were named can be used: ${candidates.slice(0, request.prefixes.length).map((one) => one.refused).join(" ")}`;
  }
  const wanted = describeWanted(request.wanted);
  return candidates.length === 0
    ? `No libtorch${wanted} was found: not by Torch_DIR, Torch_ROOT, LIBTORCH or LIBTORCH_HOME, not in CMAKE_PREFIX_PATH, a build folder's cache, a Python environment, the system or what was fetched before.`
    : `No libtorch${wanted} can be used: ${candidates.length === 1 ? "the one candidate is" : `all ${candidates.length} candidates are`} refused.`;
}

export function describeWanted(wanted: LibtorchWanted): string {
  const parts = [wanted.version, wanted.variant, wanted.abi === undefined ? undefined : `_GLIBCXX_USE_CXX11_ABI=${wanted.abi}`, wanted.linkage].filter((one) => one !== undefined);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}
