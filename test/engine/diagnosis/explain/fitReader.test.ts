import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadCatalogue } from "../../../../src/engine/catalogue/index.ts";
import { explain, fitReader } from "../../../../src/engine/diagnosis/explain/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { environmentOf } from "../../../../src/engine/fit/index.ts";
import type { Files } from "../../../../src/engine/model/index.ts";
import { findProgram } from "../../../harness/locations.ts";
import { fact, installed } from "../../fit/fakes.ts";

const files = new NodeFiles();
const catalogue = loadCatalogue();
let root = "";
let packages = "";

/** A torch of one library, which has the new std::string, and files that want the old one and one that nobody has. */
before(() => {
  if (findProgram("g++") === undefined) return;
  root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-reader-")));
  packages = join(root, "lib", "python3.12", "site-packages");
  mkdirSync(join(packages, "torch", "lib"), { recursive: true });
  mkdirSync(join(packages, "ops"));
  compile(1, join(packages, "torch", "lib", "libc10.so"), "#include <string>\nnamespace c10 { void check(const std::string& text) { (void)text.size(); } }");
  compile(0, join(packages, "ops", "_C.so"), "#include <string>\nnamespace c10 { void check(const std::string&); void gone(int); }\nvoid use() { c10::check(\"\"); c10::gone(1); }");
});
after(() => rmSync(root, { recursive: true, force: true }));

function compile(abi: 0 | 1, to: string, source: string): void {
  writeFileSync(join(root, "one.cpp"), source);
  execFileSync("g++", ["-shared", "-fPIC", `-D_GLIBCXX_USE_CXX11_ABI=${abi}`, join(root, "one.cpp"), "-o", to]);
}

function options() {
  const body = installed([], { name: root, prefix: root, torchRoot: join(packages, "torch") });
  return { environment: environmentOf({ ...body, facts: [...body.facts, fact("libstdcxx-abi", 1)] }, files, { environment: {} }), catalogue, files, roots: [packages] };
}

describe("the files that an error text names", { skip: findProgram("g++") === undefined }, () => {
  it("are found by a path, relative, cut before site-packages, and below the environment where that is asked for", async () => {
    const read = fitReader(options());
    const file = join(packages, "ops", "_C.so");
    for (const named of [file, "ops/_C.so", ".../site-packages/ops/_C.so", "…/site-packages/ops/_C.so", "./ops/_C.so"]) {
      assert.equal((await read(named))?.file, file, named);
    }
    const elsewhere = "/home/other/v/lib/python3.12/site-packages/ops/_C.so";
    assert.equal(await read(elsewhere), undefined);
    assert.equal((await fitReader({ ...options(), elsewhere: true })(elsewhere))?.file, file);
    for (const named of ["_C.so", "ops/_D.so", ".../site-packages/../site-packages/ops/_C.so", "ops", "ops/one.cpp", "one.cpp", "", "a\0b.so", "C:\\v\\site-packages\\ops\\_D.pyd"]) {
      assert.equal(await read(named), undefined, named);
    }
  });

  it("are compared with the environment, all that they lack", async () => {
    const fit = await fitReader(options())("ops/_C.so");
    assert.deepEqual(fit?.missing.map((one) => `${one.kind} ${one.demangled.replace(/std::basic_string<.*?> const&/, "std::string const&")}`).sort(), ["abi-twin c10::check(std::string const&)", "drift c10::gone(int)"]);
    assert.equal(fit.verdict, "conflict");
  });

  it("are read once, and anew when they were written since; what is no library is not", async () => {
    const reads: string[] = [];
    const counted: Files = new Proxy(files, { get: (target, name) => (name === "readBytes" ? (...given: Parameters<Files["readBytes"]>) => (reads.push(given[0]), target.readBytes(...given)) : (target as never)[name]) });
    const read = fitReader({ ...options(), files: counted });
    const first = await read("ops/_C.so");
    const count = reads.length;
    assert.equal(await read("ops/_C.so"), first);
    assert.equal(reads.length, count);
    utimesSync(join(packages, "ops", "_C.so"), new Date(), new Date(Date.now() + 60_000));
    assert.notEqual(await read("ops/_C.so"), first);
    writeFileSync(join(packages, "ops", "text.so"), "no library");
    assert.equal(await read("ops/text.so"), undefined);
  });

  it("end when nobody waits", async () => {
    const signal = AbortSignal.abort(new Error("closed"));
    await assert.rejects(fitReader({ ...options(), signal })("ops/_C.so"), /closed/);
  });

  it("make a verdict certain, with what the loader did not name", async () => {
    const given = options();
    const text = `ImportError: ${join(packages, "ops", "_C.so")}: undefined symbol: _ZN3c105checkERKSs`;
    const { verdicts: [verdict] } = await explain(text, { ...given, fit: fitReader(given) });
    assert.deepEqual([verdict?.cause, verdict?.confidence, verdict?.symbols?.length], ["libstdcxx-abi", "certain", 2]);
    assert.match(verdict?.because.join(" ") ?? "", /1 of them are in torch|lacks 2 symbols in this environment/);
  });
});
