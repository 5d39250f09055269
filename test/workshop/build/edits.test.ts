import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import type { Finding, TextEdit } from "../../../src/engine/model/index.ts";
import { applyPreferredFixes, witnessOf } from "../../../src/workshop/build/index.ts";
import { scratchFolder } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("edits");
after(remove);

type Edit = readonly [file: string, line: number, from: number, to: number, newText: string];

function finding(title: string, edits: readonly Edit[], changes: Partial<Finding> = {}): Finding {
  const all = edits.map(([file, line, from, to, newText]): TextEdit => ({ location: { path: file, range: { start: { line, character: from }, end: { line, character: to } } }, newText }));
  const location = all[0]?.location ?? { path: scratch, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
  return { rule: "libstdcxx-abi", severity: "error", message: title, location, related: [], against: [], fixes: [{ title, preferred: true, edits: all }], ...changes };
}

function write(name: string, text: string | Buffer): string {
  const file = path.join(scratch, name);
  fs.writeFileSync(file, text);
  return file;
}

describe("preferred fixes", () => {
  it("are applied to several files and places, with the mark, the line ends and the permissions of each file kept", async () => {
    const a = write("a.py", "\ufeffone = 'ä𝔘'; two\r\nthree\r\n");
    const b = write("b.py", "four\n");
    fs.chmodSync(a, 0o755);
    const findings = [finding("First", [[a, 0, 13, 16, "2"], [b, 0, 0, 4, "4"]]), finding("Second", [[a, 1, 0, 5, "3"]]), finding("Other", [[b, 0, 0, 0, "x"]], { fixes: [] })];
    assert.deepEqual(await applyPreferredFixes(findings, witnessOf(findings)), { applied: ["First", "Second"], files: [a, b], refused: [] });
    assert.equal(fs.readFileSync(a, "utf8"), "\ufeffone = 'ä𝔘'; 2\r\n3\r\n");
    assert.equal(fs.readFileSync(b, "utf8"), "4\n");
    assert.equal(fs.statSync(a).mode & 0o777, 0o755);
  });

  it("are refused whole when one of their files was changed since", async () => {
    const a = write("c.py", "one\n");
    const b = write("d.py", "two\n");
    const findings = [finding("Both", [[a, 0, 0, 3, "1"], [b, 0, 0, 3, "2"]]), finding("One", [[a, 0, 0, 3, "I"]])];
    const witness = witnessOf(findings);
    fs.writeFileSync(b, "two, edited\n");
    const { applied, refused } = await applyPreferredFixes(findings, witness);
    assert.deepEqual([applied, refused], [["One"], [`"Both" was not applied: ${b} was changed since it was checked, or cannot be read as UTF-8.`]]);
    assert.deepEqual([fs.readFileSync(a, "utf8"), fs.readFileSync(b, "utf8")], ["I\n", "two, edited\n"]);
  });

  it("that edit the same place exclude each other, the graver first; the same edit twice is made once", async () => {
    const a = write("e.py", "flags = [one, two]\n");
    const findings = [finding("Mild", [[a, 0, 9, 14, ""]], { severity: "warning" }), finding("Grave", [[a, 0, 9, 12, "1"]]), finding("Grave again", [[a, 0, 9, 12, "1"]])];
    const { applied, refused } = await applyPreferredFixes(findings, witnessOf(findings));
    assert.deepEqual([applied, refused], [["Grave", "Grave again"], ['"Mild" was not applied: another fix edits the same place. Check again and apply it then.']]);
    assert.equal(fs.readFileSync(a, "utf8"), "flags = [1, two]\n");
  });

  it("leave files alone that are no UTF-8", async () => {
    const a = write("f.py", Buffer.from([0x61, 0xe9, 0x0a]));
    const findings = [finding("Latin", [[a, 0, 0, 1, "b"]])];
    assert.deepEqual((await applyPreferredFixes(findings, witnessOf(findings))).applied, []);
    assert.deepEqual(fs.readFileSync(a), Buffer.from([0x61, 0xe9, 0x0a]));
  });
});
