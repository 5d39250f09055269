import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../../../src/engine/fit/index.ts";
import type { SymbolHistory, TraitComparison } from "../../../src/engine/fit/index.ts";
import { built, environment, fact, installed, library, options, torchLibraries } from "./fakes.ts";

// torch::Library::_impl(char const*, torch::CppFunction&&, torch::_RegisterOrVerify) &; torch::CppFunction has 96 bytes up to 2.8 and 104 from 2.9 on.
const impl = "_ZNR5torch7Library5_implEPKcONS_11CppFunctionENS_17_RegisterOrVerifyE";
// By a plain reference nothing of the file's own making is handed over.
const borrowed = "_ZN5torch7Library3useERKNS_11CppFunctionE";

/** What is said of the layout to a file that needs these names, which these releases have. */
function said(names: readonly string[], releases: readonly string[], version: string): TraitComparison | undefined {
  const history: SymbolHistory = { releases: ["2.7.0", "2.8.0", "2.9.1", "2.13.0"], source: "a table", releasesExporting: () => releases };
  const body = installed([], { facts: [fact("torch-version", version), fact("platform", "linux-x86_64")] });
  const image = library("/project/ops.so", { needed: ["libtorch_cpu.so"], imports: names });
  return fit(built(), image, environment({ torch: torchLibraries({ libtorch_cpu: [impl, borrowed] }), body }), { ...options, history }).traits.find((one) => one.trait === "layout");
}

test("a class that the file makes and hands to torch, where every torch of the build would have another size", () => {
  const answer = said([impl], ["2.7.0", "2.8.0"], "2.9.1");
  assert.equal(answer?.agrees, false);
  assert.equal(answer.weight, "error");
  assert.match(answer.because, /compiled with torch 2\.7\.0 or 2\.8\.0: torch::CppFunction, which it makes itself and hands to torch::Library::_impl, has 96 bytes there and 104 in torch 2\.9\.1/);
});

test("where only some would, it is left open", () => {
  const answer = said([impl], ["2.8.0", "2.9.1"], "2.9.1");
  assert.ok(answer !== undefined);
  assert.equal(answer.agrees, undefined);
  assert.match(answer.because, /it was 2\.8\.0 or 2\.9\.1\. If it was 2\.8\.0: torch::CppFunction/);
});

test("nothing where the sizes are the same, where no object is handed over, or where the torch of the build is not narrowed down", () => {
  assert.equal(said([impl], ["2.9.1", "2.13.0"], "2.9.1"), undefined);
  assert.equal(said([borrowed], ["2.8.0"], "2.9.1"), undefined);
  assert.equal(said([impl], [], "2.9.1"), undefined);
});
