import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildingRecognisers } from "../../../../../src/engine/diagnosis/explain/building/index.ts";
import type { Log } from "../../../../../src/engine/diagnosis/explain/types.ts";

/** Beginnings and middles of what compilers, CMake, pip and torch's build helper print. */
const phrases = [
  "The detected CUDA version (%s) mismatches the version that was used to compile", "FindCUDA says CUDA version is ", "nvcc not found at '", "No such file or directory: '", "nvcc: command not found",
  "nvcc fatal   : Unsupported gpu architecture '", "Unknown CUDA arch (", "ptxas ", "ptxas error : Feature '", "ptxas x error : Instruction 'a' requires PTX ISA .version ", "#error -- unsupported GNU version! gcc ",
  "Your compiler (", "pybind11/cast.h:1:1: error: expected template-name before '<' token", "internal compiler error: ", "g++: fatal error: Killed", "a.cpp:1:1: error: '", "a.cu(1): error: namespace \"c10\" has no member \"",
  "fatal error: ", ":1:1: fatal error: x.h: ", "#error C++17 or later compatible compiler is required to use ", "error C7555: ", "only available with ", "unrecognized command-line option '", "#error \"", "ModuleNotFoundError: No module named '",
  "This error likely indicates that `", "Could not find a version that satisfies the requirement torch", "No matching distribution found for torch", "Cannot install ", "Because a depends on torch", " requires torch", "Requested x has inconsistent version: expected '",
  "CMake Error at x:1 (message):\n  ", "Could NOT find Python3 (missing: ", "The imported target \"torch\" references the file", "CUDA::nvToolsExt", "ABI mismatch ", "requires the language dialect \"", "error: no operator \"+\" matches these operands", "Error building extension '",
  "In file included from ", "g++ -std=c++17 -isystem /t/torch/include -c ", "× Failed to build `",
];

function read(text: string): void {
  const log: Log = { lines: text.split("\n").map((line, index) => ({ text: line, first: index + 1, last: index + 1 })), exceptions: [] };
  for (const [at, line] of log.lines.entries()) for (const one of buildingRecognisers) if (one.hint.test(line.text)) one.read(log, at);
}

describe("hostile build logs", () => {
  it("phrases alone, doubled, and within long lines neither throw nor take quadratic time", () => {
    for (const phrase of phrases) {
      read(phrase.repeat(200));
      for (const filling of ["a", " ", "(", "/", "'", "\"", "a.cu(", ":1:1: ", "‘", "x::"]) {
        const long = filling.repeat(Math.ceil(15_000 / filling.length));
        for (const text of [phrase, long + phrase, phrase + long, `${phrase}\n${long}`]) read(text);
      }
    }
  });

  it("hints are usable in one expression: none refers back to a group or names one", () => {
    for (const { hint } of buildingRecognisers) assert.doesNotMatch(hint.source, /\\[1-9]|\(\?<[A-Za-z]/);
  });
});
