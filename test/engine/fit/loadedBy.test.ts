import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LibraryImage } from "../../../src/engine/binaries/library.ts";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitResult } from "../../../src/engine/fit/index.ts";
import { built, environment, library, options, torchLibraries } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const wrap = "_Z16THPVariable_WrapRKN2at10TensorBaseE";
const zeros = "_ZN2at4_ops5zeros4callEv";
const torch = torchLibraries({ libtorch_cpu: [zeros], libtorch_python: [wrap] });

/** The binding's own dependencies hold nothing of torch: whoever loads it brings that. */
const binding = library("/w.whl/ops/lib/libbinding.so", { needed: ["libcore.so"], imports: [wrap, zeros] });
const core = library("/w.whl/ops/lib/libcore.so");
const place: FitEnvironment = { ...environment({ torch }), companions: [binding, core] };

function judged(image: LibraryImage, loadedBy: readonly FitResult[]): FitResult {
  return fit(built({ path: image.path }), image, place, { ...options, loadedBy });
}

function module(name: string, sketch: Sketch): FitResult {
  return judged(library(`/w.whl/ops/${name}.so`, { runpath: ["$ORIGIN/lib"], ...sketch }), []);
}

const names = (result: FitResult): readonly string[] => result.missing.map((one) => one.symbol);
const sentence = (result: FitResult): string | undefined => result.notChecked.find((one) => one.includes("judged with"));

describe("a library that another file loads", () => {
  it("lacks what no dependency of its own brings, when it is judged by itself", () => {
    const alone = judged(binding, []);
    assert.deepEqual([alone.verdict, names(alone), sentence(alone)], ["conflict", [wrap, zeros], undefined]);
  });

  it("finds what its dependent brings", () => {
    const result = judged(binding, [module("_C", { needed: ["libbinding.so", "libtorch_python.so"] })]);
    assert.deepEqual([result.verdict, names(result), sentence(result)], ["no-conflict", [], "libbinding.so lacks by itself what _C.so brings: it is loaded by it, and was judged with it."]);
  });

  it("lacks what one of its dependents does not bring", () => {
    const whole = module("_C", { needed: ["libbinding.so", "libtorch_python.so"] });
    const half = module("_D", { needed: ["libbinding.so", "libtorch_cpu.so"] });
    assert.deepEqual(half.missing.map((one) => [one.symbol, one.neededBy]), [[wrap, "/w.whl/ops/lib/libbinding.so"]]);
    const result = judged(binding, [whole, half]);
    assert.deepEqual([result.verdict, names(result), sentence(result)], ["conflict", [wrap], "libbinding.so lacks by itself what _C.so, _D.so bring: it is loaded by them, and was judged with them."]);
  });

  it("is judged by itself where no dependent gets as far as loading it", () => {
    const other = module("_E", { needed: ["libbinding.so.2", "libtorch_python.so"] });
    const result = judged(binding, [other]);
    assert.deepEqual([result.verdict, names(result), sentence(result)], ["conflict", [wrap, zeros], undefined]);
  });

  it("is found its own libraries by the RPATH of what loads it", () => {
    const elsewhere = library("/w.whl/ops/more/libfar-0a1b2c3d.so");
    const needing = library("/w.whl/ops/lib/libneeding.so", { needed: ["libfar-0a1b2c3d.so"] });
    const there: FitEnvironment = { ...environment({ torch }), companions: [needing, elsewhere] };
    const run = (image: LibraryImage, loadedBy: readonly FitResult[]): FitResult => fit(built({ path: image.path }), image, there, { ...options, loadedBy });
    assert.deepEqual(run(needing, []).missingDependencies.map((one) => one.name), ["libfar-0a1b2c3d.so"]);
    const dependent = run(library("/w.whl/ops/_C.so", { needed: ["libneeding.so"], rpath: ["$ORIGIN/lib:$ORIGIN/more"] }), []);
    assert.deepEqual(dependent.missingDependencies, []);
    assert.deepEqual([run(needing, [dependent]).verdict, run(needing, [dependent]).missingDependencies], ["no-conflict", []]);
  });
});
