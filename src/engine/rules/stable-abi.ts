import type { DeclaredBody, Language, Location } from "../model/index.ts";
import { isRefusedUnderStableAbi } from "../installed/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { withBuilt } from "./binaries/report.ts";
import { newerShim, unstableImports } from "./binaries/stable-abi.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { includesOf, isUnstableTorchHeader, stableAbiDefines, stableAbiMacros } from "./sources.ts";
import type { Use } from "./sources.ts";
import { capital, finding, groupBy, place, targetsPhrase, torchName } from "./support.ts";

interface Claim {
  readonly macro: string;
  readonly location: Location;
  /** Compilers that get the macro; undefined: it is defined in the source at `location`. */
  readonly languages: readonly Language[] | undefined;
}

/** A target that promises torch's stable ABI and includes what is not part of it. */
export const stableAbi: Rule = {
  name: "stable-abi",
  severity: "error",
  summary: "A target that claims torch's stable ABI uses what is not part of it, or a built file needs a newer one than the torch it meets has.",
  check(context) {
    const included = context.declared.flatMap((body) => {
      const claims = claimsOf(context, body);
      const offending = new Map<string, Use>();
      for (const use of claims.length === 0 ? [] : includesOf(context, body)) {
        const claim = claims.find((one) => reaches(one, use));
        if (claim === undefined || use.guards.some((guard) => /TORCH_STABLE_ONLY|TORCH_TARGET_VERSION|STABLE/.test(guard))) continue;
        if (isRefused(context, use.what)) offending.set(`${use.location.path}:${use.location.range.start.line}`, use);
      }
      return [...groupBy(offending.values(), (use) => use.location.path).values()].flatMap((uses) => {
        const [first, ...others] = uses;
        const claim = first && claims.find((one) => reaches(one, first));
        if (first === undefined || claim === undefined) return [];
        return [finding(stableAbi, {
          message: `${capital(targetsPhrase([body.name]))} claims torch's stable ABI (${claim.macro} at ${place(claim.location, context.root)}) and includes ${first.what}, ${why(context, first.what)}. Use the headers under torch/csrc/stable and torch/headeronly, or drop ${claim.macro}.`,
          location: first.location,
          target: body.name,
          related: [{ message: `${claim.macro} is set here.`, location: claim.location }, ...others.slice(0, 20).map((use) => ({ message: `${use.what} is not part of the stable ABI either.`, location: use.location }))],
        })];
      });
    });
    return withBuilt(stableAbi, context, included, (at, file) => newerShim(at, file) ?? unstableImports(at, file, file.target === undefined ? undefined : claimsOf(at, file.target)[0]));
  },
};


/** The header's own guard, in a torch whose headers carry such guards; undefined without one. */
function guardOf(context: RuleContext, header: string): boolean | undefined {
  const { installed, files } = context;
  if (installed === undefined || isRefusedUnderStableAbi(installed, "ATen/ATen.h", files) !== true) return undefined;
  return isRefusedUnderStableAbi(installed, header, files);
}

function isRefused(context: RuleContext, header: string): boolean {
  return guardOf(context, header) ?? isUnstableTorchHeader(header);
}

function why(context: RuleContext, header: string): string {
  if (context.installed === undefined || guardOf(context, header) !== true) return "which is not part of it";
  return `which ${torchName(context.installed)} refuses under it (#error "This file should not be included when either TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined.")`;
}

function claimsOf(context: RuleContext, body: DeclaredBody): Claim[] {
  return [
    ...claimsByFlags(body),
    ...stableAbiDefines(context, body).map((define): Claim => ({ macro: define.name, location: define.location, languages: undefined })),
  ];
}

const claimsByFlags = once((body: DeclaredBody): readonly Claim[] => parseFlags(body.target.arguments)
  .filter((flag) => flag.kind === "define" && stableAbiMacros.has(flag.name) && flag.argument.conditions.length === 0)
  .map((flag) => ({ macro: flag.name, location: flag.argument.evidence.location, languages: flag.languages })));

function reaches(claim: Claim, use: Use): boolean {
  if (claim.languages === undefined) return claim.location.path === use.location.path && claim.location.range.start.line < use.location.range.start.line;
  const { language } = use.reached.source;
  return language === undefined || claim.languages.includes(language);
}
