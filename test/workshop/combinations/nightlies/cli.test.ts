import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import { execa } from "execa";
import { UsageError } from "../../../../src/cli/arguments.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import { combinations } from "../../../../src/cli/workshop/combinations/index.ts";
import { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { scratchFolder } from "../../../support/nightlyTorch.ts";
import { record, writeProject } from "../pins/support.ts";

const repository = path.resolve(import.meta.dirname, "../../../..");
const scratch = scratchFolder();
const root = path.join(scratch, "project");
let index: NightlyIndex;
const night = (day: number): string => `2.16.0.dev2026100${day}`;
before(async () => {
  index = await NightlyIndex.start({ first: "20261001", days: 6, listed: 4, releases: { "2.15.0": {} } });
  writeProject(root, { "requirements.txt": `--index-url ${index.nightly()}\ntorch==${night(3)}\ntorchvision==0.31.0.dev20261004\n` }, [record(`${night(4)}+cu130`, "passed", { index: index.nightly() })]);
});
after(async () => {
  await index.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});

const ajv = new Ajv({ allowUnionTypes: true, formats: { "date-time": true } });
function validator(name: string): ReturnType<Ajv["compile"]> {
  return ajv.compile(JSON.parse(fs.readFileSync(path.join(repository, "docs/schema", `${name}.schema.json`), "utf8")) as object);
}

async function abiding(...args: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    workingDirectory: root, environment: { HOME: scratch, XDG_CACHE_HOME: path.join(scratch, "cache"), PATH: process.env["PATH"] }, version: "1.2.3", colours: false, progress: () => undefined,
    say: (text) => { err += text; },
    deliver: (text) => { out += text; },
  };
  try {
    return { status: await combinations(args, terminal), out, err };
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return { status: 2, out, err: error.message };
  }
}

describe("abiding combinations nightlies", () => {
  it("shows sets, a line to paste, how old that is and where the pin stands; JSON keeps to its schema", async () => {
    const { status, out } = await abiding("nightlies", "--python", "3.11", "--platform", "linux-x86_64");
    assert.equal(status, 0);
    assert.deepEqual(out.split("\n").slice(0, 5), [
      `  torch ${night(6)}+cu130`, `  torch ${night(5)}+cu130  torchvision 0.31.0.dev20261006+cu130`, `  torch ${night(4)}+cu130  torchvision 0.31.0.dev20261005+cu130`, `  torch ${night(3)}+cu130  torchvision 0.31.0.dev20261004+cu130`, "",
    ]);
    assert.ok(out.includes(`The newest, not tested:\n  pip install --pre torch==${night(6)}+cu130 --index-url ${index.nightly()}\n`), out);
    assert.ok(out.includes(`The newest with all of them, not tested:\n  pip install --pre torch==${night(5)}+cu130 torchvision==0.31.0.dev20261006+cu130 --index-url ${index.nightly()}\n`), out);
    assert.ok(out.replaceAll(/\n +/g, " ").includes(`3 newer nightlies are known, and 1 of them is recorded as working, the newest is ${night(4)}. Pinned in requirements.txt:2.`), out);
    const json = await abiding("nightlies", "--format", "json", "--offline");
    const valid = validator("combinations-nightlies");
    const report = JSON.parse(json.out) as { readonly sets: readonly unknown[]; readonly age: readonly string[] };
    assert.ok(valid(report), JSON.stringify(valid.errors));
    assert.equal(report.sets.length, 4);
    assert.match(report.age.join(), new RegExp(`^${index.nightly()} was last read just now \\(.+ UTC\\) for torch and torchvision\\.$`));
  });

  it("is a line that pip takes", async () => {
    const { out } = await abiding("nightlies", "--format", "json", "--torch", "nightly:20261005");
    const { sets } = JSON.parse(out) as { readonly sets: readonly { readonly installLine: string }[] };
    const [, ...words] = (sets[0]?.installLine ?? "").split(" ");
    const { stdout } = await execa("python3", ["-m", "pip", ...words, "--dry-run", "--no-cache-dir", "--python-version", "3.11", "--only-binary", ":all:", "--platform", "manylinux_2_28_x86_64", "--target", path.join(scratch, "target")], { timeout: 60_000, env: { PIP_CONSTRAINT: "/dev/null", PIP_CONFIG_FILE: "/dev/null" } });
    assert.match(stdout, new RegExp(`^Would install torch-${night(5).replaceAll(".", "\\.")}\\+cu130 torchvision-0\\.31\\.0\\.dev20261006\\+cu130$`, "m"));
  });

  it("ends with 1 when nothing fits or an index is down, and with 2 for options that make no sense", async () => {
    assert.equal((await abiding("nightlies", "--python", "3.9")).status, 1);
    const down = await abiding("nightlies", "--index", "http://127.0.0.1:9/simple", "--offline");
    assert.deepEqual([down.status, /No torch that fits is known\.[^]+was never read for torch/.test(down.out)], [1, true]);
    for (const [args, message] of [
      [["--offline", "--probe"], "--offline opens no connection, and --probe asks for one."],
      [["--python", "three"], '--python must be a version such as 3.12 or 3.13t; it is "three".'],
      [["--index", "here"], '"here" is no address of a package index; it should begin with https:// as in https://pypi.org/simple.'],
    ] as const) {
      assert.deepEqual(await abiding("nightlies", ...args), { status: 2, out: "", err: message });
    }
    assert.match((await abiding("nightlies", "--torch", "newest")).err, /^"newest" names no torch: /);
  });
});

describe("abiding combinations roll", () => {
  it("shows a diff, writes it when asked, and keeps to its schema", async () => {
    const shown = await abiding("roll", "--python", "3.11");
    assert.equal(shown.status, 0);
    assert.ok(shown.out.includes(`-torch==${night(3)}\n-torchvision==0.31.0.dev20261004\n+torch==${night(4)}\n+torchvision==0.31.0.dev20261005\n`), shown.out);
    assert.match(shown.out, /\nNothing was written; --write does\.\n$/);
    const patch = await abiding("roll", "--format", "patch", "--python", "3.11");
    assert.equal(patch.out, `--- a/requirements.txt\n+++ b/requirements.txt\n@@ -1,3 +1,3 @@\n --index-url ${index.nightly()}\n-torch==${night(3)}\n-torchvision==0.31.0.dev20261004\n+torch==${night(4)}\n+torchvision==0.31.0.dev20261005\n`);
    const valid = validator("combinations-roll");
    for (const args of [["--to", night(5)], ["--to", "1.0"], ["--to", night(6)]]) {
      const { out } = await abiding("roll", "--format", "json", ...args);
      assert.ok(valid(JSON.parse(out)), JSON.stringify(valid.errors));
    }
    const written = await abiding("roll", "--write", "--format", "json");
    assert.equal(written.status, 0);
    assert.equal(fs.readFileSync(path.join(root, "requirements.txt"), "utf8"), `--index-url ${index.nightly()}\ntorch==${night(4)}\ntorchvision==0.31.0.dev20261005\n`);
    assert.equal((JSON.parse(written.out) as { readonly outcome: string }).outcome, "written");
    assert.equal((await abiding("roll", "--to", "1.0")).status, 2);
  });
});
