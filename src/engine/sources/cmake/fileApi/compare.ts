import type { CompileArgument, DeclaredTarget, Language, Location } from "../../../model/index.ts";
import { parseFlags, standardOf } from "../../flags/index.ts";
import type { Flag } from "../../flags/index.ts";

/** One setting that static reading and CMake see differently. */
export interface Difference {
  readonly language: Language;
  /** The macro or option: "_GLIBCXX_USE_CXX11_ABI", "-std", "-fabi-version". */
  readonly setting: string;
  /** Values of the static reading; empty: it does not set it. */
  readonly read: readonly string[];
  /** Value that CMake passes; undefined: it passes none. */
  readonly truth: string | undefined;
  /** Where static reading or else CMake sees it. */
  readonly location: Location;
}

export interface TargetComparison {
  readonly target: string;
  /** `missing`: static reading does not know the target; `different`: at least one setting differs. */
  readonly outcome: "agrees" | "different" | "missing";
  readonly differences: readonly Difference[];
  /** Settings whose value static reading left open between several, the true one among them. */
  readonly undecided: number;
}

/** Left out: what torch's own targets hand on (USE_C10D_...) and what comes with the build type (NDEBUG); neither is the project's to choose. */
const macros = /^(?:_GLIBCXX_\w+|_LIBCPP_\w+|__GXX_ABI_VERSION|PYBIND11_\w+|Py_LIMITED_API|TORCH_\w+|C10_\w+|AT_\w+|_FILE_OFFSET_BITS)$/;
const options = /^-(?:fabi-version|fabi-compat-version|march|mcpu|fpack-struct|fshort-enums|fshort-wchar|funsigned-char|fno-rtti|fno-exceptions|stdlib|m32|m64|mx32|static-libstdc\+\+|D_GLIBCXX_DEBUG)$/;

/** Where the two readings of a project differ in what concerns the ABI: macros, the C++ standard, layout options. */
export function compareWithStatic(read: readonly DeclaredTarget[], truth: readonly DeclaredTarget[]): readonly TargetComparison[] {
  const own = read.filter((target) => target.builder === "cmake");
  const known = new Map(own.map((target) => [target.name, target]));
  const patterns = own.flatMap((target) => (target.name.includes("${") ? [{ target, pattern: patternOf(target.name) }] : []));
  return truth.map((target): TargetComparison => {
    const other = known.get(target.name) ?? patterns.find(({ pattern }) => pattern.test(target.name))?.target;
    if (other === undefined) return { target: target.name, outcome: "missing", differences: [], undecided: 0 };
    let undecided = 0;
    const differences: Difference[] = [];
    for (const language of target.languages) {
      const seen = settingsOf(other, language);
      const passed = settingsOf(target, language);
      for (const setting of new Set([...seen.keys(), ...passed.keys()])) {
        const verdict = compareSetting(seen.get(setting), passed.get(setting));
        if (verdict === "undecided") undecided++;
        else if (verdict === "different") {
          const place = seen.get(setting)?.at(-1) ?? passed.get(setting)?.at(-1);
          differences.push({ language, setting, read: (seen.get(setting) ?? []).map((one) => one.value), truth: passed.get(setting)?.at(-1)?.value, location: place?.argument.evidence.location ?? target.location });
        }
      }
    }
    return { target: target.name, outcome: differences.length === 0 ? "agrees" : "different", differences, undecided };
  });
}

/** Names like `ops_${TORCH_VERSION}` that only the build completes. */
function patternOf(name: string): RegExp {
  const fixed = name.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${fixed.join(".+")}$`);
}

interface Setting {
  readonly value: string;
  readonly argument: CompileArgument;
  /** Holds always, and its value is known. */
  readonly certain: boolean;
}

function settingsOf(target: DeclaredTarget, language: Language): ReadonlyMap<string, readonly Setting[]> {
  const settings = new Map<string, Setting[]>();
  for (const flag of parseFlags(target.arguments)) {
    if (!flag.languages.includes(language)) continue;
    const named = nameAndValue(flag);
    if (named === undefined) continue;
    const { argument } = flag;
    const setting = { value: named.value, argument, certain: argument.known && argument.conditions.length === 0 && argument.configurations === undefined };
    settings.set(named.name, [...(settings.get(named.name) ?? []), setting]);
  }
  return settings;
}

function nameAndValue(flag: Flag): { readonly name: string; readonly value: string } | undefined {
  switch (flag.kind) {
    case "define":
      return macros.test(flag.name) ? { name: flag.name, value: flag.value ?? "1" } : undefined;
    case "undefine":
      return macros.test(flag.name) ? { name: flag.name, value: "undefined" } : undefined;
    case "standard": {
      // gnu++17 and c++17 are one ABI.
      const year = standardOf(flag.value ?? "");
      return year === undefined ? undefined : { name: "-std", value: String(year) };
    }
    case "machine":
    case "option":
      return options.test(flag.name) ? { name: flag.name, value: flag.value ?? "" } : undefined;
    default:
      return undefined;
  }
}

/** The last certain value, and every uncertain one after it, are what static reading holds possible. */
function compareSetting(read: readonly Setting[] | undefined, truth: readonly Setting[] | undefined): "agrees" | "undecided" | "different" {
  const passed = truth?.at(-1)?.value;
  const all = read ?? [];
  const lastCertain = all.findLastIndex((one) => one.certain);
  const possible = all.slice(Math.max(0, lastCertain));
  const last = possible.at(-1);
  if (last?.certain === true || last === undefined) return last?.value === passed ? "agrees" : "different";
  const open = possible.some((one) => one.value === passed || !one.argument.known) || (passed === undefined && lastCertain < 0);
  return open ? "undecided" : "different";
}
