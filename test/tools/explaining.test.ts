/** With what an error text is compared, and what reading a file that it names shows. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import type { ExplainReport } from "../../src/engine/model/index.ts";
import { environmentsNamedIn } from "../../src/tools/failedIn.ts";
import { explained } from "../../src/tools/explaining.ts";
import { writeTorch, writeVenv } from "../support/fake-torch.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-explaining-")));
after(() => fs.rmSync(scratch, { recursive: true }));

function torchIn(folder: string): string {
  const prefix = path.join(scratch, folder);
  writeTorch(path.join(writeVenv(prefix, "3.11.4"), "torch"), { version: "2.14.1+cpu" });
  return prefix;
}

const named = torchIn("named");
const around = torchIn("project/.venv");
const inText = torchIn("of the text");
const symbol = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
const twin = `ImportError: /srv/app/_C.so: undefined symbol: ${symbol}`;
const traceback = (prefix: string): string => `  File "${prefix}/lib/python3.11/site-packages/app/__init__.py", line 3, in <module>\n    from . import _C\n${twin}`;
const root = path.join(scratch, "project");
const where = { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: { HOME: scratch, PATH: "" } };

async function report(text: string, wanted: Parameters<typeof explained>[1] = {}): Promise<ExplainReport> {
  const answer = await explained(text, wanted, where, {});
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.report;
}

describe("what an explanation is compared with", () => {
  const chosen = async (...asked: Parameters<typeof report>): Promise<unknown> => {
    const { against } = await report(...asked);
    return [against?.chosen, against?.name];
  };

  it("is what was named; else what the text names; else what was selected, what the project names, and what is around", async () => {
    assert.deepEqual(await chosen(twin), ["found", around]);
    assert.deepEqual(await chosen(twin, { selected: named }), ["project", named]);
    assert.deepEqual(await chosen(traceback(inText), { selected: named }), ["text", inText]);
    assert.deepEqual(await chosen(traceback(inText), { against: named }), ["named", named]);
    fs.writeFileSync(path.join(root, "abiding.json"), JSON.stringify({ against: [named] }));
    assert.deepEqual(await chosen(twin), ["project", named]);
    fs.rmSync(path.join(root, "abiding.json"));
  });

  it("is not an environment of the text that is not here, or that has no torch", async () => {
    const empty = path.join(scratch, "empty");
    writeVenv(empty, "3.11.4");
    assert.deepEqual(await chosen(traceback("/nowhere/venv")), ["found", around]);
    assert.deepEqual(await chosen(`${traceback(empty)}\n${traceback(empty)}\n${traceback(inText)}`), ["text", inText]);
  });

  it("cannot be had: an error where it was named, else a sentence beside the answer", async () => {
    const gone = path.join(scratch, "gone");
    const refused = await explained(twin, { against: gone }, where, {});
    assert.match(refused.ok ? "" : refused.message, /gone/);
    const { against, verdicts, notChecked } = await report(twin, { selected: gone });
    assert.deepEqual([against, verdicts.map((one) => one.cause)], [null, ["libstdcxx-abi"]]);
    assert.match(notChecked[0] ?? "", /gone/);
  });

  it("reads a library that the text names, and has all that it lacks", async () => {
    const file = path.join(root, "_C.so");
    const source = "namespace c10 { void probe_one(int); void probe_two(int); } void use() { c10::probe_one(1); c10::probe_two(2); }";
    execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file], { input: source });
    execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", path.join(around, "lib/python3.11/site-packages/torch/lib/libc10.so"), "-Wl,-soname,libc10.so"], { input: "" });
    for (const place of [file, "./_C.so"]) {
      const { verdicts: [verdict] } = await report(`ImportError: ${place}: undefined symbol: _ZN3c109probe_oneEi`);
      assert.deepEqual(verdict?.fit?.missing.map((one) => one.symbol).toSorted(), ["_ZN3c109probe_oneEi", "_ZN3c109probe_twoEi"]);
      assert.equal(verdict?.fit?.file, file);
    }
    // A text of another machine means the file of the environment that is named, and of no other.
    const there = path.join(around, "lib/python3.11/site-packages/app/_C.so");
    fs.mkdirSync(path.dirname(there));
    fs.copyFileSync(file, there);
    const far = "ImportError: /data/job/lib/python3.11/site-packages/app/_C.so: undefined symbol: _ZN3c109probe_oneEi";
    assert.equal((await report(far, { against: around })).verdicts[0]?.fit?.file, there);
    assert.equal((await report(far)).verdicts[0]?.fit, undefined);
  });
});

it("environments are found in tracebacks of all shapes, the one named most often first", () => {
  const found = (text: string): readonly string[] => environmentsNamedIn(text, Object.assign(new NodeFiles(), { status: (file: string) => (file.includes("gone") ? undefined : { kind: "directory" as const, size: 0, modified: 0 }) }));
  assert.deepEqual(found("/opt/c/lib/python3.12/site-packages/y.so: bad\nFile \"/opt/a b/lib/python3.11/site-packages/x.py\"\n  File \"/opt/a b/lib/python3.11/site-packages/z.py\""), ["/opt/a b", "/opt/c"]);
  assert.deepEqual(found("ld: cannot find /opt/conda/lib/python3.13t/site-packages/torch/lib/libc10.so"), ["/opt/conda"]);
  assert.deepEqual(found("-I/usr/local/lib64/python3.9/site-packages/torch/include"), ["/usr/local"]);
  assert.deepEqual(found("File \"C:\\venv\\Lib\\site-packages\\torch\\__init__.py\""), ["C:\\venv"]);
  assert.deepEqual(found("/usr/lib/python3/dist-packages/torch"), ["/usr"]);
  assert.deepEqual(found("/gone/lib/python3.11/site-packages/x relative/lib/python3.11/site-packages site-packages"), []);
});

it("a hostile text costs little", () => {
  const files = new NodeFiles();
  for (const text of [`${"/".repeat(200_000)}site-packages`.repeat(5), "\"/lib/python3.1/site-packages".repeat(100_000), `/${"lib/".repeat(100_000)}site-packages`]) {
    assert.ok(Array.isArray(environmentsNamedIn(text, files)));
  }
});
