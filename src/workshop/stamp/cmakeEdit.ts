import * as path from "node:path";
import type { DeclaredTarget } from "../../engine/model/index.ts";
import { parseCMake } from "../../engine/sources/cmake/parser.ts";
import type { Command, Node, SourceFile } from "../../engine/sources/cmake/syntax.ts";
import type { BuildFile } from "./buildFile.ts";
import { openBuildFile } from "./buildFile.ts";
import type { Planned } from "./plan.ts";
import type { Candidate } from "./targets.ts";
import { templateText } from "./templates.ts";

/** The line goes behind what the build file says of the target, and a file of its own holds the call: `abiding_stamp` needs its module first. */
export function planCMake(root: string, candidate: Candidate): Planned {
  const files = [...new Set(candidate.sites.map((site) => site.location.path))];
  const [file] = files;
  if (file === undefined || files.length > 1) {
    return { refused: `${candidate.name} is made in several files (${files.map((one) => path.relative(root, one)).join(", ")}). Include the stamp by hand, behind the last of them.` };
  }
  const opened = openBuildFile(file);
  if (typeof opened === "string") {
    return { refused: opened };
  }
  const folder = path.join(candidate.folder, "cmake");
  const own = path.join(folder, `abiding_stamp_${candidate.name.replace(/[^\w.+-]/g, "_")}.cmake`);
  const line = `include("\${CMAKE_CURRENT_LIST_DIR}/${path.relative(path.dirname(file), own).split(path.sep).join("/")}")`;
  const source = parseCMake(file, opened.text);
  const already = alreadyStamped(source, candidate, path.basename(own));
  if (already === "call") {
    return { edits: [], written: [], next: [] };
  }
  const place = already === "include" ? undefined : placeOf(source, opened, candidate, root);
  if (place !== undefined && "refused" in place) {
    return place;
  }
  return {
    edits: place === undefined ? [] : [{ path: file, line: place.line, lines: [place.indentation + line] }],
    written: [
      { path: path.join(folder, "AbidingStamp.cmake"), text: templateText("AbidingStamp.cmake"), mark: "function(abiding_stamp " },
      { path: path.join(folder, "abiding_stamp.cpp"), text: templateText("abiding_stamp.cpp"), mark: "ABIDING_STAMP_FUNCTION" },
      { path: own, text: ownFile(candidate.name, candidate.sites), mark: "abiding_stamp(" },
    ],
    next: [],
  };
}

/** Older CMake builds the target as before: the stamp is no reason to fail. */
function ownFile(name: string, sites: readonly DeclaredTarget[]): string {
  const call = ["abiding_stamp(", name, ...argumentsOf(sites)].join(" ").replace("( ", "(");
  return [
    `# Puts the ABI stamp into ${name}: with what it was compiled, in a note that is read without loading it. Written by \`abiding stamp\`;`,
    "# the arguments are described in AbidingStamp.cmake.",
    "if(CMAKE_VERSION VERSION_LESS 3.22)",
    `  message(STATUS "${name} gets no ABI stamp: that needs CMake 3.22 or later.")`,
    `elseif(TARGET ${name})`,
    `  include("\${CMAKE_CURRENT_LIST_DIR}/AbidingStamp.cmake")`,
    `  ${call})`,
    "endif()",
    "",
  ].join("\n");
}

function argumentsOf(sites: readonly DeclaredTarget[]): string[] {
  const every = (holds: (site: DeclaredTarget) => boolean): boolean => sites.every(holds);
  const usesPybind11 = (site: DeclaredTarget): boolean => site.madeBy === "pybind11_add_module" || site.links.some((link) => /^pybind11::/.test(link.name));
  return [
    ...(every((site) => site.usesTorch === true) ? ["TORCH"] : []),
    // FindCUDA's commands know no CMAKE_CUDA_COMPILER; where CUDA is an option, there may be none either.
    ...(every((site) => site.sources.some((one) => one.language === "CUDA" && one.conditions.length === 0) && !site.madeBy.startsWith("cuda_add")) ? ["CUDA"] : []),
    ...(every((site) => usesPybind11(site) || /^(?:nanobind_add_module|python[23]?_add_library)$/.test(site.madeBy)) ? ["PYTHON"] : []),
    ...(every(usesPybind11) ? ["PYBIND11"] : []),
  ];
}

/** "call": somebody stamps it by hand. */
function alreadyStamped(source: SourceFile, candidate: Candidate, own: string): "include" | "call" | undefined {
  const first = (command: Command): string => (command.args[0] === undefined ? "" : source.source(command.args[0]));
  const names = namesIn(source, candidate);
  if (source.commands.some((command) => command.name === "include" && first(command).split("/").at(-1) === own)) {
    return "include";
  }
  return source.commands.some((command) => command.name === "abiding_stamp" && names.has(first(command))) ? "call" : undefined;
}

/** How this file writes the target: its name, and the variable that holds it. */
function namesIn(source: SourceFile, candidate: Candidate): Set<string> {
  const written = candidate.sites.flatMap(({ location }) => {
    const command = commandAt(source, source.offset(location.range.start));
    return command?.args[0] === undefined ? [] : [source.source(command.args[0])];
  });
  return new Set([candidate.name, ...written]);
}

function commandAt(source: SourceFile, offset: number): Command | undefined {
  return source.commands.find((command) => command.start <= offset && offset < command.end);
}

interface Step {
  readonly list: readonly Node[];
  readonly index: number;
}

type Place = { readonly line: number; readonly indentation: string };

function placeOf(source: SourceFile, file: BuildFile, candidate: Candidate, root: string): Place | { readonly refused: string } {
  const where = (command: Command): string => `${path.relative(root, source.path)}:${source.position(command.start).line + 1}`;
  const ways: Step[][] = [];
  for (const { location } of candidate.sites) {
    const command = commandAt(source, source.offset(location.range.start));
    const way = command === undefined ? undefined : wayTo(source.nodes, command);
    if (command === undefined || way === undefined) {
      return { refused: `The command that makes ${candidate.name} was not found in ${path.relative(root, source.path)}.` };
    }
    const around = way.map(({ list, index }) => list[index]).find((node) => node?.kind === "function" || node?.kind === "macro");
    if (around !== undefined) {
      const name = around.command.args[0] === undefined ? "" : source.source(around.command.args[0]);
      return { refused: `${candidate.name} is made inside the ${around.kind} ${name} (${where(command)}), which makes other targets too. Copy native/cmake/AbidingStamp.cmake and abiding_stamp.cpp of Abiding into the project, include() the first, and call abiding_stamp(${candidate.name}) behind the call of ${name}.` };
    }
    ways.push(way);
  }
  const [first = [], ...others] = ways;
  // The innermost list that has all places in it; a loop makes the target in one of its rounds and must not be stamped in each.
  let depth = first.length - 1;
  while (depth > 0 && !others.every((way) => way[depth]?.list === first[depth]?.list)) {
    depth -= 1;
  }
  const loop = first.findIndex(({ list, index }) => ["foreach", "while"].includes(list[index]?.kind ?? ""));
  if (loop !== -1) {
    depth = Math.min(depth, loop);
  }
  const step = first[depth];
  if (step === undefined) {
    return { refused: `${candidate.name} is made in a way that was not understood.` };
  }
  const from = Math.max(...ways.map((way) => way[depth]?.index ?? 0));
  const names = namesIn(source, candidate);
  let last = from;
  for (let index = from + 1; index < step.list.length; index += 1) {
    const node = step.list[index];
    if (node !== undefined && commandsOf(node).some((command) => speaksOf(source, command, names))) {
      last = index;
    }
  }
  const anchor = step.list[last];
  if (anchor === undefined) {
    return { refused: `${candidate.name} is made in a way that was not understood.` };
  }
  const end = source.position(endOf(anchor)).line;
  const start = source.position(anchor.command.start);
  const text = file.text.split(/\r\n|\r|\n/)[start.line] ?? "";
  return { line: end + 1, indentation: /^[ \t]*/.exec(text)?.[0] ?? "" };
}

/** The nodes around a command, outermost first, each in the list that it stands in. */
function wayTo(nodes: readonly Node[], command: Command): Step[] | undefined {
  for (const [index, node] of nodes.entries()) {
    if (node.kind === "command" ? node.command === command : node.command.start <= command.start && command.end <= node.end) {
      const step: Step = { list: nodes, index };
      if (node.kind === "command") {
        return [step];
      }
      const inner = bodiesOf(node).map((body) => wayTo(body, command)).find((way) => way !== undefined);
      return inner === undefined ? undefined : [step, ...inner];
    }
  }
  return undefined;
}

function bodiesOf(node: Node): readonly (readonly Node[])[] {
  return node.kind === "command" ? [] : node.kind === "if" ? node.branches.map((branch) => branch.body) : [node.body];
}

function commandsOf(node: Node): readonly Command[] {
  return node.kind === "function" || node.kind === "macro" ? [] : node.kind === "command" ? [node.command] : bodiesOf(node).flatMap((body) => body.flatMap(commandsOf));
}

function endOf(node: Node): number {
  return node.kind === "command" ? node.command.end : node.end - 1;
}

/** Whether a command sets what the stamp reads while CMake configures: the target's sources, languages and version. */
function speaksOf(source: SourceFile, command: Command, names: ReadonlySet<string>): boolean {
  const words = command.args.map((arg) => source.source(arg));
  if (command.name === "set_target_properties") {
    return words.some((word) => names.has(word));
  }
  if (command.name === "set_property") {
    return words[0] === "TARGET" && words.some((word) => names.has(word));
  }
  return /^target_/.test(command.name) && names.has(words[0] ?? "");
}
