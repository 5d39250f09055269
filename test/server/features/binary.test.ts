/** The request behind the editor for binaries, asked of a real server about real, small libraries. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { CancellationTokenSource } from "vscode-languageserver/node";
import type { BinaryParams, BinaryView, EnvironmentChoice, Notifications } from "../../../src/protocol/index.ts";
import { writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { zip } from "../../support/zip.ts";
import { folderOf, LspClient } from "../support/client.ts";

const constructor = "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

const declared = "#include <string>\nnamespace c10 { struct SourceLocation { const char* file; }; struct Error { Error(SourceLocation, std::string); };";

function compile(output: string, source: string, ...flags: readonly string[]): void {
  fs.mkdirSync(path.dirname(output), { recursive: true });
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", output, ...flags], { input: source });
}

describe("abiding/binary", () => {
  const folder = folderOf({ "CMakeLists.txt": "project(x)\n" });
  const outside = folderOf({});
  const temporary = folderOf({});
  const old = path.join(folder.root, "old");
  let client: LspClient;
  let detached: LspClient;
  let built: string;

  before(async () => {
    const torchRoot = path.join(writeVenv(path.join(folder.root, ".venv"), "3.11.4"), "torch");
    const oldRoot = path.join(writeVenv(old, "3.11.4"), "torch");
    writeTorch(torchRoot, { version: "2.14.1+cpu" });
    writeTorch(oldRoot, { version: "2.5.1+cpu" });
    compile(path.join(torchRoot, "lib/libc10.so"), `${declared} Error::Error(SourceLocation, std::string) {} }`, "-Wl,-soname,libc10.so");
    compile(path.join(oldRoot, "lib/libc10.so"), `${declared} Error::Error(SourceLocation, std::string) {} }`, "-Wl,-soname,libc10.so", "-D_GLIBCXX_USE_CXX11_ABI=0");
    built = path.join(folder.root, "build/ops.so");
    compile(built, `${declared} } extern "C" void* PyInit_ops() { c10::Error error({"a"}, "text"); return nullptr; }`, `-L${path.join(torchRoot, "lib")}`, "-lc10");
    // What is read from servers is kept there.
    process.env.XDG_CACHE_HOME = path.join(outside.root, "cache");
    const tmp = process.env.TMPDIR;
    process.env.TMPDIR = temporary.root;
    client = await LspClient.start({ folders: [folder.root] });
    if (tmp === undefined) delete process.env.TMPDIR; else process.env.TMPDIR = tmp;
    detached = await LspClient.start({ folders: [] });
  });

  after(async () => {
    await client.stop();
    await detached.stop();
    folder.remove();
    outside.remove();
    temporary.remove();
  });

  const ask = (file: string, more: Partial<BinaryParams> = {}, who = client): Promise<BinaryView> => who.connection.sendRequest("abiding/binary", { uri: pathToFileURL(file).href, ...more });

  it("compares with the selected environment, and lists what the file imports", async () => {
    const view = await ask(built);
    assert.equal(view.headline, "No conflict with torch 2.14.1+cpu found in what was checked.");
    assert.deepEqual([view.against?.version, view.against?.abi, view.against?.source], ["2.14.1+cpu", 1, "environment"]);
    assert.equal(view.fits?.verdict, "no-conflict");
    const [library] = view.libraries;
    assert.deepEqual([library?.file, library?.name, library?.loaderSays], [built, "ops.so", undefined]);
    assert.deepEqual(library?.symbols.find((one) => one.name === constructor), {
      name: constructor,
      demangled: "c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
      family: "torch", weak: false,
    });
    // What has no other spelling is sent once.
    assert.deepEqual(library?.symbols.filter((one) => one.name === "__cxa_finalize").map(({ demangled, family, weak, version }) => [demangled, family, weak, version]), [[undefined, "glibc", true, "GLIBC_2.2.5"]]);
    assert.equal(view.inspect.binaries[0]?.profile.kind, "python-module");
  });

  it("compares with what is named: the loader's words, and the kind of what is missing", async () => {
    const view = await ask(built, { against: old });
    assert.equal(view.headline, "Would not work with torch 2.5.1+cpu.");
    assert.equal(view.libraries[0]?.loaderSays, `${built}: undefined symbol: ${constructor}`);
    assert.deepEqual(view.fits?.missing.map((one) => [one.symbol, one.kind]), [[constructor, "abi-twin"]]);
    assert.match(view.markdown, /^## Abiding: `.*ops\.so`\n\n\*\*Would not work with torch 2\.5\.1\+cpu\.\*\* /);
    assert.match(view.markdown, /undefined symbol: _ZN3c105ErrorC1E/);
    assert.match(view.markdown, /\| libstdcxx-abi \| 1 \| 0 \|/);
    assert.doesNotMatch(view.markdown, /compatible/i);
  });

  it("follows the selection", async () => {
    await client.connection.sendRequest("abiding/selectEnvironment", { uri: pathToFileURL(folder.root).href, spec: old });
    assert.equal((await ask(built)).against?.version, "2.5.1+cpu");
    await client.connection.sendRequest("abiding/selectEnvironment", { uri: pathToFileURL(folder.root).href });
    assert.equal((await ask(built)).against?.version, "2.14.1+cpu");
  });

  it("takes the torch that abiding.json names, also one of the catalogue", async () => {
    folder.write("abiding.json", '{ "against": ["torch==2.5.1+cu121"] }');
    await client.connection.sendRequest("abiding/check", {});
    assert.deepEqual([(await ask(built)).against?.version, (await ask(built)).against?.source], ["2.5.1+cu121", "catalogue"]);
    folder.remove("abiding.json");
    await client.connection.sendRequest("abiding/check", {});
    assert.equal((await ask(built)).against?.version, "2.14.1+cpu");
  });

  it("needs no folder: a file that is installed is compared with the torch beside it", async () => {
    const installed = path.join(old, "lib/python3.11/site-packages/vision/_C.so");
    fs.mkdirSync(path.dirname(installed), { recursive: true });
    fs.copyFileSync(built, installed);
    assert.equal((await ask(installed, {}, detached)).against?.version, "2.5.1+cpu");
  });

  it("says what a file is also where there is no torch, and why it was not compared", async () => {
    const view = await ask(built, { against: path.join(outside.root, "nowhere") });
    assert.deepEqual([view.headline, view.fits, view.against], ["Not compared: no torch to compare with.", undefined, undefined]);
    assert.match(view.problem ?? "", /nowhere.* does not exist/);
    assert.equal(view.libraries.length, 1);
  });

  it("lists the libraries of a wheel", async () => {
    const wheel = path.join(outside.root, "ops-1.0-cp311-cp311-linux_x86_64.whl");
    fs.writeFileSync(wheel, zip({ "ops/_C.so": fs.readFileSync(built), "ops/__init__.py": "", "ops-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ops\nVersion: 1.0\n", "ops-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n", "ops-1.0.dist-info/RECORD": "" }));
    const view = await ask(wheel, { against: old });
    assert.equal(view.inspect.kind, "wheel");
    assert.deepEqual(view.libraries.map((one) => one.name), ["ops/_C.so"]);
    assert.equal(view.libraries[0]?.file, view.fits?.members?.[0]?.file);
    assert.equal(view.symbolsLeftOut, 0);
  });

  it("gives back what it unpacked of a wheel", async () => {
    const wheel = path.join(outside.root, "big-1.0-cp311-cp311-linux_x86_64.whl");
    // More than is held in memory.
    const big = Buffer.concat([fs.readFileSync(built), Buffer.alloc(5 << 20)]);
    fs.writeFileSync(wheel, zip({ "big/_C.so": big, "big-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: big\nVersion: 1.0\n", "big-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n", "big-1.0.dist-info/RECORD": "" }));
    assert.equal((await ask(wheel, { against: old })).libraries.length, 1);
    assert.deepEqual(fs.readdirSync(temporary.root).filter((name) => name.startsWith("abiding-spool-")), []);
  });

  it("refuses what is no library with a sentence", async () => {
    const script = outside.write("script.so", "INPUT(-lc10)\n");
    await assert.rejects(ask(script), /no ELF file|not an ELF/i);
    await assert.rejects(ask(path.join(outside.root, "gone.so")), /gone\.so/);
    await assert.rejects(client.connection.sendRequest("abiding/binary", { uri: "untitled:x.so" }), /Only files on the machine/);
  });

  it("names the releases of the catalogue, newest first, and the environments around a file", async () => {
    const releases: string[] = await client.connection.sendRequest("abiding/releases", {});
    assert.ok(releases.indexOf("2.8.0") > 0 && releases.indexOf("2.8.0") < releases.indexOf("2.7.0"));
    const choices: EnvironmentChoice[] = await client.connection.sendRequest("abiding/environments", { uri: pathToFileURL(built).href });
    assert.ok(choices.some((one) => one.selected && one.detail.startsWith("torch 2.14.1+cpu")));
  });

  it("reads a torch wheel from a server, says how far it is, and stops when nobody wants it any more", async () => {
    const progress: Notifications["abiding/binaryProgress"][] = [];
    client.connection.onNotification("abiding/binaryProgress", (one: Notifications["abiding/binaryProgress"]) => void progress.push(one));
    const torch = path.join(folder.root, ".venv/lib/python3.11/site-packages/torch");
    const member = (name: string): Uint8Array => fs.readFileSync(path.join(torch, name));
    const server = await RangeServer.start();
    try {
      const address = server.serve("/torch-2.14.1+cpu-cp311-cp311-linux_x86_64.whl", { etag: '"one"', content: zip({
        "torch/__init__.py": "", "torch/version.py": member("version.py"), "torch/lib/libc10.so": member("lib/libc10.so"),
        "torch-2.14.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.14.1\n", "torch-2.14.1.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n",
      }) });
      const view = await ask(built, { against: address, question: "7" });
      assert.equal(view.against?.version, "2.14.1+cpu");
      assert.ok(progress.length > 0);
      assert.deepEqual(progress.filter((one) => one.question !== "7" || !/^\d+\.\d MB of .*torch-2\.14\.1/.test(one.message)), []);

      server.delay = 60_000;
      const cancellation = new CancellationTokenSource();
      const answer = client.connection.sendRequest("abiding/binary", { uri: pathToFileURL(built).href, against: address.replace("2.14.1", "2.14.2") }, cancellation.token);
      cancellation.cancel();
      await assert.rejects(answer, /cancelled/);
    } finally {
      await server.stop();
    }
  });
});
