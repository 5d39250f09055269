import type { CMakeArguments, Condition } from "../../model/index.ts";
import type { ExternalCall } from "./evaluation/call-types.ts";
import type { Interpreter } from "./evaluation/interpreter.ts";
import { absolute } from "./evaluation/file-functions.ts";
import type { Value } from "./evaluation/values.ts";
import { render } from "./evaluation/values.ts";
import { usualOf } from "./compile-arguments.ts";
import { isSetupCall } from "./setup-call.ts";
import type { Leaf } from "./leaves.ts";
import { evidenceOf, leavesOf } from "./leaves.ts";
import type { Place } from "./source-file.ts";

type Definition = CMakeArguments["definitions"][number];

/** Options of cmake that take the next argument as their value. */
const withValue = new Set(["-G", "-B", "-S", "-C", "-A", "-T", "-H"]);

/**
 * Cache variables that a build script hands to CMake: on a `cmake` command line, through scikit-build's
 * `setup(cmake_args=...)`, or in a list that is named for it and whose use could not be followed.
 */
export function cmakeArguments(interpreter: Interpreter): CMakeArguments[] {
  const found: CMakeArguments[] = [];
  const seen = new Set<string>();
  const add = (leaves: readonly Leaf[], place: Place, conditions: readonly Condition[]): void => {
    const { definitions, directory } = definitionsOf(leaves, place, seen);
    if (definitions.length === 0) return;
    const source = directory === undefined ? undefined : absolute(interpreter, directory);
    const own = interpreter.files.status(`${interpreter.directory}/CMakeLists.txt`) === undefined ? undefined : interpreter.directory;
    const sourceDirectory = source !== undefined && interpreter.files.status(`${source}/CMakeLists.txt`) !== undefined ? source : own;
    found.push({ kind: "cmake-arguments", definitions, conditions, evidence: evidenceOf(place, []), ...(sourceDirectory === undefined ? {} : { sourceDirectory }) });
  };
  for (const call of interpreter.externalCalls) {
    if (saysOnly.test(call.name)) continue;
    const command = commandOf(call);
    if (command !== undefined && isCMake(command)) add(command, call.place, call.conditions);
    const given = isSetupCall(call.name) ? call.arguments.keywords.get("cmake_args") : undefined;
    if (given !== undefined) add(leavesOf(given.value), given.place, call.conditions);
  }
  for (const [name, lists] of interpreter.namedLists) {
    if (!/cmake|build_arg|cfg_arg|defines?$/i.test(name)) continue;
    for (const list of lists) add(leavesOf(list), list.place, list.base.filter((one) => one.assumed !== true));
  }
  return found;
}

/** Calls that show a command to people. */
const saysOnly = /^(?:builtins\.print|(?:logging|logger|log|warnings|sys\.stdout|sys\.stderr)\.\w+)$/;

function commandOf(call: ExternalCall): readonly Leaf[] | undefined {
  const first: Value | undefined = call.arguments.positional[0] ?? call.arguments.keywords.get("args")?.value;
  if (first === undefined) return undefined;
  const ways = leavesOf(first).map(wordsOf);
  const texts = ways.map((words) => new Set(words.map((word) => word.value.kind === "text" ? word.value.value : "")));
  if (ways.length < 2 || ways.some((words) => words.length < 2)) return ways.flat();
  // The same command on several ways: what is on all of them depends on none.
  const common = (word: Leaf): boolean => texts.every((all) => word.value.kind === "text" && all.has(word.value.value));
  const [one = [], ...others] = ways;
  return [...one.map((word) => common(word) ? { ...word, conditions: [] } : word), ...others.flat().filter((word) => !common(word))];
}

/** The words of the first `cmake` command in a text of shell commands; another text is one word. */
function wordsOf(leaf: Leaf): readonly Leaf[] {
  const { value } = leaf;
  if (value.kind !== "text") return [leaf];
  const command = /(?:^|[\n;&])\s*(cmake\s[^\n;&]*)/.exec(value.value)?.[1];
  if (command === undefined) return [leaf];
  return command.trim().split(/\s+/).map((word) => ({ ...leaf, value: { ...value, value: word, known: !/[{}]/.test(word) } }));
}

function isCMake(leaves: readonly Leaf[]): boolean {
  const program = leaves[0]?.value;
  if (program === undefined) return false;
  if (leaves.some((leaf) => leaf.value.kind === "text" && (leaf.value.value === "--build" || leaf.value.value === "--install"))) return false;
  return program.kind === "text" && program.known ? /(?:^|\/)cmake3?(?:\.exe)?$/.test(program.value) : /cmake/i.test(render(program));
}

/** Where a word of a text that was put together is written, when the file has it once. */
function written(word: string, place: Place): Place {
  const { text } = place.file;
  if (text.slice(place.start, place.end).includes(word)) return place;
  const start = text.indexOf(word);
  return start < 0 || text.includes(word, start + 1) ? place : { file: place.file, start, end: start + word.length };
}

function definitionsOf(leaves: readonly Leaf[], fallback: Place, seen: Set<string>): { readonly definitions: readonly Definition[]; readonly directory: string | undefined } {
  const definitions: Definition[] = [];
  let directory: string | undefined;
  for (let index = 0; index < leaves.length; index++) {
    const leaf = leaves[index];
    if (leaf?.value.kind !== "text") continue;
    let text = leaf.value.value;
    let { known } = leaf.value;
    if (text === "-D") {
      const next = leaves[++index]?.value;
      if (next?.kind !== "text") continue;
      text = `-D${next.value}`;
      known = next.known;
    }
    const definition = /^-D\s*([\w.-]+)(?::\w+)?=([\s\S]*)$/.exec(text);
    if (definition?.[1] !== undefined) {
      const place = written(text, leaf.value.place.end > 0 ? leaf.value.place : fallback);
      const key = `${place.file.path}:${String(place.start)}:${text}`;
      if (seen.has(key)) continue;
      seen.add(key);
      // What somebody has to choose is not what CMake gets in the plain case.
      const certain = leaf.conditions.every((condition) => condition.byDefault === true);
      const usual = known || text !== leaf.value.value ? undefined : usualOf(leaf, place)?.value.slice(definition[0].length - (definition[2] ?? "").length);
      definitions.push({ name: definition[1], value: certain ? (known ? definition[2] : usual) : undefined, evidence: evidenceOf(place, [...leaf.value.steps, ...leaf.steps]) });
    } else if (text === "-S" || text === "-H") {
      const next = leaves[++index]?.value;
      if (next?.kind === "text" && next.known) directory = next.value;
    } else if (withValue.has(text)) index++;
    else if (/^-[SH]./.test(text)) directory = text.slice(2);
    else if (index > 0 && !text.startsWith("-") && known) directory ??= text;
  }
  return { definitions, directory };
}
