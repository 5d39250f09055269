/**
 * Names that some release of torch exports, drawn from a list of some 450 of them (`fixtures/torch-symbols.txt`: names that nm
 * found in the libraries of 1.13.1 of Debian and of 2.6.0, 2.13.0 and 2.14.1 of PyPI), wanted in arbitrary combinations by
 * files that are linked with arbitrary libraries of torch.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MissingKind } from "../../../src/engine/fit/types.ts";
import { loads, type Experiment } from "../experiment.ts";
import { probe } from "../recipe.ts";
import type { Torch } from "../torches.ts";
import { numbers } from "./order.ts";

const names = readFileSync(join(import.meta.dirname, "..", "fixtures", "torch-symbols.txt"), "utf8").trim().split("\n");
const linkings: readonly (readonly string[])[] = [["c10"], ["torch_cpu", "c10"], ["torch"], ["torch_python"], ["c10", "torch_cpu", "torch", "torch_python"], []];
const everything = ["torch", "torch_python"];

/**
 * What a name is that is missing, by nm: it stands in a library that is not linked, or nowhere. Twins are told from drift by
 * the reader alone, and so are, of the namespaces of CUDA on a torch without it, names of a library that it lacks.
 */
function kindsOf(symbol: string, torch: Torch): readonly MissingKind[] {
  if (torch.exports(symbol, ...everything)) return ["missing-library"];
  return /^(?:aoti_)?torch_/.test(symbol) ? ["stable-shim"] : ["drift", "abi-twin", ...(/4cuda/.test(symbol) && torch.cuda === undefined ? ["missing-library" as const] : [])];
}

function sample(seed: number): Experiment {
  const next = numbers(seed * 104729);
  const linked = linkings[seed % linkings.length] ?? [];
  const wanted = Array.from({ length: 1 + next(seed % 3 === 0 ? 12 : 4) }, () => names[next(names.length)] ?? "");
  const isData = (symbol: string): boolean => /^_ZT[VI]/.test(symbol);
  const references = { calls: [...new Set(wanted.filter((one) => !isData(one)))], takes: [...new Set(wanted.filter(isData))] };
  return {
    id: `sample/${linked.join("-") || "nothing"}-${seed}`, about: `${wanted.length} names of torch, linked with ${linked.join(", ") || "nothing"}`,
    steps: probe(references, linked.map((name) => `lib${name}.so`)), file: "probe.so", load: { how: "import" }, inCi: seed <= 24,
    expect: (torch) => {
      const missing = wanted.filter((one) => !torch.exports(one, ...linked));
      return missing.length === 0 ? loads() : { is: "symbol", symbol: "*", kind: (symbol) => kindsOf(symbol, torch) };
    },
  };
}

export const samples: readonly Experiment[] = Array.from({ length: 120 }, (_, index) => sample(index + 1));
