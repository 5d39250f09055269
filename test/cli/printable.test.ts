import assert from "node:assert/strict";
import { styleText } from "node:util";
import { describe, it } from "node:test";
import { jsonText } from "../../src/cli/reporters/jsonText.ts";
import { printable, printableDeep, printableLines, printableStyled } from "../../src/cli/reporters/printable.ts";

const hostile = "a\u001b]0;title\u0007b\rc\nd\u009b2Je\u202etxt.os";

describe("names that would control a terminal", () => {
  it("are shown in texts", () => {
    assert.equal(printable(hostile), "a\\x1b]0;title\\x07b\\x0dc\\nd\\x9b2Je\\u202etxt.os");
    assert.equal(printableLines("one\u001b[2J\ntwo"), "one\\x1b[2J\ntwo");
  });

  it("leave plain texts of any language and tabs as they are", () => {
    assert.equal(printable("größe\t日本語 😀"), "größe\t日本語 😀");
  });

  it("lose nothing of the colours that reports have, and bring none of their own commands", () => {
    const line = `${styleText(["bold", "red"], "error", { validateStream: false })} \u001b[2J\u001b[8m`;
    assert.equal(printableStyled(line), `${styleText(["bold", "red"], "error", { validateStream: false })} \\x1b[2J\\x1b[8m`);
  });

  it("are shown wherever they stand in a report, keys too", () => {
    assert.deepEqual(printableDeep({ list: [hostile.slice(0, 2), 3, null, { "k\u001b": true }], none: undefined }), { list: ["a\\x1b", 3, null, { "k\\x1b": true }], none: undefined });
  });

  it("are escaped in JSON, which means the same", () => {
    const text = jsonText({ name: hostile });
    assert.deepEqual(JSON.parse(text), { name: hostile });
    assert.doesNotMatch(text.replaceAll("\n", ""), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
