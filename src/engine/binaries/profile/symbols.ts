import type { PythonModule, SymbolFamily } from "../../model/index.ts";
import type { ElfFile } from "../elf/index.ts";
import { familyOf, stringAbiOf } from "./names.ts";

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
  /** Its own definitions. */
  readonly ownStrings: AbiWitnesses;
  /** Undefined symbols of libstdc++. */
  readonly libraryStrings: AbiWitnesses;
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
/** Only these tokens can make a name depend on the string ABI: it spares most names the parser. */
const mayHoldString = /Ss|St4list|__cxx11|B5cxx11/;

interface Tally {
  old: string | undefined;
  cxx11: string | undefined;
}

export function readSymbols(elf: ElfFile): SymbolFacts {
  const imports: Partial<Record<SymbolFamily, number>> = {};
  const moduleEntries: Pick<PythonModule, "name" | "entry">[] = [];
  const [torchStrings, ownStrings, libraryStrings]: [Tally, Tally, Tally] = [emptyTally(), emptyTally(), emptyTally()];
  let exports = 0;
  let found: string | undefined;
  let definesRegistration = false;
  let definesLibstdcxx: string | undefined;
  let definesTorch: string | undefined;
  for (const { name, defined, binding } of elf.symbols()) {
    if (name === "") {
      continue;
    }
    if (!defined) {
      const family = familyOf(name);
      imports[family] = (imports[family] ?? 0) + 1;
      found ??= registrar.test(name) ? name : undefined;
      if (family === "torch") {
        note(torchStrings, name);
      } else if (family === "libstdcxx") {
        note(libraryStrings, name);
      }
    } else if (binding !== "local") {
      exports += 1;
      note(ownStrings, name);
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
  return { imports, exports, moduleEntries, registrar: found, torchStrings, ownStrings, libraryStrings, definesRegistration, definesLibstdcxx, definesTorch };
}

function emptyTally(): Tally {
  return { old: undefined, cxx11: undefined };
}

function note(tally: Tally, name: string): void {
  if ((tally.old !== undefined && tally.cxx11 !== undefined) || !mayHoldString.test(name)) {
    return;
  }
  const abi = stringAbiOf(name);
  if (abi === 0 || abi === "both") {
    tally.old ??= name;
  }
  if (abi === 1 || abi === "both") {
    tally.cxx11 ??= name;
  }
}
