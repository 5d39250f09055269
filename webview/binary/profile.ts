/** What a library is and what it asks for, as tables. */
import type { BinaryView } from "../../src/protocol/index.ts";
import { el, plural } from "../shared/dom.ts";
import type { Filter } from "./search.ts";
import { familyWords, size } from "./words.ts";

type Profile = BinaryView["inspect"]["binaries"][number]["profile"];
type Cuda = NonNullable<Profile["cuda"]>;

export type Row = readonly [label: string, values: readonly string[]];

const kinds: Readonly<Record<Profile["kind"], string>> = {
  "python-module": "Python module", "operator-library": "library of torch operators", "shared-library": "shared library", executable: "program", object: "object file",
};

const signs: Readonly<Record<Profile["signs"][number]["what"], string>> = {
  "static-libstdcxx": "libstdc++ linked statically", "static-libtorch": "libtorch linked statically", "bundled-libtorch": "a copy of libtorch beside it",
  "leaked-path": "names a folder of the machine that built it", "grafted-library": "a library that was grafted into the wheel", "text-relocations": "relocations in its code",
};

export function identity(profile: Profile): readonly Row[] {
  return present([
    ["Kind", [`${kinds[profile.kind]}, ${profile.machine}, ${size(profile.size)}`]],
    ["Module", profile.modules.map((one) => `${one.name} (${one.entry}${one.suffix === undefined ? "" : `, ${one.suffix}`})`)],
    ["Soname", list(profile.soname)],
    ["Exports", [plural(profile.exports, "symbol")]],
    ["Compilers", profile.compilers],
    ["CUDA code", profile.cuda === undefined ? [] : cudaWords(profile.cuda)],
    ["Build ID", list(profile.buildId)],
    ["Processor", profile.isaLevel === undefined ? [] : [`x86-64-v${profile.isaLevel}`]],
    ["Stamp", Object.entries(profile.stamp ?? {}).map(([key, value]) => `${key}=${value}`)],
    ["Notes", profile.signs.map((sign) => `${signs[sign.what]}: ${evidence(sign.evidence)}`)],
  ]);
}

export function needs(profile: Profile): readonly Row[] {
  const runtime = profile.cudaRuntime;
  return present([
    ["Libraries", profile.needed],
    ["RPATH", profile.rpath],
    ["RUNPATH", profile.runpath],
    ["Symbols of", Object.entries(profile.imports).map(([family, count]) => `${familyWords[family as keyof typeof familyWords]}: ${count}`)],
    ["Versions", profile.versionNeeds.map((need) => `${need.library}: ${need.versions.join(" ")}`)],
    ["pybind11", profile.pybind11Keys],
    ["nanobind", profile.nanobindKeys],
    ["CUDA runtime", runtime === undefined ? [] : [`${runtime.linked}${runtime.major === undefined ? "" : `, CUDA ${runtime.major}`}${runtime.library === undefined ? "" : ` (${runtime.library})`}`]],
  ]);
}

/** Rows whose label or values fit the search; undefined when none does. */
export function table(caption: string, rows: readonly Row[], filter: Filter): HTMLElement | undefined {
  const shown = rows.filter(([label, values]) => filter(label, ...values));
  return shown.length === 0 ? undefined : el("table", { class: "facts" }, el("caption", { class: "hidden" }, caption), el("tbody", {}, ...shown.map(([label, values]) =>
    el("tr", {}, el("th", { scope: "row" }, label), el("td", {}, ...values.map((value) => el("div", {}, value)))))));
}

function list(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function present(rows: readonly Row[]): readonly Row[] {
  return rows.filter(([, values]) => values.length > 0);
}

function cudaWords(cuda: Cuda): string[] {
  return [
    `${architectures(cuda.architectures)} in ${plural(cuda.fatbins, "fat binary", "fat binaries")}${cuda.compressed ? ", compressed" : ""}${cuda.toolkit === undefined ? "" : `, toolkit ${cuda.toolkit}`}`,
    ...(cuda.notEverywhere.length === 0 ? [] : [`not in every translation unit: ${architectures(cuda.notEverywhere)}`]),
    ...(cuda.notRead === undefined ? [] : [cuda.notRead]),
  ];
}

function architectures(found: Cuda["architectures"]): string {
  return found.map((one) => [...(one.real ? [`sm_${one.sm}${one.suffix}`] : []), ...(one.ptx ? [`compute_${one.sm}${one.suffix}`] : [])].join(" ")).join(" ");
}

function evidence(one: Profile["signs"][number]["evidence"]): string {
  switch (one.kind) {
    case "source":
      return one.text;
    case "file":
      return one.what;
    case "catalogue":
      return `${one.table}, ${one.row}`;
  }
}
