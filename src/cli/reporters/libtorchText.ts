import type { LibtorchCandidate, LibtorchReport } from "../../workshop/libtorch/index.ts";
import { explanationLines } from "./explanationLines.ts";
import { plural, wrap } from "./layout.ts";

/** What was found and why, for people. `isRequired`: not finding one was said to be an error. */
export function libtorchText(report: LibtorchReport, isRequired: boolean): string {
  const lines = [headline(report, isRequired), ...(report.explanation === undefined ? [] : explanationLines(report.explanation))];
  const isSaid = (one: LibtorchCandidate): boolean => one.refused === report.reason && summary(one) === "";
  const others = report.candidates.filter((one) => one !== report.chosen && one.folder !== report.chosen?.folder && !isSaid(one));
  if (report.chosen !== undefined) {
    lines.push(...detailed(report.chosen));
  }
  if (report.fetched !== undefined) {
    const { url, bytes, fromCache, sha256, checked } = report.fetched;
    lines.push(`  from     ${url} (${fromCache ? "from the cache" : `${(bytes / 1e6).toFixed(1)} MB fetched`})`, `  sha256   ${sha256}${checked ? ", compared with what was given" : ", compared with nothing: none was given"}`);
  }
  if (others.length > 0) {
    lines.push("", report.chosen === undefined ? `${plural(others.length, "candidate")}:` : `${plural(others.length, "other candidate")}:`);
    for (const one of others) {
      lines.push(`  ${one.folder}${summary(one)}`, ...wrap(one.refused === undefined ? `could be used too; the first one wins (${one.because})` : `${one.refused} (${one.because})`, "    "));
    }
  }
  const left = (report.carried ?? []).filter((one) => !one.carried);
  if ((report.carried ?? []).length > 0) {
    lines.push("", "From the cache that was given", ...(report.carried ?? []).filter((one) => one.carried).map((one) => `  ${one.name}=${one.value}`));
    lines.push(...left.flatMap((one) => wrap(`not ${one.name}=${one.value}: ${one.because}`, "  ")));
  }
  for (const warning of report.warnings) {
    lines.push("", ...wrap(`Mind: ${warning}`, ""));
  }
  return `${lines.join("\n")}\n`;
}

function headline(report: LibtorchReport, isRequired: boolean): string {
  const { chosen } = report;
  if (chosen !== undefined) {
    return `libtorch ${chosen.version ?? "of unknown version"} in ${chosen.folder}, because: ${chosen.because}.`;
  }
  return `${isRequired && report.outcome === "not-found" ? "Required, and not found: " : ""}${report.reason ?? "No libtorch was found."}`;
}

function detailed(one: LibtorchCandidate): readonly string[] {
  const facts = [
    ["CUDA", one.cuda === undefined ? "not known" : (one.cuda ?? "none")],
    ["ABI", one.abi === undefined ? "not known" : `_GLIBCXX_USE_CXX11_ABI=${one.abi}${one.gxxAbiVersion === undefined ? "" : `, __GXX_ABI_VERSION ${one.gxxAbiVersion}`}`],
    ["linkage", one.linkage ?? "not known"],
    ["platform", one.platform ?? "not known"],
    ["commit", one.gitVersion],
    ["record", one.record],
  ] as const;
  return [...facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(8)} ${value}`])), ...one.remarks.flatMap((remark) => wrap(remark, "  "))];
}

function summary(one: LibtorchCandidate): string {
  const parts = [one.version, one.cuda === undefined ? undefined : one.cuda === null ? "no CUDA" : `CUDA ${one.cuda}`, one.abi === undefined ? undefined : `ABI ${one.abi}`, one.linkage, one.platform].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}
