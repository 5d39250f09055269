import type { Evidence, Fact } from "../../model/index.ts";
import type { ElfFile } from "../elf/index.ts";
import type { Constants } from "./constants.ts";
import { innerStrings } from "./symbols.ts";
import type { AbiWitnesses, SymbolFacts } from "./symbols.ts";

export interface StringAbi {
  readonly fact: Fact | undefined;
  readonly notKnown: readonly string[];
}

/**
 * `_GLIBCXX_USE_CXX11_ABI` of a file, by the strongest witness: torch's functions that it calls with a string, else
 * the pybind11 key, its own functions, and what it needs of libstdc++. The weaker ones count only in a file that uses
 * torch's C++ at all, and as inferred: without that, no string crosses to torch.
 */
export function stringAbi(elf: ElfFile, symbols: SymbolFacts, constants: Constants): StringAbi {
  const { path } = elf;
  const boundary = judge(symbols.torchStrings);
  if (boundary === "both") {
    return { fact: undefined, notKnown: [`${path} calls functions of torch in both spellings of std::string (${symbols.torchStrings.old ?? ""} and ${symbols.torchStrings.cxx11 ?? ""}): its parts were compiled with different _GLIBCXX_USE_CXX11_ABI.`] };
  }
  if (boundary !== undefined) {
    return { fact: fact(boundary.value, "observed", seen(path, `needs ${boundary.symbol}`)), notKnown: [] };
  }
  const torch = symbols.imports.torch ?? 0;
  if (torch === 0) {
    return { fact: undefined, notKnown: (symbols.imports["torch-stable"] ?? 0) > 0 ? [`${path} reaches torch through C functions alone: which std::string it was compiled with does not matter to torch.`] : [] };
  }
  const weaker = keyWitness(path, constants) ?? innerWitness(elf);
  return weaker === undefined
    ? { fact: undefined, notKnown: [`No symbol of ${path} tells which std::string it was compiled with: none of the ${torch} functions and objects of torch that it needs takes or returns one.`] }
    : { fact: weaker, notKnown: [] };
}

/** pybind11 3 writes the setting into its key. */
function keyWitness(path: string, constants: Constants): Fact | undefined {
  const values = new Set(constants.pybind11Keys.flatMap((key) => /use_cxx11_abi_([01])/.exec(key)?.[1] ?? []));
  const [value] = values;
  return values.size === 1 ? fact(value === "1" ? 1 : 0, "inferred", seen(path, `"use_cxx11_abi_${value ?? ""}" in its pybind11 key`)) : undefined;
}

function innerWitness(elf: ElfFile): Fact | undefined {
  const { own, library } = innerStrings(elf);
  return symbolWitness(elf.path, "defines", own) ?? symbolWitness(elf.path, "needs", library);
}

function symbolWitness(path: string, verb: string, witnesses: AbiWitnesses): Fact | undefined {
  const found = judge(witnesses);
  return found === undefined || found === "both" ? undefined : fact(found.value, "inferred", seen(path, `${verb} ${found.symbol}`));
}

function judge({ old, cxx11 }: AbiWitnesses): { readonly value: 0 | 1; readonly symbol: string } | "both" | undefined {
  if (old !== undefined && cxx11 !== undefined) {
    return "both";
  }
  return old !== undefined ? { value: 0, symbol: old } : cxx11 === undefined ? undefined : { value: 1, symbol: cxx11 };
}

function fact(value: 0 | 1, certainty: Fact["certainty"], evidence: Evidence): Fact {
  return { trait: "libstdcxx-abi", value, certainty, conditions: [], evidence: [evidence] };
}

function seen(path: string, what: string): Evidence {
  return { kind: "file", path, what };
}
