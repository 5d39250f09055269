import { stripVTControlCharacters } from "node:util";
import type { SmokeReport, TestResult } from "../../workshop/smoke/types.ts";
import { relativeTo } from "../../tools/places.ts";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import { isBad, outcomeWords } from "./smokeText.ts";

/**
 * The report as JUnit's XML, for CI: one test suite for each plan. A failure is what a test found; a crash, a time limit, a
 * missing program and a test that could not run are errors; nothing of that is "skipped". Tests inside a test stand in its
 * place. `file` and `line`, which not every schema has, are what services show failures by.
 * https://github.com/testmoapp/junitxml
 */
export function smokeJunit({ root, results, circumstances, problems }: SmokeReport): string {
  const plans = [...new Set([...results.map((one) => one.plan), ...problems.map((one) => one.plan)])];
  const shown = leaves(results);
  const properties = [
    ["host", `${circumstances.host.cpu}, ${circumstances.host.system}`],
    ["gpu", circumstances.noGpu ?? circumstances.gpus.join(", ")],
    ...(circumstances.torch?.version === undefined ? [] : [["torch", circumstances.torch.version]]),
    ...(circumstances.importOrder === undefined ? [] : [["import order", circumstances.importOrder.join(", ")]]),
    ...Object.entries(circumstances.environment).map(([name, value]) => [`environment ${name}`, value]),
  ].map(([name = "", value = ""]) => `      <property${attributes({ name, value })}/>`);
  const suites = plans.map((plan) => {
    const own = shown.filter((one) => one.plan === plan);
    const said = problems.filter((one) => one.plan === plan);
    return [
      `  <testsuite${attributes({ name: plan, ...counts(own, said.length), skipped: String(own.filter((one) => one.outcome === "skipped").length), timestamp: circumstances.started })}>`,
      "    <properties>", ...properties, "    </properties>",
      ...own.flatMap((one) => testCase(root, one)),
      ...said.map(({ message }) => `    <testcase${attributes({ name: "discovery", classname: plan, time: "0" })}><error${attributes({ message, type: "not-run" })}/></testcase>`),
      "  </testsuite>",
    ].join("\n");
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name: "abiding smoke", ...counts(shown, problems.length) })}>\n${suites.join("\n")}${suites.length === 0 ? "" : "\n"}</testsuites>\n`;
}

/** Tests inside others, and those that have none; a whole that went wrong otherwise than by one of its parts too. */
function leaves(results: readonly TestResult[]): readonly TestResult[] {
  const parts = new Map<string, boolean>();
  for (const one of results) if (one.parent !== undefined) parts.set(one.parent, (parts.get(one.parent) ?? false) || isBad(one));
  return results.filter((one) => !parts.has(one.id) || (isBad(one) && parts.get(one.id) === false));
}

/** Name and class, by which readers tell tests apart: a test's id in two parts. */
function namesOf({ id, label, plan }: TestResult): { readonly name: string; readonly classname: string } {
  const within = id.startsWith(`${plan}::`) ? id.slice(plan.length + 2) : label;
  const group = within.endsWith(`::${label}`) ? within.slice(0, -label.length - 2) : undefined;
  return group === undefined ? { name: within, classname: plan } : { name: label, classname: `${plan}::${group}` };
}

function counts(results: readonly TestResult[], problems: number): Readonly<Record<string, string>> {
  const count = (wanted: (outcome: TestResult["outcome"]) => boolean): number => results.filter((one) => wanted(one.outcome)).length;
  return {
    tests: String(results.length + problems),
    failures: String(count((outcome) => outcome === "failed")),
    errors: String(count((outcome) => outcome !== "passed" && outcome !== "skipped" && outcome !== "failed") + problems),
    time: time(results.reduce((sum, one) => sum + one.milliseconds, 0)),
  };
}

function testCase(root: string, result: TestResult): readonly string[] {
  const { outcome, reason, messages, explanation, stack, output } = result;
  const place = messages.find((one) => one.location !== undefined)?.location;
  const opening = `    <testcase${attributes({ ...namesOf(result), time: time(result.milliseconds), ...(place === undefined ? {} : { file: relativeTo(root, place.path), line: String(place.range.start.line + 1) }) })}>`;
  const details = [
    ...(explanation === undefined ? [] : [`${explanation.rule ?? explanation.cause}: ${shortNames(explanation.message)}${explanation.fix === undefined ? "" : ` ${shortNames(explanation.fix)}`}`]),
    ...messages.map(({ message, location }) => `${location === undefined ? "" : `${relativeTo(root, location.path)}:${location.range.start.line + 1}: `}${message}`),
    ...(stack ?? []).map((frame, at) => `#${at} ${frame.function}${frame.location === undefined ? "" : ` ${relativeTo(root, frame.location.path)}:${frame.location.range.start.line + 1}`}`),
  ].join("\n");
  const body = outcome === "passed" ? []
    : outcome === "skipped" ? [`      <skipped${attributes({ message: reason ?? "" })}/>`]
      : [`      <${outcome === "failed" ? "failure" : "error"}${attributes({ message: reason ?? messages[0]?.message ?? outcomeWords[outcome], type: outcome })}>${escaped(details)}</${outcome === "failed" ? "failure" : "error"}>`];
  return [opening, ...body, ...(output === "" ? [] : [`      <system-out>${escaped(output)}</system-out>`]), "    </testcase>"];
}

function attributes(given: Readonly<Record<string, string>>): string {
  return Object.entries(given).map(([name, value]) => ` ${name}="${escaped(value).replace(/"/g, "&quot;").replace(/[\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`).join("");
}

/** Without terminal sequences, and without the characters that XML 1.0 cannot hold (https://www.w3.org/TR/xml/#charsets). */
function escaped(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Surrogate}/gu, "\ufffd").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\r/g, "&#13;");
}

function time(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
