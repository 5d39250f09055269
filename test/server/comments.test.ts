import assert from "node:assert/strict";
import { test } from "node:test";
import { ignoreEdit } from "../../src/server/comments.ts";

function after(file: string, text: string, line: number): string | undefined {
  const lines = text.split("\n");
  const edit = ignoreEdit(file, "native-arch", line, (one) => lines[one] ?? "");
  if (edit === undefined) {
    return undefined;
  }
  const at = lines[edit.line] ?? "";
  lines[edit.line] = at.slice(0, edit.character) + edit.text + at.slice(edit.character);
  return lines.join("\n");
}

test("the comment stands above the line, in the syntax of the file", () => {
  assert.equal(after("/p/setup.py", "flags = [\n    '-march=native',\n]", 1), "flags = [\n    # abiding: ignore[native-arch] \n    '-march=native',\n]");
  assert.equal(after("/p/ops.cu", "  f();", 0), "  // abiding: ignore[native-arch] \n  f();");
  assert.equal(after("/p/pyproject.toml", "a = 1", 0), "# abiding: ignore[native-arch] \na = 1");
});

test("JSON has no comments, so nothing is offered", () => {
  assert.equal(after("/p/CMakePresets.json", "{}", 0), undefined);
});

test("after a continued line the comment goes behind the line, or nowhere", () => {
  assert.equal(after("/p/setup.py", "x = a + \\\n  b", 1), "x = a + \\\n  b  # abiding: ignore[native-arch]");
  assert.equal(after("/p/setup.py", "x = a + \\\n  b + \\\n  c", 1), undefined);
  assert.equal(after("/p/Dockerfile", "RUN pip install \\\n  torch", 1), "RUN pip install \\\n  # abiding: ignore[native-arch] \n  torch");
});

test("a comment that is there already gets the rule added", () => {
  assert.equal(after("/p/setup.py", "# abiding: ignore[cxx-standard] legacy\nx = 1", 1), "# abiding: ignore[cxx-standard, native-arch] legacy\nx = 1");
  assert.equal(after("/p/setup.py", "x = 1  # abiding: ignore[cxx-standard]", 0), "x = 1  # abiding: ignore[cxx-standard, native-arch]");
});
