/** Exceptions as Python, IPython, rich, pytest and the C++ runtime print them, with what each was caused by. */
import assert from "node:assert/strict";
import test from "node:test";
import { readLog } from "../../../../../src/engine/diagnosis/explain/text/index.ts";
import type { Log, PrintedException } from "../../../../../src/engine/diagnosis/explain/types.ts";

const symbol = "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const loaderSays = `/srv/widemem/_C.so: undefined symbol: ${symbol}`;

function read(...lines: string[]): Log {
  return readLog(lines.join("\n"));
}

/** Type, first line of the message, cause, number of frames. */
function shape({ type, message, causedBy, frames }: PrintedException): readonly unknown[] {
  return [type, message.split("\n")[0], causedBy, frames.length];
}

const chained = [
  "Traceback (most recent call last):",
  '  File "/srv/run.py", line 6, in load',
  "    main()",
  "    ^^^^^^",
  '  File "/srv/run.py", line 3, in main',
  "    from widemem import _C",
  `ImportError: ${loaderSays}`,
  "",
  "The above exception was the direct cause of the following exception:",
  "",
  "Traceback (most recent call last):",
  '  File "/srv/run.py", line 9, in <module>',
  "    load()",
  "RuntimeError: could not load the kernels",
];

test("a chain by `raise ... from`", () => {
  const log = read(...chained);
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 2], ["RuntimeError", "could not load the kernels", 0, 1]]);
  assert.deepEqual(log.exceptions[0]?.frames, [{ file: "/srv/run.py", line: 6, code: "main()" }, { file: "/srv/run.py", line: 3, code: "from widemem import _C" }]);
  assert.deepEqual(log.exceptions.map(({ first, last }) => [first, last]), [[0, 6], [10, 13]]);
  assert.deepEqual(log.lines.flatMap(({ isCode }, at) => (isCode === true ? [at] : [])), [2, 5, 12]);
});

test("what came up during the handling of another says so", () => {
  const log = read(...chained.map((line) => line.replace("The above exception was the direct cause of the following exception:", "During handling of the above exception, another exception occurred:")));
  assert.deepEqual(log.exceptions.map(({ causedBy, whileHandling }) => [causedBy, whileHandling]), [[undefined, undefined], [0, true]]);
});

test("a chain whose head was not copied", () => {
  const log = read(...chained.slice(6));
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 0], ["RuntimeError", "could not load the kernels", 0, 1]]);
});

test("a chain in pip's box, indented", () => {
  const log = read("  × Building wheel for widemem (pyproject.toml) did not run successfully.", "  │ exit code: 1", "  ╰─> [14 lines of output]", ...chained.map((line) => (line === "" ? "" : `      ${line}`)), "      [end of output]");
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 2], ["RuntimeError", "could not load the kernels", 0, 1]]);
});

test("two tracebacks below each other are no chain", () => {
  const log = read(...chained.slice(0, 7), ...chained.slice(10));
  assert.deepEqual(log.exceptions.map(({ causedBy }) => causedBy), [undefined, undefined]);
});

test("torch's load_library: the useful text is in the cause, which some print indented below", () => {
  const log = read("OSError: Could not load this library: /srv/st.so", "  OSError: /srv/st.so: undefined symbol: torch_has_storage");
  assert.deepEqual(log.exceptions.map(shape), [["OSError", "Could not load this library: /srv/st.so", 1, 0], ["OSError", "/srv/st.so: undefined symbol: torch_has_storage", undefined, 0]]);
});

test("pytest, as it prints a chain", () => {
  const log = read("    def load():", "        try:", ">           main()", "", "run.py:6: ", "_ _ _ _ _ _ _ _ _ _ ", "", "    def main():", ">       from widemem import _C", `E       ImportError: ${loaderSays}`, "", "run.py:3: ImportError", "",
    "The above exception was the direct cause of the following exception:", "", ">   load()", "", "test_run.py:2: ", `E           RuntimeError: could not load the kernels`, "", "run.py:8: RuntimeError");
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 0], ["RuntimeError", "could not load the kernels", 0, 0]]);
  assert.deepEqual(log.lines.flatMap(({ isCode, text }) => (isCode === true && /^ {2}/.test(text) ? [text.trim()] : [])), ["def load():", "try:", "main()", "def main():", "from widemem import _C", "load()"]);
});

test("IPython", () => {
  const log = read("---------------------------------------------------------------------------", "ImportError                               Traceback (most recent call last)", "Cell In[4], line 2", "      1 import torch", "----> 2 import widemem", "", "File /srv/widemem/__init__.py:6, in load()", "      5 try:", '----> 6     raise OSError("libcudart.so.12: cannot open shared object file")', "", `ImportError: ${loaderSays}`);
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 2]]);
  assert.deepEqual(log.exceptions[0]?.frames, [{ file: "<cell 4>", line: 2 }, { file: "/srv/widemem/__init__.py", line: 6 }]);
  assert.deepEqual(log.lines.flatMap(({ isCode }, at) => (isCode === true ? [at] : [])), [3, 4, 7, 8]);
});

test("rich, which breaks the message between words", () => {
  const log = read("╭──────────────────── Traceback (most recent call last) ─────────────────────╮", "│ /srv/run.py:6 in load                                                      │", "│                                                                            │", "│    5 │   try:                                                              │", "│ ❱  6 │   │   main()                                                        │", "╰────────────────────────────────────────────────────────────────────────────╯", "ImportError: /srv/widemem/_C.so: ", "undefined symbol: ", symbol);
  assert.deepEqual(log.exceptions.map(shape), [["ImportError", loaderSays, undefined, 1]]);
});

test("an exception group prints its members below it", () => {
  const log = read("  + Exception Group Traceback (most recent call last):", '  |   File "/srv/run.py", line 3, in <module>', "  |     raise ExceptionGroup(\"kernels\", found)", "  | ExceptionGroup: kernels (2 sub-exceptions)", "  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):", '    |   File "/srv/run.py", line 7, in first', "    |     import first", `    | ImportError: ${loaderSays}`, "    +---------------- 2 ----------------", "    | OSError: libcudart.so.12: cannot open shared object file: No such file or directory", "    +------------------------------------");
  assert.deepEqual(log.exceptions.map(shape), [["ExceptionGroup", "kernels (2 sub-exceptions)", 1, 1], ["ImportError", loaderSays, undefined, 1], ["OSError", "libcudart.so.12: cannot open shared object file: No such file or directory", undefined, 0]]);
});

test("messages of several lines", () => {
  const arguments_ = read("TypeError: gather(): incompatible function arguments. The following argument types are supported:", "    1. (arg0: torch::jit::Graph) -> int", "", "Invoked with: graph(%a : Tensor,", "      %b : Tensor):", "  return (%a)", "", "done");
  assert.equal(arguments_.exceptions[0]?.message.split("\n").length, 6);
  assert.equal(arguments_.exceptions[0]?.last, 5);
  const cuda = read("torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device", "CUDA kernel errors might be asynchronously reported at some other API call.", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1", "", "make: *** [Makefile:3: test] Error 1");
  assert.deepEqual(cuda.exceptions.map(({ type, last }) => [type, last]), [["torch.AcceleratorError", 2]]);
  const build = read("RuntimeError: Error building extension 'gather': [1/2] c++ -c gather.cpp", "FAILED: gather.o", "gather.cpp:1:10: fatal error: THC/THC.h: No such file or directory");
  assert.equal(build.exceptions[0]?.last, 2);
});

test("C++: terminate called", () => {
  const log = read("terminate called after throwing an instance of 'c10::Error'", "  what():  Tried to register multiple backend fallbacks for the same dispatch key Batched", "Exception raised from registerFallback at Dispatcher.cpp:277 (most recent call first):", "frame #0: c10::Error::Error() + 0x3e (0x7fa9 in libc10.so)", "", "Aborted (core dumped)");
  assert.deepEqual(log.exceptions.map(shape), [["c10::Error", "Tried to register multiple backend fallbacks for the same dispatch key Batched", undefined, 0]]);
  assert.deepEqual(log.exceptions.map(({ last }) => last), [3]);
});

test("tracebacks of two processes that write to one terminal without prefixes", () => {
  const log = read("Traceback (most recent call last):", "Traceback (most recent call last):", '  File "/srv/run.py", line 3, in <module>', "    import widemem", '  File "/srv/run.py", line 3, in <module>', "    import widemem", `ImportError: ${loaderSays}`, `ImportError: ${loaderSays}`);
  assert.deepEqual(log.exceptions.map(({ type, message }) => [type, message]), [["ImportError", loaderSays], ["ImportError", loaderSays]]);
});

test("what one writer left open is not another's", () => {
  const open = read("[rank0]: Traceback (most recent call last):", '[rank0]:   File "/srv/run.py", line 3, in <module>', `[rank1]: ImportError: ${loaderSays}`);
  assert.deepEqual(open.exceptions.map(shape), [["ImportError", loaderSays, undefined, 0]]);
  const chain = read("[rank0]: OSError: first", "[rank0]: ", "[rank0]: During handling of the above exception, another exception occurred:", "[rank1]: OSError: second");
  assert.deepEqual(chain.exceptions.map(({ causedBy }) => causedBy), [undefined, undefined]);
});

test("prose, warnings and source are no exceptions", () => {
  const log = read("If you see ImportError: rebuild the extension.", "/srv/torchvision/io/image.py:13: UserWarning: Failed to load image Python extension", "    raise ImportError(\"no kernels\")", "Error: something", "error: subprocess-exited-with-error", "std::runtime_error: x");
  assert.deepEqual(log.exceptions, []);
});

test("a traceback without an end, and one of ten thousand frames", () => {
  assert.deepEqual(read("Traceback (most recent call last):", '  File "/srv/run.py", line 3, in <module>').exceptions, []);
  const deep = read("Traceback (most recent call last):", ...Array.from({ length: 10_000 }, (_, at) => `  File "/srv/run.py", line ${at}, in f`), "RecursionError: maximum recursion depth exceeded");
  assert.equal(deep.exceptions.at(-1)?.type, "RecursionError");
});
