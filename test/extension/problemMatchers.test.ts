/** The contributed problem matchers on what real tools printed: every problem with a place is found, and nothing else is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { test } from "node:test";
import { linesOf, names, problemsOf } from "../workshop/build/recorded.ts";

interface Pattern {
  readonly regexp: string;
  readonly file?: number;
  readonly line?: number;
  readonly severity?: number;
  readonly message?: number;
}

interface Matcher {
  readonly name: string;
  readonly severity?: string;
  readonly pattern: Pattern | readonly Pattern[];
}

const root = path.resolve(import.meta.dirname, "../..");
const { contributes } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { readonly contributes: { readonly problemMatchers: readonly Matcher[] } };
const matchers = contributes.problemMatchers;

/** As VS Code does it: the patterns of a matcher take lines that follow one another, and the first matcher that does so wins. */
function matched(lines: readonly string[], among: readonly Matcher[]): string[] {
  return lines.flatMap((_, start) => {
    for (const matcher of among) {
      const found: { severity?: string; file?: string; line?: string; message?: string } = {};
      const patterns = [matcher.pattern].flat();
      const isMatch = patterns.every((pattern, index) => {
        const match = new RegExp(pattern.regexp).exec(stripVTControlCharacters(lines[start + index] ?? ""));
        if (match === null) return false;
        for (const key of ["severity", "file", "line", "message"] as const) {
          const group = pattern[key];
          if (group !== undefined) found[key] = match[group];
        }
        return true;
      });
      if (isMatch) {
        assert.ok(found.file !== undefined && found.message !== undefined, matcher.name);
        return [`${path.resolve("/project", found.file)}:${found.line ?? "1"}`];
      }
    }
    return [];
  });
}

function places(lines: readonly string[]): { readonly wanted: Set<string>; readonly allowed: Set<string> } {
  const place = (location: { readonly path: string; readonly range: { readonly start: { readonly line: number } } } | undefined): string[] => (location === undefined ? [] : [`${location.path}:${location.range.start.line + 1}`]);
  const problems = problemsOf(lines);
  const wanted = new Set(problems.filter(({ tool }) => ["gcc", "clang", "nvcc", "ptxas", "nvlink", "cmake"].includes(tool)).flatMap(({ location }) => place(location)));
  return { wanted, allowed: new Set([...wanted, ...problems.flatMap(({ location, related }) => [...place(location), ...(related ?? []).flatMap((one) => place(one.location))])]) };
}

/** Whole families of output, as the tools' own names begin them. */
const recorded = names.filter((name) => /^(?:gcc|clang|nvcc|ptxas|nvlink|cmake|make|ninja|ld)-/.test(name));

for (const name of recorded) {
  test(`the matchers find in ${name} what is there`, () => {
    const lines = linesOf(name);
    const { wanted, allowed } = places(lines);
    const found = new Set(matched(lines, matchers));
    assert.deepEqual([...wanted].filter((one) => !found.has(one)), [], "not found");
    assert.deepEqual([...found].filter((one) => !allowed.has(one)), [], "found and not there");
  });
}

test("ptxas says no file: the command line before it does", () => {
  assert.deepEqual(matched(["nvcc -arch=sm_90 -x cu -c csrc/large.cu -o large.o", "ptxas error   : Entry function '_Z5largePf' uses too much shared data"], matchers), ["/project/csrc/large.cu:1"]);
});

test("nvlink names an object: CMake's names lead to the source", () => {
  assert.deepEqual(matched(["nvlink error   : Undefined reference to '_Z9elsewheref' in 'CMakeFiles/ops.dir/csrc/kernel.cu.o'"], matchers), ["/project/csrc/kernel.cu:1"]);
});

test("sentences of ours and of VS Code are no problems", () => {
  assert.deepEqual(matched(["* build/libtiny.so: Would not work with torch 2.14.1.", " *  The terminal process failed to launch: Path to shell executable \"/x:3\" does not exist.", "[ 50%] Building CXX object a.cpp.o", "12:30:00 error: something", "http://host:80: error: refused"], matchers), []);
});
