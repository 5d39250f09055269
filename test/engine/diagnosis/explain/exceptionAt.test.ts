import assert from "node:assert/strict";
import { test } from "node:test";
import { causedBy, exceptionAt, exceptionIndexAt } from "../../../../src/engine/diagnosis/explain/exceptionAt.ts";
import { readLog } from "../../../../src/engine/diagnosis/explain/text/index.ts";

const text = `one
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    f()
OSError: libx.so: cannot open shared object file

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "b.py", line 2, in <module>
    g()
ImportError: Could not load this library: b.so
between
ValueError: c
and more of it`;

test("a line belongs to the exception that prints it, or to none", () => {
  const log = readLog(text);
  assert.deepEqual(log.lines.map((_line, at) => exceptionIndexAt(log, at) ?? "-").join(""), "-0000---1111122", log.exceptions.map(({ first, last }) => `${first}-${last}`).join(" "));
  assert.equal(exceptionAt(log, 0), undefined);
  assert.equal(exceptionAt(log, 4)?.type, "OSError");
  assert.equal(exceptionAt(log, log.lines.length), undefined);
  assert.equal(exceptionAt({ lines: [], exceptions: [] }, 0), undefined);
});

test("what an exception caused stands behind it", () => {
  const log = readLog(text);
  assert.equal(causedBy(0, log)?.type, "ImportError");
  assert.equal(causedBy(1, log), undefined);
});
