/** What a terminal, a mail program or a formatter broke is one line again; what only stands below each other is not. */
import assert from "node:assert/strict";
import test from "node:test";
import { readLog } from "../../../../../src/engine/diagnosis/explain/text/index.ts";

const symbol = "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const loaderSays = `ImportError: /srv/env/lib/python3.11/site-packages/widemem/ops/_kernels.cpython-311-x86_64-linux-gnu.so: undefined symbol: ${symbol}`;
const linkerSays = "/usr/bin/ld: build/ops.o: in function `gather(at::Tensor const&)':\nops.cpp:(.text+0x3c): undefined reference to `torch::jit::load(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&, std::optional<c10::Device>)'\ncollect2: error: ld returned 1 exit status";

/** As a terminal of that width shows it. */
function onTerminal(text: string, width: number): string {
  return text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "g")) ?? [""]).join("\n");
}

/** As a mail program breaks it: between words, which it does not break. */
function inMail(text: string, width: number, indent = ""): string {
  return text.split("\n").flatMap((line) => {
    const lines = [""];
    for (const word of line.split(" ")) {
      const current = lines.at(-1) ?? "";
      if (current === "") lines[lines.length - 1] = (lines.length > 1 ? indent : "") + word;
      else if (current.length + 1 + word.length <= width) lines[lines.length - 1] = `${current} ${word}`;
      else lines.push(indent + word);
    }
    return lines;
  }).join("\n");
}

function linesOf(text: string): readonly (readonly [string, number, number])[] {
  return readLog(text).lines.filter((line) => line.text !== "").map(({ text: own, first, last }) => [own, first, last]);
}

for (const width of [60, 72, 80, 97, 100, 120, 132]) {
  test(`a loader's error on a terminal of ${width} columns`, () => {
    const text = `Traceback (most recent call last):\n  File "/srv/run.py", line 3, in <module>\n    import widemem\n${loaderSays}\n`;
    const wrapped = onTerminal(text, width);
    assert.deepEqual(linesOf(wrapped).map(([line]) => line), text.trim().split("\n"));
    assert.deepEqual(linesOf(wrapped).at(-1)?.slice(1), [4, wrapped.trim().split("\n").length]);
  });
}

for (const width of [80, 100, 120]) {
  test(`a linker's error on a terminal of ${width} columns`, () => {
    assert.deepEqual(linesOf(onTerminal(linkerSays, width)).map(([line]) => line), linkerSays.split("\n"));
  });
}

for (const [width, indent] of [[72, ""], [80, "  "], [76, "    "]] as const) {
  test(`a loader's and a linker's error, broken between words at ${width}`, () => {
    const text = `${loaderSays}\n${linkerSays.split("\n").slice(1).join("\n")}`;
    const squeezed = linesOf(inMail(text, width, indent)).map(([line]) => line);
    assert.equal(squeezed[0], loaderSays);
    assert.equal(squeezed[1], linkerSays.split("\n")[1]);
    assert.equal(squeezed[2], "collect2: error: ld returned 1 exit status");
  });
}

test("every place of a break inside of what the loader says is mended", () => {
  const begin = loaderSays.indexOf(": undefined");
  for (let at = begin; at < loaderSays.length - 1; at += 1) {
    const [head, tail] = [loaderSays.slice(0, at), loaderSays.slice(at)];
    const read = linesOf(`${head}\n${tail}\n`);
    assert.deepEqual(read.map(([line]) => line.replace(/\s+/g, "")), [loaderSays.replace(/\s+/g, "")], `broken at ${at}: ${head.slice(-20)}|${tail.slice(0, 20)}`);
  }
});

test("names of C and of versions go on where a terminal broke them", () => {
  for (const says of [
    "ImportError: /opt/v/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkCreate_12_9, version libnvJitLink.so.12",
    "ImportError: /opt/miniforge3/envs/geo/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /home/p/geo/_C.so)",
  ]) {
    for (let width = says.indexOf(says.includes("Jit") ? "undefined" : "version"); width < (says.includes("Jit") ? says.length - 1 : says.indexOf(" /home")); width += 1) {
      const wrapped = `${says.slice(0, width)}\n${says.slice(width)}`;
      assert.deepEqual(linesOf(wrapped).map(([line]) => line), [says], wrapped);
    }
  }
  assert.equal(linesOf("the loader of this program wants a symbol and says: undefined symbol: lookup_me\nwhatever, versions differ").length, 2);
});

test("what torch and packages say of versions goes on", () => {
  for (const [says, from, to] of [
    ["NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.", "compatible", "tion."],
    ["WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:", "was built", "or:"],
  ] as const) {
    for (let width = says.indexOf(from); width < says.length - to.length; width += 1) assert.equal(linesOf(`${says.slice(0, width)}\n${says.slice(width)}`).length, 1, says.slice(0, width));
  }
});

test("a path that a terminal broke goes on", () => {
  const text = "OSError: /srv/conda/envs/training-2026-05/lib/python3.11/site-pack\nages/widemem/libops.so: file too short";
  assert.equal(linesOf(text)[0]?.[0], text.replace("\n", ""));
});

test("prefixes stand only before the first part of a line", () => {
  const text = onTerminal(`2026-05-09T07:36:11.1234567Z ${loaderSays}`, 80);
  assert.deepEqual(linesOf(text), [[loaderSays, 1, 3]]);
});

test("lines that belong apart stay apart", () => {
  for (const text of [
    // A whole name, and below it what another program says.
    `/srv/ops.so: undefined symbol: ${symbol}\nAborted (core dumped)`,
    `/srv/ops.so: undefined symbol: ${symbol}\nmake: *** [Makefile:3: check] Error 127`,
    "/srv/ops.so: undefined symbol: THPVariableClass\nsrun: error: node7: task 0: Exited with exit code 1",
    "/srv/ops.so: undefined symbol: _ZTVN3c105ErrorE\nKilled",
    // Two errors of a linker below each other.
    "ops.cpp:(.text+0x3c): undefined reference to `a::first(int)'\nops.cpp:(.text+0x51): undefined reference to `a::second(int)'",
    // Rulers and tables are as wide as the terminal.
    "================================================================================\nshort test summary info",
    "-- The CUDA compiler identification is NVIDIA 13.0.48, and it is at /usr/local/cuda\n-- Detecting CUDA compiler ABI info",
    // A file and a file.
    "copying widemem/ops/kernels/very/deep/folder/with/long/names/registry.py -> build/lib\ncopying widemem/ops/__init__.py -> build/lib",
    "Processing ./dist/widemem-1.4.0+torch2.9cu130-cp311-cp311-manylinux_2_28_x86_64.whl\nInstalling collected packages: widemem",
    "cd /srv/ops\nsetup.py",
  ]) assert.deepEqual(linesOf(text).map(([line]) => line), text.split("\n"));
});

test("the same long line of several ranks is no sign of a width", () => {
  const text = [0, 1, 2, 3].flatMap((rank) => [`[rank${rank}]: ${loaderSays}`, "srun: error: task exited"]).join("\n");
  assert.deepEqual([...new Set(linesOf(text).map(([line]) => line))], ["srun: error: task exited", loaderSays].toSorted());
  assert.equal(linesOf(`[rank0]: ${loaderSays}\nE1201 04:00:00.123000 4242 torch/distributed/api.py:984] failed (exitcode: 1)`).length, 2);
});

test("a line of another writer never goes on", () => {
  assert.deepEqual(linesOf("[rank0]: OSError: /srv/ops.so: undefined symbol:\n[rank1]: gather_rows").map(([line]) => line), ["OSError: /srv/ops.so: undefined symbol:", "gather_rows"]);
});

test("rulers between wrapped lines stay alone", () => {
  const long = ["a", "b", "c"].map((name) => `${name.repeat(50)}/${name.repeat(60)}`).join("\n");
  assert.deepEqual(linesOf(`${onTerminal(long, 80)}\n${"-".repeat(80)}\nsummary`).map(([line]) => line), [...long.split("\n"), "-".repeat(80), "summary"]);
});

test("prose and source that are as wide as a terminal are not glued", () => {
  const words = "The quick build of the extension went through without any complaint whatsoever, ";
  const text = [words, `${words.slice(1)}x`, "and then it failed at import time.", "", "ok"].join("\n");
  assert.equal(readLog(text).lines.length, 5);
});

test("a hostile number of breaks ends", () => {
  const text = Array.from({ length: 5000 }, () => "x".repeat(79) + "_ZN3c10").join("\n");
  assert.equal(readLog(text).lines.length > 0, true);
});

test("what a compiler says below its place goes on there", () => {
  const [line] = readLog("srv/ops/kernel_torch_shim.h:85:22: error:\nno template named 'optional' in namespace 'c10'; did you mean 'std::optional'?").lines;
  assert.equal(line?.text, "srv/ops/kernel_torch_shim.h:85:22: error: no template named 'optional' in namespace 'c10'; did you mean 'std::optional'?");
});

test("messages that are as long as each other are not one", () => {
  const text = [8, 7, 6, 5].map((version) => `FFmpeg version ${version}: libavutil.so.${version + 52}: cannot open shared object file: No such file or directory`).join("\n");
  assert.deepEqual(readLog(text).lines.map((line) => line.text), text.split("\n"));
});
