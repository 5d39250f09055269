import * as path from "node:path";
import table from "../../../data/stable-shims.json" with { type: "json" };
import { torchHeader } from "../installed/index.ts";
import { compareVersions } from "../model/index.ts";
import type { Files, InstalledBody } from "../model/index.ts";

/** One of each folder that declares functions of the stable ABI, below torch's include folder. */
const headers = ["torch/csrc/stable/c/shim.h", "torch/csrc/inductor/aoti_torch/c/shim.h", "torch/csrc/inductor/aoti_torch/generated/c_shim_aten.h"];
const guard = /TORCH_FEATURE_VERSION\s*>=\s*TORCH_VERSION_(\d+)_(\d+)_(\d+)/;
const declaration = /\b((?:aoti_torch|aoti_record|torch)_\w+)\s*\(/g;

/** The release in which TORCH_FEATURE_VERSION guards begin: what is older carries none. */
export const firstGuardedRelease = "2.10.0";

const bundled = new Map((table.releases as readonly { readonly since: string; readonly functions: readonly string[] }[]).flatMap(({ since, functions }) => functions.map((name) => [name, since] as const)));

/** A function of the stable ABI that only a torch for a certain device has: they live in that device's library. */
export function deviceOfShim(name: string): "cuda" | "mps" | "xpu" | undefined {
  const device = /(?:^|_)(cuda|mps|xpu)(?:_|$)/.exec(name)?.[1];
  return device === "cuda" || device === "mps" || device === "xpu" ? device : undefined;
}

export interface ShimVersion {
  readonly since: string;
  readonly source: string;
}

/** The first release with a function of the stable ABI: by data/, else by the guards of an installed torch's headers. */
export function shimVersion(name: string, installed: (() => ReadonlyMap<string, string>) | undefined): ShimVersion | undefined {
  const known = bundled.get(name);
  if (known !== undefined) {
    return { since: known, source: table.about };
  }
  const since = installed?.().get(name);
  return since === undefined ? undefined : { since, source: "the TORCH_FEATURE_VERSION guards in the headers of the installed torch" };
}

/** The guarded functions of an installed torch's headers, read when they are asked for. */
export function headerShims(body: InstalledBody, files: Files): () => ReadonlyMap<string, string> {
  let found: ReadonlyMap<string, string> | undefined;
  return () => (found ??= readHeaders(body, files));
}

function readHeaders(body: InstalledBody, files: Files): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const header of headers) {
    const known = torchHeader(body, header, files);
    const folder = known === undefined ? undefined : path.dirname(known);
    for (const name of folder === undefined ? [] : files.list(folder).filter((one) => one.endsWith(".h"))) {
      const read = files.readText(path.join(folder ?? "", name));
      for (const [symbol, since] of read.ok ? readGuards(read.text) : []) {
        if (!found.has(symbol)) {
          found.set(symbol, since);
        }
      }
    }
  }
  return found;
}

/** Functions that stand under a guard, with the strictest of the guards around them. */
export function readGuards(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const stack: (string | undefined)[] = [];
  for (const line of text.split("\n")) {
    if (/^\s*#\s*if/.test(line)) {
      const match = guard.exec(line);
      stack.push(match === null ? undefined : `${match[1]}.${match[2]}.${match[3]}`);
    } else if (/^\s*#\s*endif/.test(line)) {
      stack.pop();
    } else if (!/^\s*(?:\/\/|\*|#)/.test(line)) {
      const strictest = stack.filter((one) => one !== undefined).sort(compareVersions).at(-1);
      for (const [, name = ""] of strictest === undefined ? [] : line.matchAll(declaration)) {
        if (!found.has(name) && strictest !== undefined) {
          found.set(name, strictest);
        }
      }
    }
  }
  return found;
}
