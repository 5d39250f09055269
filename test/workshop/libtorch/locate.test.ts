import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { locate } from "../../../src/workshop/libtorch/index.ts";
import type { LibtorchReport, LocateRequest } from "../../../src/workshop/libtorch/index.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import { writeLibtorch } from "./reducedTorch.ts";
import { scratchFolder, workshopOf } from "./support.ts";

const scratch = scratchFolder("locate");
const store = path.join(scratch, "store");
const project = path.join(scratch, "project");
fs.mkdirSync(project);
const plain = path.join(scratch, "a libtorch");
writeLibtorch(plain);
const old = path.join(scratch, "old");
writeLibtorch(old, { abi: 0, version: "2.6.0" });

async function search(request: Partial<LocateRequest>, variables: Variables = {}): Promise<LibtorchReport> {
  return locate({ root: project, wanted: {}, prefixes: [], cacheFolder: store, ...request }, workshopOf(scratch, variables).workshop);
}

/** A copy of the libtorch that is spoilt by `change`. */
function spoilt(name: string, change: (folder: string) => void): string {
  const folder = path.join(scratch, name);
  fs.cpSync(plain, folder, { recursive: true });
  change(folder);
  return folder;
}

const torchDir = path.join(plain, "share/cmake/Torch");

describe("locating a libtorch", () => {
  it("says what the one that was named is", async () => {
    const report = await search({ prefixes: [plain] });
    assert.equal(report.outcome, "found");
    assert.equal(report.cmakeArgument, `-DTorch_DIR=${torchDir}`);
    assert.deepEqual(report.chosen, {
      folder: plain, because: "it was named", torchDir, version: "2.13.0+cpu", cuda: null, abi: 1, gitVersion: "0123456789abcdef0123456789abcdef01234567",
      linkage: "shared", platform: `linux-${process.arch === "arm64" ? "aarch64" : "x86_64"}`, remarks: [],
    });
  });

  it("takes a path for the libtorch, its Torch_DIR, what torch.utils.cmake_prefix_path says, and the folder around it", async () => {
    const around = path.join(scratch, "around");
    fs.mkdirSync(around);
    fs.symlinkSync(plain, path.join(around, "libtorch"));
    for (const one of [plain, torchDir, path.join(torchDir, "TorchConfig.cmake"), path.dirname(torchDir)]) {
      assert.equal((await search({ prefixes: [one] })).chosen?.torchDir, torchDir, one);
    }
    assert.equal((await search({ prefixes: [around] })).chosen?.torchDir, path.join(around, "libtorch/share/cmake/Torch"));
  });

  it("prefers variables to CMAKE_PREFIX_PATH, that to a build folder's cache, that to what was made before", async () => {
    const places = ["one", "two", "three", "four", "five"].map((name) => spoilt(name, () => undefined));
    const [one = "", two = "", three = "", four = "", five = ""] = places;
    fs.mkdirSync(path.join(project, "build"));
    fs.writeFileSync(path.join(project, "build/CMakeCache.txt"), `Torch_DIR:PATH=${four}/share/cmake/Torch\nCMAKE_PREFIX_PATH:UNINITIALIZED=/nowhere;${five}\n`);
    const variables = { Torch_DIR: one, LIBTORCH: two, CMAKE_PREFIX_PATH: `/nowhere:${three}` };
    const report = await search({}, variables);
    assert.equal(report.chosen?.folder, one);
    assert.deepEqual(report.candidates.slice(0, 5).map((candidate) => [candidate.folder, candidate.because]), [
      [one, "Torch_DIR in the environment"], [two, "LIBTORCH in the environment"], [three, "CMAKE_PREFIX_PATH in the environment"],
      [four, "Torch_DIR in build/CMakeCache.txt"], [five, "CMAKE_PREFIX_PATH in build/CMakeCache.txt"],
    ]);
    assert.equal((await search({}, { CMAKE_PREFIX_PATH: three })).chosen?.folder, three);
    assert.equal((await search({})).chosen?.folder, four);
    assert.equal((await search({ withoutCaches: true })).outcome, "not-found");
    fs.rmSync(path.join(project, "build"), { recursive: true });
  });

  it("passes over one that is not what is wanted, and says why", async () => {
    const variables = { Torch_DIR: old, LIBTORCH: plain };
    const report = await search({ wanted: { version: "2.13", variant: "cpu", abi: 1 } }, variables);
    assert.equal(report.chosen?.folder, plain);
    assert.equal(report.candidates[0]?.refused, "It is torch 2.6.0+cpu; 2.13 is wanted. Its libraries are built with _GLIBCXX_USE_CXX11_ABI=0; 1 is wanted.");
    assert.equal((await search({ wanted: { variant: "cu130" } }, variables)).reason, "No libtorch (cu130) can be used: all 2 candidates are refused.");
  });

  it("takes none but the one that was named", async () => {
    const report = await search({ prefixes: [path.join(scratch, "absent")] }, { LIBTORCH: plain });
    assert.equal(report.outcome, "not-found");
    assert.equal(report.reason, `${path.join(scratch, "absent")} does not exist.`);
    assert.deepEqual(report.candidates.map((one) => one.refused), [`${path.join(scratch, "absent")} does not exist.`, undefined]);
  });

  it("warns when TORCH_INSTALL_PREFIX would lead TorchConfig.cmake elsewhere", async () => {
    assert.deepEqual((await search({ prefixes: [plain] }, { TORCH_INSTALL_PREFIX: old })).warnings.map((one) => one.slice(0, 40)), ["TORCH_INSTALL_PREFIX is set to " + old.slice(0, 9)]);
    assert.deepEqual((await search({ prefixes: [plain] }, { TORCH_INSTALL_PREFIX: plain })).warnings, []);
  });
});

describe("a folder that is refused", () => {
  const cases: readonly (readonly [string, (folder: string) => void, (folder: string) => string])[] = [
    ["without TorchConfig.cmake", (folder) => fs.rmSync(path.join(folder, "share"), { recursive: true }), (folder) => `${folder}/lib holds libraries of torch, but TorchConfig.cmake, which CMake needs to find them, is missing: no share/cmake/Torch is in ${folder}. It was not unpacked whole, or is an environment whose development files are in a package of their own.`],
    ["with half a TorchConfig.cmake", (folder) => {
      const file = path.join(folder, "share/cmake/Torch/TorchConfig.cmake");
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").slice(0, 180));
    }, (folder) => `${folder}/share/cmake/Torch/TorchConfig.cmake is cut short or damaged. The command set is not closed.`],
    ["with an empty TorchConfig.cmake", (folder) => fs.writeFileSync(path.join(folder, "share/cmake/Torch/TorchConfig.cmake"), ""), (folder) => `${folder}/share/cmake/Torch/TorchConfig.cmake is cut short: the call with which it ends, find_package_handle_standard_args, is not there.`],
    ["without what TorchConfig.cmake loads", (folder) => fs.rmSync(path.join(folder, "share/cmake/Caffe2/Caffe2Config.cmake")), (folder) => `${folder}/share/cmake/Caffe2/Caffe2Config.cmake is missing, which TorchConfig.cmake loads: it was not unpacked or installed whole.`],
    ["without libc10", (folder) => fs.rmSync(path.join(folder, "lib/libc10.so")), (folder) => `${folder} holds no libc10 (.so, .dylib or .a): its libraries are missing, or are in a package of their own.`],
    ["without a library that its targets name", (folder) => fs.rmSync(path.join(folder, "lib/libtorch.so")), (folder) => `${folder}/lib/libtorch.so is missing, which its CMake files name.`],
    ["without headers", (folder) => fs.rmSync(path.join(folder, "include"), { recursive: true }), (folder) => `${folder}/include holds no headers of torch: they are missing, or are in a package of their own.`],
    ["for another machine", (folder) => {
      const file = path.join(folder, "lib/libc10.so");
      const bytes = fs.readFileSync(file);
      bytes.writeUInt16LE(process.arch === "arm64" ? 62 : 183, 18);
      fs.writeFileSync(file, bytes);
    }, (folder) => `${folder}/lib/libc10.so is built for linux-${process.arch === "arm64" ? "x86_64" : "aarch64"}; this machine is linux-${process.arch === "arm64" ? "aarch64" : "x86_64"}.`],
    ["for macOS", (folder) => {
      fs.rmSync(path.join(folder, "lib/libc10.so"));
      const bytes = Buffer.alloc(64);
      bytes.writeUInt32LE(0xfeedfacf, 0);
      bytes.writeUInt32LE(0x0100000c, 4);
      fs.writeFileSync(path.join(folder, "lib/libc10.dylib"), bytes);
    }, (folder) => `${folder}/lib/libc10.dylib is built for macos-arm64; this machine is linux-${process.arch === "arm64" ? "aarch64" : "x86_64"}.`],
  ];
  for (const [name, change, reason] of cases) {
    it(name, async () => {
      const folder = spoilt(`spoilt ${name.replaceAll(/[^a-z]/gi, "")}`, change);
      const report = await search({ prefixes: [folder] });
      assert.equal(report.outcome, "not-found");
      assert.equal(report.reason, reason(folder));
    });
  }

  it("with a library that is cut short", async () => {
    const folder = spoilt("cut", (one) => fs.truncateSync(path.join(one, "lib/libtorch.so"), 5000));
    assert.match((await search({ prefixes: [folder] })).reason ?? "", /lib\/libtorch\.so is a damaged ELF file: it is truncated/);
  });

  it("with a semicolon in its path, because CMake would take it apart there", async () => {
    const folder = spoilt("semi;colon", () => undefined);
    assert.match((await search({ prefixes: [folder] })).reason ?? "", /^Its path holds a semicolon, at which CMake takes lists apart/);
    const app = path.join(scratch, "semi-app");
    fs.mkdirSync(app);
    fs.writeFileSync(path.join(app, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.18)\nproject(app NONE)\nfind_package(Torch REQUIRED)\n");
    assert.throws(() => execFileSync("cmake", ["-S", app, "-B", path.join(app, "build"), `-DTorch_DIR=${folder}/share/cmake/Torch`], { stdio: "pipe" }), /Torch/);
  });

  it("when its record says something else than its files", async () => {
    const folder = spoilt("changed", (one) => fs.writeFileSync(path.join(one, "abiding-libtorch.json"), JSON.stringify({ schema: 1, version: "2.13.0+cpu", abi: 0, source: { kind: "libtorch", url: "u", sha256: "s", checked: true }, made: "", madeBy: "" })));
    assert.equal((await search({ prefixes: [folder] })).reason, `${folder}/abiding-libtorch.json says _GLIBCXX_USE_CXX11_ABI 0; its files are of _GLIBCXX_USE_CXX11_ABI 1. The folder was changed after it was made.`);
  });

  it("a record that is damaged is told, and the files count", async () => {
    const folder = spoilt("damaged record", (one) => fs.writeFileSync(path.join(one, "abiding-libtorch.json"), "{ \"schema\": 1"));
    const report = await search({ prefixes: [folder] });
    assert.equal(report.outcome, "found");
    assert.match(report.chosen?.remarks.join(" ") ?? "", /abiding-libtorch\.json cannot be read/);
  });
});

describe("a static libtorch", () => {
  it("has its ABI and machine told by the index and the first object of libc10.a", async () => {
    for (const abi of [0, 1] as const) {
      const folder = spoilt(`static ${abi}`, (one) => {
        fs.rmSync(path.join(one, "lib/libc10.so"));
        fs.writeFileSync(path.join(one, "share/cmake/Caffe2/Caffe2Targets-release.cmake"), "");
        const object = path.join(one, "core.o");
        execFileSync("g++", ["-c", `-D_GLIBCXX_USE_CXX11_ABI=${abi}`, `-I${plain}/include`, "-x", "c++", "-", "-o", object], { input: "#include <c10/Error.h>\nnamespace c10 { Error::Error(SourceLocation, std::string message) : text(message) {} }\n" });
        execFileSync("ar", ["rc", path.join(one, "lib/libc10.a"), object]);
      });
      const { chosen } = await search({ prefixes: [folder] });
      assert.deepEqual([chosen?.abi, chosen?.linkage, chosen?.cuda], [abi, "static", null]);
    }
    const cut = spoilt("static cut", (one) => {
      fs.cpSync(path.join(scratch, "static 1"), one, { recursive: true });
      fs.rmSync(path.join(one, "lib/libc10.so"));
      fs.truncateSync(path.join(one, "lib/libc10.a"), fs.statSync(path.join(one, "lib/libc10.a")).size - 200);
    });
    assert.match((await search({ prefixes: [cut] })).reason ?? "", /libc10\.a is cut short: its member at byte \d+/);
  });
});
