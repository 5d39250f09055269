/** The tools for agents: what they refuse, how long their answers may be, and that their JSON is that of the commands. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import Ajv from "ajv";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { declarations } from "../../src/tools/declarations.ts";
import type { InputSchema } from "../../src/tools/declarations.ts";
import { callTool, workshopContext } from "../../src/tools/index.ts";
import type { ToolContext } from "../../src/tools/index.ts";
import { shortened } from "../../src/tools/shortened.ts";
import { validInput } from "../../src/tools/validate.ts";
import { CannotDo } from "../../src/workshop/workshop.ts";
import type { Workshop } from "../../src/workshop/workshop.ts";
import { writeTorch, writeVenv } from "../support/fake-torch.ts";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-tools-")));
after(() => fs.rmSync(scratch, { recursive: true }));
writeTorch(path.join(writeVenv(path.join(scratch, ".venv"), "3.11.4"), "torch"), { version: "2.14.1+cpu" });
fs.writeFileSync(path.join(scratch, "setup.py"), `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="ops", ext_modules=[CppExtension("ops", ["ops.cpp"], extra_compile_args=["-std=c++14"])], cmdclass={"build_ext": BuildExtension})
`);

function context(changes: Partial<ToolContext> = {}): ToolContext {
  const { signal } = new AbortController();
  return { where: { root: scratch, files: new NodeFiles(), catalogue: loadCatalogue(), environment: { HOME: scratch, PATH: "" } }, remote: { signal }, signal, version: "0.0.0", tell: () => undefined, ...changes };
}

type Json = Readonly<Record<string, unknown>>;

async function answerOf(name: string, input: unknown, changes?: Partial<ToolContext>): Promise<Json> {
  const result = await callTool(name, input, context(changes));
  assert.ok(result?.ok === true, result?.ok === false ? result.message : "no such tool");
  return result.json as Json;
}

async function refusal(name: string, input: unknown, changes?: Partial<ToolContext>): Promise<string> {
  const result = await callTool(name, input, context(changes));
  assert.ok(result?.ok === false, "it was answered");
  return result.message;
}

/** The published schema of a command's JSON, and of what the tool adds to it. */
function published(name: string, json: Json): void {
  const read = (file: string): Json & { readonly properties: object } => JSON.parse(fs.readFileSync(path.join(root, "docs/schema", `${file}.schema.json`), "utf8")) as Json & { readonly properties: object };
  const ajv = new Ajv({ strict: false, formats: { "date-time": true } });
  for (const other of ["fits", "combination-record"]) if (other !== name) ajv.addSchema(read(other), `${other}.schema.json`);
  const members = Object.fromEntries(Object.entries(json).filter(([member]) => member !== "leftOut"));
  assert.ok(ajv.validate(read(name), members), JSON.stringify(ajv.errors));
}

const twin = "ImportError: /srv/app/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs";

describe("tools for agents", () => {
  it("answer with the JSON of the commands, as their own outline says it too", async () => {
    const library = process.execPath;
    const asked: readonly (readonly [string, string | undefined, object])[] = [
      ["explain", "explain", { text: twin }], ["check", "check", {}], ["inspect", "inspect", { file: library }], ["fits", "fits", { file: library, against: "torch==2.14.1+cpu" }],
      ["combinations_list", "combinations-list", {}], ["combinations_predict", "combinations-predict", { offline: true }], ["symbols", fs.existsSync(path.join(root, "docs/schema/symbols.schema.json")) ? "symbols" : undefined, { name: "c10::Error::Error" }],
    ];
    for (const [name, schema, input] of asked) {
      const json = await answerOf(name, input);
      const outline = declarations.find((one) => one.name === name)?.output ?? {};
      const ajv = new Ajv({ strict: true, allowUnionTypes: true });
      assert.ok(ajv.validate(outline, json), `${name}: ${JSON.stringify(ajv.errors)}`);
      if (schema !== undefined) published(schema, json);
    }
  });

  it("say findings of one file, and what is known of a target that is named", async () => {
    const whole = await answerOf("check", { rules: ["cxx-standard"], targets: ["ops"] });
    assert.deepEqual((whole["findings"] as { rule: string }[]).map((one) => one.rule), ["cxx-standard"]);
    assert.deepEqual((whole["bodies"] as { role: string }[]).map((one) => one.role).filter((role) => role !== "toolchain").toSorted(), ["declared", "installed"]);
    fs.writeFileSync(path.join(scratch, "other.py"), "");
    const other = await answerOf("check", { path: "other.py" });
    assert.deepEqual([other["findings"], other["root"], other["leftOut"]], [[], scratch, { bodies: 1 }]);
    const far = await answerOf("check", { path: path.join(scratch, "other.py") }, { where: { ...context().where, root: "/" } });
    assert.deepEqual([far["findings"], far["root"]], [[], scratch]);
  });

  it("list records, the newest first and those that are asked for, and predict without recording", async () => {
    const folder = path.join(scratch, "recorded");
    fs.mkdirSync(path.join(folder, ".abiding"), { recursive: true });
    const file = path.join(folder, ".abiding/combinations.jsonl");
    const record = (day: number, torch: string, outcome: string): string => `${JSON.stringify({ schema: 1, combination: { project: { name: "ops", version: "1.2" }, torch: { version: torch }, python: "3.12", cuda: null, platform: "linux-x86_64", gpu: null }, how: "smoke", outcome, when: `2026-11-0${day}T10:00:00.000Z`, by: "0.1.0" })}\n`;
    fs.writeFileSync(file, [record(1, "2.12.0+cpu", "passed"), record(3, "2.13.0+cpu", "failed"), record(2, "2.13.0+cpu", "passed")].join(""));
    const days = async (input: object): Promise<readonly unknown[]> => {
      const { records, matching, total } = await answerOf("combinations_list", { root: folder, ...input }) as { records: { when: string }[]; matching: number; total: number };
      return [records.map((one) => one.when.slice(9, 10)).join(""), matching, total];
    };
    assert.deepEqual([await days({}), await days({ limit: 1 }), await days({ torch: "2.13" }), await days({ outcome: ["passed"] }), await days({ torch: "2.13", outcome: ["passed"], python: "3.12" }), await days({ python: "3.11" })], [["321", 3, 3], ["3", 3, 3], ["32", 2, 3], ["21", 2, 3], ["2", 1, 3], ["", 0, 3]]);
    const before = fs.readFileSync(file, "utf8");
    await answerOf("combinations_predict", { root: folder, files: [process.execPath], torch: ["2.14.1"], offline: true });
    assert.deepEqual([fs.readFileSync(file, "utf8"), fs.readdirSync(path.join(folder, ".abiding"))], [before, ["combinations.jsonl"]]);
  });

  it("take what was chosen in an editor where nothing is named", async () => {
    const json = await answerOf("explain", { text: twin }, { against: "torch==2.8.0+cpu" });
    assert.deepEqual([(json["against"] as Json)["torch"], (json["against"] as Json)["chosen"]], ["2.8.0+cpu", "project"]);
    const named = await answerOf("explain", { text: twin, against: "torch==2.7.0+cpu" }, { against: "torch==2.8.0+cpu" });
    assert.deepEqual([(named["against"] as Json)["torch"], (named["against"] as Json)["chosen"]], ["2.7.0+cpu", "named"]);
  });

  it("refuse in words", async () => {
    assert.equal(await callTool("build", {}, context()), undefined);
    assert.match(await refusal("explain", {}), /Either "text", .*, or "file"/);
    assert.match(await refusal("explain", { text: twin, file: "setup.py" }), /one of them only/);
    assert.match(await refusal("explain", { file: "nowhere.log" }), /nowhere\.log does not exist/);
    assert.match(await refusal("explain", { file: "." }), /is a folder; name the log\. The output itself goes into "text"\.$/);
    assert.match(await refusal("explain", { file: os.devNull }), /is no regular file; name the log/);
    assert.equal(await refusal("explain", { text: " " }), "\"text\" must not be empty.");
    assert.equal(await refusal("explain", { text: 7 }), "\"text\" must be a text.");
    assert.match(await refusal("explain", { file: process.execPath }), /is a program or a shared library/);
    assert.match(await refusal("explain", { text: twin, against: "nowhere" }), /nowhere/);
    assert.match(await refusal("check", { rules: ["no-such-rule"] }), /There is no rule "no-such-rule"/);
    assert.match(await refusal("check", { path: "nowhere" }), /nowhere does not exist/);
    assert.match(await refusal("check", {}, { where: { ...context().where, root: "/" } }), /^Name the project's folder as "path": all of \/ is no project\.$/);
    assert.match(await refusal("check", { path: "/" }), /^Name the project's folder as "path": all of \/ is no project\.$/);
    assert.match(await refusal("check", { path: os.homedir() }), /is no project\.$/);
    assert.match(await refusal("fits", { file: process.execPath, gpu: "fast" }), /"gpu" must be a compute capability/);
    assert.match(await refusal("inspect", { file: "setup.py" }), /setup\.py/);
    assert.match(await refusal("symbols", { name: "f", root: "nowhere" }), /There is no "root" in the input/);
    assert.match(await refusal("explain", { text: twin, root: "nowhere" }), /"root" must be a folder/);
    assert.match(await refusal("combinations_run", { python: ["3.12"] }), /^Nothing is run here: this workspace is not trusted/);
  });

  it("run nothing of a folder that nobody trusts, also where another one is trusted", async () => {
    const refuse = (): Promise<never> => Promise.reject(new CannotDo("Not now."));
    const workshop: Workshop = {
      run: refuse, diagnostician: { check: refuse, examine: refuse, explain: refuse }, environment: {}, version: "0.0.0", now: () => new Date(),
      activity: { signal: new AbortController().signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: () => undefined },
    };
    const [mine, other] = ["mine", "other"].map((name) => path.join(scratch, name));
    for (const folder of [mine ?? "", other ?? ""]) {
      fs.mkdirSync(folder);
    }
    fs.symlinkSync(other ?? "", path.join(mine ?? "", "link"));
    const where = { ...context().where, root: mine ?? "" };
    for (const root of [other, "../other", "link", scratch]) {
      assert.equal(await refusal("combinations_run", { root }, { where, workshop }), `Nothing is run in ${root === scratch ? scratch : other ?? ""}: what may be run is the code of ${mine ?? ""}. Who owns the other folder has to open and trust it, or to start the server with it as --root.`);
    }
    // Each folder of an editor's workspace is trusted with it, and what lies in one.
    for (const root of [undefined, mine, other]) {
      assert.match(await refusal("combinations_run", { root, python: ["four"] }, { where, workshop, trusted: [mine ?? "", other ?? ""] }), /^"python" must be versions/);
    }
    assert.match(await refusal("combinations_run", { python: ["four"] }, { where, workshop }), /^"python" must be versions/);
    // A host that has a workshop and trusts nothing hands over none.
    assert.equal(workshopContext(mine ?? "", workshop, []).workshop, undefined);
    assert.equal(workshopContext(mine ?? "", workshop, [mine ?? ""]).workshop, workshop);
  });

  it("end when nobody waits any more", async () => {
    const stop = new AbortController();
    stop.abort();
    await assert.rejects(callTool("check", {}, context({ signal: stop.signal })), { name: "AbortError" });
  });
});

describe("input", () => {
  const schema: InputSchema = {
    type: "object", additionalProperties: false, required: ["name"],
    properties: { name: { type: "string", description: "A name." }, count: { type: "integer", minimum: 1, maximum: 9, description: "" }, all: { type: "boolean", description: "" }, kinds: { type: "array", items: { type: "string", enum: ["a", "b"] }, description: "" } },
  };
  const said = (input: unknown): string => {
    try {
      validInput(schema, input);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("that is right is taken, null as left out", () => {
    assert.deepEqual(validInput(schema, { name: "x", count: 3, all: true, kinds: ["a"] }), { name: "x", count: 3, all: true, kinds: ["a"] });
    assert.deepEqual(validInput(schema, { name: "x", count: null }), { name: "x" });
  });

  it("that is wrong is described", () => {
    assert.equal(said(undefined), "\"name\" is missing: A name.");
    assert.equal(said([]), "The input must be an object with \"name\", \"count\", \"all\", \"kinds\".");
    assert.equal(said({ name: "x", nmae: "y" }), "There is no \"nmae\" in the input; it takes \"name\", \"count\", \"all\", \"kinds\".");
    assert.equal(said(JSON.parse("{\"name\":\"x\",\"__proto__\":\"y\"}")), "There is no \"__proto__\" in the input; it takes \"name\", \"count\", \"all\", \"kinds\".");
    assert.equal(said({ name: " " }), "\"name\" must be a text of 1 to 4096 characters.");
    assert.equal(said({ name: "a\0b" }), "\"name\" must be a text of 1 to 4096 characters.");
    assert.equal(said({ name: 7 }), "\"name\" must be a text of 1 to 4096 characters.");
    assert.equal(said({ name: "x".repeat(4097) }), "\"name\" must be a text of 1 to 4096 characters.");
    assert.equal(said({ name: "x", count: 10 }), "\"count\" must be a whole number from 1 to 9.");
    assert.equal(said({ name: "x", count: 1.5 }), "\"count\" must be a whole number from 1 to 9.");
    assert.equal(said({ name: "x", all: "yes" }), "\"all\" must be true or false.");
    assert.equal(said({ name: "x", kinds: "a" }), "\"kinds\" must be a list of texts.");
    assert.equal(said({ name: "x", kinds: ["c"] }), "Each of \"kinds\" must be one of a, b; it is \"c\".");
  });
});

describe("a long answer", () => {
  const size = (value: object): number => JSON.stringify(value).length;

  it("that is short enough stays as it is", () => {
    const report = { schema: 1, list: Array.from({ length: 500 }, (_, at) => at) };
    assert.equal(shortened(report), report);
  });

  it("keeps the first of each list, and says how many are left out of which", () => {
    const symbols = (count: number): object[] => Array.from({ length: count }, (_, at) => ({ symbol: `_ZN${at}${"x".repeat(200)}` }));
    const short = shortened({ schema: 1, verdict: "conflict", missing: symbols(1000), members: [{ missing: symbols(300) }, { missing: symbols(2) }] }) as Json & { missing: unknown[]; leftOut: Readonly<Record<string, number>> };
    assert.ok(size(short) <= 60_000);
    assert.deepEqual([short.missing.length, short.leftOut], [100, { missing: 900, "members.missing": 200 }]);
    assert.deepEqual(short.missing[0], symbols(1)[0]);
  });

  it("has an end, whatever fills it", () => {
    const short = shortened({ schema: 1, words: "x".repeat(500_000), deep: Array.from({ length: 50 }, () => ({ deep: Array.from({ length: 50 }, () => ({ text: "y".repeat(9000) })) })) });
    assert.ok(size(short) < 60_000);
  });
});
