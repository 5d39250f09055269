/** What Windows says when a DLL or a .pyd is not loaded, in words or by the number of the error. */
import { clue, isCode } from "../reading.ts";
import type { Recogniser } from "../types.ts";
import { explainWindowsError } from "./verdicts/windows.ts";
import type { WindowsError } from "./verdicts/windows.ts";
import { around } from "./words.ts";

/** Texts of FormatMessage for the errors of loading, by number (winerror.h). Every language says Win32. */
const texts: readonly (readonly [WindowsError, RegExp])[] = [
  [127, /specified procedure could not be found/i],
  [126, /specified module could not be found/i],
  [193, /Win32/i],
  [1114, /initiali[sz]ation routine failed|Initialisierungsroutine|初始化例程|初期化ルーチン/i],
  [182, /operating system cannot run/i],
];

/** "DLL load failed while importing M: TEXT" of Python, "[WinError N] TEXT" of ctypes and torch. */
const dll: Recogniser = {
  hint: /DLL load failed|\[WinError (?:126|127|182|193|1114)\]|Could not find module '/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 8192);
    if (isCode(line)) return undefined;
    const number = /\[WinError (\d+)\]/.exec(line)?.[1];
    const notFound = /Could not find module '([^']+)' \(or one of its dependencies\)/.exec(line);
    const sides = around(line, "DLL load failed");
    if (number === undefined && notFound === null && sides === undefined) return undefined;
    const error = numbers.find((one) => String(one) === number) ?? (notFound === null ? texts.find(([, words]) => words.test(line))?.[0] : 126);
    if (error === undefined) return undefined;
    const module = /^ while importing ([\w.]+)/.exec(sides?.after ?? "")?.[1];
    const file = notFound?.[1] ?? /(?:loading|Error loading|load) "([^"]+\.(?:dll|pyd))"/i.exec(line)?.[1] ?? /['"]([A-Za-z]:\\[^'"]+\.(?:dll|pyd))['"]/i.exec(line)?.[1];
    return clue(at, line, { module, file }, (knowledge) => explainWindowsError(error, { module, file }, knowledge));
  },
};

const numbers: readonly WindowsError[] = [126, 127, 182, 193, 1114];

export const windowsRecognisers: readonly Recogniser[] = [dll];
