/** What a build asks the server before it starts and after it, of a real server about real, small libraries. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExaminedFile } from "../../../src/engine/model/index.ts";
import type { LibraryPlace, ProjectExamination } from "../../../src/protocol/index.ts";
import { writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { folderOf, LspClient, uriOf } from "../support/client.ts";

const declared = "#include <string>\nnamespace c10 { struct SourceLocation { const char* file; }; struct Error { Error(SourceLocation, std::string); };";

const cmake = [
  "cmake_minimum_required(VERSION 3.18)", "project(demo LANGUAGES CXX)", "find_package(Torch REQUIRED)",
  "add_library(ops SHARED ops.cpp)", "target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)", "target_link_libraries(ops PRIVATE ${TORCH_LIBRARIES})",
  "add_executable(tool tool.cpp)", "add_library(parts STATIC parts.cpp)", "",
].join("\n");

function compile(output: string, source: string, ...flags: readonly string[]): void {
  fs.mkdirSync(path.dirname(output), { recursive: true });
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", output, ...flags], { input: source });
}

describe("the server behind a build", () => {
  const folder = folderOf({ "CMakeLists.txt": cmake, "abiding.json": "{}" });
  const other = folderOf({ "CMakeLists.txt": cmake });
  const user = `${declared} } extern "C" void use() { c10::Error error({"a"}, "text"); }`;
  const good = path.join(folder.root, "build/good.so");
  const bad = path.join(folder.root, "build/bad.so");
  let client: LspClient;

  before(async () => {
    const site = writeVenv(path.join(folder.root, ".venv"), "3.11.4");
    const torchRoot = path.join(site, "torch");
    writeTorch(torchRoot, { version: "2.14.1+cpu" });
    fs.mkdirSync(path.join(folder.root, ".venv/bin"), { recursive: true });
    fs.writeFileSync(path.join(folder.root, ".venv/bin/python3"), "");
    compile(path.join(torchRoot, "lib/libc10.so"), `${declared} Error::Error(SourceLocation, std::string) {} }`, "-Wl,-soname,libc10.so");
    const links = ["-Wl,--no-as-needed", `-L${path.join(torchRoot, "lib")}`, "-lc10"];
    compile(good, user, ...links);
    compile(bad, user, "-D_GLIBCXX_USE_CXX11_ABI=0", ...links);
    client = await LspClient.start({ folders: [folder.root] });
    await client.open(path.join(folder.root, "CMakeLists.txt"), cmake, "cmake");
  });

  after(async () => {
    await client.stop();
    folder.remove();
    other.remove();
  });

  const examine = (root: string, against: readonly string[] = []): Promise<ProjectExamination> => client.connection.sendRequest("abiding/examination", { root: uriOf(root), against });
  const rules = ({ findings }: ProjectExamination): string[] => findings.filter((one) => one.severity === "error" && one.location.path.endsWith("CMakeLists.txt")).map((one) => one.rule).sort();

  it("tells the findings with their fixes, and the torch with its interpreter", async () => {
    const answer = await examine(folder.root);
    assert.ok(rules(answer).includes("libstdcxx-abi"));
    assert.ok((answer.findings.find((one) => one.rule === "libstdcxx-abi")?.fixes.length ?? 0) > 0);
    assert.deepEqual(answer.against.map(({ version, interpreter }) => [version, interpreter]), [["2.14.1+cpu", path.join(folder.root, ".venv/bin/python3")]]);
  });

  it("reads what is typed and not saved, as the editor shows it", async () => {
    const file = path.join(folder.root, "CMakeLists.txt");
    await client.change(file, { text: cmake.replace("_GLIBCXX_USE_CXX11_ABI=0", "UNRELATED=0") });
    assert.equal(rules(await examine(folder.root)).includes("libstdcxx-abi"), false);
    await client.change(file, { text: cmake });
    assert.equal(rules(await examine(folder.root)).includes("libstdcxx-abi"), true);
  });

  it("takes the configuration of the build folder that is asked about, and of no other", async () => {
    const inside = path.join(folder.root, "configured");
    const outside = path.join(other.root, "outside");
    const config = path.join(other.root, "torch/TorchConfig.cmake");
    fs.mkdirSync(path.dirname(config));
    fs.writeFileSync(config, "set(TORCH_LIBRARIES m)\n");
    for (const name of ["ops", "tool", "parts"]) {
      fs.writeFileSync(path.join(folder.root, `${name}.cpp`), "#include <torch/torch.h>\n");
    }
    for (const [build, flags] of [[inside, "-O1"], [outside, "-std=c++14"]] as const) {
      fs.mkdirSync(path.join(build, ".cmake/api/v1/query"), { recursive: true });
      fs.writeFileSync(path.join(build, ".cmake/api/v1/query/codemodel-v2"), "");
      execFileSync("cmake", ["-S", folder.root, "-B", build, `-DTorch_DIR=${path.dirname(config)}`, `-DCMAKE_CXX_FLAGS=${flags}`], { stdio: "pipe" });
    }
    const ask = async (build?: string): Promise<number> => (await client.connection.sendRequest<ProjectExamination>("abiding/examination", { root: uriOf(folder.root), against: [], ...(build === undefined ? {} : { buildFolder: uriOf(build) }) }))
      .findings.filter((one) => one.rule === "cxx-standard" && one.message.includes("C++14")).length;
    assert.deepEqual([await ask(inside), await ask(outside)], [0, 3]);
    fs.rmSync(inside, { recursive: true });
  });

  it("compares with what is named, and refuses what is not there with a sentence", async () => {
    const old = await examine(folder.root, ["torch==2.5.1+cu121"]);
    assert.equal(rules(old).includes("libstdcxx-abi"), false);
    assert.deepEqual(old.against.map((one) => one.version), ["2.5.1+cu121"]);
    await assert.rejects(examine(folder.root, ["no-such-environment"]), /no-such-environment/);
  });

  it("reads a project that is no folder of the workspace", async () => {
    assert.ok(rules(await examine(other.root, ["torch==2.14.1+cu130"])).includes("libstdcxx-abi"));
  });

  it("gives each built file its verdict, with the loader's words, and those that cannot be read too", async () => {
    const files = [good, bad, path.join(folder.root, "build/none.so")];
    const answers = await client.connection.sendRequest<ExaminedFile[]>("abiding/builtFiles", { root: uriOf(folder.root), against: [], files });
    assert.deepEqual(answers.map((one) => [one.file, one.verdict]), [[good, "no-conflict"], [bad, "conflict"], [files[2], "unknown"]]);
    assert.equal(answers[0]?.headline, "No conflict with torch 2.14.1+cpu found in what was checked.");
    assert.match(answers[1]?.loaderSays ?? "", /undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationESs$/);
  });

  it("against several, the gravest verdict speaks", async () => {
    const answers = await client.connection.sendRequest<ExaminedFile[]>("abiding/builtFiles", { root: uriOf(folder.root), against: [path.join(folder.root, ".venv"), "torch==2.5.1+cu121"], files: [good] });
    assert.deepEqual(answers.map((one) => one.verdict), ["conflict"]);
  });

  it("names the libraries of a document that something loads", async () => {
    const places = await client.connection.sendRequest<LibraryPlace[]>("abiding/libraries", { uri: uriOf(path.join(folder.root, "CMakeLists.txt")) });
    assert.deepEqual(places.map(({ name, builder, range }) => [name, builder, range.start.line]), [["ops", "cmake", 3]]);
  });
});
