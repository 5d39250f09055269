import type { BuildProblem, BuildReport } from "../../workshop/build/index.ts";
import type { BuildPlan } from "../../workshop/project/types.ts";
import { findingOf } from "../../tools/checkJson.ts";
import { relativeTo, reportedLocation } from "../../tools/places.ts";

/** The report of docs/schema/build.schema.json: places count from one, paths inside the project are relative to it. */
export function buildJson(report: BuildReport): object {
  const { root } = report;
  return {
    ...report,
    before: report.before.map((finding) => findingOf(root, finding)),
    problems: report.problems.map((problem) => problemJson(root, problem)),
    products: report.products.map((product) => ({ ...product, file: relativeTo(root, product.file), findings: product.findings.map((finding) => findingOf(root, finding)) })),
    unchanged: (report.unchanged ?? []).map((file) => relativeTo(root, file)),
  };
}

function problemJson(root: string, { location, related, ...problem }: BuildProblem): object {
  return {
    ...problem,
    ...(location === undefined ? {} : { location: reportedLocation(root, location) }),
    ...(related === undefined ? {} : { related: related.map((one) => ({ message: one.message, ...(one.location === undefined ? {} : { location: reportedLocation(root, one.location) }) })) }),
  };
}

/** A plan of `abiding build --list`. */
export function planJson(root: string, plan: BuildPlan): object {
  return { id: plan.id, label: plan.label, kind: plan.kind, origin: plan.origin, shownBy: reportedLocation(root, plan.shownBy) };
}
