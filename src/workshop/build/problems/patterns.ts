import type { BuildTool } from "../types.ts";

/** Which group of `regexp` holds what; the names are those of problem patterns in VS Code. */
export interface Groups {
  readonly file?: number;
  readonly line?: number;
  readonly column?: number;
  readonly severity?: number;
  readonly code?: number;
  readonly message: number;
}

/** One line with which a tool complains. All are anchored at both ends: a loose one finds files in anything with a colon. */
export interface LinePattern extends Groups {
  readonly tool: BuildTool;
  /** Applied to a line without terminal sequences and line end. */
  readonly regexp: RegExp;
}

/** Windows drives have a colon; a file that is all digits is a time of day. */
const file = String.raw`((?:[A-Za-z]:[\\/])?(?!\d+:)[^\s:<(][^:<(]*?)`;

/**
 * GCC and Clang: "ops.cpp:3:31: warning: unused variable 'x' [-Wunused-variable]", without the column after -fno-show-column.
 * Sources: GNU Coding Standards, "Formatting Error Messages"; recordings of GCC 12 and Clang 14.
 */
export const compilerLine: LinePattern = {
  tool: "gcc",
  regexp: new RegExp(String.raw`^${file}:(\d+):(?:(\d+):)?\s+(fatal error|internal compiler error|error|warning|note|remark|sorry, unimplemented):\s+(.*?)(?:\s+\[(-[WRf][^\]]*)\])?$`),
  file: 1, line: 2, column: 3, severity: 4, message: 5, code: 6,
};

/** Drivers of compilers: "cc1plus: fatal error: ops.cpp: No such file or directory", "clang: error: unknown argument". */
export const driverLine: LinePattern = {
  tool: "gcc",
  regexp: /^(?:\S*[\\/])?(cc1(?:plus)?|lto1|collect2|(?:[\w.]+-)*(?:gcc|g\+\+|c\+\+|cc|clang|clang\+\+)(?:-\d+)?): (fatal error|internal compiler error|error|warning): (.*)$/,
  severity: 2, message: 3,
};

/** nvcc's front end: 'ops.cu(5): warning #177-D: variable "k" was declared but never referenced'. Recorded with CUDA 13.0. */
export const nvccLine: LinePattern = {
  tool: "nvcc",
  regexp: /^([^\s(][^(]*?)\((\d+)\): (catastrophic error|error|warning|remark)(?: (#\d+(?:-D)?))?: (.*)$/,
  file: 1, line: 2, severity: 3, code: 4, message: 5,
};

/** The tools behind nvcc: "ptxas error   : …", "nvlink error   : …", "nvcc fatal   : …". */
export const cudaToolLine: LinePattern = {
  tool: "nvcc",
  regexp: /^(nvcc|ptxas|nvlink|fatbinary|cudafe\+\+|cicc) (error|warning|fatal)\s*: (.*)$/,
  severity: 2, message: 3,
};

/** "ptxas /tmp/ops.ptx, line 26; error   : Unknown symbol '%x'" */
export const ptxasLine: LinePattern = {
  tool: "ptxas",
  regexp: /^ptxas (.+), line (\d+); (error|warning|fatal)\s*: (.*)$/,
  file: 1, line: 2, severity: 3, message: 4,
};

/** "nvlink error   : Undefined reference to '_Z1f' in 'ops.o'" */
export const nvlinkLine: LinePattern = {
  tool: "nvlink",
  regexp: /^nvlink (error|warning|fatal)\s*: (.* in '(.+)')$/,
  severity: 1, message: 2, file: 3,
};

/** GNU ld with debug information: "/usr/bin/ld: /src/ops.cpp:3: undefined reference to `f()'"; the first of a function has no prefix. */
export const linkerLine: LinePattern = {
  tool: "ld",
  regexp: new RegExp(String.raw`^(?:(?:\S*/)?(?:[\w.]+-)*ld(?:\.\w+)?: )?${file}:(\d+): ((?:undefined reference to|multiple definition of|more undefined references to) .*)$`),
  file: 1, line: 2, message: 3,
};

/** "CMake Error at CMakeLists.txt:12 (find_package):"; the message follows, indented. Source: cmMessenger of CMake 3.25. */
export const cmakeHeader = /^CMake (Error|Warning|Deprecation Warning|Deprecation Error|Internal Error)(?: \(dev\))?(?: at (.+?):(\d+)(?: \((\w+)\))?| in (.+?))?:(?: (.*))?$/;

/** "/venv/torch/utils/cpp_extension.py:414: UserWarning: The detected CUDA version …" Source: Python's warnings.formatwarning. */
export const pythonWarningLine: LinePattern = {
  tool: "python",
  regexp: /^([^\s:][^:]*\.py):(\d+): (\w*Warning): (.*)$/,
  file: 1, line: 2, code: 3, message: 4,
};

/** 'File "setup.py", line 3, in <module>' of a traceback, before a syntax error without the function. */
export const pythonFrame = /^\s*File "(.+)", line (\d+)(?:, in (.+))?$/;
