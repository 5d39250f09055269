import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { errorText } from "../../src/tools/errorText.ts";

const text = "ImportError: /srv/app/_C.so: undefined symbol: _ZN3c105ErrorE\r\n  \u2018quoted\u2019\n";
const read = (bytes: Uint8Array): unknown => errorText(bytes, "x.log");

it("reads UTF-8 and UTF-16 of both orders, with their marks and without", () => {
  const wide = Buffer.from(text, "utf16le");
  const turned = Buffer.from(wide).swap16();
  const expected = { ok: true, text };
  for (const bytes of [Buffer.from(text), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]), wide, Buffer.concat([Buffer.from([0xff, 0xfe]), wide]), turned, Buffer.concat([Buffer.from([0xfe, 0xff]), turned])]) {
    assert.deepEqual(read(bytes), expected);
  }
});

it("takes colours, progress bars and bytes of other encodings for text", () => {
  const colours = "\u001b[1m\u001b[31merror\u001b[0m \b\b\r[####  ]\n".repeat(50);
  assert.deepEqual(read(Buffer.from(colours)), { ok: true, text: colours });
  assert.deepEqual(read(Buffer.from("nicht definierter Verweis \xab\xbb", "latin1")), { ok: true, text: "nicht definierter Verweis \ufffd\ufffd" });
  assert.deepEqual(read(Buffer.from(`hole${"\0".repeat(10)}${"line\n".repeat(200)}`)), { ok: true, text: `hole${"\0".repeat(10)}${"line\n".repeat(200)}` });
});

it("says what a file is that is no text, and what to do with it", () => {
  const words = (bytes: Uint8Array): string => {
    const answer = errorText(bytes, "x.log");
    assert.equal(answer.ok, false);
    return answer.ok ? "" : answer.message;
  };
  assert.match(words(readFileSync("/bin/ls")), /^x\.log is a program or a shared library, .*`abiding fits FILE/);
  assert.match(words(Buffer.from("PK\u0003\u0004rest")), /is a ZIP archive or a wheel/);
  assert.match(words(Buffer.from([0x1f, 0x8b, 8, 0])), /is compressed \(gzip\); gzip -dc FILE \| abiding explain - reads it\.$/);
  assert.match(words(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])), /zstd -dc/);
  assert.match(words(Buffer.from([0x89, 0x50, 0x4e, 0x47])), /is a picture/);
  assert.match(words(Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7) % 256))), /is no text/);
  assert.equal(words(Buffer.from("")), "x.log is empty.");
  assert.equal(words(Buffer.from(" \n\t\n")), "x.log is empty.");
});
