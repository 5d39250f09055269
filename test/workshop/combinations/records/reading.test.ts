/** Reading the file of records, whatever people, editors, git and full disks have made of it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readCombinations } from "../../../../src/workshop/combinations/index.ts";
import { idOfText } from "../../../../src/workshop/combinations/records/identity.ts";
import { linesOf } from "../../../../src/workshop/combinations/records/lines.ts";
import { newestRecordsFirst } from "../../../../src/workshop/combinations/records/order.ts";
import { panelRecords } from "../../../../src/workshop/combinations/records/panel.ts";
import { SeenIds } from "../../../../src/workshop/combinations/records/seen.ts";
import { validateRecord } from "../../../../src/workshop/combinations/records/validate.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { Random } from "../../../support/random.ts";
import { Folder, lines, made, schema } from "./support.ts";

const now = new Date("2026-11-30T12:00:00Z");

describe("the file of records", () => {
  const folder = new Folder();
  after(() => folder[Symbol.dispose]());
  const read = async (text: string): ReturnType<typeof readCombinations> => readCombinations(folder.file("records.jsonl", text), { now });
  const whens = async (text: string): Promise<readonly string[]> => (await read(text)).records.map((one) => one.when);
  const day = (number: number): string => `2026-11-${String(number).padStart(2, "0")}T00:00:00.000Z`;
  const file = folder.at("records.jsonl");

  it("is empty where there is none", async () => {
    assert.deepEqual(await readCombinations(folder.at("nowhere", "records.jsonl")), { records: [], problems: [], file: folder.at("nowhere", "records.jsonl") });
  });

  it("is told by name where it cannot be read", async () => {
    await assert.rejects(readCombinations(folder.root), (error: Error) => error instanceof CannotDo && error.message === `Could not read ${folder.root}: it is a folder (EISDIR).`);
  });

  it("is no pipe, for whose writer everything would wait", { skip: process.platform === "win32" ? "there are no named pipes here" : false, timeout: 60_000 }, async () => {
    const pipe = folder.at("pipe.jsonl");
    execFileSync("mkfifo", [pipe]);
    await assert.rejects(readCombinations(pipe), (error: Error) => error instanceof CannotDo && error.message === `Could not read ${pipe}: it is a pipe, and records are kept in a file.`);
  });

  it("gives records as they were written, each with an id of its own", async () => {
    const all = [made(), made({ how: "predicted", outcome: "conflict", reason: { message: "Missing.", rule: "torch-symbols", symbols: ["_ZN3c10E"], test: "t" }, note: "n", file: "a".repeat(64), run: "2026-1", counts: { passed: 1, failed: 2, skipped: 3 } }, { packages: { torchvision: "0.28.0" }, gpu: { name: "H200", capability: "9.0", driver: "580.1" }, compiler: "gcc 12.2.0" })];
    const { records, problems } = await read(lines(...all));
    assert.deepEqual(records.map(({ id: _id, ...record }) => record), all);
    assert.deepEqual(problems, []);
    assert.equal(new Set(records.map((one) => one.id)).size, 2);
    assert.match(records[0]?.id ?? "", /^[0-9a-f]{20}$/);
  });

  it("holds one record once, in whatever order its members and whatever spaces stand", async () => {
    const one = made({}, { packages: { b: "1", a: "2" } });
    const turned = { by: one.by, when: one.when, outcome: one.outcome, how: one.how, combination: Object.fromEntries(Object.entries({ ...one.combination, packages: { a: "2", b: "1" } }).reverse()), schema: 1 };
    const { records, problems } = await read(lines(one, made({ when: day(1) }), JSON.stringify(turned, undefined, 1).replaceAll("\n", ""), one));
    assert.deepEqual([records.map((each) => each.when), problems], [[one.when, day(1)], []]);
  });

  it("gives the quick and the thorough reading the same answer", async () => {
    const random = new Random(7);
    for (let round = 0; round < 60; round += 1) {
      const how = random.pick<"predicted" | "smoke">(["predicted", "smoke"]);
      const record = made({ how, outcome: how === "predicted" ? "conflict" : random.pick<"passed" | "failed" | "unknown">(["passed", "failed", "unknown"]), when: day(1 + random.below(28)), ...(random.pick([true, false]) ? { note: random.pick(["a,\"how\":\"b", "é\u2028", "{\"schema\":1,"]) } : {}) },
        { ...(random.pick([true, false]) ? { packages: { how: "1", torchvision: random.pick(["1", "2"]) } } : {}), python: random.pick(["3.11", "3.13t"]), gpu: random.pick<{ readonly name: string } | null>([null, { name: "a,\"how\":\"x" }]) });
      const slow = JSON.stringify(record).replace("{", "{ ");
      const [quickly, slowly] = [await read(lines(record)), await read(lines(slow))];
      assert.deepEqual(quickly, slowly);
      assert.equal(quickly.records.length, 1, slow);
    }
  });

  it("loses nothing to the editors of Windows", async () => {
    assert.deepEqual(await whens(`\uFEFF${lines(made(), made({ when: day(2) })).replaceAll("\n", "\r\n")}`), [made().when, day(2)]);
  });

  it("loses to a conflict of git the marks alone", async () => {
    const { records, problems } = await read(lines("<<<<<<< HEAD", made({ when: day(1) }), "||||||| merged common ancestors", "=======", made({ when: day(2) }), ">>>>>>> branch"));
    assert.deepEqual(records.map((one) => one.when), [day(1), day(2)]);
    assert.deepEqual(problems, [`Lines 1, 3, 4 and 6 of ${file} are marks of a merge conflict: delete them and keep the lines of both sides, all of which were read. The line "combinations.jsonl merge=union" in .gitattributes has git do so.`]);
  });

  it("loses to a killed writer the line that he was at", async () => {
    const whole = JSON.stringify(made({ when: day(1) }));
    const torn = await read(`${lines(made())}${whole.slice(0, 60)}`);
    assert.deepEqual([torn.records.length, torn.problems], [1, [`Line 2 of ${file} is left out: it is not whole: whoever wrote it was stopped, or is writing it now.`]]);
    const joined = await read(lines(made(), `${whole.slice(0, 60)}${whole}`, made({ when: day(2) })));
    assert.deepEqual(joined.records.map((one) => one.when), [made().when, day(1), day(2)]);
    assert.deepEqual(joined.problems, [`Line 2 of ${file} is left out: its begin is no JSON; the record at its end was read.`]);
    assert.deepEqual((await read(`${lines(made())}${whole}`)).problems, []);
  });

  it("says of a newer schema that it is one", async () => {
    const { records, problems } = await read(lines(made(), { ...made(), schema: 3, combination: "other" }, { schema: 2 }));
    assert.equal(records.length, 1);
    assert.deepEqual(problems, [`Lines 2 and 3 of ${file} were written by a newer Abiding (schema 3) and are not shown; a newer version shows them.`]);
  });

  it("takes members that a later version may add to this schema", async () => {
    const { records, problems } = await read(lines({ ...made(), energy: 4, combination: { ...made().combination, rocm: "7" } }));
    assert.deepEqual([records.map(({ id: _id, ...record }) => record), problems], [[made()], []]);
  });

  it("costs garbage only itself, and tells of the first lines of it", async () => {
    const garbage = ["<html>", "\0\0\0\0", "null", "[]", "{\"schema\":1}", "}{", "💥", "{\"schema\":\"1\"}", "12"];
    const all = Array.from({ length: 300 }, (_, index) => (index % 10 < 3 ? garbage[index % garbage.length] ?? "" : JSON.stringify(made({ when: `2026-11-01T00:00:${String(Math.floor(index / 10)).padStart(2, "0")}.${index % 10}00Z` }))));
    const { records, problems } = await read(lines(...all));
    assert.equal(records.length, 210);
    assert.equal(problems.length, 21);
    assert.equal(problems[0], `Line 1 of ${file} is left out: it is no JSON.`);
    assert.equal(problems[2], `Line 3 of ${file} is left out: the line must be an object.`);
    assert.equal(problems[20], `70 more lines of ${file} are left out.`);
  });

  it("does not keep a line without end in memory, and goes on after it", async () => {
    const { records, problems } = await read(`${lines(made({ when: day(1) }))}${"x".repeat(5_000_000)}\n${lines(made({ when: day(2) }))}`);
    assert.deepEqual(records.map((one) => one.when), [day(1), day(2)]);
    assert.deepEqual(problems, [`Line 2 of ${file} is left out: it is longer than any record.`]);
  });

  it("reads in pieces, between which no character and no line is lost", async () => {
    const all = Array.from({ length: 6000 }, (_, index) => made({ note: `é💥${index} ${"ü".repeat(index % 97)}` }));
    const { records } = await read(lines(...all));
    assert.deepEqual(records.map((one) => one.note), all.map((one) => one.note));
    let pieces = 0;
    for await (const group of linesOf(file)) pieces += group.length > 0 ? 1 : 0;
    assert.ok(pieces > 2, String(pieces));
  });

  it("remembers in few bytes which records there were", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = (): number => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const [seen, count] = [new SeenIds(), 100_000];
    const added = (): number => Array.from({ length: count }).reduce<number>((sum, _, index) => sum + (seen.add(idOfText(String(index))) ? 1 : 0), 0);
    const before = used();
    assert.equal(added(), count);
    const bytes = used() - before;
    assert.ok(bytes < 40 * count, `${Math.round(bytes / count)} bytes each`);
    assert.equal(added(), 0);
    // These begin at the same place of the table.
    assert.deepEqual(["00000001", "f0000000", "f0000001", "f0000000"].map((low) => seen.add(`00000000${low}0000`)), [true, true, true, false]);
  });

  it("takes a time from the future for that of the record before", async () => {
    const [first, ahead, last] = [made({ when: day(1) }), made({ when: "2031-01-01T00:00:00Z" }), made({ when: day(3) })];
    const result = await read(lines(ahead, first, ahead, made({ when: "2031-06-01T00:00:00Z" }), last));
    assert.deepEqual(result.problems, [`Lines 1 and 4 of ${file} are from the future (2031-06-01T00:00:00Z): a clock was wrong. They count as old as the records before them.`]);
    assert.deepEqual(newestRecordsFirst(result.records, now).map(({ record, when }) => [record.when, when]), [
      [day(3), day(3)], ["2031-06-01T00:00:00Z", day(1)], [day(1), day(1)], ["2031-01-01T00:00:00Z", day(1)],
    ]);
    assert.deepEqual(panelRecords(result, now).map((one) => one.when), [day(3), day(1), day(1), day(1)]);
    // An hour is what clocks differ by.
    assert.deepEqual((await read(lines(made({ when: "2026-11-30T12:59:00Z" })))).problems, []);
  });
});

describe("what is no record", () => {
  const isRecord = schema("combination-record");
  const base = made({ reason: { message: "m" }, counts: { passed: 1, failed: 0, skipped: 0 } }, { packages: { torchvision: "1" }, gpu: { name: "g" } });
  /** Each with what is said of it. */
  const wrong: readonly (readonly [change: (record: Record<string, unknown>) => void, problem: string])[] = [
    [(one) => delete one.schema, "schema is missing"],
    [(one) => (one.schema = "1"), "schema must be 1"],
    [(one) => delete one.combination, "combination is missing"],
    [(one) => (one.combination = []), "combination must be an object"],
    [(one) => delete within(one, "combination").torch, "combination.torch is missing"],
    [(one) => (within(one, "combination", "torch").version = "newest"), "combination.torch.version is no version: \"newest\""],
    [(one) => (within(one, "combination", "torch").gitVersion = "HEAD"), "combination.torch.gitVersion is no hash of a commit: \"HEAD\""],
    [(one) => delete within(one, "combination").platform, "combination.platform is missing"],
    [(one) => (within(one, "combination").python = 3.12), "combination.python must be a text"],
    [(one) => (within(one, "combination").gpu = "H200"), "combination.gpu must be an object"],
    [(one) => (within(one, "combination", "packages").torchvision = 1), "combination.packages.torchvision must be a text"],
    [(one) => delete within(one, "combination", "project").name, "combination.project.name is missing"],
    [(one) => (within(one, "combination", "project").name = ""), "combination.project.name is empty"],
    [(one) => (within(one, "combination", "project").changed = 1), "combination.project.changed must be true or false"],
    [(one) => (one.how = "guessed"), "how must be one of predicted, built, loaded, smoke, benchmark"],
    [(one) => (one.outcome = "conflict"), "outcome of something that is tried must be one of passed, failed, unknown"],
    [(one) => (one.how = "predicted"), "outcome of something that is predicted must be one of no-conflict, conflict, unknown"],
    [(one) => (one.when = "yesterday"), "when is no time such as 2026-11-30T12:00:00Z: \"yesterday\""],
    [(one) => (one.when = "2026-11-30T12:00:00+02:00"), "when is no time such as 2026-11-30T12:00:00Z: \"2026-11-30T12:00:00+02:00\""],
    [(one) => delete one.by, "by is missing"],
    [(one) => (one.reason = "broken"), "reason must be an object"],
    [(one) => (within(one, "reason").symbols = "_ZN"), "reason.symbols must be a list of texts"],
    [(one) => (one.file = "abc"), "file is no SHA-256: \"abc\""],
    [(one) => (one.run = "../../etc"), "run is no name of a run: \"../../etc\""],
    [(one) => (within(one, "counts").failed = -1), "counts.failed must be a whole number"],
  ];

  it("is told by what is wrong in it, and the published schema agrees", () => {
    assert.deepEqual(validateRecord(base), { kind: "record", record: base });
    assert.equal(isRecord(base), true);
    for (const [change, problem] of wrong) {
      const record = structuredClone(base) as unknown as Record<string, unknown>;
      change(record);
      assert.deepEqual(validateRecord(record), { kind: "wrong", problem });
      // JSON Schema has no versions of packages.
      assert.equal(isRecord(record), /is no version/.test(problem), problem);
    }
  });

  function within(value: Record<string, unknown>, ...names: readonly string[]): Record<string, unknown> {
    return names.reduce((at, name) => at[name] as Record<string, unknown>, value);
  }
});
