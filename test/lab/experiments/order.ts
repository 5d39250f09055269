/**
 * Many things missing at once: which of them the loader names first depends on the linker, on the order of relocations and,
 * over several libraries, on the order in which objects are searched, checked and relocated. Made up by a fixed sequence of
 * numbers, so that they are the same in every run.
 */
import { loads, type Experiment, type Step } from "../experiment.ts";
import { library, referring, stub } from "../recipe.ts";

/** A sequence of numbers below a bound (Marsaglia's xorshift of 32 bits). */
export function numbers(seed: number): (below: number) => number {
  let state = seed * 2654435761 >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const linkers: readonly { readonly name: string; readonly flags: readonly string[]; readonly link: readonly string[]; readonly needs?: readonly string[] }[] = [
  { name: "bfd", flags: [], link: [] },
  { name: "bfd-now", flags: [], link: ["-Wl,-z,now"] },
  { name: "bfd-no-plt", flags: ["-fno-plt"], link: [] },
  { name: "bfd-unsorted", flags: [], link: ["-Wl,-z,nocombreloc"] },
  { name: "bfd-sysv-hash", flags: [], link: ["-Wl,--hash-style=sysv"] },
  { name: "bfd-relr", flags: [], link: ["-Wl,-z,pack-relative-relocs"] },
  { name: "bfd-os2", flags: ["-O2", "-ffunction-sections", "-fdata-sections"], link: ["-Wl,--gc-sections", "-Wl,-z,relro"] },
  { name: "gold", flags: [], link: ["-fuse-ld=gold"], needs: ["ld.gold"] },
  { name: "gold-no-plt", flags: ["-fno-plt"], link: ["-fuse-ld=gold"], needs: ["ld.gold"] },
  { name: "lld", flags: [], link: ["-fuse-ld=lld"], needs: ["ld.lld"] },
];

function names(count: number, next: (below: number) => number, prefix: string): string[] {
  return Array.from({ length: count }, () => `lab_${prefix}${next(1_000_000_000).toString(36)}`);
}

function oneFile(seed: number): Experiment {
  const next = numbers(seed);
  const linker = linkers[seed % linkers.length] ?? linkers[0];
  const references = { calls: names(next(6), next, "f"), takes: names(1 + next(5), next, "d"), weak: names(next(3), next, "w") };
  return {
    id: `order/relocations-${linker?.name ?? ""}-${seed}`, about: `${references.calls.length} functions and ${references.takes.length} variables are missing`, file: "probe.so", load: { how: "import" }, inCi: seed < 14 && linker?.needs === undefined,
    ...(linker?.needs === undefined ? {} : { needs: linker.needs }),
    steps: library({ file: "probe.so", source: referring(references), flags: linker?.flags ?? [], link: linker?.link ?? [] }),
    expect: () => ({ is: "symbol", symbol: "*", kind: "own" }),
  };
}

interface Part { readonly name: string; readonly needs: readonly number[]; readonly symbols: readonly string[]; readonly absent: readonly string[]; readonly version: boolean }

/** A module and up to six libraries that need each other, of which some miss a symbol, a library or a version. */
function graph(seed: number, options: { readonly symbols: boolean; readonly libraries: boolean; readonly versions: boolean; readonly cycles: boolean }): Experiment {
  const next = numbers(seed * 7919);
  const count = 3 + next(4);
  const parts: Part[] = Array.from({ length: count }, (_, index) => {
    const later = Array.from({ length: count }, (__, other) => other).filter((other) => other > index && (other === index + 1 || next(3) === 0));
    const back = options.cycles && index > 1 && next(2) === 0 ? [1 + next(index - 1)] : [];
    return {
      name: index === 0 ? "probe.so" : `lib/liblab${index}.so`,
      needs: shuffled([...later, ...back].filter((other) => other !== index), next),
      symbols: options.symbols && next(2) === 0 ? names(1 + next(2), next, `s${index}`) : [],
      absent: options.libraries && next(3) === 0 ? [`liblabgone${index}.so.1`] : [],
      version: options.versions && next(3) === 0,
    };
  });
  const made: Step[] = [
    ...parts.flatMap((part) => part.absent).flatMap((soname) => stub(soname)),
    ...parts.flatMap((_, index) => [{ do: "write", file: `old${index}.map`, text: `GLIBCXX_3.4.9${index} { global: lab_recent; };\n` }, { do: "write", file: "old.c", text: "void lab_recent(void) {}\n" }, { do: "run", program: "gcc", args: ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libstdc++.so.6", `-Wl,--version-script,old${index}.map`, "-o", `stubs/old${index}/libstdc++.so.6`, "old.c"] }] satisfies Step[]),
    // Libraries that need each other cannot be linked in any order: first with nothing in them, then in earnest.
    ...parts.slice(1).flatMap((part) => [...stub(part.name.slice("lib/".length))]),
    ...parts.toReversed().flatMap((part) => library({
      file: part.name, module: part.name === "probe.so",
      source: referring({ calls: [...part.symbols, ...(part.version ? ["lab_recent"] : [])] }).replaceAll("lab_use", `lab_use_${part.name.replaceAll(/\W/g, "_")}`),
      link: [
        ...(part.name === "probe.so" ? ["-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/lib"] : [`-Wl,-soname,${part.name.slice("lib/".length)}`]),
        ...shuffled([...part.needs.map((other) => `stubs/${parts[other]?.name.slice("lib/".length) ?? ""}`), ...part.absent.map((soname) => `stubs/${soname}`), ...(part.version ? [`stubs/old${parts.indexOf(part)}/libstdc++.so.6`] : [])], next),
      ],
    })),
  ];
  const isAbsent = parts.some((part) => part.absent.length > 0);
  const isOld = parts.some((part) => part.version);
  const isMissing = parts.some((part) => part.symbols.length > 0);
  const kind = isAbsent ? "libraries" : isOld ? "versions" : isMissing ? "symbols" : "nothing";
  return {
    id: `order/graph-${kind}-${seed}`, about: `${count} libraries that need each other${options.cycles ? ", in circles" : ""}`, steps: made, file: "probe.so", load: { how: "import" }, inCi: seed % 5 === 0,
    expect: () => (isAbsent ? { is: "library", library: "*" } : isOld ? { is: "version", version: "*", library: "libstdc++.so.6" } : isMissing ? { is: "symbol", symbol: "*", kind: ["own", "other-library"] } : loads()),
  };
}

function shuffled<T>(values: readonly T[], next: (below: number) => number): T[] {
  const copy = [...values];
  for (let index = copy.length - 1; index > 0; index--) {
    const other = next(index + 1);
    [copy[index], copy[other]] = [copy[other] as T, copy[index] as T];
  }
  return copy;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

export const orders: readonly Experiment[] = [
  ...range(1, 31).map(oneFile),
  ...range(1, 21).map((seed) => graph(seed, { symbols: true, libraries: false, versions: false, cycles: false })),
  ...range(21, 31).map((seed) => graph(seed, { symbols: true, libraries: false, versions: false, cycles: true })),
  ...range(31, 41).map((seed) => graph(seed, { symbols: true, libraries: true, versions: true, cycles: false })),
  ...range(41, 46).map((seed) => graph(seed, { symbols: true, libraries: false, versions: true, cycles: true })),
];
