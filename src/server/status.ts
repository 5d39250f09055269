import * as path from "node:path";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import type { InstalledBody, Severity } from "../engine/model/index.ts";
import { valueOf } from "../engine/model/index.ts";
import { describe, place, torchName } from "../engine/rules/support.ts";
import type { Status, TorchStatus } from "../protocol/index.ts";
import { countPhrase } from "./features/codeLens.ts";
import type { Project } from "./project.ts";
import { uriOf } from "./uris.ts";
import { factValue, traitName } from "./wording.ts";

/** A project in the few words that a status bar has room for. */
export function statusOf(project: Project, diagnosis: Diagnosis): Status {
  const [first, ...others] = diagnosis.installed;
  const count = (severity: Severity): number => diagnosis.findings.filter((one) => one.severity === severity).length;
  return {
    folder: uriOf(project.root),
    name: path.basename(project.root),
    enabled: true,
    ...(first === undefined ? {} : { torch: torchStatus(first) }),
    also: others.map(torchName),
    findings: { error: count("error"), warning: count("warning"), info: count("info"), hint: count("hint") },
    suppressed: diagnosis.suppressed,
    targets: diagnosis.declared.length,
    files: diagnosis.files.length,
    notChecked: diagnosis.notChecked,
    problems: project.problems,
  };
}

/** A project that is switched off. */
export function statusOff(project: Project): Status {
  return {
    folder: uriOf(project.root), name: path.basename(project.root), enabled: false, also: [], findings: { error: 0, warning: 0, info: 0, hint: 0 },
    suppressed: 0, targets: 0, files: 0, notChecked: [], problems: [],
  };
}

/** A torch in the words of a status bar. */
export function torchStatus(installed: InstalledBody): TorchStatus {
  const version = valueOf(installed.facts, "torch-version");
  const abi = valueOf(installed.facts, "libstdcxx-abi");
  const cuda = valueOf(installed.facts, "cuda-version");
  const python = valueOf(installed.facts, "python-version");
  return {
    version: version ?? "of unknown version",
    source: installed.source,
    name: installed.name,
    ...(abi === undefined ? {} : { abi }),
    ...(cuda === undefined ? {} : { cuda }),
    ...(python === undefined ? {} : { python }),
    ...(installed.torchRoot === undefined ? {} : { path: installed.torchRoot }),
  };
}

/** The findings of a project as Markdown, to paste into an issue. Paths are relative to the project. */
export function reportOf(project: Project, diagnosis: Diagnosis): string {
  const { root, installed } = diagnosis;
  const lines = [`## Abiding: ${path.basename(project.root)}`, ""];
  if (installed.length === 0) {
    lines.push("No torch was found to check against.", "");
  }
  for (const body of installed) {
    lines.push(`Checked against ${torchName(body)}.`, "");
    for (const fact of body.facts) {
      lines.push(`- ${traitName(fact.trait)}: ${factValue(fact)} (${describe(fact.evidence[0], root)})`);
    }
    lines.push("");
  }
  lines.push(diagnosis.findings.length === 0 ? "No conflict was found in what was checked." : `${countPhrase(diagnosis.findings)}:`, "");
  for (const finding of diagnosis.findings) {
    lines.push(`- **${finding.severity}** ${place(finding.location, root)} \`${finding.rule}\`: ${finding.message}`);
    lines.push(...finding.related.map((one) => `  - ${place(one.location, root)}: ${one.message}`));
  }
  if (diagnosis.notChecked.length > 0) {
    lines.push("", "Not checked:", "", ...diagnosis.notChecked.map((one) => `- ${one}`));
  }
  return `${lines.join("\n")}\n`;
}
