import { textAt } from "../reading.ts";
import type { Log } from "../types.ts";

/** A compiler's command line as ninja, make and setuptools print it. */
export interface Command {
  /** "g++", "nvcc", "clang++-17". */
  readonly compiler: string;
  /** Year digits of every C++ standard that is asked for, in order; the last one counts. */
  readonly standards: readonly number[];
  /** The text of the last one: "-std=c++17". */
  readonly standardFlag?: string;
  /** GNU dialects are what CMake asks for unless CXX_EXTENSIONS is off. */
  readonly isGnuDialect: boolean;
  /** The torch whose headers are read: "/srv/venv/lib/python3.11/site-packages/torch". */
  readonly torchRoot?: string;
  readonly defines: readonly string[];
  /** Of a JIT or setuptools extension of torch: -DTORCH_EXTENSION_NAME. */
  readonly extension?: string;
  readonly source?: string;
}

/** How far above its error a command line stands: compilers print a lot. */
const farthest = 3000;

const compilerName = /(?:^|[\s/\\"'=])((?:[\w.]+-){0,4}(?:g\+\+|c\+\+|gcc|cc|clang\+\+|clang|nvcc|hipcc|icpx|cl)(?:-\d+(?:\.\d+)?)?)(?:\.exe)?["']?\s+\S/;
const looksCompiled = /(?:^|\s)(?:-c|-std=|-isystem|-I\S|-D\w|-o|\/c|\/std:|\/I\S|\/D\w)/;

/** The command line that a compiler's message belongs to: the nearest one above. */
export function commandOf(log: Log, at: number): Command | undefined {
  for (let index = at; index >= Math.max(0, at - farthest); index -= 1) {
    const line = textAt(log, index);
    const command = line.length < 12 ? undefined : readCommand(line);
    if (command !== undefined) {
      return command;
    }
  }
  return undefined;
}

function readCommand(text: string): Command | undefined {
  const compiler = compilerName.exec(text.slice(0, 2000));
  if (compiler?.[1] === undefined || !looksCompiled.test(text)) {
    return undefined;
  }
  const words = text.split(/\s+/);
  const standards = words.flatMap((word) => standardOf(word) ?? []);
  const last = standards.at(-1);
  const torchRoot = words.map((word) => /^["']?(?:-I|-isystem|\/I|\/external:I)?["']?((?:[A-Za-z]:)?[\\/].{0,500}[\\/]torch)[\\/]include["']?$/.exec(word)?.[1]).find((root) => root !== undefined);
  const extension = /-DTORCH_EXTENSION_NAME=(\w+)/.exec(text)?.[1];
  const source = words.findLast((word) => /\.(?:cpp|cc|cxx|c\+\+|cu|c|C)["']?$/.test(word));
  return {
    compiler: compiler[1],
    standards: standards.map((one) => one.standard),
    isGnuDialect: last?.flag.includes("gnu") === true,
    ...(last === undefined ? {} : { standardFlag: last.flag }),
    ...(torchRoot === undefined ? {} : { torchRoot }),
    defines: words.flatMap((word) => /^["']?[-/]D(\w+(?:=\S*)?)/.exec(word)?.[1] ?? []),
    ...(extension === undefined ? {} : { extension }),
    ...(source === undefined ? {} : { source: source.replaceAll(/["']/g, "") }),
  };
}

const drafts: Readonly<Record<string, number>> = { "0x": 11, "1y": 14, "1z": 17, "2a": 20, "2b": 23, "2c": 26 };

function standardOf(word: string): { readonly standard: number; readonly flag: string } | undefined {
  const match = /(-{1,2}std=|\/std:)(?:c|gnu)\+\+(\w{2})\b/.exec(word);
  if (match?.[2] === undefined) {
    return undefined;
  }
  const standard = drafts[match[2]] ?? Number(match[2]);
  return Number.isNaN(standard) ? undefined : { standard, flag: match[0] };
}
