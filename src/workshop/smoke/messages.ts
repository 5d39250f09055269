import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { lineOf } from "./places.ts";
import type { TestResult } from "./types.ts";

export type Message = TestResult["messages"][number];

/** Of one test; further ones are in the output. */
const mostMessages = 50;

/** The places that an output names, in its order; relative ones count from `folder`. */
export function messagesIn(output: string, folder: string): readonly Message[] {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const found: Message[] = [];
  for (let at = 0; at < lines.length && found.length < mostMessages; at++) {
    for (const read of readers) {
      const message = read(lines, at, folder);
      if (message !== undefined) {
        found.push(message);
        break;
      }
    }
  }
  return found;
}

type Reader = (lines: readonly string[], at: number, folder: string) => Message | undefined;

/** "file.cpp:12: Failure" and the lines under it, up to what GoogleTest prints next. */
const googleTest: Reader = (lines, at, folder) => {
  const [, file, line] = /^(.+?)[:(](\d+)\)?: (?:Failure|error: .*)$/.exec(lines[at] ?? "") ?? [];
  // An exception that the test did not catch comes from nowhere.
  if (lines[at] === "unknown file: Failure") return { message: bodyOf(lines, at).join("\n") || "Failure" };
  if (file === undefined || !/: Failure$|error: (?:Expected|Value of|Failed)/.test(lines[at] ?? "")) return undefined;
  const body = bodyOf(lines, at);
  return { message: body.join("\n") || "Failure", location: placeOf(file, line, folder), ...comparedByGoogleTest(body) };
};

function bodyOf(lines: readonly string[], at: number): readonly string[] {
  return blockAfter(lines, at, (next) => /^\[ *(?:RUN|OK|FAILED|SKIPPED|-+|=+) *\]|^(?:.+?[:(]\d+\)?|unknown file): (?:Failure|Skipped)$|^Stack trace:/.test(next));
}

/**
 * The values of a comparison. Of two equal ones the one that was written down as it is, and so has no "Which is", is what
 * was expected; otherwise the first, as GoogleTest's documentation had it.
 */
function comparedByGoogleTest(body: readonly string[]): { readonly expected?: string; readonly actual?: string } {
  const [, wanted, got] = /^Expected: (.*), actual: (.*)$/.exec(body[0] ?? "") ?? [];
  if (wanted !== undefined && got !== undefined) return { expected: wanted, actual: got };
  const value = (label: RegExp): string | undefined => body.map((line) => label.exec(line)?.[1]).find((text) => text !== undefined);
  if (body[0]?.startsWith("Expected equality of these values:") === true) {
    const values: { text: string; shown: boolean }[] = [];
    for (const line of body.slice(1)) {
      const [, which] = /^ {4}Which is: (.*)$/.exec(line) ?? [];
      const [, written] = /^ {2}(\S.*)$/.exec(line) ?? [];
      const last = values.at(-1);
      if (which !== undefined && last !== undefined) {
        last.text = which;
        last.shown = true;
      } else if (written !== undefined && values.length < 2) {
        values.push({ text: written, shown: false });
      } else if (values.length === 2) break;
    }
    const [first, second] = values;
    if (first === undefined || second === undefined) return {};
    return first.shown && !second.shown ? { expected: second.text, actual: first.text } : { expected: first.text, actual: second.text };
  }
  const expected = value(/^\s*Expected: (.*)$/);
  const actual = value(/^\s*Actual: (.*)$/);
  return expected === undefined || actual === undefined ? {} : { expected, actual };
}

/** Catch2: "file.cpp:12: FAILED:", the expression, and "with expansion:". */
const catch2: Reader = (lines, at, folder) => {
  const [, file, line] = /^(.+?)[:(](\d+)\)?: FAILED:?$/.exec(lines[at] ?? "") ?? [];
  if (file === undefined) return undefined;
  const body = blockAfter(lines, at, (next) => /^[=\-.~]{20,}$|^.+?[:(]\d+\)?: (?:FAILED|PASSED):?$/.test(next));
  const expansion = body[body.findIndex((one) => one.startsWith("with expansion:")) + 1];
  const [, actual, expected] = body.some((one) => one.startsWith("with expansion:")) ? (/^\s*(.+?) == (.+)$/.exec(expansion ?? "") ?? []) : [];
  return { message: body.join("\n").trim(), location: placeOf(file, line, folder), ...(actual === undefined || expected === undefined ? {} : { expected, actual }) };
};

/** doctest: "file.cpp:12: ERROR: CHECK( a == b ) is NOT correct!" and "values: CHECK( 1 == 2 )". */
const doctest: Reader = (lines, at, folder) => {
  const [, file, line, words] = /^(.+?)[:(](\d+)\)?: (?:FATAL )?ERROR: (.*)$/.exec(lines[at] ?? "") ?? [];
  if (file === undefined || words === undefined) return undefined;
  const [, actual, expected] = /^\s*values: \w+\( (.+?) == (.+?) \)/.exec(lines[at + 1] ?? "") ?? [];
  return {
    message: actual === undefined ? words : `${words}\n${(lines[at + 1] ?? "").trim()}`, location: placeOf(file, line, folder),
    ...(actual === undefined || expected === undefined ? {} : { expected, actual }),
  };
};

/** assert() of glibc, "program: file.c:12: function: Assertion `x' failed.", and of musl and macOS. */
const assertion: Reader = (lines, at, folder) => {
  const text = lines[at] ?? "";
  const [, file, line, expression] = /^(?:[^:]*: )?(.+?):(\d+): .*?Assertion [`'](.*)' failed\.?/.exec(text) ?? [];
  if (file !== undefined) return { message: `Assertion failed: ${expression ?? ""}`, location: placeOf(file, line, folder) };
  const [, other, inFile, inLine] = /^Assertion failed: (?:\()?(.+?)\)?(?:, function .*?, file |\s\()([^:,]+?)(?:, line |: .*?: )(\d+)/.exec(text) ?? [];
  return inFile === undefined ? undefined : { message: `Assertion failed: ${other ?? ""}`, location: placeOf(inFile, inLine, folder) };
};

/** "SUMMARY: AddressSanitizer: heap-buffer-overflow file.c:12:3 in f", of every sanitizer. */
const sanitizer: Reader = (lines, at, folder) => {
  const [, words, file, line] = /^SUMMARY: (\w+Sanitizer: .+?) (\/?[^\s:]+\.\w+):(\d+)/.exec(lines[at] ?? "") ?? [];
  return words === undefined || file === undefined ? undefined : { message: words, location: placeOf(file, line, folder) };
};

/** A traceback of Python: its innermost frame outside the standard library, with the last line. */
const traceback: Reader = (lines, at, folder) => {
  if (!(lines[at] ?? "").startsWith("Traceback (most recent call last):")) return undefined;
  let place: { readonly file: string; readonly line: string } | undefined;
  let next = at + 1;
  for (; next < lines.length; next++) {
    const [, file, line] = /^\s+File "([^"]+)", line (\d+)/.exec(lines[next] ?? "") ?? [];
    if (file !== undefined && line !== undefined) {
      if (place === undefined || !/[/\\]lib[/\\]python\d|^</.test(file)) place = { file, line };
    } else if (!/^\s/.test(lines[next] ?? "")) break;
  }
  const message = (lines[next] ?? "").trim();
  return { message: message === "" ? "Traceback" : message, ...(place === undefined ? {} : { location: placeOf(place.file, place.line, folder) }) };
};

/** Python's faulthandler, when a signal ends it: its innermost frame outside the standard library and what is installed. */
const faultHandler: Reader = (lines, at, folder) => {
  const [, what] = /^Fatal Python error: (.+)$/.exec(lines[at] ?? "") ?? [];
  if (what === undefined) return undefined;
  const frames = lines.slice(at + 1, at + 200).flatMap((line) => {
    const [, file, row] = /^ {2}File "([^"]+)", line (\d+) in /.exec(line) ?? [];
    return file === undefined || row === undefined ? [] : [{ file, row }];
  });
  const place = frames.find(({ file }) => !/[/\\](?:lib[/\\]python\d|site-packages|dist-packages)|^</.test(file)) ?? frames[0];
  return { message: `Fatal Python error: ${what}`, ...(place === undefined ? {} : { location: placeOf(place.file, place.row, folder) }) };
};

const readers: readonly Reader[] = [googleTest, catch2, doctest, assertion, sanitizer, traceback, faultHandler];

function blockAfter(lines: readonly string[], at: number, ends: (line: string) => boolean): readonly string[] {
  const body: string[] = [];
  for (const line of lines.slice(at + 1, at + 41)) {
    if (ends(line)) break;
    body.push(line);
  }
  while (body.at(-1)?.trim() === "") body.pop();
  return body;
}

/** Python names "<string>" and "<frozen importlib._bootstrap>" where there is no file. */
function placeOf(file: string, line: string | undefined, folder: string): Message["location"] {
  return file.startsWith("<") ? undefined : lineOf(path.resolve(folder, file), Number(line ?? 1));
}
