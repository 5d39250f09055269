import type { CompileArgument, EvaluationContext, Language } from "../../model/index.ts";
import { canHoldTogether, compareVersions } from "../../model/index.ts";
import builder from "../../../../data/torch-build-extension.json" with { type: "json" };
import { beyond, compatible, join, without } from "./evaluation/conditions.ts";
import { isChosen, usualText } from "./evaluation/usual.ts";
import type { Conditions, UsualText, Value } from "./evaluation/values.ts";
import { followed, render, text } from "./evaluation/values.ts";
import type { Leaf } from "./leaves.ts";
import { evidenceOf, leavesOf } from "./leaves.ts";
import type { Place } from "./source-file.ts";

/** Languages that the keys of an `extra_compile_args` dict stand for; undefined: torch's BuildExtension reads no such key. */
export function languagesOfKey(key: string): readonly Language[] | undefined {
  return builder.argumentKeys.find((one) => one.key === key)?.languages as readonly Language[] | undefined;
}

export interface Setting {
  readonly conditions: Conditions;
  readonly place: Place;
}

/** The arguments out of a leaf: one, or two when it is known what it is without anybody's choice. */
export function argumentsOf(leaf: Leaf, languages: readonly Language[], origin: CompileArgument["origin"], fallback: Place): CompileArgument[] {
  const argument = argumentOf(leaf, languages, origin, fallback);
  const usual = usualOf(leaf, fallback);
  if (usual === undefined || usual.value === "") return [argument];
  const { evidence } = argument;
  return [
    { text: usual.value, known: true, languages, origin, conditions: join(leaf.conditions, usual.because), evidence },
    ...without(leaf.conditions, usual.because).map((conditions) => ({ ...argument, conditions })),
  ];
}

/** What a leaf is when environment variables are left alone, unless a test on its way says that they are not. */
export function usualOf({ value, conditions }: Leaf, fallback: Place): UsualText | undefined {
  const usual = value.kind === "text" ? value.usual : value.kind === "unknown" ? usualText(value, fallback) : undefined;
  if (usual === undefined || usual.because.some((one) => isChosen(one, conditions))) return undefined;
  return compatible(conditions, usual.because) ? usual : undefined;
}

/** One argument out of a leaf: a text, or the name of what is not known. */
function argumentOf(leaf: Leaf, languages: readonly Language[], origin: CompileArgument["origin"], fallback: Place): CompileArgument {
  const { value } = leaf;
  const follows = followed(value);
  const [place, steps] = value.kind === "text" ? [value.place, [...value.steps, ...leaf.steps]] : [fallback, leaf.steps];
  return {
    text: value.kind === "text" ? value.value : `{${render(value).replace(/^\*/, "")}}`,
    known: value.kind === "text" && value.known,
    ...(follows === undefined ? {} : { follows }),
    languages,
    origin,
    conditions: leaf.conditions,
    evidence: evidenceOf(place, steps),
  };
}

/** `define_macros` and `undef_macros`, in the order in which distutils passes them. */
export function macroArguments(defines: Value | undefined, undefines: Value | undefined, languages: readonly Language[], setting: Setting): CompileArgument[] {
  const result: CompileArgument[] = [];
  for (const leaf of leavesOf(defines, setting.conditions, true)) {
    if (leaf.value.kind !== "list") {
      result.push(...argumentsOf(leaf, languages, "definition", setting.place));
      continue;
    }
    const [name, value] = leaf.value.elements.map((element) => element.value);
    if (name?.kind !== "text") continue;
    const steps = [...name.steps, ...leaf.value.steps, ...leaf.steps];
    const values = value?.kind === "choice" ? value.alternatives : [{ value: value ?? { kind: "none" as const }, conditions: [] }];
    for (const one of values) {
      if (one.value.kind === "choice") continue;
      const written = one.value.kind === "none" ? "" : `=${one.value.kind === "text" ? one.value.value : one.value.kind === "number" ? String(one.value.value) : `{${render(one.value)}}`}`;
      const conditions = join(leaf.conditions, one.conditions);
      const usual = usualOf({ value: one.value, conditions, steps }, leaf.value.place);
      const macro = text(`-D${name.value}${written}`, leaf.value.place, {
        known: name.known && (one.value.kind === "none" || one.value.kind === "number" || (one.value.kind === "text" && one.value.known)),
        follows: followed(one.value),
        usual: usual === undefined || !name.known ? undefined : { value: `-D${name.value}=${usual.value}`, because: usual.because },
        steps,
      });
      result.push(...argumentsOf({ value: macro, conditions, steps: [] }, languages, "definition", setting.place));
    }
  }
  for (const leaf of leavesOf(undefines, setting.conditions)) {
    for (const argument of argumentsOf(leaf, languages, "definition", setting.place)) result.push({ ...argument, text: `-U${argument.text}` });
  }
  return result;
}

/** Values of a dict or list of compile arguments, split by the key they stand under; a list has no key. */
export function byKey(value: Value | undefined, conditions: Conditions): { readonly key: string | undefined; readonly keyPlace: Place | undefined; readonly value: Value; readonly conditions: Conditions }[] {
  if (value === undefined || value.kind === "none") return [];
  if (value.kind === "choice") return value.alternatives.flatMap((one) => canHoldTogether(one.conditions, conditions) ? byKey(one.value, join(conditions, one.conditions)) : []);
  if (value.kind !== "dict") return [{ key: undefined, keyPlace: undefined, value, conditions }];
  return value.entries.filter((entry) => canHoldTogether(entry.conditions, conditions)).map((entry) => ({
    key: entry.key.kind === "text" ? entry.key.value : undefined, keyPlace: entry.keyPlace, value: entry.value, conditions: join(conditions, entry.conditions),
  }));
}

/** What BuildExtension adds by itself, for the torch of the context and only where that is known. */
export function builderDefaults(
  given: readonly CompileArgument[],
  languages: readonly Language[],
  facts: { readonly context: EvaluationContext; readonly standard: number | undefined; readonly limitedApi: boolean | undefined; readonly ownAbiHook: boolean },
  setting: Setting,
): CompileArgument[] {
  const { torchVersion, torchLibstdcxxAbi } = facts.context;
  if (torchVersion === undefined) return [];
  const evidence = evidenceOf(setting.place, []);
  const conditions = setting.conditions.filter((one) => one.assumed !== true);
  const make = (text: string, to: readonly Language[], under: Conditions): CompileArgument => ({ text, known: true, languages: to, origin: "builder-default", conditions: under, evidence });
  const result: CompileArgument[] = [];
  if (facts.limitedApi === true) {
    const row = builder.limitedApi.find((one) => compareVersions(torchVersion, one.since) >= 0 && (one.until === null || compareVersions(torchVersion, one.until) < 0));
    if (row !== undefined) result.push(make(row.define, languages, conditions));
  }
  if (compareVersions(torchVersion, builder.abiDefine.until) < 0 && !facts.ownAbiHook) {
    result.push({ ...make(`-D_GLIBCXX_USE_CXX11_ABI=${torchLibstdcxxAbi ?? "{torch._C._GLIBCXX_USE_CXX11_ABI}"}`, languages, conditions), known: torchLibstdcxxAbi !== undefined, follows: "torch" });
  }
  if (facts.standard !== undefined) {
    for (const language of languages) {
      if (language === "C") continue;
      for (const way of withoutStandard(given.filter((one) => one.languages.includes(language)), conditions)) result.push(make(`-std=c++${String(facts.standard)}`, [language], way));
    }
  }
  return result;
}

/** The conditions under which no argument sets a standard. */
function withoutStandard(given: readonly CompileArgument[], conditions: Conditions): readonly Conditions[] {
  let ways: readonly Conditions[] = [conditions];
  for (const argument of given) {
    // A list that could not be read may well set it.
    const sets = /^(?:-Xcompiler[= ])?[-/]{1,2}std[:=]/.test(argument.text) || (!argument.known && argument.text.startsWith("{"));
    if (!sets) continue;
    const taken = beyond(argument.conditions as Conditions, conditions);
    if (taken.length === 0) return [];
    ways = ways.flatMap((way) => without(way, taken)).slice(0, 8);
  }
  return ways;
}
