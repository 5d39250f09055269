import table from "../../../data/layout-flags.json" with { type: "json" };
import type { DeclaredBody, Finding } from "../model/index.ts";
import { valueOf } from "../model/index.ts";
import type { Flag } from "../sources/flags/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { deleteArgumentFix } from "./edits.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { capital, conditionSuffix, finding, groupBy, locationKey, place, targetsPhrase, viaPlaces } from "./support.ts";
import { exchangesObjects } from "./torch.ts";

export const layoutFlag: Rule = {
  name: "layout-flag",
  severity: "warning",
  summary: "A flag changes the layout or the names of types that cross to torch, which is built without it.",
  check,
};

/** Systems on which torch itself is built with libc++. */
const elsewhere = /APPLE|Darwin|darwin|mac|FreeBSD|ANDROID|IOS/i;

function check(context: RuleContext): readonly Finding[] {
  const platform = context.installed === undefined ? undefined : valueOf(context.installed.facts, "platform");
  const hits = context.declared
    .flatMap((body) => layoutFlags(body).filter(({ flag }) => flag.name !== "-stdlib" || !(platform?.startsWith("macos") === true || flag.argument.conditions.some((one) => elsewhere.test(one.text)))))
    .filter((one) => exchangesObjects(context, one.body));
  const findings: Finding[] = [];
  for (const group of groupBy(hits, (one) => `${locationKey(one.flag.argument.evidence.location)} ${one.row.flag}`).values()) {
    const first = group[0];
    if (first === undefined) continue;
    const { evidence, conditions, configurations } = first.flag.argument;
    const only = configurations === undefined ? "" : ` (in the ${configurations.join(" and ")} configuration)`;
    findings.push(finding(layoutFlag, {
      message: `${first.row.flag} at ${place(evidence.location, context.root)}${conditionSuffix(conditions)}${only} ${first.row.effect}. ${capital(targetsPhrase(group.map((one) => one.body.name)))} and torch, which is built without it, then read each other's objects differently, without any error at link or load time.`,
      location: evidence.location,
      related: viaPlaces(evidence.via),
      against: [{ kind: "catalogue", table: "layout-flags", row: first.row.flag, source: first.row.source }],
      fixes: [deleteArgumentFix(context.files, evidence.location, first.row.flag, `Delete ${first.row.flag}`)],
    }));
  }
  return findings;
}

interface Hit {
  readonly body: DeclaredBody;
  readonly flag: Flag;
  readonly row: (typeof table.flags)[number];
}

/** The flags of a target that change the layout and are not undone later. */
const layoutFlags = once((body: DeclaredBody): readonly Hit[] => {
  const flags = parseFlags(body.target.arguments);
  return flags.filter((flag, index) => rowOf(flag) !== undefined && !isUndone(flags, index)).flatMap((flag) => {
    const row = rowOf(flag);
    return row === undefined ? [] : [{ body, flag, row }];
  });
});

const rows = new Map(table.flags.map((row) => [row.flag, row]));

/** Hundreds of targets share a flag. */
const rowOf = once((flag: Flag) => rows.get(spelled(flag)));

function spelled(flag: Flag): string {
  if (flag.kind === "define") return flag.value === "0" && flag.name !== "_GLIBCXX_DEBUG" ? "" : `-D${flag.name}`;
  return flag.kind === "option" ? (flag.name === "-fpack-struct" || flag.value === undefined ? flag.name : `${flag.name}=${flag.value}`) : "";
}

/** Switched off again later on the same command line. */
function isUndone(flags: readonly Flag[], index: number): boolean {
  const flag = flags[index];
  if (flag === undefined) return true;
  return flags.slice(index + 1).some((later) => {
    if (later.argument.conditions.length > 0) return false;
    if (flag.kind === "define") return later.kind === "undefine" && later.name === flag.name;
    return later.kind === "option" && (later.name === flag.name.replace(/^-f/, "-fno-") || (later.name === flag.name && later.value !== flag.value));
  });
}
