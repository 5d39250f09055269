/**
 * The end of the step "Check" of action.yml: `node actionReport.mjs SARIF STATUS`.
 *
 * GitHub takes relative places in a report for places in the repository, whatever `originalUriBaseIds` says, so those of
 * a project in a subfolder are made relative to the workspace:
 * https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 *
 * It runs on the runner's own Node, so it uses no package and no TypeScript.
 */
import { appendFileSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { randomUUID } from "node:crypto";

const [file = "", status = ""] = process.argv.slice(2);
const sarif = resolve(file);
const workspace = realpathSync(process.env.GITHUB_WORKSPACE ?? process.cwd());
const log = JSON.parse(readFileSync(sarif, "utf8"));

/** Where a place lies in the workspace; undefined outside of it. */
function inWorkspace(location, base) {
  const path = fileURLToPath(new URL(location.uri, base));
  const inside = relative(workspace, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? undefined : inside.split("\\").join("/");
}

function rebase(value, base) {
  if (typeof value !== "object" || value === null) return;
  if (value.uriBaseId === "SRCROOT" && typeof value.uri === "string") {
    const inside = inWorkspace(value, base);
    if (inside === undefined) {
      value.uri = new URL(value.uri, base).href;
      delete value.uriBaseId;
    } else {
      value.uri = inside.split("/").map(encodeURIComponent).join("/");
    }
  }
  for (const one of Object.values(value)) rebase(one, base);
}

/** One line, which cannot be taken for a command to the runner. */
function line(text) {
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ").trim();
}

const findings = log.runs.flatMap((run) => {
  const base = run.originalUriBaseIds?.SRCROOT?.uri;
  if (base !== undefined) {
    rebase(run.results, base);
    rebase(run.invocations, base);
    run.originalUriBaseIds.SRCROOT.uri = `${pathToFileURL(workspace).href}/`;
  }
  return run.results;
});
writeFileSync(sarif, `${JSON.stringify(log, undefined, 2)}\n`);

for (const { level, ruleId, message, locations } of findings) {
  const { artifactLocation, region } = locations[0].physicalLocation;
  process.stdout.write(`${level} ${ruleId} ${line(decodeURIComponent(artifactLocation.uri))}${region === undefined ? "" : `:${region.startLine}`}: ${line(message.text)}\n`);
}
process.stdout.write(`${findings.length} finding${findings.length === 1 ? "" : "s"}\n`);

if (process.env.GITHUB_OUTPUT !== undefined) {
  // A delimiter that nobody knows beforehand: a path with a line end in it sets no output of its own.
  const delimiter = randomUUID();
  const outputs = { status, findings: String(findings.length), "sarif-file": sarif };
  appendFileSync(process.env.GITHUB_OUTPUT, Object.entries(outputs).map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`).join(""));
}
