import type { PythonModule, SymbolFamily } from "../../model/index.ts";
import type { ElfFile } from "../elf/index.ts";
import type { DynamicSymbol } from "../library.ts";
import { familyOf, readMangled } from "../mangling/index.ts";

/** The first symbol of each spelling of std::string: what a message names. */
export interface AbiWitnesses {
  readonly old: string | undefined;
  readonly cxx11: string | undefined;
}

/** What one pass over the dynamic symbols tells. */
export interface SymbolFacts {
  readonly imports: Readonly<Partial<Record<SymbolFamily, number>>>;
  readonly exports: number;
  /** PyInit_ and PyModExport_ functions. */
  readonly moduleEntries: readonly Pick<PythonModule, "name" | "entry">[];
  /** What it calls to register operators with torch's dispatcher. */
  readonly registrar: string | undefined;
  /** Undefined symbols of torch. */
  readonly torchStrings: AbiWitnesses;
  readonly definesRegistration: boolean;
  /** Definitions that only libstdc++ and libtorch themselves make. */
  readonly definesLibstdcxx: string | undefined;
  readonly definesTorch: string | undefined;
}

/** PEP 489 and PEP 793; the name of a module outside ASCII is written in Punycode after "PyInitU_". */
const moduleEntry = /^Py(?:InitU?|ModExportU?)_(\w+)$/;
/**
 * Constructors behind TORCH_LIBRARY (torch::Library, torch::jit::RegisterOperators before) and the functions behind
 * STABLE_TORCH_LIBRARY. Source: torch/library.h, torch/csrc/stable/c/shim.h.
 */
const registrar = /^(?:_ZN5torch7LibraryC[12]E|_ZN3c1017RegisterOperators|_ZN5torch3jit17RegisterOperatorsC|aoti_torch_library_init_(?:def|impl|fragment)$|torch_library_impl$)/;
/** Functions that libc10 and libtorch_cpu define out of line, from torch 1.7 to 2.15. */
const torchDefinition = /^_ZN3c10(?:5ErrorC[12]ENS_14SourceLocationE|6detail14torchCheckFailE|10Dispatcher13realSingletonEv$)/;
/** Functions that libstdc++ alone defines; libc++ has the first two in std::__1 and the third not at all. */
const libstdcxxDefinitions: ReadonlySet<string> = new Set(["_ZNSt8ios_base4InitC1Ev", "_ZNSt6locale7classicEv", "_ZSt20__throw_length_errorPKc"]);
/** Only with these letters can a name depend on the string ABI: it spares most names the parser. */
const mayBeOld = /Ss|St4list/;
const mayBeCxx11 = /__cxx11|B5cxx11/;

interface Tally {
  old: string | undefined;
  cxx11: string | undefined;
}

export function readSymbols(elf: ElfFile): SymbolFacts {
  const imports: Partial<Record<SymbolFamily, number>> = {};
  const moduleEntries: Pick<PythonModule, "name" | "entry">[] = [];
  const torchStrings: Tally = { old: undefined, cxx11: undefined };
  let exports = 0;
  let found: string | undefined;
  let definesRegistration = false;
  let definesLibstdcxx: string | undefined;
  let definesTorch: string | undefined;
  for (const symbol of elf.symbols()) {
    const { name, binding } = symbol;
    if (name === "") {
      continue;
    }
    if (!symbol.defined) {
      const family = familyOfImport(symbol);
      imports[family] = (imports[family] ?? 0) + 1;
      found ??= registrar.test(name) ? name : undefined;
      if (family === "torch") {
        note(torchStrings, name);
      }
    } else if (binding !== "local") {
      exports += 1;
      const module = moduleEntry.exec(name)?.[1];
      if (module !== undefined) {
        moduleEntries.push({ name: module, entry: name });
      }
      definesRegistration ||= name === "__cudaRegisterFatBinary";
      definesLibstdcxx ??= libstdcxxDefinitions.has(name) ? name : undefined;
      // Inline functions are weak; what only a library defines is not.
      definesTorch ??= binding === "global" && torchDefinition.test(name) ? name : undefined;
    }
  }
  return { imports, exports, moduleEntries, registrar: found, torchStrings, definesRegistration, definesLibstdcxx, definesTorch };
}

/** What no name tells the version does: which of the C library's functions are meant. */
export function familyOfImport({ name, version }: Pick<DynamicSymbol, "name" | "version">): SymbolFamily {
  const family = familyOf(name);
  return family === "own-or-other" && version?.name.startsWith("GLIBC_") === true ? "glibc" : family;
}

/** Names beyond the boundary to torch: its own definitions, and what it needs of libstdc++. */
export function innerStrings(elf: ElfFile): { readonly own: AbiWitnesses; readonly library: AbiWitnesses } {
  const own: Tally = { old: undefined, cxx11: undefined };
  const library: Tally = { old: undefined, cxx11: undefined };
  for (const { name, defined, binding } of elf.symbols()) {
    if (defined && binding !== "local") {
      note(own, name);
    } else if (!defined && familyOf(name) === "libstdcxx") {
      note(library, name);
    }
  }
  return { own, library };
}

function note(tally: Tally, name: string): void {
  if ((tally.old !== undefined || !mayBeOld.test(name)) && (tally.cxx11 !== undefined || !mayBeCxx11.test(name))) {
    return;
  }
  const abi = readMangled(name)?.stringAbi;
  if (abi === 0 || abi === "both") {
    tally.old ??= name;
  }
  if (abi === 1 || abi === "both") {
    tally.cxx11 ??= name;
  }
}
