import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Examined } from "../../../src/engine/diagnosis/examination.ts";
import { judge } from "../../../src/engine/diagnosis/judgement.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import type { BinaryProfile, FitReport } from "../../../src/engine/model/index.ts";
import { built, environment, library, options, torchLibraries } from "../fit/fakes.ts";
import type { Sketch } from "../fit/fakes.ts";

const wrap = "_Z16THPVariable_WrapRKN2at10TensorBaseE";
const gone = "_ZN2at4_ops4gone4callEv";
const place = environment({ torch: torchLibraries({ libtorch_python: [wrap] }) });

interface Part {
  readonly file: string;
  readonly kind: BinaryProfile["kind"];
  readonly sketch: Sketch;
}

function report(parts: readonly Part[]): FitReport {
  const binaries = parts.map(({ file, kind, sketch }) => ({ body: built({ path: `/w.whl/${file}`, kind, needed: sketch.needed ?? [] }), image: library(`/w.whl/${file}`, sketch) }));
  const examined: Examined = { file: "/w.whl", kind: "wheel", binaries, problems: [], dispose() {} };
  const steps = judge(examined, place, { catalogue: options.catalogue, files: new NodeFiles() });
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

const module: Part = { file: "ops/_C.so", kind: "python-module", sketch: { needed: ["libbinding.so", "libtorch_python.so"], runpath: ["$ORIGIN/lib"] } };
const binding: Part = { file: "ops/lib/libbinding.so", kind: "shared-library", sketch: { imports: [wrap] } };
const program: Part = { file: "ops/bin/tool", kind: "executable", sketch: { needed: ["libtorch_cpu.so", "libfar.so.1"], imports: [gone] } };

describe("the verdict on a wheel", () => {
  it("is that of its libraries: a program in it, and what dependents bring, decide nothing", () => {
    const { verdict, findings, members, notChecked } = report([binding, program, module]);
    assert.equal(verdict, "no-conflict");
    assert.deepEqual(findings.filter((one) => one.severity === "error"), []);
    assert.deepEqual(members?.map((one) => [one.file, one.verdict]), [["/w.whl/ops/lib/libbinding.so", "no-conflict"], ["/w.whl/ops/_C.so", "no-conflict"]]);
    assert.deepEqual(notChecked.filter((one) => one.includes("judged")), [
      "Programs were not judged: tool is started by itself, with another search for libraries.",
      "libbinding.so lacks by itself what _C.so brings: it is loaded by it, and was judged with it.",
    ]);
  });

  it("is a conflict where a library lacks what nothing brings", () => {
    const { verdict, members } = report([{ ...binding, sketch: { imports: [wrap, gone] } }, module]);
    assert.equal(verdict, "conflict");
    assert.deepEqual(members?.map((one) => one.missing.map((other) => other.symbol)), [[gone], [gone]]);
  });
});
