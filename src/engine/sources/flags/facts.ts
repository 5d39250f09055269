/** Facts that compiler flags state. */
import type { CompileArgument, Condition, Fact, Language, Trait, TraitValues } from "../../model/index.ts";
import { architecturesOfFlag } from "./architectures.ts";
import type { Flag } from "./parse.ts";
import { parseFlags } from "./parse.ts";

/**
 * What the flags of one target declare, in command line order: the libstdc++ ABI, __GXX_ABI_VERSION, the C++ standard,
 * GPU architectures, the limited API and the stable-ABI target. Nothing is overridden yet: see `effectiveFacts`.
 */
export function readFlags(args: readonly CompileArgument[]): readonly Fact[] {
  const facts: Fact[] = [];
  for (const flag of parseFlags(args)) {
    const read = factOfFlag(flag);
    if (read === undefined) continue;
    for (const conditions of conditionsOf(flag.argument)) facts.push({ ...read, conditions });
  }
  return facts;
}

type Unconditional = Omit<Fact, "conditions">;

function factOfFlag(flag: Flag): Unconditional | undefined {
  switch (flag.kind) {
    case "define":
    case "undefine":
      return factOfMacro(flag);
    case "standard":
      return factOfStandard(flag);
    case "gpu-code":
      return factOfGpuCode(flag);
    case "option":
      return flag.name === "-fabi-version" ? fact(flag, "gxx-abi-version", abiVersion(flag)) : undefined;
    case "opaque":
      // ${TORCH_CXX_FLAGS} and its like carry the ABI macro where torch states one.
      return flag.argument.follows !== undefined && /ABI|CXX_FLAGS/i.test(flag.argument.text) ? fact(flag, "libstdcxx-abi", undefined) : undefined;
    case "machine":
    case "host-compiler":
      return undefined;
  }
}

function fact<T extends Trait>(flag: Flag, trait: T, value: TraitValues[T] | undefined): Unconditional {
  const { argument } = flag;
  const builder = argument.origin === "builder-default";
  return {
    trait,
    value,
    ...(value === undefined ? { expression: flag.value ?? argument.text } : {}),
    ...(argument.follows === undefined ? {} : { follows: argument.follows }),
    certainty: builder || flag.kind === "undefine" ? "inferred" : "declared",
    languages: flag.languages,
    evidence: [argument.evidence],
  };
}

function factOfMacro(flag: Flag): Unconditional | undefined {
  const defined = flag.kind === "define";
  switch (flag.name) {
    case "_GLIBCXX_USE_CXX11_ABI":
      // Undefined, libstdc++ takes the value it was configured with, which is 1 since GCC 5.
      return fact(flag, "libstdcxx-abi", defined ? abiOf(flag) : 1);
    case "__GXX_ABI_VERSION":
      return defined ? fact(flag, "gxx-abi-version", integer(flag)) : undefined;
    case "PYBIND11_BUILD_ABI": {
      const digits = /_cxxabi(\d+)/.exec(flag.value ?? "")?.[1];
      return defined ? fact(flag, "gxx-abi-version", digits === undefined || !flag.known ? undefined : Number(digits)) : undefined;
    }
    case "Py_LIMITED_API":
      return fact(flag, "python-limited-api", defined ? limitedApi(flag) : "none");
    case "TORCH_TARGET_VERSION":
      return defined ? fact(flag, "stable-abi-target", flag.known ? flag.value : undefined) : undefined;
    default:
      return undefined;
  }
}

function abiOf(flag: Flag): 0 | 1 | undefined {
  if (!flag.known) return undefined;
  // A macro that is defined without a value is 1.
  const text = flag.value ?? "1";
  return text === "0" ? 0 : text === "1" ? 1 : undefined;
}

function integer(flag: Flag): number | undefined {
  return flag.known && flag.value !== undefined && /^\d+$/.test(flag.value) ? Number(flag.value) : undefined;
}

/** -fabi-version=N sets __GXX_ABI_VERSION to 1000+N (2 for N=1 aside); 0 means the newest of that compiler. GCC manual. */
function abiVersion(flag: Flag): number | undefined {
  const number = integer(flag);
  return number === undefined || number < 2 ? undefined : 1000 + number;
}

/** Py_LIMITED_API is PY_VERSION_HEX of the lowest Python; empty or 3 means 3.2 (docs.python.org/3/c-api/stable.html). */
function limitedApi(flag: Flag): string | undefined {
  if (!flag.known) return undefined;
  const text = flag.value ?? "";
  if (text === "" || text === "1" || text === "3") return "3.2";
  const number = Number(text.replace(/[uUlL]+$/, ""));
  if (!Number.isInteger(number) || number < 0x03020000) return undefined;
  return `${(number >>> 24) & 0xff}.${(number >>> 16) & 0xff}`;
}

const draftStandards: Readonly<Record<string, number>> = { "0x": 11, "1y": 14, "1z": 17, "2a": 20, "2b": 23, "2c": 26, "98": 3, "03": 3 };

/** Year digits of "c++17", "gnu++2a"; undefined for C standards, "c++latest" and the unknown. */
export function standardOf(text: string): number | undefined {
  const digits = /^(?:c|gnu)\+\+(\d\d|[012][xyzabc])$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  return draftStandards[digits] ?? (/^\d\d$/.test(digits) ? Number(digits) : undefined);
}

function factOfStandard(flag: Flag): Unconditional | undefined {
  const text = flag.value ?? "";
  // -std=c11 and the like concern C alone.
  if (/^(?:c|gnu|iso9899:)\d/.test(text)) return undefined;
  const languages = flag.languages.filter((language) => language !== "C");
  if (languages.length === 0) return undefined;
  return { ...fact(flag, "cxx-standard", flag.known ? standardOf(text) : undefined), languages };
}

function factOfGpuCode(flag: Flag): Unconditional | undefined {
  const languages = flag.languages.filter((language) => language === "CUDA");
  return languages.length === 0 ? undefined : { ...fact(flag, "cuda-architectures", architecturesOfFlag(flag)), languages };
}

const configurationOrder = ["Debug", "Release", "RelWithDebInfo", "MinSizeRel"];

/** The conditions of an argument; one list per CMake configuration where it is not given in all of them. */
function conditionsOf(argument: CompileArgument): readonly (readonly Condition[])[] {
  if (argument.configurations === undefined) return [argument.conditions];
  return argument.configurations.map((name) => {
    const known = configurationOrder.findIndex((one) => one.toLowerCase() === name.toLowerCase());
    const branch = known === -1 ? configurationOrder.length + hash(name) : known;
    return [...argument.conditions, { text: `configuration ${name}`, id: "configuration", branch, location: argument.evidence.location }];
  });
}

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 65521;
  return value;
}

/** Traits whose values add up on a command line instead of replacing each other. */
const cumulative: ReadonlySet<Trait> = new Set<Trait>(["cuda-architectures"]);

/**
 * The facts that hold for one compiler when the whole command line is read: a fact is gone when a later one
 * of the same trait holds in every case in which it does.
 */
export function effectiveFacts(facts: readonly Fact[], language: Language): readonly Fact[] {
  const mine = facts.filter((one) => one.languages === undefined || one.languages.includes(language));
  return mine.filter((one, index) => cumulative.has(one.trait) || !mine.slice(index + 1).some((later) => later.trait === one.trait && holdsWhenever(later, one)));
}

function holdsWhenever(later: Fact, earlier: Fact): boolean {
  return later.conditions.every((condition) => earlier.conditions.some((one) => one.id === condition.id && one.branch === condition.branch));
}
