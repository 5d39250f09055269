/** What Windows says when a DLL or a .pyd is not loaded, in the words of its language or by the number of the error. */
import type { Recogniser } from "../types.ts";
import { explainWindowsError } from "./verdicts/windows.ts";
import type { WindowsError } from "./verdicts/windows.ts";
import { around, clue, isCode } from "./words.ts";

/** Texts of FormatMessage in the languages of Windows for the errors of loading, by number (winerror.h). */
const translated: readonly (readonly [WindowsError, RegExp])[] = [
  [127, /specified procedure|angegebene Prozedur|procédure spécifiée|(?:proceso|procedimiento) especificado|procedimento especificado|procedura specificata|указанная процедура|指定的程序|指定されたプロシージャ|지정된 프로시저|określonej procedury|Belirtilen yordam/i],
  [126, /specified module|angegebene Modul|module spécifié|módulo especificado|modulo specificato|указанный модуль|指定的模[块組]|指定されたモジュール|지정된 모듈|określonego modułu|Belirtilen modül/i],
  [193, /valid Win32|(?:zulässige|gültige) Win32|aplicaci[oó]n Win32|application Win32|aplicativo Win32|applicazione (?:di )?Win32|приложением Win32|有效的 ?Win32|有効な Win32|올바른 Win32|prawidłową aplikacją/i],
  [1114, /initiali[sz]ation routine|Initialisierungsroutine|initialisation d['’]une? (?:routine|bibliothèque)|rutina de inicialización|rotina de inicialização|routine di inizializzazione|подпрограмм\S+ инициализации|初始化例程|初期化ルーチン|초기화 루틴/i],
  [182, /operating system cannot run|Betriebssystem kann .* nicht ausführen|操作系统无法运行/i],
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
    const error = numbers.find((one) => String(one) === number) ?? (notFound === null ? translated.find(([, words]) => words.test(line))?.[0] : 126);
    if (error === undefined) return undefined;
    const module = /^ while importing ([\w.]+)/.exec(sides?.after ?? "")?.[1];
    const file = notFound?.[1] ?? /(?:loading|Error loading|load) "([^"]+\.(?:dll|pyd))"/i.exec(line)?.[1] ?? /['"]([A-Za-z]:\\[^'"]+\.(?:dll|pyd))['"]/i.exec(line)?.[1];
    return clue(at, line, { module, file }, (knowledge) => explainWindowsError(error, { module, file }, knowledge));
  },
};

const numbers: readonly WindowsError[] = [126, 127, 182, 193, 1114];

export const windowsRecognisers: readonly Recogniser[] = [dll];
