import type { Condition, DeclaredBody, DeclaredTarget, Finding } from "../model/index.ts";
import { observationsOf } from "../model/index.ts";
import type { Flag } from "../sources/flags/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { deleteArgumentFix } from "./edits.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, finding, groupBy, isOptIn, locationKey, ownConditions, place, targetsPhrase, viaPlaces } from "./support.ts";

export const nativeArch: Rule = {
  name: "native-arch",
  severity: "warning",
  summary: "A build whose result is passed on to others is compiled for the machine that happens to build it.",
  check,
};

/** Whoever switches such an option on asks for the build machine. */
const askedFor = /native|march|local|this_machine|host_arch|DEBUG|develop/i;

function check(context: RuleContext): readonly Finding[] {
  const flags = context.declared.filter((body) => nativeFlags(body).length > 0 && isPassedOn(context, body)).flatMap((body) => nativeFlags(body).map((flag) => ({ body, flag })));
  const findings: Finding[] = [];
  for (const group of groupBy(flags, (one) => locationKey(one.flag.argument.evidence.location)).values()) {
    const first = group[0];
    if (first === undefined) continue;
    const { evidence, conditions } = first.flag.argument;
    const text = `${first.flag.name}=${first.flag.value ?? ""}`;
    const gpu = first.flag.kind === "gpu-code";
    findings.push(finding(nativeArch, {
      message: `${text} at ${place(evidence.location, context.root)}${conditionSuffix(conditions)} compiles ${targetsPhrase(group.map((one) => one.body.name))} for the ${gpu ? "GPU" : "processor"} of the machine that builds it. A wheel made there stops ${gpu ? "with \"no kernel image is available\" on another GPU" : "with an illegal instruction on an older processor"}; name the oldest ${gpu ? "GPU" : "processor"} that it has to run on, or make this the user's choice.`,
      location: evidence.location,
      related: viaPlaces(evidence.via),
      fixes: [deleteArgumentFix(context.files, evidence.location, text, `Delete ${text}`)],
    }));
  }
  return [...findings, ...nativeLists(context)];
}

const nativeFlags = once((body: DeclaredBody): readonly Flag[] => {
  const flags = parseFlags(body.target.arguments);
  return flags.filter((flag, index) => {
    const native = flag.value === "native" && (flag.kind === "gpu-code" || (flag.kind === "machine" && flag.name !== "-mtune"));
    if (!native || chosen(flag.argument.conditions, body.target)) return false;
    // A later -march for the same compilers wins.
    return flag.kind === "gpu-code" || !flags.slice(index + 1).some((later) => later.name === flag.name && later.value !== "native" && later.argument.conditions.length === 0 && flag.languages.every((language) => later.languages.includes(language)));
  });
});

function chosen(conditions: readonly Condition[], target: DeclaredTarget): boolean {
  return isOptIn(conditions, target) || ownConditions(conditions, target).some((one) => one.byDefault === undefined && one.branch === 0 && askedFor.test(one.text));
}

/** Executables are run where they are built, a JIT build too; a package is not. */
function isPassedOn(context: RuleContext, body: DeclaredBody): boolean {
  if (body.target.builder === "setuptools") return true;
  if (body.target.builder === "torch-jit" || body.target.kind === "executable") return false;
  return isPackaged(context, body.target.location.path);
}

function isPackaged(context: RuleContext, path: string): boolean {
  for (let folder = path.slice(0, path.lastIndexOf("/")); folder.startsWith(context.root) && folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    if (["pyproject.toml", "setup.py"].some((name) => context.files.status(`${folder}/${name}`)?.kind === "file")) return true;
  }
  return false;
}

function nativeLists(context: RuleContext): readonly Finding[] {
  return observationsOf(context.observations, "architecture-list").flatMap((list) => {
    const native = list.value !== undefined && /(?:^|[;\s])native(?:[;\s]|$)/.test(list.value);
    if (!native || list.conditions.length > 0 || !isPackaged(context, list.evidence.location.path)) return [];
    return [finding(nativeArch, {
      message: `${list.variable} is ${list.value ?? ""} at ${place(list.evidence.location, context.root)}: the GPU code is made for the GPU of the machine that builds it, and a wheel made there stops with "no kernel image is available" on another GPU.`,
      location: list.evidence.location,
      related: viaPlaces(list.evidence.via),
    })];
  });
}
