import type { FitResult } from "../../fit/index.ts";
import type { Finding, Trait } from "../../model/index.ts";

type ComparedTrait = FitResult["traits"][number]["trait"];

/** One row of the table: a trait, and under which name each body has it. */
export interface RowKind {
  readonly key: string;
  readonly title: string;
  /** Traits of build files, built files and the linked torch that are shown. */
  readonly declared?: Trait;
  readonly built?: Trait;
  readonly linked?: Trait;
  readonly installed?: Trait;
  /** What the installed value means for the others: a floor is no value. */
  readonly installedWords?: (value: string) => string;
  /** Comparisons of the loading model that speak of it. */
  readonly compared: readonly ComparedTrait[];
  /** Shown for all that uses torch; the others where another body than the installed one has a value, or a rule says something. */
  readonly always?: true;
}

const orNewer = (value: string): string => `${value} or newer`;

/** In the order in which people look: what breaks most builds first. */
export const rowKinds: readonly RowKind[] = [
  { key: "torch-version", title: "torch", linked: "torch-version", installed: "torch-version", compared: [], always: true },
  { key: "libstdcxx-abi", title: "C++ string ABI (_GLIBCXX_USE_CXX11_ABI)", declared: "libstdcxx-abi", built: "libstdcxx-abi", linked: "libstdcxx-abi", installed: "libstdcxx-abi", compared: ["libstdcxx-abi"], always: true },
  { key: "torch-symbols", title: "Names of torch that it needs", compared: [] },
  { key: "layout", title: "Sizes of torch's classes", compared: ["layout"] },
  { key: "stamp", title: "ABI stamp", compared: ["stamp"] },
  { key: "cxx-standard", title: "C++ standard", declared: "cxx-standard", built: "cxx-standard", linked: "cxx-standard-floor", installed: "cxx-standard-floor", installedWords: orNewer, compared: [], always: true },
  { key: "cuda-version", title: "CUDA", declared: "cuda-version", built: "cuda-version", linked: "cuda-version", installed: "cuda-version", compared: ["cuda-version"] },
  { key: "cuda-architectures", title: "GPU architectures", declared: "cuda-architectures", built: "cuda-architectures", installed: "cuda-architectures", compared: ["cuda-architectures"] },
  { key: "pybind11-internals", title: "pybind11", declared: "pybind11-version", built: "pybind11-internals", linked: "pybind11-internals", installed: "pybind11-internals", compared: ["pybind11-internals"] },
  { key: "python-suffix", title: "Python", declared: "python-suffix", built: "python-suffix", installed: "python-suffix", compared: ["python-suffix", "python-module"] },
  { key: "python-limited-api", title: "Python limited API", declared: "python-limited-api", built: "python-limited-api", installed: "python-version", compared: ["python-limited-api", "python-stable-abi"] },
  { key: "stable-abi-target", title: "torch's stable ABI (TORCH_TARGET_VERSION)", declared: "stable-abi-target", built: "stable-abi-target", installed: "torch-version", compared: ["stable-abi-minimum"] },
  { key: "compiler", title: "Compiler", declared: "compiler", built: "compiler", installed: "compiler", compared: [] },
  { key: "gxx-abi-version", title: "__GXX_ABI_VERSION", declared: "gxx-abi-version", built: "gxx-abi-version", linked: "gxx-abi-version", installed: "gxx-abi-version", compared: ["gxx-abi-version"] },
  { key: "glibc", title: "glibc", built: "glibc", installed: "glibc", compared: ["glibc"] },
  { key: "libstdcxx-version", title: "libstdc++", built: "libstdcxx-version", installed: "libstdcxx-version", compared: ["libstdcxx-version", "symbol-versions"] },
  { key: "platform", title: "Platform", built: "platform", installed: "platform", compared: ["platform"] },
  { key: "cuda-library", title: "CUDA libraries in one process", compared: ["cuda-library"] },
  { key: "two-libtorch", title: "Copies of libtorch in one process", compared: ["two-libtorch"] },
];

/** Rows of rules that compare no single trait; their only value is the place. */
const otherTitles: Readonly<Record<string, string>> = {
  "removed-api": "Names that torch has removed",
  "torch-operators": "Operators",
  "own-symbol": "Names that nobody has",
  "setting-without-effect": "Settings without effect",
  "native-arch": "Code for this machine alone",
  "layout-flag": "Flags that change layout",
  "hard-coded-path": "Paths of one machine",
  "c10-boundary": "C10 at the boundary",
  "package-pair": "Packages made for another torch",
  "flag-not-forwarded": "Flags for one compiler alone",
  "cuda-in-cpp-extension": "CUDA sources in a C++ extension",
  "stale-build": "Age of the build",
  "wheel-tag": "Wheel tag",
};

export function titleOf(key: string): string {
  return rowKinds.find((one) => one.key === key)?.title ?? otherTitles[key] ?? key;
}

const rowOfRule: Readonly<Record<string, string>> = {
  "torch-requirement": "torch-version",
  "build-isolation": "torch-version",
  "nightly-pin": "torch-version",
  "libstdcxx-abi": "libstdcxx-abi",
  "libstdcxx-abi-pinned": "libstdcxx-abi",
  "torch-abi-lookup": "libstdcxx-abi",
  "gxx-abi-version": "gxx-abi-version",
  "pybind11-internals": "pybind11-internals",
  "cxx-standard": "cxx-standard",
  "cuda-version": "cuda-version",
  "cuda-architectures": "cuda-architectures",
  "host-compiler": "compiler",
  "stable-abi": "stable-abi-target",
  "stable-abi-target": "stable-abi-target",
  "glibc-version": "glibc",
  "libstdcxx-version": "libstdcxx-version",
  "torch-symbols": "torch-symbols",
  "missing-library": "torch-symbols",
  "cuda-library-conflict": "cuda-library",
  "duplicate-libtorch": "two-libtorch",
  stamp: "stamp",
};

/** The row that a finding belongs to; rules without a trait have a row of their own. */
export function rowOf({ rule, message, severity }: Finding): string {
  switch (rule) {
    case "flag-not-forwarded":
      return /_GLIBCXX_USE_CXX11_ABI/.test(message) ? "libstdcxx-abi" : rule;
    case "python-abi":
      return /limited|abi3/i.test(message) ? "python-limited-api" : "python-suffix";
    // A hint speaks of sources that changed since; everything else of another torch.
    case "stale-build":
      return severity === "hint" ? rule : "layout";
    default:
      return rowOfRule[rule] ?? rule;
  }
}

/** Findings about what agrees today, or about how something is written. */
const saysNothingOfToday: ReadonlySet<string> = new Set(["libstdcxx-abi-pinned", "c10-boundary"]);

/** Whether a finding says that bodies disagree, and not only that something could be written better. */
export function isDisagreement({ rule, severity }: Finding): boolean {
  return severity !== "hint" && !saysNothingOfToday.has(rule);
}
