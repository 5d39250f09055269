import * as fs from "node:fs";
import type { ProcessResult } from "../process/types.ts";
import { commandLine } from "../process/index.ts";
import type { Step } from "./recipe.ts";
import type { BuildProblem } from "./types.ts";

interface Sign {
  readonly pattern: RegExp;
  readonly say: (found: RegExpExecArray) => string;
}

/** What outputs say in many words, most telling first. The messages are those of the tools' own sources and recordings. */
const signs: readonly Sign[] = [
  { pattern: /No space left on device|Disk quota exceeded/, say: ([words = ""]) => noRoom(words) },
  { pattern: /file cannot create directory: (.+?)\.? +Maybe need administrative|file INSTALL cannot (?:copy file|set permissions on|make directory)[^\n]*?"([^"\n]+)"[:.][^"\n]*$/m, say: ([, folder, file]) => `The install prefix cannot be written to: ${folder ?? file ?? ""}. Name another one (-DCMAKE_INSTALL_PREFIX=…).` },
  { pattern: /Read-only file system/, say: () => "A folder that the build writes into is on a read-only file system. Name another build folder (--build-dir)." },
  { pattern: /fatal error: Killed signal terminated program (\w+)/, say: ([, program = ""]) => `${program} was killed, as happens when memory runs out. Build with fewer jobs at once (--jobs, or MAX_JOBS).` },
  { pattern: /No such preset in .*?: "?([^"\n]*)"?/, say: ({ 1: name = "", input }) => `There is no preset "${name}"${listed(input)}.` },
  { pattern: /Cannot use hidden preset in .*?: "?([^"\n]*)"?/, say: ({ 1: name = "", input }) => `The preset "${name}" is hidden: others inherit from it, and it cannot be used itself${listed(input)}.` },
  { pattern: /Could not read presets from (.+?): Unrecognized "version" field/, say: ([, folder = ""]) => `The preset files of ${folder} have a version that this CMake does not know: it is too old for them (cmake-presets(7), "Format").` },
  { pattern: /Unknown argument --preset|The source directory "[^"]*--preset[^"]*" does not exist/, say: () => "This CMake does not know presets: they came with CMake 3.19, and those for building with 3.20." },
  { pattern: /unable to find a build program corresponding to "([^"]+)"/, say: ([, generator = ""]) => `The program behind the generator "${generator}" was not found${/Ninja/.test(generator) ? ": install ninja (apt-get install ninja-build, or pip install ninja)" : /Makefiles/.test(generator) ? ": install make" : ""}.` },
  { pattern: /No CMAKE_(\w+)_COMPILER could be found|CMAKE_(\w+)_COMPILER not set, after EnableLanguage|The CMAKE_(\w+)_COMPILER:\s+\S+\s+is not a full path/, say: ([, a, b, c]) => noCompiler(a ?? b ?? c ?? "") },
  { pattern: /error: (?:command '([^']+)' failed: No such file or directory|\[Errno 2\] No such file or directory: '([^']*(?:cc|g\+\+|c\+\+|clang|clang\+\+)(?:-\d+)?)')/, say: ([, a, b]) => `The compiler ${a ?? b ?? ""} was not found. Install it (apt-get install g++), or name another one with CC and CXX.` },
  { pattern: /Could not find a package configuration file provided by "Torch"/, say: () => "CMake found no torch: nothing told it where to look." },
];

/** Below this no tool gets far, and not every one says that it could not write. In bytes. */
const hardlyAny = 1 << 20;

function noRoom(words: string): string {
  return `There is no room left on the disk (${words}). What was finished stays; the next build goes on from there.`;
}

/** Bytes that are left where a build writes; undefined when nobody can tell. */
function roomIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** The presets that an output lists. CMake prints the list on standard output and the error beside it, so that either may come first. */
function listed(output: string): string {
  const list = /Available [\w ]*presets:\n((?:\n? +"[^\n]*)*)/.exec(output)?.[1] ?? "";
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "");
  return names.length === 0 ? "" : `; there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}

function noCompiler(language: string): string {
  const words: Readonly<Record<string, string>> = { CXX: "C++ compiler was found: install one (apt-get install g++), or name it with CXX", C: "C compiler was found: install one (apt-get install gcc), or name it with CC", CUDA: "CUDA compiler was found: install the CUDA toolkit, or name nvcc with CUDACXX" };
  return `No ${words[language] ?? `compiler for ${language} was found`}.`;
}

/** Why a step did not end well, in a sentence or two. `folder`: where the build writes. */
export function reasonOf(step: Step, { ending, output }: ProcessResult, problems: readonly BuildProblem[], advice: readonly string[], folder: string): string {
  switch (ending.kind) {
    case "not-started":
      return notStarted(step, ending);
    case "signalled":
      return `${step.title} was ended by ${ending.signal}${ending.signal === "SIGKILL" ? ", as the system does when memory runs out; build with fewer jobs at once" : ""}.`;
    case "timed-out":
      return `${step.title} took longer than ${Math.round(ending.limit / 1000)} s and was ended.`;
    case "cancelled":
      return "The build was cancelled.";
    case "exited": {
      const room = roomIn(folder);
      if (room !== undefined && room < hardlyAny) {
        return noRoom(`${Math.floor(room / 1024)} KiB are left in ${folder}`);
      }
      const texts = [...problems.map((one) => one.message), output.text.replaceAll("\r", "")];
      for (const { pattern, say } of signs) {
        const found = texts.map((text) => pattern.exec(text)).findLast((one) => one !== null);
        if (found !== null && found !== undefined) {
          return [say(found), ...(/Torch/.test(found[0]) ? advice : [])].join(" ");
        }
      }
      const errors = problems.filter((one) => one.severity === "error");
      const [first] = errors;
      const status = `${commandLine(step.command).split(" ", 1)[0] ?? ""} ended with status ${ending.code}`;
      return first === undefined ? `${status}; its output says why.` : `${status}: ${first.message.split("\n", 1)[0] ?? ""}${errors.length > 1 ? ` (and ${errors.length - 1} more ${errors.length === 2 ? "error" : "errors"})` : ""}`;
    }
  }
}

function notStarted({ command: { file } }: Step, { reason, message }: Extract<ProcessResult["ending"], { readonly kind: "not-started" }>): string {
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return reason === "not-found" && name.startsWith("cmake") ? `${message} Install CMake (apt-get install cmake, or pip install cmake).` : message;
}
