import type { CompileArgument, Condition, DeclaredTarget } from "../../../model/index.ts";
import { canHoldTogether } from "../../../model/index.ts";
import type { Interpreter } from "../interpreter.ts";

const abi = /^-D_GLIBCXX_USE_CXX11_ABI=/;

/** What shows in finished command lines: a standard that another one follows, a definition for some configurations only. */
export function noteCommandLines(vm: Interpreter, targets: readonly DeclaredTarget[]): void {
  const seen = new Set<string>();
  const once = (argument: CompileArgument, what: string) => {
    const { location } = argument.evidence;
    const key = what === "configuration" ? `${what}|${location.path}` : `${what}|${location.path}|${location.range.start.line}`;
    return !seen.has(key) && seen.add(key);
  };
  for (const target of targets) {
    for (const [flag, standard] of shadowed(target.arguments)) {
      if (!once(flag, "shadowed")) continue;
      vm.observations.push({
        kind: "ineffective-setting", reason: "shadowed", evidence: flag.evidence, conditions: flag.conditions,
        message: `\`${flag.text}\` in the flags has no effect: CMake puts \`${standard.text}\`, which comes from the standard property, behind it, and the last one counts.`,
        related: [{ location: standard.evidence.location, what: `\`${standard.text}\` comes from here` }],
      });
    }
    const definitions = target.arguments.filter((argument) => abi.test(argument.text) && argument.origin !== "builder-default");
    const limited = definitions.filter((argument) => argument.configurations !== undefined);
    const [first] = limited;
    const covered = new Set(limited.flatMap((argument) => argument.configurations ?? []));
    if (first === undefined || covered.size >= 4 || definitions.some((argument) => argument.configurations === undefined && implied(argument.conditions, first.conditions)) || !once(first, "configuration")) continue;
    const missing = ["Debug", "Release", "RelWithDebInfo", "MinSizeRel"].filter((name) => !covered.has(name));
    vm.observations.push({
      kind: "ineffective-setting", reason: "configuration-only", evidence: first.evidence, conditions: first.conditions,
      message: `_GLIBCXX_USE_CXX11_ABI is set for ${[...covered].join(" and ")} builds only: with ${missing.join(", ")} or an empty CMAKE_BUILD_TYPE nothing sets it.`,
      related: limited.slice(1, 3).map((argument) => ({ location: argument.evidence.location, what: `for ${argument.configurations?.join(" and ") ?? ""} it is set here` })),
    });
  }
}

/** Whether what holds under `given` always holds where `conditions` do. */
function implied(given: readonly Condition[], conditions: readonly Condition[]): boolean {
  return given.every((one) => conditions.some((other) => other.id === one.id && other.branch === one.branch));
}

/** Pairs of a -std in the flags and a lower one from the property that follows it. */
function shadowed(args: readonly CompileArgument[]): [CompileArgument, CompileArgument][] {
  const out: [CompileArgument, CompileArgument][] = [];
  for (const flag of args.filter((one) => (one.origin === "flags-variable" || one.origin === "option") && year(one.text) !== undefined)) {
    const wanted = year(flag.text) ?? 0;
    const after = args.find((one) => one.origin === "standard" && one.languages.some((language) => flag.languages.includes(language)) && canHoldTogether(one.conditions, flag.conditions) && (year(one.text) ?? wanted) < wanted);
    if (after !== undefined) out.push([flag, after]);
  }
  return out;
}

function year(text: string): number | undefined {
  const digits = /^--?std=(?:gnu|c)\+\+(\d\d)$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits) % 98;
}
