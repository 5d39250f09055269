import { parseRequirementText } from "../../model/index.ts";
import { ByteSourceError } from "../archive/index.ts";
import { parseAddress } from "./address.ts";
import type { RemoteOptions } from "./options.ts";
import { findWheels } from "./readIndex.ts";
import type { WheelTarget } from "./wheelTags.ts";

/** What names a wheel on a server. */
export type RemoteSpec =
  | { readonly kind: "wheel"; readonly url: string }
  | { readonly kind: "index"; readonly url: string; readonly requirement: string }
  /** Meant to name one, and does not: why, in a sentence. */
  | { readonly kind: "invalid"; readonly message: string };

/**
 * Reads "https://host/torch-2.14.1-….whl" and "index:https://host/whl/cu130 torch==2.14.1". undefined for text that is
 * neither, such as a path.
 */
export function parseRemoteSpec(text: string): RemoteSpec | undefined {
  const spec = text.trim();
  const isIndex = /^index:/i.test(spec);
  if (!isIndex && !/^https?:\/\//i.test(spec)) {
    return undefined;
  }
  const [url = "", ...rest] = (isIndex ? spec.slice("index:".length).trim() : spec).split(/\s+/);
  try {
    parseAddress(url);
  } catch (error) {
    return { kind: "invalid", message: error instanceof Error ? error.message : String(error) };
  }
  const requirement = rest.join(" ");
  if (isIndex) {
    return parseRequirementText(requirement) === undefined
      ? { kind: "invalid", message: `"${spec}" does not say which wheel of the index is meant; write it as index:${url} torch==2.14.1.` }
      : { kind: "index", url, requirement };
  }
  if (requirement !== "" || !/\.whl$/i.test(new URL(url).pathname)) {
    return { kind: "invalid", message: `"${spec}" is not the address of a wheel, which ends in .whl; a page of an index is named as index:${url} torch==2.14.1.` };
  }
  return { kind: "wheel", url };
}

/** The address of the wheel that a spec names; asks the index where one is named. Throws ByteSourceError when there is none. */
export async function locateWheel(spec: RemoteSpec, target: WheelTarget, options: RemoteOptions = {}): Promise<string> {
  if (spec.kind === "wheel") {
    return spec.url;
  }
  if (spec.kind === "invalid") {
    throw new ByteSourceError("refused", spec.message);
  }
  const found = await findWheels(spec.url, spec.requirement, target, options);
  const best = found.ok ? found.wheels[0] : undefined;
  if (best === undefined) {
    throw new ByteSourceError("missing", found.ok ? `${spec.url} offers no wheel.` : found.message);
  }
  return best.url;
}
