import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "./reading.ts";

describe("Windows's loader", () => {
  it("a procedure that a module of Qt or of Python itself misses has nothing to do with torch", async () => {
    const verdict = await says("ImportError: DLL load failed while importing QtWidgets: The specified procedure could not be found.", "library-too-old", "likely", /^A DLL that QtWidgets needs was found in another version/);
    assert.doesNotMatch(verdict.fixes.join(" "), /torch/);
    await says("ImportError: DLL load failed while importing _sqlite3: Die angegebene Prozedur wurde nicht gefunden.", "library-too-old", "likely", /_sqlite3/);
    await says("ImportError: DLL load failed while importing qtops: The specified procedure could not be found.", "torch-drift", "likely", /^qtops was built for another torch/);
  });

  it("a procedure that is not found is another torch", async () => {
    const verdict = await says("ImportError: DLL load failed while importing _C: The specified procedure could not be found.", "torch-drift", "likely", /^_C was built for another torch/);
    assert.ok(verdict.because.some((one) => /_GLIBCXX_USE_CXX11_ABI has no part/.test(one)));
    assert.notEqual(verdict.needs.length, 0);
    await says("ImportError: DLL load failed while importing fused: 找不到指定的程序。", "torch-drift", "likely", /^fused/);
    await says("OSError: [WinError 127] No se encontró el proceso especificado", "torch-drift", "likely", /another torch/);
  });

  it("of a DLL of torch itself it is a mixed installation, and no extension's matter", async () => {
    const verdict = await says('OSError: [WinError 127] 指定されたプロシージャが見つかりません。 Error loading "C:\\w\\venv\\lib\\site-packages\\torch\\lib\\cublas64_11.dll" or one of its dependencies.', "duplicate-libtorch", "likely", /^torch itself does not load: cublas64_11\.dll/);
    assert.ok(verdict.because.some((one) => one.includes("no extension is at fault")));
  });

  it("a module that is not found is a DLL that is missing", async () => {
    await says("ImportError: DLL load failed while importing fused_ops: Das angegebene Modul wurde nicht gefunden.", "library-missing", "likely", /^fused_ops needs a DLL/);
    await says("ImportError: DLL load failed: The specified module could not be found.", "library-missing", "likely", /needs a DLL/);
    await says("FileNotFoundError: Could not find module 'C:\\w\\ops.dll' (or one of its dependencies). Try using the full path with constructor syntax.", "library-missing", "likely", /^ops\.dll/);
    const torch = await says('OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\lib\\site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.', "library-missing", "likely", /^torch itself does not load: fbgemm\.dll/);
    assert.match(torch.fixes[0] ?? "", /Redistributable/);
  });

  it("architectures and start-up code", async () => {
    await says("ImportError: DLL load failed while importing _C: %1 n'est pas une application Win32 valide.", "wrong-architecture", "certain", /^_C/);
    await says('OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.', "library-too-old", "likely", /^c10\.dll was found and could not start/);
  });

  it("near misses are silent", async () => {
    await silent("FileNotFoundError: [WinError 2] The system cannot find the file specified");
    await silent("PermissionError: [WinError 5] Access is denied: 'C:\\\\w\\\\ops.pyd'");
    await silent('except ImportError as e:\n    if "DLL load failed" in str(e):');
  });
});
