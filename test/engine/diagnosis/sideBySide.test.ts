import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { bodiesView, projectBodies, Workspace } from "../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import type { BodiesView, BodyRow } from "../../../src/engine/model/index.ts";
import { root as checkout } from "../../harness/locations.ts";
import { writeFiles, writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { MemoryFiles } from "../../support/memory-files.ts";
import { writeExtension } from "../../support/small-extension.ts";

const catalogue = loadCatalogue();
type Target = BodiesView["targets"][number];

async function bodies(root: string, options: { readonly against?: readonly string[]; readonly also?: string } = {}): Promise<BodiesView> {
  const answer = await projectBodies({ root, files: new NodeFiles(), catalogue, environment: {}, ...options });
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.bodies;
}

/** The cells of a row by column, with what is not known left out. */
function cells(target: Target, trait: string): Record<string, string> {
  const row = rowOf(target, trait);
  return Object.fromEntries(target.columns.flatMap((column, at) => (row.cells[at]?.value === undefined ? [] : [[column.role, row.cells[at].value]])));
}

function rowOf(target: Target | undefined, trait: string): BodyRow {
  const row = target?.rows.find((one) => one.trait === trait);
  assert.ok(row, `${target?.name ?? "no target"} has no row ${trait}, only ${target?.rows.map((one) => one.trait).join(", ") ?? ""}`);
  return row;
}

/** "trait: rules of its findings". */
function disagreements(view: BodiesView, target: Target): readonly string[] {
  return target.rows.filter((row) => row.agrees === false).map((row) => `${row.weight ?? ""} ${row.trait}: ${row.findings.map((index) => view.findings[index]?.rule ?? "?").join(", ")}`);
}

describe("the bodies of the skewed sample", () => {
  const sample = path.join(checkout, "samples", "skewed-extension");

  it("are side by side for each target, with every disagreement and the rule that says so", async () => {
    const view = await bodies(sample);
    assert.deepEqual(view.targets.map((one) => `${one.builder} ${one.name}`), ["setuptools rowwise._C", "cmake rowwise_ops", "cmake rowwise_bench", "project The project"]);
    const [extension, library, program, project] = view.targets;
    assert.ok(extension && library && program && project);
    assert.deepEqual(disagreements(view, extension), [
      "warning torch-version: build-isolation", "error libstdcxx-abi: flag-not-forwarded, libstdcxx-abi", "error cxx-standard: cxx-standard, cxx-standard", "warning native-arch: native-arch",
    ]);
    assert.deepEqual(disagreements(view, library), [
      "warning torch-version: build-isolation", "error libstdcxx-abi: flag-not-forwarded, libstdcxx-abi", "error cxx-standard: cxx-standard, cxx-standard", "warning setting-without-effect: setting-without-effect", "error removed-api: removed-api, removed-api",
    ]);
    assert.deepEqual(disagreements(view, program), ["warning torch-version: build-isolation", "error libstdcxx-abi: libstdcxx-abi", "error cxx-standard: cxx-standard"]);
    assert.deepEqual(disagreements(view, project), ["warning libstdcxx-abi: torch-abi-lookup", "error package-pair: package-pair"]);
    // Each finding stands somewhere.
    assert.deepEqual([...new Set(view.targets.flatMap((one) => one.rows).flatMap((row) => row.findings))].sort((a, b) => a - b), [...view.findings.keys()]);
  });

  it("have the values as people write them, with the line to edit", async () => {
    const view = await bodies(sample);
    const library = view.targets[1];
    assert.ok(library);
    assert.deepEqual(library.columns, [
      { role: "declared", name: "CMakeLists.txt:13" },
      { role: "built", name: "built", absent: "No file was found that was built from it." },
      { role: "linked", name: "linked", absent: "No configured build folder tells which torch it is going to be linked with." },
      { role: "installed", name: "torch 2.14.1+cu130 (catalogue)" },
    ]);
    assert.deepEqual(cells(library, "cxx-standard"), { declared: "C++17 for C++, C++14 for CUDA", installed: "C++20 or newer" });
    assert.deepEqual(cells(library, "libstdcxx-abi"), { declared: "0 for C++", installed: "1" });
    assert.deepEqual(cells(library, "torch-version"), { declared: "torch; torch==2.14.1", installed: "2.14.1+cu130" });
    const [declared] = rowOf(library, "libstdcxx-abi").cells;
    assert.deepEqual([declared?.certainty, declared?.evidence], ["declared", "cmake/RowwiseTorch.cmake:8: -D_GLIBCXX_USE_CXX11_ABI=0"]);
    assert.equal(`${path.relative(sample, declared?.location?.path ?? "")}:${declared?.location?.range.start.line ?? ""}`, "cmake/RowwiseTorch.cmake:7");
    assert.deepEqual(cells(library, "removed-api"), { declared: "csrc/quantize_kernel.cu:1 and 1 more" });
  });

  it("have another environment in a fifth column, with what it says otherwise", async () => {
    const view = await bodies(sample, { also: "torch==2.6.0+cu124" });
    const [extension, library] = view.targets;
    assert.ok(extension && library);
    assert.deepEqual(library.columns.map((one) => one.role), ["declared", "built", "linked", "installed", "also"]);
    assert.equal(library.columns[4]?.name, "torch 2.6.0+cu124 (catalogue)");
    assert.deepEqual(cells(library, "libstdcxx-abi"), { declared: "0 for C++", installed: "1", also: "0" });
    const { agrees, also } = rowOf(extension, "libstdcxx-abi");
    assert.deepEqual([agrees, also], [false, { agrees: true, because: "They have the same value.", findings: [] }]);
    const standard = rowOf(library, "cxx-standard").also;
    assert.deepEqual([standard?.agrees, standard?.findings.map((index) => view.findings[index]?.message)], [false, [
      "The CUDA sources of target rowwise_ops are compiled as C++14 (cmake/RowwiseCuda.cmake:1), but the headers of torch 2.6.0+cu124 (catalogue) stop with an #error below C++17 (the catalogue's row 2.6.0 in torch-releases).",
    ]]);
    assert.equal(rowOf(extension, "torch-version").also?.findings.map((index) => view.findings[index]?.rule).includes("torch-requirement"), true);
    assert.ok(view.notChecked.includes("With torch 2.6.0+cu124 (catalogue): The pybind11 internals of torch 2.6.0 are version 4 below Python 3.12 and 5 from there on."), view.notChecked.join("\n"));
  });

  it("are not made for an environment that cannot be had", async () => {
    const answer = await projectBodies({ root: sample, files: new NodeFiles(), catalogue, environment: {}, also: "/nowhere" });
    assert.deepEqual(answer, { ok: false, message: "/nowhere does not exist. Name an environment, a torch or libtorch folder, a wheel, a saved profile, or torch==VERSION." });
  });

  it("agree in the sample that is put right", async () => {
    const view = await bodies(path.join(checkout, "samples", "healthy-extension"));
    assert.deepEqual(view.targets.flatMap((one) => disagreements(view, one)), []);
    const [extension] = view.targets;
    assert.ok(extension);
    assert.deepEqual([rowOf(extension, "cxx-standard").agrees, rowOf(extension, "cxx-standard").because], [true, "The headers of this torch demand C++20."]);
  });
});

describe("the bodies of a project that was built", () => {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-bodies-")));
  after(() => fs.rmSync(scratch, { recursive: true }));
  const venv = path.join(scratch, "venv");
  const torchRoot = path.join(writeVenv(venv, "3.11.2"), "torch");
  writeTorch(torchRoot, { version: "2.13.0+cpu", cuda: null, abi: 1 });
  fs.utimesSync(path.join(torchRoot, "version.py"), 1000, 1000);
  const suffix = "cpython-311-x86_64-linux-gnu.so";
  const setup = `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="ops", ext_modules=[CppExtension("ops._C", ["ops.cpp"])], cmdclass={"build_ext": BuildExtension})
`;

  function project(name: string, files: Readonly<Record<string, string>> = {}): string {
    const root = path.join(scratch, name);
    writeFiles(root, { "setup.py": setup, "ops.cpp": "#include <torch/extension.h>\n", ...files });
    return root;
  }

  it("show what the file needs and what the installed torch lacks", async () => {
    const root = project("older");
    writeExtension(path.join(root, "ops", `_C.${suffix}`), { abi: 0, torchRoot, module: "_C" });
    const view = await bodies(root, { against: [venv] });
    const [target] = view.targets;
    assert.ok(target);
    assert.deepEqual(target.columns.map((one) => one.absent ?? one.name), ["setup.py:3", `ops/_C.${suffix}`, "Neither a stamp in the file nor a build folder around it tells which torch it was linked with.", `torch 2.13.0+cpu in ${venv}`]);
    assert.deepEqual(cells(target, "libstdcxx-abi"), { built: "0", installed: "1" });
    assert.deepEqual([rowOf(target, "libstdcxx-abi").agrees, rowOf(target, "libstdcxx-abi").findings.map((index) => view.findings[index]?.rule)], [false, ["libstdcxx-abi"]]);
    assert.deepEqual(cells(target, "torch-symbols"), { built: "needs 1 of its C++ interface", installed: "lacks 1" });
    const symbols = rowOf(target, "torch-symbols");
    assert.deepEqual([symbols.agrees, symbols.weight, symbols.findings], [false, "error", rowOf(target, "libstdcxx-abi").findings]);
    assert.match(symbols.cells[3]?.evidence ?? "", /^c10::Error::Error\(c10::SourceLocation, std::basic_string/);
  });

  it("agree where both were read and are equal, and read the linked torch from the account of the build", async () => {
    const linked = path.join(scratch, "linked", "torch");
    writeTorch(linked, { version: "2.12.0+cpu", cuda: null, abi: 1 });
    fs.utimesSync(path.join(linked, "version.py"), 1000, 1000);
    const root = project("newer", { "build/temp.linux-x86_64-cpython-311/build.ninja": `flags = -I${linked}/include -O2\n` });
    writeExtension(path.join(root, "build", "lib.linux-x86_64-cpython-311", "ops", `_C.${suffix}`), { abi: 1, torchRoot, module: "_C" });
    const [target] = (await bodies(root, { against: [venv] })).targets;
    assert.ok(target);
    assert.deepEqual(target.columns[2], { role: "linked", name: linked });
    assert.deepEqual(cells(target, "torch-version"), { linked: "2.12.0+cpu", installed: "2.13.0+cpu" });
    assert.deepEqual(cells(target, "libstdcxx-abi"), { built: "1", linked: "1", installed: "1" });
    assert.deepEqual([rowOf(target, "libstdcxx-abi").agrees, rowOf(target, "libstdcxx-abi").because], [true, "Both were compiled with _GLIBCXX_USE_CXX11_ABI=1."]);
    assert.deepEqual([rowOf(target, "torch-symbols").agrees, cells(target, "torch-symbols")], [true, { built: "needs 1 of its C++ interface", installed: "has them all" }]);
  });

  it("say that the linked torch is gone, or was replaced after the build", async () => {
    const gone = project("gone", { "build/temp.x/build.ninja": "flags = -I/tmp/pip-build-env-1/torch/include -O2\n" });
    writeExtension(path.join(gone, "build", "lib.x", "ops", `_C.${suffix}`), { abi: 1, torchRoot, module: "_C" });
    const absent = async (root: string): Promise<string | undefined> => (await bodies(root, { against: [venv] })).targets[0]?.columns[2]?.absent;
    assert.equal(await absent(gone), "It was compiled with the torch in /tmp/pip-build-env-1/torch, as build/temp.x/build.ninja says, and that is gone.");
    const later = path.join(scratch, "later", "torch");
    writeTorch(later, { version: "2.12.0+cpu", abi: 1 });
    fs.utimesSync(path.join(later, "version.py"), new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
    const replaced = project("replaced", { "build/temp.x/build.ninja": `flags = -I${later}/include -O2\n` });
    writeExtension(path.join(replaced, "build", "lib.x", "ops", `_C.${suffix}`), { abi: 1, torchRoot, module: "_C" });
    assert.equal(await absent(replaced), `It was compiled with the torch in ${later}, which was replaced after _C.${suffix} was made: what was there before is not known.`);
  });

  it("have a table for a file that no build file makes, its copies together", async () => {
    const root = path.join(scratch, "alone");
    writeFiles(root, { "README.md": "" });
    const [older, newer] = [path.join(root, "build", "lib.x", "pkg", "_X.so"), path.join(root, "pkg", "_X.so")];
    for (const file of [older, newer]) writeExtension(file, { abi: 1, torchRoot, module: "_X" });
    fs.utimesSync(older, 2000, 2000);
    const { targets } = await bodies(root, { against: [venv] });
    assert.deepEqual(targets.map(({ name, builder, columns }) => [name, builder, columns[0]?.absent, columns[1]?.name]), [["pkg/_X.so", "unknown", "No build file that was read makes it.", "pkg/_X.so and 1 older"]]);
  });
});

describe("the bodies of any project", () => {
  function memory(files: Readonly<Record<string, string>>, against: readonly string[] = ["torch==2.8.0+cpu"]): BodiesView {
    const where = { root: "/p", files: new MemoryFiles(Object.fromEntries(Object.entries(files).map(([name, text]) => [`/p/${name}`, text]))), catalogue, environment: {} };
    return bodiesView(new Workspace("/p", where.files, { ...where, against }).diagnose(), where);
  }

  it("leave out what does not meet torch, unless others load it, and say so", () => {
    const view = memory({ "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nset(CMAKE_CXX_STANDARD 17)\nfind_package(Torch)\nadd_library(plain SHARED a.cpp)\nadd_library(part STATIC b.cpp)\nadd_executable(tool c.cpp)\nadd_library(ops SHARED d.cpp)\ntarget_link_libraries(ops torch)\n" });
    assert.deepEqual(view.targets.map((one) => one.name), ["ops", "plain"]);
    const [ops, plain] = view.targets;
    assert.ok(plain && ops);
    assert.equal(plain.columns[2]?.absent, "It does not link torch.");
    assert.deepEqual(plain.rows.map((row) => [row.trait, row.agrees]), [["cxx-standard", null]]);
    assert.deepEqual([rowOf(ops, "cxx-standard").agrees, cells(ops, "torch-version")], [true, { installed: "2.8.0+cpu" }]);
    assert.ok(view.notChecked.includes("2 programs and static libraries without findings that do not use torch are not shown side by side."), view.notChecked.join("\n"));
  });

  it("say that a value is known only when it is built, and what it depends on", () => {
    const view = memory({ "CMakeLists.txt": 'cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nfind_package(Torch)\nadd_library(ops SHARED d.cpp)\ntarget_link_libraries(ops torch)\nif(OLD)\n  target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=${ABI})\nendif()\n' });
    const row = rowOf(view.targets[0], "libstdcxx-abi");
    assert.equal(row.agrees, null);
    assert.match(row.cells[0]?.value ?? "", /known when it is built/);
    assert.match(row.cells[0]?.evidence ?? "", /^CMakeLists\.txt:7: .* \(when OLD is on\)$/);
  });

  it("are 200 of a thousand, those with findings first", () => {
    const many = Array.from({ length: 1000 }, (_, at) => `add_library(ops${at} SHARED d${at}.cpp)\ntarget_link_libraries(ops${at} torch)\n${at === 900 ? `target_compile_features(ops${at} PRIVATE cxx_std_14)\nset_target_properties(ops${at} PROPERTIES CXX_STANDARD 14)\n` : ""}`);
    const view = memory({ "CMakeLists.txt": `cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nset(CMAKE_CXX_STANDARD 17)\nfind_package(Torch)\n${many.join("")}` });
    assert.equal(view.targets.length, 200);
    assert.equal(view.targets[0]?.name, "ops900");
    assert.ok(view.notChecked.includes("The project has 1000 targets; the 200 with findings, built files or torch are shown side by side."), view.notChecked.join("\n"));
  });

  it("say that there is no torch", () => {
    const where = { root: "/p", files: new MemoryFiles({ "/p/setup.py": "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension('a', ['a.cpp'])])\n" }), catalogue, environment: {} };
    const view = bodiesView(new Workspace("/p", where.files, where).diagnose(), where);
    assert.equal(view.targets[0]?.columns[3]?.absent, "No torch was found: choose an environment.");
  });
});
