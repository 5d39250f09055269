/** What a library imports and how the loader would refuse it, of answers made by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Examined } from "../../../src/engine/diagnosis/index.ts";
import type { FitReport } from "../../../src/engine/model/index.ts";
import type { BinaryLibrary } from "../../../src/protocol/index.ts";
import { librariesOf } from "../../../src/server/features/binarySymbols.ts";
import { file, fits } from "../../support/binary-view.ts";

type Import = Readonly<{ name: string; binding: string; version?: { name: string } }>;

function examined(imports: readonly Import[]): Examined {
  return { file, kind: "binary", problems: [], binaries: [{ body: { name: "_C.so", path: file }, image: { imports: () => imports } }], dispose: () => undefined } as never;
}

function library(changes: Partial<FitReport> = {}, imports: readonly Import[] = []): BinaryLibrary {
  const steps = librariesOf(examined(imports), fits(changes));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value.libraries[0] ?? assert.fail("No library.");
  }
}

const missingDependencies = [{ name: "libc10.so", neededBy: "_C.so", searched: [], because: "" }];
const missingVersions = [{ version: "GLIBC_2.38", library: "libm.so.6", foundIn: "/lib/libm.so.6", highest: "GLIBC_2.36" }];
const missing: FitReport["missing"] = [
  { symbol: "optional", demangled: "optional", binding: "weak", kind: "drift", because: "" },
  { symbol: "needed", demangled: "needed", binding: "global", kind: "drift", because: "" },
];

test("the loader stops at the first of: a library, a version, a symbol", () => {
  assert.equal(library({ missing, missingVersions, missingDependencies }).loaderSays, "libc10.so: cannot open shared object file: No such file or directory");
  assert.equal(library({ missing, missingVersions }).loaderSays, `/lib/libm.so.6: version \`GLIBC_2.38' not found (required by ${file})`);
  assert.equal(library({ missing }).loaderSays, `${file}: undefined symbol: needed`);
  assert.equal(library().loaderSays, undefined);
});

test("a library that is there and refused is refused in the loader's words", () => {
  assert.equal(library({ missingDependencies: missingDependencies.map((one) => ({ ...one, refused: "libc10.so: wrong ELF class: ELFCLASS32" })) }).loaderSays, "libc10.so: wrong ELF class: ELFCLASS32");
});

test("the loader does without weak symbols", () => {
  assert.equal(library({ missing: missing.slice(0, 1) }).loaderSays, undefined);
});

test("a symbol is of glibc by its version where the name tells nothing", () => {
  const symbols = library({}, [
    { name: "fopen", binding: "global", version: { name: "GLIBC_2.2.5" } }, { name: "fopen", binding: "weak" }, { name: "_ZN3c104warnEi", binding: "global" },
  ]).symbols;
  assert.deepEqual(symbols, [
    { name: "fopen", family: "glibc", version: "GLIBC_2.2.5", weak: false },
    { name: "fopen", family: "own-or-other", weak: true },
    { name: "_ZN3c104warnEi", demangled: "c10::warn(int)", family: "torch", weak: false },
  ]);
});
