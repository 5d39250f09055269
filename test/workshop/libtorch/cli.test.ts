import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Ajv } from "ajv";
import { execa } from "execa";
import { UsageError } from "../../../src/cli/arguments.ts";
import type { Terminal } from "../../../src/cli/terminal.ts";
import { libtorch } from "../../../src/cli/workshop/libtorch.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { archive, entriesOf } from "./archives.ts";
import { writeConsumer, writeLibtorch, writeReducedTorch } from "./reducedTorch.ts";
import { scratchFolder, treeOf } from "./support.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const scratch = scratchFolder("cli");
const made = path.join(scratch, "made");
writeLibtorch(made);
const filler = Buffer.alloc(3_000_000, 1).map((_, at) => (at * at * 31 + (at >> 3) * 7) & 255);
const whole = archive([...entriesOf(made, "libtorch"), { name: "libtorch/share/filler", content: filler, stored: true }]);
const server = await RangeServer.start();
after(async () => server.stop());
const index = `${server.origin}/mirror`;
server.serve(`/mirror/cpu/${encodeURIComponent("libtorch-shared-with-deps-2.13.0+cpu.zip")}`, { content: whole, etag: '"one"' });
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: scratch };
const program = [process.execPath, path.join(root, "src/cli/main.ts")] as const;

function start(args: readonly string[], cwd = scratch): ReturnType<typeof execa> {
  return execa(program[0], [program[1], "libtorch", ...args], { cwd, reject: false, extendEnv: false, env: environment });
}

async function abiding(...args: readonly string[]): Promise<{ readonly status: number | undefined; readonly out: string; readonly err: string }> {
  const result = await start(args);
  return { status: result.exitCode, out: String(result.stdout), err: String(result.stderr) };
}

const valid = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, "docs/schema/libtorch.schema.json"), "utf8")) as object);

/** The command in this process: a start of its own takes seconds on a busy machine. */
async function inside(...args: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    workingDirectory: scratch, environment, version: "1.2.3", colours: false, progress: () => undefined,
    say: (text) => { err += text; },
    deliver: (text) => { out += text; },
  };
  try {
    return { status: await libtorch(args, terminal), out, err };
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return { status: 2, out, err: error.message };
  }
}

async function json(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { out } = await inside(args[0] ?? "", "--format", "json", ...args.slice(1));
  const report = JSON.parse(out) as Readonly<Record<string, unknown>>;
  assert.ok(valid(report), JSON.stringify(valid.errors));
  return report;
}

/** From now on a download gets so many bytes, and then nothing more. */
function hangAfter(bytes: number): void {
  server.trick = (incoming, response) => {
    if (incoming.headers.range !== "bytes=0-") return false;
    response.writeHead(206, { etag: '"one"', "content-range": `bytes 0-${whole.length - 1}/${whole.length}`, "content-length": String(whole.length) });
    response.write(whole.subarray(0, bytes));
    return true;
  };
}

/** Waits until that much of the only download has been written down. */
async function partOf(folder: string, bytes: number): Promise<void> {
  const parts = path.join(folder, "store", "parts");
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(20)) {
    const part = fs.existsSync(parts) ? fs.readdirSync(parts).find((name) => name.endsWith(".part")) : undefined;
    if (part !== undefined && fs.statSync(path.join(parts, part)).size === bytes) return;
  }
  assert.fail(`${parts} never held ${bytes} bytes`);
}

describe("abiding libtorch on the command line", () => {
  it("locate prints the one argument for CMake, and all else on standard error", async () => {
    const found = await abiding("locate", made, "--torch-version", "2.13.0", "--variant", "cpu", "--abi", "1");
    assert.deepEqual([found.status, found.out], [0, `-DTorch_DIR=${made}/share/cmake/Torch`]);
    assert.match(found.err, /^libtorch 2\.13\.0\+cpu in .*, because: it was named\.$/m);
    const other = await inside("locate", made, "--abi", "0", "--require");
    assert.deepEqual([other.status, other.out], [1, ""]);
    assert.match(other.err, /^Required, and not found: Its libraries are built with _GLIBCXX_USE_CXX11_ABI=1; 0 is wanted\.$/m);
    assert.equal((await inside("locate", "absent")).err, `${path.join(scratch, "absent")} does not exist.\n`);
  });

  it("answers 2 to what cannot be run, and says what the command takes", async () => {
    for (const [args, said] of [
      [[], /libtorch takes locate, fetch or build/], [["fetch", "--prefix", "x"], /wants --torch-version/], [["fetch", "--torch-version", "2.13"], /whole release such as 2\.13\.0; it is "2\.13"/],
      [["fetch", "--torch-version", "2.13.0"], /wants --prefix/], [["locate", "--variant", "13.0"], /--variant must be cpu/], [["locate", "--abi", "2"], /--abi must be one of 0, 1/],
      [["build", "--source", "x"], /wants --build-dir/], [["locate", "--prefix", "a", "--bogus"], /libtorch locate takes --/],
    ] as const) {
      const { status, out, err } = await inside(...args);
      assert.deepEqual([status, out], [2, ""], args.join(" "));
      assert.match(err, said);
    }
  });

  it("--help names each option that an action takes", async () => {
    const general = await inside("--help");
    assert.deepEqual([general.status, general.err], [0, ""]);
    assert.match(general.out, /^ {2}abiding libtorch locate \[PATH\]/m);
    for (const action of ["locate", "fetch", "build"]) {
      const { status, out, err } = await inside(action, "--help");
      assert.deepEqual([status, err], [0, ""], action);
      const taken = [...(await inside(action, "--bogus")).err.matchAll(/--[a-z0-9-]+/g)].map(([option]) => option).filter((option) => !["--bogus", "--help"].includes(option));
      assert.ok(taken.length > 8, action);
      assert.deepEqual(taken.filter((option) => !new RegExp(`^ .*${option}\\b`, "m").test(out)), [], action);
    }
  });

  it("reports in JSON as the schema has it", async () => {
    assert.equal((await json("locate", made))["outcome"], "found");
    assert.equal((await json("locate", path.join(scratch, "absent")))["outcome"], "not-found");
    assert.equal((await json("fetch", "--torch-version", "2.13.0", "--index", index, "--prefix", path.join(scratch, "json"), "--cache", path.join(scratch, "json-store")))["outcome"], "found");
    const source = path.join(scratch, "source");
    writeReducedTorch(source);
    const built = await json("build", "--source", source, "--build-dir", path.join(scratch, "json-build"), "--prefix", path.join(scratch, "json-built"), "--static", "--", "-G", "Ninja");
    assert.deepEqual([built["outcome"], (built["chosen"] as { linkage: string }).linkage], ["found", "static"]);
    const failed = await json("build", "--source", source, "--build-dir", path.join(scratch, "json-build-2"), "--prefix", path.join(scratch, "json-built-2"), "--", "-DCMAKE_CXX_COMPILER=/absent/g++");
    assert.equal(failed["outcome"], "failed");
  });

  it("--require touches no network: not with a server that counts, not with one that is down", async () => {
    const before = server.seen.length;
    const prefix = path.join(scratch, "required");
    assert.equal((await inside("fetch", "--torch-version", "2.13.0", "--index", index, "--prefix", prefix, "--require")).status, 1);
    assert.equal((await inside("locate", "--require", "--prefix", prefix)).status, 1);
    assert.equal(server.seen.length, before);
    const dead = await RangeServer.start();
    const { origin } = dead;
    await dead.stop();
    assert.equal((await inside("fetch", "--torch-version", "2.13.0", "--index", origin, "--prefix", prefix, "--require")).status, 1);
    assert.equal((await inside("fetch", "--torch-version", "2.13.0", "--index", origin, "--prefix", made, "--require")).status, 0);
  });

  it("after a kill -9 in the middle of a download the next run goes on, and the prefix is whole or absent all the time", async () => {
    const folder = path.join(scratch, "killed");
    const args = ["fetch", "--torch-version", "2.13.0", "--index", index, "--prefix", path.join(folder, "libtorch"), "--cache", path.join(folder, "store")];
    fs.mkdirSync(folder);
    hangAfter(1_000_000);
    const child = start(args);
    await partOf(folder, 1_000_000);
    child.kill("SIGKILL");
    await child;
    server.trick = () => false;
    assert.ok(!fs.existsSync(path.join(folder, "libtorch")));
    server.seen.length = 0;
    const { status, err } = await abiding(...args);
    assert.equal(status, 0, err);
    assert.match(err, /1\.0 MB of .* are here from an earlier run/);
    assert.ok(server.seen.some((one) => one.range === "bytes=1000000-"));
    assert.deepEqual(fs.readdirSync(folder).sort(), ["libtorch", "store"]);
  });

  it("Ctrl-C in the middle of a download ends with 130 and keeps the part", async () => {
    const folder = path.join(scratch, "interrupted");
    fs.mkdirSync(folder);
    hangAfter(10_000);
    const child = start(["fetch", "--torch-version", "2.13.0", "--index", index, "--prefix", path.join(folder, "libtorch"), "--cache", path.join(folder, "store")]);
    await partOf(folder, 10_000);
    child.kill("SIGINT");
    const result = await child;
    server.trick = () => false;
    assert.equal(result.exitCode, 130);
    assert.deepEqual(fs.readdirSync(path.join(folder, "store", "parts")).map((name) => path.extname(name)).sort(), [".json", ".part"]);
  });

  it("two processes that fetch the same share one download", async () => {
    const folder = path.join(scratch, "two");
    fs.mkdirSync(folder);
    server.seen.length = 0;
    server.delay = 200;
    const both = await Promise.all(["a", "b"].map(async (name) => abiding("fetch", "--torch-version", "2.13.0", "--index", index, "--prefix", path.join(folder, name), "--cache", path.join(folder, "store"))));
    server.delay = 0;
    assert.deepEqual(both.map((one) => one.status), [0, 0]);
    assert.deepEqual(Object.keys(treeOf(path.join(folder, "a"))), Object.keys(treeOf(path.join(folder, "b"))));
    assert.deepEqual(server.seen.map((one) => one.range).filter((one) => one === "bytes=0-").length, 1);
  });
});

describe("the CMake module", () => {
  const command = `-DABIDING_COMMAND=${program.join(";")}`;
  const project = (name: string, call: string): string => {
    const folder = path.join(scratch, name);
    writeConsumer(folder, `list(APPEND CMAKE_MODULE_PATH "${root}/cmake")\ninclude(AbidingLibtorch)\n${call}`);
    return folder;
  };
  const configure = async (folder: string, ...args: readonly string[]): Promise<{ readonly status: number | undefined; readonly text: string }> => {
    const result = await execa("cmake", ["-G", "Ninja", "-S", folder, "-B", path.join(folder, "build"), ...args], { reject: false, all: true, extendEnv: false, env: { ...environment, HOME: path.join(scratch, "home") } });
    return { status: result.exitCode, text: result.all };
  };

  it("does nothing and says nothing unless it is asked", async () => {
    const { status, text } = await configure(project("off", "abiding_libtorch(REQUIRED VERSION 2.13.0)"), "-DABIDING_COMMAND=/absent/abiding", `-DTorch_DIR=${made}/share/cmake/Torch`);
    assert.equal(status, 0, text);
    assert.doesNotMatch(text.replaceAll(scratch, ""), /abiding/i);
  });

  it("locates what find_package then takes, anew at each configure", async () => {
    const folder = project("locate", "abiding_libtorch(VERSION 2.13.0 ABI 1)");
    const first = await configure(folder, "-DABIDING_LIBTORCH=locate", command, `-DCMAKE_PREFIX_PATH=/nowhere;${made}`);
    assert.equal(first.status, 0, first.text);
    await execa("cmake", ["--build", path.join(folder, "build")]);
    assert.equal((await execa(path.join(folder, "build/consumer"))).stdout, "a fetched torch");
    const moved = path.join(scratch, "moved");
    fs.cpSync(made, moved, { recursive: true });
    const second = await configure(folder, `-DCMAKE_PREFIX_PATH=${moved}`);
    assert.match(second.text, new RegExp(`Abiding: libtorch 2\\.13\\.0\\+cpu in ${moved}, because: CMAKE_PREFIX_PATH in the environment\\.`));
  });

  it("takes the Torch_DIR that the user gave, and refuses it when it is not what the project wants", async () => {
    const folder = project("given", "abiding_libtorch(REQUIRED VERSION 2.12)");
    const { status, text } = await configure(folder, "-DABIDING_LIBTORCH=locate", command, `-DTorch_DIR=${made}/share/cmake/Torch`);
    assert.equal(status, 1);
    assert.match(text.replaceAll(/\s+/g, " "), /libtorch locate ended with: 1 It is torch 2\.13\.0\+cpu; 2\.12 is wanted\./);
  });

  it("fails the configure with the reason where a libtorch is required, and asks no server", async () => {
    server.seen.length = 0;
    const { status, text } = await configure(project("require", `abiding_libtorch(VERSION 2.13.0 INDEX ${index})`), "-DABIDING_LIBTORCH=require", command);
    assert.equal(status, 1);
    assert.match(text.replaceAll(/\s+/g, " "), /libtorch locate ended with: 1 Required, and not found: No libtorch \(2\.13\.0\) was found/);
    assert.equal(server.seen.length, 0);
  });

  it("fetches into the build folder", async () => {
    const folder = project("fetch", `abiding_libtorch(VERSION 2.13.0 VARIANT cpu INDEX ${index})`);
    const { status, text } = await configure(folder, "-DABIDING_LIBTORCH=fetch", command);
    assert.equal(status, 0, text);
    assert.ok(fs.existsSync(path.join(folder, "build/_libtorch/abiding-libtorch.json")));
    await execa("cmake", ["--build", path.join(folder, "build")]);
    assert.equal((await execa(path.join(folder, "build/consumer"))).stdout, "a fetched torch");
    server.seen.length = 0;
    assert.equal((await configure(folder)).status, 0);
    assert.equal(server.seen.length, 0);
  });

  it("says what is wrong with the call, the mode and the command", async () => {
    const folder = project("wrong", "abiding_libtorch(VERSION 2.13.0)");
    assert.match((await configure(folder, "-DABIDING_LIBTORCH=download")).text.replaceAll(/\s+/g, " "), /ABIDING_LIBTORCH is "download"; it must be OFF, locate, require or fetch\./);
    assert.match((await configure(folder, "-DABIDING_LIBTORCH=locate", "-DABIDING_COMMAND=/absent/abiding")).text.replaceAll(/\s+/g, " "), /\/absent\/abiding libtorch locate ended with: No such file/);
    assert.match((await configure(project("typo", "abiding_libtorch(VERSOIN 2.13.0)"))).text, /abiding_libtorch\(\) does not know: VERSOIN;2\.13\.0/);
  });
});
