import * as path from "node:path";
import { valueOf } from "../model/index.ts";
import type { ExaminedFile, Files, Finding, FitReport, InstalledBody, Verdict } from "../model/index.ts";
import type { Examined } from "./examination.ts";
import { loaderSays, verdictHeadline } from "./verdictWords.ts";

function stampOf({ binaries }: Examined): Pick<ExaminedFile, "stamp"> {
  const stamp = binaries.map((one) => one.body.profile.stamp).find((one) => one !== undefined);
  return stamp === undefined ? {} : { stamp };
}

/** A file whose torch could not be had; `why` is a sentence. */
export function notCompared(examined: Examined, why: string): ExaminedFile {
  return { file: examined.file, verdict: "unknown", headline: `Not compared: ${why}`, findings: [], ...stampOf(examined) };
}

export function compared(examined: Examined, report: FitReport): ExaminedFile {
  const says = (report.members ?? [report]).map(loaderSays).find((one) => one !== undefined);
  return {
    file: examined.file,
    verdict: report.verdict,
    headline: verdictHeadline(report.verdict, `torch ${report.against.torch ?? "of unknown version"}`),
    ...(says === undefined ? {} : { loaderSays: says }),
    findings: report.findings.map((finding) => findingOf(report, finding)),
    ...stampOf(examined),
  };
}

/** A binary has no lines: the finding is about all of it. */
function findingOf(report: FitReport, { rule, severity, message }: FitReport["findings"][number]): Finding {
  const start = { line: 0, character: 0 };
  return { rule, severity, message, location: { path: report.file, range: { start, end: start } }, related: [], against: [], fixes: [] };
}

const gravest: readonly Verdict[] = ["conflict", "unknown", "no-conflict"];

/** What was said of a file against each torch, as one: the gravest verdict speaks. */
export function together(file: string, said: readonly ExaminedFile[]): ExaminedFile {
  const verdict = gravest.find((one) => said.some((other) => other.verdict === one)) ?? "unknown";
  const speaking = said.filter((one) => one.verdict === verdict);
  const [first] = speaking;
  const findings = new Map(said.flatMap((one) => one.findings).map((finding) => [`${finding.rule} ${finding.message}`, finding]));
  return {
    file,
    verdict,
    headline: [...new Set(speaking.map((one) => one.headline))].join(" "),
    findings: [...findings.values()],
    ...(first?.loaderSays === undefined ? {} : { loaderSays: first.loaderSays }),
    ...(first?.stamp === undefined ? {} : { stamp: first.stamp }),
  };
}

/** A torch that a project was compared with, and the Python to build for it with. */
export interface ComparedTorch {
  readonly name: string;
  readonly version?: string;
  readonly cuda?: string | null;
  readonly interpreter?: string;
}

/** `chosen`: the Python that was chosen, which counts when it is of this environment. */
export function comparedTorch(body: InstalledBody, chosen: string | undefined, files: Files): ComparedTorch {
  const version = valueOf(body.facts, "torch-version");
  const cuda = valueOf(body.facts, "cuda-version");
  const interpreter = body.prefix === undefined ? undefined : interpreterIn(body.prefix, chosen, files);
  return {
    name: body.name,
    ...(version === undefined ? {} : { version }),
    ...(cuda === undefined ? {} : { cuda }),
    ...(interpreter === undefined ? {} : { interpreter }),
  };
}

function interpreterIn(prefix: string, chosen: string | undefined, files: Files): string | undefined {
  const own = ["bin/python3", "bin/python", "Scripts/python.exe", "python.exe"].map((name) => path.join(prefix, name));
  const first = chosen === undefined || path.relative(prefix, chosen).startsWith("..") ? [] : [chosen];
  return [...first, ...own].find((file) => files.status(file)?.kind === "file");
}
