import containerImages from "../../../../../data/container-images.json" with { type: "json" };
import type { BaseImage } from "../../../model/index.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { readInstallCommand } from "./installCommand.ts";
import { logicalLines } from "./requirementsTxt.ts";
import type { LogicalLine } from "./requirementsTxt.ts";
import { shellCommands, substitute } from "./shellWords.ts";

interface Stage {
  readonly name: string;
  readonly variables: Map<string, string>;
  readonly base: Omit<BaseImage, "stage"> | undefined;
}

/** Reads base images, install commands and arch lists of a Dockerfile. Source: docs.docker.com, "Dockerfile reference". */
export function readDockerfile(source: SourceText, collector: Collector): void {
  const globals = new Map<string, string>();
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  let count = 0;
  for (const line of instructions(source.text)) {
    const match = /^\s*([A-Za-z]+)\s+/.exec(line.text);
    if (!match) continue;
    const rest = line.text.slice(match[0].length);
    const offsets = line.offsets.slice(match[0].length);
    switch ((match[1] ?? "").toUpperCase()) {
      case "FROM":
        stage = readFrom(source, rest, offsets, globals, stages, count, collector);
        count += 1;
        break;
      case "ARG":
        readArg(rest, stage, globals);
        break;
      case "ENV":
        readEnv(source, rest, offsets, stage?.variables ?? globals, collector);
        break;
      case "RUN":
        if (stage) readRun(source, rest, offsets, stage, collector);
        break;
    }
  }
}

/** Instructions with their continuation lines, comment lines inside left out, and here-documents appended. */
function instructions(text: string): readonly LogicalLine[] {
  const withoutComments = text.replace(/^[ \t]*#[^\r\n]*/gm, (comment) => `${" ".repeat(comment.length - 1)}\\`);
  const lines = logicalLines(withoutComments, 0, withoutComments.length, false);
  const result: LogicalLine[] = [];
  let skipUntil = -1;
  for (const line of lines) {
    const start = line.offsets[0] ?? 0;
    if (start < skipUntil) continue;
    const marker = /<<-?\s*(["']?)(\w+)\1/.exec(line.text);
    if (!marker || !/^\s*RUN\b/i.test(line.text)) {
      result.push(line);
      continue;
    }
    const bodyStart = text.indexOf("\n", line.offsets.at(-1) ?? start) + 1;
    const ending = new RegExp(`^[ \\t]*${marker[2] ?? ""}[ \\t]*\\r?$`, "m").exec(text.slice(bodyStart));
    const bodyEnd = bodyStart + (ending?.index ?? 0);
    const head = line.text.slice(0, marker.index);
    const body = text.slice(bodyStart, bodyEnd);
    result.push({ text: `${head}\n${body}`, offsets: [...line.offsets.slice(0, marker.index), bodyStart, ...Array.from(body, (_, i) => bodyStart + i)] });
    skipUntil = bodyEnd + (ending?.[0].length ?? 0);
  }
  return result;
}

function readFrom(source: SourceText, rest: string, offsets: readonly number[], globals: ReadonlyMap<string, string>, stages: Map<string, Stage>, count: number, collector: Collector): Stage {
  const match = /^((?:--\S+\s+)*)(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(rest);
  const written = match?.[2] ?? "";
  const begin = (match?.[1] ?? "").length;
  const start = offsets[begin] ?? 0;
  const end = (offsets[begin + written.length - 1] ?? start) + 1;
  const filled = substitute(written, globals);
  const parent = stages.get(filled.text);
  const index = String(count);
  const name = match?.[3] ?? index;
  const base = parent ? parent.base : describeImage(source, filled, start, end);
  if (base) collector.observations.push({ ...base, stage: name });
  const stage: Stage = { name, variables: new Map(parent?.variables ?? []), base };
  stages.set(name, stage);
  stages.set(index, stage);
  return stage;
}

const releases = new Map(containerImages.rows.map((row) => [row.tag, row]));

/** What the name of an image says of the torch and the CUDA inside. */
function describeImage(source: SourceText, filled: { readonly text: string; readonly known: boolean }, start: number, end: number): Omit<BaseImage, "stage"> {
  const image = filled.text;
  const tag = /:([^@/]+)(?:@|$)/.exec(image)?.[1] ?? "";
  const repository = image.replace(/[:@][^/]*$/, "");
  const observed = { kind: "base-image" as const, image, evidence: source.evidence(start, end), conditions: [] };
  if (!filled.known) return observed;
  const ngc = repository.startsWith("nvcr.io/nvidia/pytorch") ? releases.get(/^\d\d\.\d\d/.exec(tag)?.[0] ?? "") : undefined;
  if (ngc) return { ...observed, torchVersion: ngc.torch, cudaVersion: ngc.cuda };
  const torch = /(^|\/)pytorch\/pytorch$/.test(repository) ? /^(\d+\.\d+(?:\.\d+)?)(?:-|$)/.exec(tag)?.[1] : /(?:^|[-_.])(?:py)?torch[-_]?(\d+\.\d+\.\d+)/.exec(tag)?.[1];
  const cuda = /(?:^|\/)nvidia\/cuda$/.test(repository) ? /^(\d+\.\d+(?:\.\d+)?)/.exec(tag)?.[1] : /cuda[-_]?(\d+\.\d+(?:\.\d+)?)/.exec(tag)?.[1];
  return { ...observed, ...(torch === undefined ? {} : { torchVersion: torch }), ...(cuda === undefined ? {} : { cudaVersion: cuda }) };
}

function readArg(rest: string, stage: Stage | undefined, globals: Map<string, string>): void {
  for (const match of rest.matchAll(/([A-Za-z_]\w*)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
    const name = match[1] ?? "";
    const variables = stage?.variables ?? globals;
    const value = match[2] === undefined ? globals.get(name) : unquote(match[2]);
    if (value === undefined) continue;
    const filled = substitute(value, variables);
    if (filled.known) variables.set(name, filled.text);
    else variables.delete(name);
  }
}

function readEnv(source: SourceText, rest: string, offsets: readonly number[], variables: Map<string, string>, collector: Collector): void {
  const pairs = [...rest.matchAll(/([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s"'\\]|\\.)*)/g)];
  const legacy = pairs.length === 0 || !/^\s*[A-Za-z_]\w*=/.test(rest) ? /^\s*([A-Za-z_]\w*)\s+(.*)$/s.exec(rest) : null;
  for (const match of legacy ? [legacy] : pairs) {
    const name = match[1] ?? "";
    const filled = substitute(unquote((match[2] ?? "").trim()), variables);
    const begin = match.index ?? 0;
    const start = offsets[begin] ?? 0;
    const end = (offsets[begin + match[0].trimEnd().length - 1] ?? start) + 1;
    if (filled.known) variables.set(name, filled.text);
    else variables.delete(name);
    if (name === "TORCH_CUDA_ARCH_LIST" || name === "CUDAARCHS") {
      collector.observations.push({ kind: "architecture-list", variable: name, value: filled.known ? filled.text : undefined, evidence: source.evidence(start, end), conditions: [] });
    }
  }
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, "$2");
}

function readRun(source: SourceText, rest: string, offsets: readonly number[], stage: Stage, collector: Collector): void {
  const setting: RequirementSetting = { role: "image", group: stage.name };
  const exec = /^\s*\[/.exec(rest);
  const text = exec ? rest.replace(/^\s*\[|\]\s*$/g, (bracket) => " ".repeat(bracket.length)).replace(/",\s*"/g, (separator) => `"${" ".repeat(separator.length - 2)}"`) : rest;
  for (const command of shellCommands(source, text, offsets, stage.variables)) readInstallCommand(source, command, collector, setting);
}
