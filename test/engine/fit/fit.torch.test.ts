/** What the model says of files and a real torch, against what that torch's process says when it loads them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { describeBinary } from "../../../src/engine/binaries/profile/index.ts";
import { loadCatalogue, loadSymbolHistory } from "../../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitResult } from "../../../src/engine/fit/index.ts";
import { describeEnvironment } from "../../../src/engine/installed/index.ts";

const prefix = process.env["ABIDING_TEST_TORCH"] ?? "";
const enabled = { skip: prefix === "" ? "ABIDING_TEST_TORCH names no environment" : false };
const files = new NodeFiles();
const catalogue = loadCatalogue();

/** Loads each file in a child of a process that has imported torch, all symbols at once as Python's import does. */
const loader = `
import ctypes, os, sys, torch
for line in sys.stdin:
    file = line.strip()
    child = os.fork()
    if child == 0:
        try:
            ctypes.CDLL(file, mode=os.RTLD_NOW)
            said = "loaded"
        except OSError as error:
            said = str(error)
        os.write(1, (file + "\\t" + said.replace("\\n", " ") + "\\n").encode())
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        os.write(1, (file + "\\tended\\n").encode())
`;

function said(paths: readonly string[]): ReadonlyMap<string, string> {
  const output = execFileSync(join(prefix, "bin", "python"), ["-c", loader], { input: paths.join("\n"), encoding: "utf8", env: { ...process.env, LD_LIBRARY_PATH: "" }, stdio: ["pipe", "pipe", "ignore"] });
  return new Map(output.split("\n").filter((line) => line !== "").map((line): [string, string] => [line.slice(0, line.indexOf("\t")), short(line.slice(line.indexOf("\t") + 1))]));
}

function short(text: string): string {
  const symbol = /undefined symbol: ([^\s,]+)/.exec(text)?.[1];
  const version = /version `([^']+)' not found/.exec(text)?.[1];
  const missing = /(?:^|: )([^\s:]+): cannot open shared object file/.exec(text)?.[1];
  return symbol !== undefined ? `symbol ${symbol}` : version !== undefined ? `version ${version}` : missing !== undefined ? `library ${missing}` : text;
}

function predicted(result: FitResult): string {
  const [library] = result.missingDependencies;
  const [version] = result.missingVersions;
  const [symbol] = result.missing;
  return library !== undefined ? `library ${library.name}` : version !== undefined ? `version ${version.version}` : symbol !== undefined ? `symbol ${symbol.symbol}` : result.verdict === "no-conflict" ? "loaded" : result.verdict;
}

const strings = "#include <string>\n";
const newCheck = "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const oldCheck = "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs";
const check = `${strings}namespace c10 { namespace detail { void torchCheckFail(const char*, const char*, unsigned, const std::string&); } } void run() { c10::detail::torchCheckFail("", "", 1, ""); }`;
const threads = "namespace at { int get_num_threads(); } int run() { return at::get_num_threads(); }";

/** Declared by hand: what matters is the name that ends up in the file. */
const extensions: readonly { readonly name: string; readonly source: string; readonly flags: readonly string[]; readonly expected: string; readonly kind?: string }[] = [
  { name: "linked", source: threads, flags: ["-ltorch_cpu"], expected: "loaded" },
  { name: "chained", source: threads, flags: ["-ltorch"], expected: "loaded" },
  { name: "unlinked", source: threads, flags: ["-lc10"], expected: "symbol _ZN2at15get_num_threadsEv", kind: "missing-library" },
  { name: "new-string", source: check, flags: ["-lc10"], expected: "loaded" },
  { name: "old-string", source: check, flags: ["-lc10", "-D_GLIBCXX_USE_CXX11_ABI=0"], expected: `symbol ${oldCheck}`, kind: "abi-twin" },
  { name: "drift", source: "namespace c10 { struct SymInt { bool sym_ne(const SymInt&) const; }; } bool run(c10::SymInt a) { return a.sym_ne(a); }", flags: ["-lc10"], expected: "symbol _ZNK3c106SymInt6sym_neERKS0_", kind: "drift" },
  { name: "cuda-shim", source: "extern \"C\" int aoti_torch_get_current_cuda_stream(int, void**); int run() { return aoti_torch_get_current_cuda_stream(0, 0); }", flags: ["-ltorch_cpu"], expected: "symbol aoti_torch_get_current_cuda_stream", kind: "stable-shim" },
  { name: "later-shim", source: "extern \"C\" int torch_has_storage(void*, bool*); int run() { return torch_has_storage(0, 0); }", flags: ["-ltorch_cpu"], expected: "symbol torch_has_storage", kind: "stable-shim" },
  { name: "python-library", source: "extern \"C\" void* THPVariableClass; void* run() { return THPVariableClass; }", flags: ["-ltorch_cpu"], expected: "symbol THPVariableClass", kind: "missing-library" },
  { name: "forgotten", source: "void kernel(float*); void run() { kernel(nullptr); }", flags: ["-ltorch_cpu"], expected: "symbol _Z6kernelPf", kind: "own" },
];

describe("a real torch and files for it", enabled, () => {
  let scratch = "";
  let environment: FitEnvironment;
  const run = (file: string): FitResult => {
    const described = describeBinary(file, files);
    assert.ok(described.ok);
    return fit(described.body, described.image, environment, { catalogue, history: loadSymbolHistory() });
  };

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "abiding-fit-torch-"));
    const body = describeEnvironment(prefix, files, catalogue);
    assert.ok(body);
    environment = environmentOf(body, files, { environment: {} });
    const folder = join(body.torchRoot ?? "", "lib");
    for (const { name, source, flags } of extensions) {
      writeFileSync(join(scratch, `${name}.cpp`), source);
      execFileSync("g++", ["-shared", "-fPIC", join(scratch, `${name}.cpp`), "-o", join(scratch, `${name}.so`), "-L", folder, "-Wl,--no-as-needed", ...flags], { stdio: "pipe" });
    }
  });

  after(() => rmSync(scratch, { recursive: true, force: true }));

  it("small extensions: the same first complaint, of the right kind", () => {
    const truth = said(extensions.map((one) => join(scratch, `${one.name}.so`)));
    for (const { name, expected, kind } of extensions) {
      const file = join(scratch, `${name}.so`);
      const result = run(file);
      assert.deepEqual({ name, said: truth.get(file), predicted: predicted(result), kind: result.missing[0]?.kind }, { name, said: expected, predicted: expected, kind });
    }
    assert.equal(run(join(scratch, "old-string.so")).missing[0]?.twin, newCheck);
  });

  it("every library of torch itself, and every extension beside it", () => {
    const site = join(environment.body.torchRoot ?? "", "..");
    const paths = execFileSync("find", [site, "-name", "*.so*", "-type", "f"], { encoding: "utf8" }).split("\n").filter((one) => one !== "").slice(0, 200);
    const truth = said(paths);
    const differing = paths.flatMap((file) => {
      const answer = predicted(run(file));
      return answer === truth.get(file) ? [] : [{ file, said: truth.get(file), predicted: answer }];
    });
    assert.ok(paths.length > 5);
    assert.deepEqual(differing, []);
  });
});
