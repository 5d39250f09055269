/** Adding records: several writers, what is there already, git's branches, a full disk. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";
import { appendCombinations, keepsRecords, mergeCombinations, readCombinations, recordsFile } from "../../../../src/workshop/combinations/index.ts";
import { CouldNotWrite } from "../../../../src/workshop/process/index.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { root } from "../../../harness/locations.ts";
import { Folder, lines, made, schema } from "./support.ts";

const { signal } = new AbortController();
const day = (number: number): string => `2026-11-${String(number).padStart(2, "0")}T00:00:00.000Z`;

describe("adding records", () => {
  const folder = new Folder();
  after(() => folder[Symbol.dispose]());

  it("makes the file, and git's rule for merging it, in the folder of Abiding", async () => {
    const file = folder.at("new/.abiding/combinations.jsonl");
    const first = await appendCombinations(file, [made()]);
    assert.deepEqual(first, { added: 1, already: 0, notes: [`${file} is new: it holds what was found to work, and is meant to be committed.`] });
    assert.equal(folder.read("new/.abiding/combinations.jsonl"), lines(made()));
    assert.equal(folder.read("new/.abiding/.gitattributes"), "combinations.jsonl merge=union\n");
    fs.writeFileSync(folder.at("new/.abiding/.gitattributes"), "* text\n");
    assert.deepEqual(await appendCombinations(file, [made({ when: day(2) })]), { added: 1, already: 0, notes: [] });
    assert.equal(folder.read("new/.abiding/.gitattributes"), "* text\n");
  });

  it("leaves a project's own .gitattributes to the project, and says what is missing there", async () => {
    const file = folder.at("other/results/our records.jsonl");
    folder.file("other/results/.gitattributes", "* text\n");
    const { notes } = await appendCombinations(file, [made()]);
    assert.equal(notes[1], `Add the line ""our records.jsonl" merge=union" to ${folder.at("other/results/.gitattributes")}, so that git joins the records of two branches without a conflict.`);
    assert.equal(folder.read("other/results/.gitattributes"), "* text\n");
  });

  it("adds what is not there, however it was written there", async () => {
    const file = folder.file("known.jsonl", lines({ ...made(), by: undefined, extra: 1 }).replace("}\n", ",\"by\":\"0.1.0\"}\r\n"));
    assert.deepEqual(await appendCombinations(file, [made(), made({ when: day(1) }), made({ when: day(1) })]), { added: 1, already: 1, notes: [] });
    assert.equal((await readCombinations(file)).records.length, 2);
  });

  it("ends the line that a killed writer left", async () => {
    const torn = JSON.stringify(made({ when: day(1) })).slice(0, 50);
    const file = folder.file("torn.jsonl", lines(made()) + torn);
    await appendCombinations(file, [made({ when: day(2) })]);
    assert.equal(folder.read("torn.jsonl"), lines(made(), torn, made({ when: day(2) })));
    const { records, problems } = await readCombinations(file);
    assert.deepEqual([records.map((one) => one.when), problems.length], [[made().when, day(2)], 1]);
  });

  it("refuses what is no record, and adds none of the others", async () => {
    const file = folder.at("refused.jsonl");
    await assert.rejects(appendCombinations(file, [made(), made({ when: "now" })]), (error: Error) => error instanceof CannotDo && error.message === "This is no record that can be kept: when is no time such as 2026-11-30T12:00:00Z: \"now\".");
    assert.equal(fs.existsSync(file), false);
  });

  it("says that the disk is full", { skip: fs.existsSync("/dev/full") ? false : "there is no /dev/full here" }, async () => {
    const file = folder.at("full.jsonl");
    fs.symlinkSync("/dev/full", file);
    await assert.rejects(appendCombinations(file, [made()]), (error: Error) => error instanceof CouldNotWrite && error.message === `Could not add a record to ${file}: no space is left on the disk (ENOSPC).`);
  });

  it("loses no line where two processes add at the same time", async () => {
    const file = folder.at("both.jsonl");
    const script = folder.file("writer.ts", `import { appendCombinations } from ${JSON.stringify(path.join(root, "src/workshop/combinations/records/append.ts"))};
const record = ${JSON.stringify(made())};
for (let index = 0; index < 40; index += 1) await appendCombinations(${JSON.stringify(file)}, [{ ...record, note: process.argv[2] + index + "x".repeat(5000) }, { ...record, note: "shared " + index }]);
`);
    await Promise.all(["a", "b"].map((name) => execa(process.execPath, [script, name])));
    const { records, problems } = await readCombinations(file);
    assert.deepEqual(problems, []);
    const notes = new Set(records.map((one) => one.note?.replace(/x+$/, "")));
    assert.equal(records.length, notes.size);
    assert.deepEqual([...notes].sort(), [..."ab"].flatMap((name) => Array.from({ length: 40 }, (_, index) => `${name}${index}`)).concat(Array.from({ length: 40 }, (_, index) => `shared ${index}`)).sort());
  });

  it("has git join two branches without a conflict", async () => {
    using project = new Folder();
    const file = project.at(".abiding/combinations.jsonl");
    project.git("init", "--quiet", "--initial-branch=main");
    await appendCombinations(file, [made()]);
    project.git("add", ".");
    project.git("commit", "--quiet", "--message=first");
    project.git("switch", "--quiet", "--create", "other");
    await appendCombinations(file, [made({ when: day(1) }), made({ when: day(3) })]);
    project.git("commit", "--quiet", "--all", "--message=other");
    project.git("switch", "--quiet", "main");
    await appendCombinations(file, [made({ when: day(2) }), made({ when: day(3) })]);
    project.git("commit", "--quiet", "--all", "--message=main");
    project.git("merge", "--quiet", "--no-edit", "other");
    const { records, problems } = await readCombinations(file);
    assert.deepEqual([records.map((one) => one.when).sort(), problems], [[day(1), day(2), day(3), made().when], []]);
  });

  it("keeps records where a project asked for it, and nowhere outside of it", () => {
    const here = folder.at("asked");
    assert.equal(recordsFile(here), path.join(here, ".abiding/combinations.jsonl"));
    assert.equal(recordsFile(here, { records: "ci/records.jsonl" }), path.join(here, "ci/records.jsonl"));
    assert.throws(() => recordsFile(here, { records: "../records.jsonl" }), CannotDo);
    assert.throws(() => recordsFile(here, { records: "." }), CannotDo);
    assert.deepEqual([keepsRecords(here, undefined), keepsRecords(here, {})], [false, true]);
    folder.file("asked/.abiding/combinations.jsonl", "");
    assert.equal(keepsRecords(here, undefined), true);
  });
});

describe("merging files of records", () => {
  const folder = new Folder();
  const file = folder.at(".abiding/combinations.jsonl");
  const isReport = schema("combinations-merge");
  after(() => folder[Symbol.dispose]());

  it("takes what is new of files and folders, and refuses what holds no record", async () => {
    const newer = { schema: 2, when: day(9), all: "other" };
    folder.file("artifacts/a/one.jsonl", lines(made({ when: day(1) }), "garbage", newer));
    folder.file("artifacts/b/two.jsonl", lines(made({ when: day(1) }), made({ when: day(2) })));
    folder.file("artifacts/b/log.txt", "not looked at");
    folder.file("page.jsonl", "<!DOCTYPE html>\n<p>504 Gateway Timeout</p>\n");
    folder.file("empty.jsonl", "");
    fs.mkdirSync(folder.at("nothing"));
    const sources = ["artifacts", "page.jsonl", "empty.jsonl", "nothing", "gone.jsonl"].map((one) => folder.at(one));
    const report = await mergeCombinations({ root: folder.root, file, sources }, signal);
    assert.equal(isReport(report), true, JSON.stringify(isReport.errors));
    assert.deepEqual([report.added, report.already], [3, 0]);
    assert.deepEqual(report.files, [
      { file: folder.at("artifacts/a/one.jsonl"), records: 2, problems: [`Line 2 of ${folder.at("artifacts/a/one.jsonl")} is left out: it is no JSON.`, `Line 3 of ${folder.at("artifacts/a/one.jsonl")} was written by a newer Abiding (schema 2) and is not shown; a newer version shows it.`] },
      { file: folder.at("artifacts/b/two.jsonl"), records: 2, problems: [] },
      { file: folder.at("page.jsonl"), records: 0, problems: [], refused: `${folder.at("page.jsonl")} is no file of records, and nothing of it was taken. Line 1 of ${folder.at("page.jsonl")} is left out: it is no JSON.` },
      { file: folder.at("empty.jsonl"), records: 0, problems: [] },
      { file: folder.at("nothing"), records: 0, problems: [], refused: `The folder ${folder.at("nothing")} holds no file whose name ends in .jsonl.` },
      { file: folder.at("gone.jsonl"), records: 0, problems: [], refused: `Could not read ${folder.at("gone.jsonl")}: it does not exist (ENOENT).` },
    ]);
    assert.equal(folder.read(".abiding/combinations.jsonl"), lines(made({ when: day(1) }), made({ when: day(2) }), newer));
    const again = await mergeCombinations({ root: folder.root, file, sources: [folder.at("artifacts"), file] }, signal);
    assert.deepEqual([again.added, again.already], [0, 3]);
    assert.equal(folder.read(".abiding/combinations.jsonl").split("\n").length, 4);
  });

  it("tells by its status what was refused", async () => {
    const whole = await folder.abiding("merge", "artifacts/b");
    assert.deepEqual(whole, { status: 0, err: "", out: `${folder.at("artifacts/b/two.jsonl")}: 2 records\n0 records added to .abiding/combinations.jsonl, 2 of those found were there already.\n` });
    assert.equal((await folder.abiding("merge", "artifacts/b", "page.jsonl")).status, 1);
    assert.equal((await folder.abiding("merge", "page.jsonl")).status, 2);
    assert.deepEqual(await folder.abiding("merge"), { status: 2, out: "", err: "abiding: combinations merge takes files of records, or folders that hold some.\n" });
    const { out } = await folder.abiding("merge", "artifacts/b", "--format", "json");
    assert.equal(isReport(JSON.parse(out)), true);
  });

  it("reads a pipe", { skip: process.platform === "win32" ? "there are no named pipes here" : false }, async () => {
    const pipe = folder.at("pipe.jsonl");
    execFileSync("mkfifo", [pipe]);
    const writing = fs.promises.writeFile(pipe, lines(made({ when: day(5) })));
    const report = await mergeCombinations({ root: folder.root, file, sources: [pipe] }, signal);
    await writing;
    assert.equal(report.added, 1);
  });
});
