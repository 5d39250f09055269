/** Errors of a compile that nothing else explains: the project's own, or the compiler against torch's headers. */
import { valueOf } from "../../../model/index.ts";
import { textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import type { Command } from "./command.ts";
import { isNear, printed } from "./reading.ts";
import { errorWord, position } from "./removed.ts";
import { belowFloor } from "./standard.ts";

const errorLine = new RegExp(`${position}${errorWord}(?: #?\\w{1,8}(?:-D)?)?\\s?[:：]`);

/** How far above an earlier error of the same compile is looked for. */
const reach = 400;

/**
 * The first error of a compile with torch's headers, where `others` do not understand it. Later ones often follow from the first.
 */
export function sourceErrors(others: readonly Recogniser[]): Recogniser {
  return printed(errorLine, ({ log, at, match, text }) => {
    const line = textAt(log, at);
    if (hasEarlierError(log, at) || others.some((one) => one.hint.test(line) && one.read(log, at) !== undefined)) {
      return undefined;
    }
    const command = commandOf(log, at);
    if (command?.torchRoot === undefined && command?.extension === undefined && !isNear(log, at, 30, 30, /[\\/]torch[\\/]include[\\/]|Error (?:building extension|compiling objects)|cpp_extension\.py/)) {
      return undefined;
    }
    const file = match[1] ?? "";
    return { words: text, subject: { file: command?.source ?? file }, explain: (knowledge) => (/[\\/]torch[\\/]include[\\/]/.test(file) ? insideTorch(file, command, knowledge) : ownError(file)) };
  });
}

function hasEarlierError(log: Log, at: number): boolean {
  for (let index = at - 1; index >= Math.max(0, at - reach); index -= 1) {
    const line = textAt(log, index);
    if (errorLine.test(line)) {
      return true;
    }
    if (/^FAILED: |^\[\d+\/\d+\] |\s-c\s\S/.test(line)) {
      return false;
    }
  }
  return false;
}

function ownError(file: string): Explanation {
  return verdict("source-error", "possible", `${file.split(/[\\/]/).at(-1) ?? "A source"} does not compile, and nothing in the message speaks of another torch or ABI.`, ["This is the first error of its compile: a fault of the source, or something that an #if or a missing include left out."], {
    fixes: ["Read this error before the later ones, which often follow from it."],
    needs: ["Whether the sources compile with the torch that the project names: then torch's headers changed between the two."],
  });
}

function insideTorch(file: string, command: Command | undefined, knowledge: Knowledge): Explanation {
  const floor = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "cxx-standard-floor");
  const asked = command?.standards.at(-1);
  if (floor !== undefined && asked !== undefined && asked < floor) {
    return belowFloor(floor, command, knowledge, "likely");
  }
  return verdict("host-compiler", "possible", `The compiler does not take torch's own header ${file.split(/[\\/]/).at(-1) ?? ""}.`, [
    "torch's headers compile in torch's own builds; that one of them does not is a matter of the compiler (too old, too new, nvcc with a host compiler that it does not know), of the C++ standard, or of a macro that the source defines before including it.",
    ...(asked === undefined ? [] : [`The command line asks for C++${asked}.`]),
  ], {
    fixes: ["Compile with the standard that torch uses itself (no -std for torch.utils.cpp_extension), and with a compiler that the toolkit takes.", "Keep <torch/extension.h> out of .cu files: <ATen/ATen.h> or <torch/types.h> is enough there."],
    needs: ["Which torch, and `c++ --version` and `nvcc --version`."],
  });
}
