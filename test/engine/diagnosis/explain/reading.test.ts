import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isCode, isPrinted } from "../../../../src/engine/diagnosis/explain/reading.ts";

const message = "CUDA error: out of memory";
const printed = (line: string): boolean => isPrinted(line.slice(0, line.indexOf(message)), line);

describe("messages", () => {
  it("are printed behind nothing, labels, brackets and quotes", () => {
    for (const line of [message, `RuntimeError: ${message}`, `E       RuntimeError: ${message}`, `  what():  ${message}`, `[rank0]: RuntimeError: ${message}`, `worker died ("${message}")`, `error="${message}"`, `level=error msg='x: ${message}'`, `RayTaskError(RuntimeError('${message}'))`, `I get RuntimeError: ${message}`, `**${message}**`, `- ${message}`, `209 | ${message}`]) {
      if (line.includes(message)) assert.ok(printed(line), line);
    }
  });

  it("are not what code holds, comments mention or prose tells", () => {
    for (const line of [`raise RuntimeError("${message}")`, `    raise RuntimeError(f"${message}")`, `TORCH_CHECK(false, "${message}");`, `if "${message}" in str(e):`, `with pytest.raises(RuntimeError, match="${message}"):`, `# ${message}`, `// RuntimeError: ${message}`, `TEXT = "${message}"`, `When it prints ${message}`, `If you see: ${message}`, `Fixes RuntimeError: ${message}`, `- Fixed: ${message}`, `you may see errors like ${message}`, `we observed ${message}`, `the log has ${message}`]) {
      assert.ok(!printed(line), line);
    }
    assert.ok(!isPrinted("", `${message} PASSED`));
  });
});

describe("lines", () => {
  const text = "x.so: undefined symbol: f";

  it("that hold a message in a string are code", () => {
    for (const line of [`raise ImportError("${text}")`, `    assert "${text}" in log`, `# ${text}`, `// ${text}`, `+ expect(log).toContain('${text}')`, `if ("${text}" == what) {`, `    "${text}",`, `'${text}',  # seen in CI`, `log.includes("${text}")`, `tests/test_load.py::test_says[${text}] PASSED`]) {
      assert.ok(isCode(line), line);
    }
  });

  it("that a program printed are none", () => {
    for (const line of [text, `ImportError: ${text}`, `#11 12.3 ${text}`, `OSError: '${text}'`, `return code 1: ${text}`, `"_f", referenced from:`, `'/opt/libc10.so', needed by 'demo', missing and no known rule to make it`.replace("'/opt", "ninja: error: '/opt"), `"${text}"`]) {
      assert.equal(isCode(line), line.startsWith('"_f"'), line);
    }
  });
});
