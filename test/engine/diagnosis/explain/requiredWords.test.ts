import assert from "node:assert/strict";
import { test } from "node:test";
import { buildingRecognisers } from "../../../../src/engine/diagnosis/explain/building/index.ts";
import { loadingRecognisers } from "../../../../src/engine/diagnosis/explain/loading/index.ts";
import { anyOf, requiredWords } from "../../../../src/engine/diagnosis/explain/requiredWords.ts";
import { runningRecognisers } from "../../../../src/engine/diagnosis/explain/running/index.ts";
import { readCorpus } from "./corpus/corpus.ts";

const hints = [...loadingRecognisers, ...buildingRecognisers, ...runningRecognisers].map(({ hint }) => hint);

test("the words of a pattern are those of which every match has one", () => {
  for (const [pattern, words] of [
    [/undefined symbol:/, ["undefined symbol:"]],
    [/cannot find (?:-l|\S*\.so)/, ["cannot find "]],
    [/[Ss]ymbol not found|LNK20(?:01|19)\b/, ["ymbol not found", "LNK20"]],
    [/\d: ab?cdef+g/, ["cdef"]],
    [/(?:error|fehler)\d*x/, ["error", "fehler"]],
    [/(?:error)?\d+/, undefined],
    [/abc|\d+/, undefined],
    [/a{0,3}b{2,}cd/, undefined],
    [/^\bfile\.so$/, ["file.so"]],
    [/(?=lookahead)ahead(?!never)/, ["ahead"]],
    [/(?<!before)(?<name>named)/, ["named"]],
    [/[\]"a|b]word(?:[(]|\))/, ["word"]],
    [/\x41\u004264\tabc\cAde\p{L}f/u, ["abc"]],
    [/仅在.{0,20}可用/, ["仅在"]],
    [/是.{0,20}仅在可用/, ["仅在可用"]],
    [/x(?:)y/, undefined],
  ] as const) assert.deepEqual(requiredWords(pattern), words, pattern.source);
});

test("asking many patterns by their words is asking each", () => {
  const ask = anyOf(hints);
  const lines = readCorpus().flatMap(({ text }) => text.split("\n"));
  const more = lines.flatMap((line) => [line.toUpperCase(), line.slice(3), line.slice(0, -3)]);
  let some = 0;
  for (const line of [...lines, ...more]) {
    const matches = hints.some((hint) => hint.test(line));
    if (matches) some += 1;
    assert.equal(ask(line), matches, line);
  }
  assert.ok(some > 500 && some < lines.length, String(some));
  assert.equal(anyOf([])("undefined symbol: f"), false);
});

test("hints can be asked together: none refers to a group", () => {
  for (const { source, flags } of hints) {
    assert.ok(!/\\[1-9k]|\(\?<\w/.test(source), source);
    assert.match(flags, /^[iu]*$/);
  }
});

test("a command line that sets the macro is no message about it", () => {
  const ask = anyOf(hints);
  assert.equal(ask("c++ -D_GLIBCXX_USE_CXX11_ABI=1 -I/t/include -D _GLIBCXX_USE_CXX11_ABI=1 -c ops.cpp"), false);
  assert.equal(ask("  _GLIBCXX_USE_CXX11_ABI of PyTorch and of the project differ"), true);
});
