/** What programs say in other languages is read as their English original, whichever language it is. */
import assert from "node:assert/strict";
import test from "node:test";
import table from "../../../../../data/loader-translations.json" with { type: "json" };
import { readLog } from "../../../../../src/engine/diagnosis/explain/text/index.ts";

function read(text: string): readonly string[] {
  return readLog(text).lines.map((line) => line.text);
}

for (const [name, text, expected] of [
  ["French ld", "/usr/bin/ld : ops.o : dans la fonction « gather » :\nops.cpp:(.text+0x3c) : référence indéfinie vers « torch::jit::load(std::string const&) »\ncollect2: erreur: ld a retourné le statut de sortie 1", ["/usr/bin/ld : ops.o: in function `gather':", "ops.cpp:(.text+0x3c): undefined reference to `torch::jit::load(std::string const&)'", "collect2: error: ld returned 1 exit status"]],
  ["French ld with its no-break spaces", "ops.cpp:(.text+0x3c)\xa0: référence indéfinie vers «\xa0c10::Error::Error()\xa0»", ["ops.cpp:(.text+0x3c): undefined reference to `c10::Error::Error()'"]],
  ["German ld and gcc", "ops.cpp:(.text+0x3c): undefinierter Verweis auf »c10::Error::Error(char)«\ncollect2: Fehler: ld gab 1 als Ende-Status zurück\nops.cpp:1:10: schwerwiegender Fehler: THC/THC.h: Datei oder Verzeichnis nicht gefunden", ["ops.cpp:(.text+0x3c): undefined reference to `c10::Error::Error(char)'", "collect2: error: ld returned 1 exit status", "ops.cpp:1:10: fatal error: THC/THC.h: No such file or directory"]],
  ["Chinese ld and gcc, with wide colons", "ops.cpp:(.text+0x3c)：对‘torch::jit::load(std::string const&)’未定义的引用\ncollect2: 错误：ld 返回 1\nops.cpp:1:10: 致命错误：THC/THC.h：没有那个文件或目录", ["ops.cpp:(.text+0x3c): undefined reference to `torch::jit::load(std::string const&)'", "collect2: error: ld returned 1 exit status", "ops.cpp:1:10: fatal error: THC/THC.h: No such file or directory"]],
  ["Japanese ld, which names the symbol first", "ops.cpp:(.text+0x11): `torch::jit::load(int)' に対する定義されていない参照です\n/usr/bin/ld: -lc10_cuda が見つかりません: そのようなファイルやディレクトリはありません", ["ops.cpp:(.text+0x11): undefined reference to `torch::jit::load(int)'", "/usr/bin/ld: cannot find -lc10_cuda: No such file or directory"]],
  ["the loader in German and Chinese", "./run: Fehler beim Laden der Shared Libraries: libcudart.so.12: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden\n./run: 错误的 ELF 类：ELFCLASS32", ["./run: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No such file or directory", "./run: wrong ELF class: ELFCLASS32"]],
  ["Windows", "ImportError: DLL load failed while importing _C: 找不到指定的程序。\nOSError: [WinError 126] Das angegebene Modul wurde nicht gefunden. Error loading \"c10.dll\"", ["ImportError: DLL load failed while importing _C: The specified procedure could not be found.", "OSError: [WinError 126] The specified module could not be found. Error loading \"c10.dll\""]],
] as const) {
  test(name, () => {
    assert.deepEqual(read(text), expected);
  });
}

test("every message of the table is read as its original", () => {
  const named = ["first", "second"];
  const filled = (text: string) => text.split("%s").map((part, at) => (at === 0 ? part : `${named[at - 1] ?? "third"}${part}`)).join("");
  for (const { english, translations } of table.messages) {
    for (const own of translations) {
      const [line] = read(`place${own.startsWith(": ") ? "" : ": "}${filled(own)}${english.startsWith(": ") ? " what" : ""}`);
      assert.equal(line, `place${english.startsWith(": ") ? "" : ": "}${filled(english)}${english.startsWith(": ") ? "what" : ""}`, own);
    }
  }
});

test("words of other languages that are no such message stay", () => {
  for (const line of ["Fehler sind menschlich", "print('erreur')", "错误 in a comment"]) assert.deepEqual(read(line), [line]);
});
