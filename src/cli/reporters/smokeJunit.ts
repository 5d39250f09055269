import type { SmokeReport, TestResult } from "../../workshop/smoke/types.ts";
import { isBad, outcomeWords } from "./smokeText.ts";

/**
 * The report as JUnit's XML, for CI: one test suite for each plan. A failure is what a test found; a crash, a time limit, a
 * missing program and a test that could not run are errors; nothing of that is "skipped". Tests inside a test stand in its
 * place. https://github.com/testmoapp/junitxml
 */
export function smokeJunit({ results, circumstances, problems }: SmokeReport): string {
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
      `  <testsuite${attributes({ name: plan, ...counts(own, said.length), timestamp: circumstances.started })}>`,
      "    <properties>", ...properties, "    </properties>",
      ...own.flatMap(testCase),
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

function counts(results: readonly TestResult[], problems: number): Readonly<Record<string, string>> {
  const count = (wanted: (outcome: TestResult["outcome"]) => boolean): number => results.filter((one) => wanted(one.outcome)).length;
  return {
    tests: String(results.length + problems),
    failures: String(count((outcome) => outcome === "failed")),
    errors: String(count((outcome) => outcome !== "passed" && outcome !== "skipped" && outcome !== "failed") + problems),
    skipped: String(count((outcome) => outcome === "skipped")),
    time: time(results.reduce((sum, one) => sum + one.milliseconds, 0)),
  };
}

function testCase(result: TestResult): readonly string[] {
  const { outcome, reason, messages, explanation, stack, output } = result;
  const place = messages.find((one) => one.location !== undefined)?.location;
  const opening = `    <testcase${attributes({ name: result.label, classname: result.plan, time: time(result.milliseconds), ...(place === undefined ? {} : { file: place.path, line: String(place.range.start.line + 1) }) })}>`;
  const details = [
    ...(explanation === undefined ? [] : [`${explanation.rule}: ${explanation.message}`]),
    ...messages.map(({ message, location }) => `${location === undefined ? "" : `${location.path}:${location.range.start.line + 1}: `}${message}`),
    ...(stack ?? []).map((frame, at) => `#${at} ${frame.function}${frame.location === undefined ? "" : ` ${frame.location.path}:${frame.location.range.start.line + 1}`}`),
  ].join("\n");
  const body = outcome === "passed" ? []
    : outcome === "skipped" ? [`      <skipped${attributes({ message: reason ?? "" })}/>`]
      : [`      <${outcome === "failed" ? "failure" : "error"}${attributes({ message: reason ?? outcomeWords[outcome], type: outcome })}>${escaped(details)}</${outcome === "failed" ? "failure" : "error"}>`];
  return [opening, ...body, ...(output === "" ? [] : [`      <system-out>${escaped(output)}</system-out>`]), "    </testcase>"];
}

function attributes(given: Readonly<Record<string, string>>): string {
  return Object.entries(given).map(([name, value]) => ` ${name}="${escaped(value).replace(/"/g, "&quot;").replace(/[\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`).join("");
}

/** Without terminal sequences, and without the characters that XML 1.0 cannot hold (https://www.w3.org/TR/xml/#charsets). */
function escaped(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\p{Surrogate}/gu, "\ufffd").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\r/g, "&#13;");
}

function time(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
