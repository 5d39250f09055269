import { familyOf } from "../../../binaries/mangling/index.ts";
import type { SymbolFamily } from "../../../model/index.ts";
import { scopesOf } from "./demangled.ts";
import type { Matter } from "./matter.ts";
import { ofCuda, ofLibstdcxx, ofOthers, ofPython, stableShim } from "./others.ts";
import type { Judgement } from "./matter.ts";
import { torchByText } from "./torch.ts";
import { demangledOf } from "./words.ts";

const standard: ReadonlySet<string> = new Set(["std", "__gnu_cxx", "__cxxabiv1"]);

/** Makers of other devices put the names of their adapters into torch's namespaces. */
const ofAdapter = /^(?:c10|at|torch)::(?:native::)?(?:musa|npu|mlu|gcu|hpu)::/;

/** Whose the symbol of an error is. What is exported by a library of torch is torch's, whatever its namespace. */
export function familyOfMatter({ error, life }: Matter): SymbolFamily {
  if (life.homes.length > 0 && !/^(?:aoti_torch|torch)_/.test(life.symbol)) {
    return "torch";
  }
  // NVIDIA's libraries bear their own name as the version of what they export.
  if (error.from?.startsWith("libcudnn") === true) {
    return "cuda";
  }
  if (ofAdapter.test(demangledOf(error))) {
    return "own-or-other";
  }
  if (!error.isDemangled && error.system !== "windows") {
    return familyOf(life.symbol.replace(/@.*$/, ""));
  }
  const text = error.symbol.replace(/@.*$/, "");
  const parts = scopesOf({ ...error, symbol: text });
  const [first = ""] = parts ?? [];
  if (parts === undefined || (parts.length === 1 && !text.includes("("))) {
    return familyOf(text);
  }
  return standard.has(first) ? "libstdcxx" : familyOf(parts.length === 1 ? `_Z${first.length}${first}` : `_ZN${parts.slice(0, 3).map((one) => `${one.length}${one}`).join("")}E`);
}

/** What the text alone says. */
export function byText(matter: Matter): Judgement {
  switch (familyOfMatter(matter)) {
    case "torch":
      return torchByText(matter);
    case "torch-stable":
      return stableShim(matter);
    case "python":
      return ofPython(matter);
    case "cuda":
      return ofCuda(matter);
    case "libstdcxx":
      return ofLibstdcxx(matter);
    case "glibc":
    case "own-or-other":
      return ofOthers(matter);
  }
}
