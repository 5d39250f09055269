import * as path from "node:path";
import { styleText } from "node:util";
import type { BinaryProfile, CudaArchitecture, Evidence, InspectReport, WheelProfile } from "../../engine/model/index.ts";
import { builtAgainstWords } from "./builtAgainstWords.ts";
import { plural, wrap } from "./layout.ts";

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

const familyWords: Readonly<Record<string, string>> = {
  torch: "torch (unstable C++)", "torch-stable": "torch's stable ABI", python: "CPython", cuda: "CUDA", libstdcxx: "libstdc++", glibc: "glibc", "own-or-other": "other",
};

/** `inspect` for people. */
export function inspectText(report: InspectReport, colours: boolean): string {
  const paint: Paint = (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const out = [paint("bold", report.file)];
  if (report.wheel !== undefined) {
    out.push(...wheelLines(report.wheel, paint));
  }
  for (const { profile, notKnown, builtAgainst } of report.binaries) {
    if (report.kind === "wheel") {
      out.push("", paint("underline", path.relative(report.file, profile.path)));
    }
    out.push(...rows([...profileRows(profile), ...(builtAgainst === undefined ? [] : [["built against", builtAgainstWords(builtAgainst)] as const])]));
    out.push(...notKnown.flatMap((sentence) => wrap(sentence, "    ", "  not known: ")));
  }
  if (report.problems.length > 0) {
    out.push("", paint("underline", "Not read"), ...report.problems.flatMap((sentence) => wrap(sentence, "  ")));
  }
  return `${out.join("\n")}\n`;
}

function wheelLines(wheel: WheelProfile, paint: Paint): string[] {
  const read = wheel.libraries.filter((one) => one.isRead).length;
  const ofThoseRead = read === wheel.libraries.length ? [] : ["of what was read"];
  const out = rows([
    ["package", `${wheel.name} ${wheel.version}`],
    ["tags", `${wheel.tags.pythons.join(".")}-${wheel.tags.abis.join(".")}-${wheel.tags.platforms.join(".")}`],
    ["made by", wheel.generator ?? "not said"],
    ["platform needed", [wheel.platformTag ?? (wheel.libraries.length === 0 ? "any: it holds no libraries" : "not known"), ...(wheel.platformTagBesideTorch === undefined || wheel.platformTagBesideTorch === wheel.platformTag ? [] : [`${wheel.platformTagBesideTorch} when torch and CUDA come from their own wheels`]), ...(wheel.platformTag === undefined ? [] : ofThoseRead)].join("; ")],
    ...(wheel.abi3Floor === undefined ? [] : [["limited API", [`all modules keep to that of CPython ${wheel.abi3Floor}`, ...ofThoseRead].join("; ")] as const]),
    ["requires", requirements(wheel.requires)],
    ["libraries", `${wheel.libraries.length}${read === wheel.libraries.length ? "" : `, of which ${read} ${read === 1 ? "was" : "were"} read`}${wheel.libraries.some((one) => one.isGrafted) ? `, of which ${wheel.libraries.filter((one) => one.isGrafted).length} grafted` : ""}`],
  ]);
  for (const one of wheel.disagreements) {
    out.push(...wrap(one.message, "    ", `  ${paint(one.weight === "error" ? "red" : "yellow", one.weight)}: `));
  }
  return [...out, ...wheel.notKnown.flatMap((sentence) => wrap(sentence, "    ", "  not known: "))];
}

/** Extras are what a user asks for by name: they are only counted. */
function requirements(all: readonly string[]): string {
  const always = all.filter((one) => !/\bextra\s*==/.test(one));
  const extras = all.length - always.length;
  const shown = always.slice(0, 12).join(", ") + (always.length > 12 ? ` and ${always.length - 12} more` : "");
  return `${shown === "" ? "nothing" : shown}${extras === 0 ? "" : ` (and ${extras} for extras)`}`;
}

type Row = readonly [string, string];

function profileRows(profile: BinaryProfile): readonly Row[] {
  const modules = profile.modules.map((one) => `${one.name} (${one.entry}, ${one.suffix ?? "no suffix"})`);
  const imports = Object.entries(profile.imports).map(([family, count]) => `${count} of ${familyWords[family] ?? family}`);
  const found: (Row | undefined)[] = [
    ["kind", `${profile.kind}, ${profile.machine}, ${size(profile.size)}`],
    row("module", modules),
    row("soname", profile.soname),
    row("needs", profile.needed),
    row("rpath", profile.rpath),
    row("runpath", profile.runpath),
    row("imports", imports),
    ["exports", plural(profile.exports, "symbol")],
    row("versions", profile.versionNeeds.map((need) => `${need.library}: ${need.versions.join(" ")}`), "; "),
    row("pybind11", profile.pybind11Keys),
    row("nanobind", profile.nanobindKeys),
    row("CUDA code", profile.cuda === undefined ? undefined : cudaWords(profile.cuda)),
    row("CUDA runtime", profile.cudaRuntime === undefined ? undefined : `${profile.cudaRuntime.linked}${profile.cudaRuntime.major === undefined ? "" : `, CUDA ${profile.cudaRuntime.major}`}${profile.cudaRuntime.library === undefined ? "" : ` (${profile.cudaRuntime.library})`}`),
    row("compilers", profile.compilers, "; "),
    row("build id", profile.buildId),
    row("ISA level", profile.isaLevel === undefined ? undefined : `x86-64-v${profile.isaLevel}`),
    row("stamp", profile.stamp === undefined ? undefined : Object.entries(profile.stamp).map(([key, value]) => `${key}=${value}`)),
    ...profile.signs.map((sign): Row => ["note", `${sign.what}: ${evidenceWords(sign.evidence)}`]),
  ];
  return found.filter((one) => one !== undefined);
}

function row(label: string, value: string | readonly string[] | undefined, separator = ", "): Row | undefined {
  const text = typeof value === "string" ? value : value?.join(separator);
  return text === undefined || text === "" ? undefined : [label, text];
}

function rows(found: readonly Row[]): string[] {
  const longest = Math.max(...found.map(([label]) => label.length));
  return found.flatMap(([label, text]) => wrap(text, "".padEnd(longest + 4), `  ${label.padEnd(longest)}  `));
}

function cudaWords(cuda: NonNullable<BinaryProfile["cuda"]>): string {
  const missing = cuda.notEverywhere.length === 0 ? "" : `; not in every translation unit: ${architectures(cuda.notEverywhere)}`;
  return `${architectures(cuda.architectures)} in ${plural(cuda.fatbins, "fat binary").replace("binarys", "binaries")}${cuda.compressed ? ", compressed" : ""}${cuda.toolkit === undefined ? "" : `, toolkit ${cuda.toolkit}`}${missing}${cuda.notRead === undefined ? "" : `; ${cuda.notRead}`}`;
}

function architectures(list: readonly CudaArchitecture[]): string {
  return list.map((one) => [...(one.real ? [`sm_${one.sm}${one.suffix}`] : []), ...(one.ptx ? [`compute_${one.sm}${one.suffix}`] : [])].join(" ")).join(" ");
}

function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function evidenceWords(evidence: Evidence): string {
  switch (evidence.kind) {
    case "source":
      return evidence.text;
    case "file":
      return evidence.what;
    case "catalogue":
      return `${evidence.table}, ${evidence.row}`;
  }
}
