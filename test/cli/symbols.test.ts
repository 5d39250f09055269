import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import Ajv from "ajv";
import { execa } from "execa";
import inspectSchema from "../../docs/schema/inspect.schema.json" with { type: "json" };
import symbolsSchema from "../../docs/schema/symbols.schema.json" with { type: "json" };
import { inspect } from "../../src/cli/inspect.ts";
import { symbols } from "../../src/cli/symbols.ts";
import type { SymbolsReport } from "../../src/engine/diagnosis/index.ts";
import type { InspectReport } from "../../src/engine/model/index.ts";
import { commandLine } from "../support/commandLine.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-symbols-")));
after(() => fs.rmSync(scratch, { recursive: true }));
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

const abiding = commandLine(scratch, { HOME: scratch });

async function compile(output: string, source: string, ...flags: readonly string[]): Promise<string> {
  const file = path.join(scratch, output);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await execa("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file, ...flags], { input: source });
  return file;
}

describe("abiding symbols", () => {
  it("shows every overload of a name, oldest first, with what came before and after", async () => {
    const { status, out } = await abiding(symbols, "c10::cuda::SetDevice");
    assert.equal(status, 0);
    assert.match(out, /^c10::cuda::SetDevice\(int\)\n {2}_ZN3c104cuda9SetDeviceEi\n {2}torch 2\.1\.0 to 2\.2\.2, in libc10_cuda\.so\n {2}after it: c10::cuda::SetDevice\(signed char\) \(2\.3\.0 to 2\.7\.1\)\n\n/);
    assert.match(out, /\nc10::cuda::SetDevice\(signed char, bool\)\n.*\n {2}torch 2\.8\.0 to [\d.]+ and on, in libc10_cuda\.so\n/);
  });

  it("shows both spellings of std::string as one symbol", async () => {
    const { out } = await abiding(symbols, "c10::Error::add_context");
    assert.match(out, /to 2\.6\.0 spell it _ZN3c105Error11add_contextESs \(_GLIBCXX_USE_CXX11_ABI=0\)/);
    assert.match(out, /2\.7\.0 on spell it _ZN3c105Error11add_contextENSt7__cxx11/);
    assert.equal(out.split("\n").filter((line) => line.startsWith("c10::")).length, 1);
  });

  it("ends with 1 where no release exports it, and where nothing is recorded, and says which", async () => {
    const none = await abiding(symbols, "c10::cuda::SetDevice(long)");
    assert.equal(none.status, 1);
    assert.match(none.out, /^No recorded release of torch \([\d.]+ to [\d.]+\) exports c10::cuda::SetDevice\(long\)\. In symbols a\ntypedef stands as the type that it names\.\nNothing is recorded of .*\n(?:.*\n)*Names like it are recorded:\n {2}c10::cuda::SetDevice\(int\)/);
    const other = await abiding(symbols, "vision::nms");
    assert.equal(other.status, 1);
    assert.match(other.out, /^vision::nms is not recorded: .*\nWhether a release exports it is not known\.\n$/s);
  });

  it("takes the name out of what a loader or a linker says", async () => {
    const mangled = await abiding(symbols, "_ZN3c104cuda9SetDeviceEa");
    for (const words of ["undefined symbol: _ZN3c104cuda9SetDeviceEa", "ImportError: /w/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEa", "a.cpp:(.text+0x9): undefined reference to `_ZN3c104cuda9SetDeviceEa'", "undefined reference to `c10::cuda::SetDevice(signed char)'", "symbol lookup error: ./x.so: undefined symbol: _ZN3c104cuda9SetDeviceEa, version V1"]) {
      const { status, out } = await abiding(symbols, words);
      assert.deepEqual([status, out], [0, mangled.out], words);
    }
    assert.match((await abiding(symbols, "undefined symbol: aoti_torch_get_data_ptr")).out, /^aoti_torch_get_data_ptr\n {2}torch 2\.2\.0 to/);
    assert.match((await abiding(symbols, "undefined symbol: SSL_new")).out, /^SSL_new is not recorded/);
  });

  it("ends with 2 where it cannot run", async () => {
    for (const words of [[], ["a", "b"], [""], ["c10::Error", "--against", "/nowhere"], ["c10::Error", "--format", "xml"]]) assert.equal((await abiding(symbols, ...words)).status, 2, words.join(" "));
  });

  it("answers in JSON as its schema says, with what the torch of an environment has", async () => {
    const folder = path.join(scratch, "libtorch");
    fs.mkdirSync(path.join(folder, "share/cmake/Torch"), { recursive: true });
    fs.mkdirSync(path.join(folder, "include/torch"), { recursive: true });
    fs.writeFileSync(path.join(folder, "build-version"), "2.9.0+cpu\n");
    fs.writeFileSync(path.join(folder, "share/cmake/Torch/TorchConfig.cmake"), "");
    const library = await compile("libtorch/lib/libc10.so", "namespace c10 { namespace cuda { void SetDevice(signed char, bool); void SetDevice(signed char, bool) {} } }", "-Wl,-soname,libc10.so");
    const { status, out } = await abiding(symbols, "c10::cuda::SetDevice", "--against", folder, "--format", "json");
    const report = JSON.parse(out) as SymbolsReport;
    assert.ok(ajv.validate(symbolsSchema, report), ajv.errorsText());
    assert.deepEqual([status, report.against?.torch], [0, "2.9.0+cpu"]);
    assert.deepEqual(report.lives.map((one) => one.there), [{ exported: false }, { exported: false }, { exported: true, symbol: "_ZN3c104cuda9SetDeviceEab", library }]);
    for (const query of ["SetDevice", "nobody::knows", "c10::cuda::SetDevise"]) {
      const other: unknown = JSON.parse((await abiding(symbols, query, "--format", "json")).out);
      assert.ok(ajv.validate(symbolsSchema, other), ajv.errorsText());
    }
  });
});

describe("abiding inspect", () => {
  it("says which releases a file was built against, and which symbols say so", async () => {
    const file = await compile("_C.so", "namespace c10 { namespace cuda { void SetDevice(signed char); } } void run() { c10::cuda::SetDevice(1); }");
    const { status, out } = await abiding(inspect, file, "--format", "json");
    const report = JSON.parse(out) as InspectReport;
    assert.equal(status, 0);
    assert.ok(ajv.validate(inspectSchema, report), ajv.errorsText());
    const against = report.binaries[0]?.builtAgainst;
    assert.deepEqual([against?.since, against?.until, against?.lower, against?.upperCount], ["2.3.0", "2.7.1", [{ symbol: "_ZN3c104cuda9SetDeviceEa", demangled: "c10::cuda::SetDevice(signed char)" }], 1]);
    assert.match((await abiding(inspect, file)).out, /built against +torch 2\.3\.0 to 2\.7\.1; before 2\.3\.0 there is no/);
  });

  it("says nothing of it where nothing of torch is needed", async () => {
    assert.doesNotMatch((await abiding(inspect, await compile("plain.so", "int plain() { return 1; }"))).out, /built against/);
  });
});
