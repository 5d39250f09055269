import assert from "node:assert/strict";
import { describe, it } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import { linesOf, names, problemsOf } from "./recorded.ts";

interface Pattern {
  readonly regexp: string;
  readonly file?: number;
  readonly line?: number;
  readonly severity?: number;
  readonly message?: number;
  readonly loop?: boolean;
}

const matchers: readonly { readonly name: string; readonly severity?: string; readonly patterns: readonly Pattern[] }[] = manifest.contributes.problemMatchers.map((one) => {
  const given: Pattern | readonly Pattern[] = one.pattern;
  return { name: one.name, ...("severity" in one && typeof one.severity === "string" ? { severity: one.severity } : {}), patterns: Array.isArray(given) ? (given as readonly Pattern[]) : [given as Pattern] };
});

/** As VS Code applies them: the patterns of one matcher to lines one after the other (problemMatcher.ts, MultiLineMatcher). Notes left out. */
function matched(lines: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { severity: otherwise, patterns } of matchers) {
    for (const start of lines.keys()) {
      const held: { file?: string; line?: string; severity?: string } = {};
      const isMatch = patterns.every((pattern, index) => {
        const groups = new RegExp(pattern.regexp).exec(lines[start + index] ?? "");
        for (const key of ["file", "line", "severity"] as const) {
          const group = pattern[key];
          const value = groups === null || group === undefined ? undefined : groups[group];
          if (value !== undefined) {
            held[key] = value;
          }
        }
        return groups !== null;
      });
      const word = (held.severity ?? otherwise ?? "error").toLowerCase();
      if (isMatch && held.file !== undefined && held.line !== undefined && !/note|info|remark/.test(word)) {
        found.add(`${held.file.replace(/^\/project\//, "")}:${held.line} ${/warn/.test(word) ? "warning" : "error"}`);
      }
    }
  }
  return found;
}

describe("problem matchers of package.json", () => {
  /** What a matcher of VS Code can find: one with a place. Those of Python come from the reader alone. */
  const tools = new Set(["gcc", "clang", "nvcc", "ptxas", "cmake"]);
  for (const name of names.filter((one) => /^(?:gcc|clang|nvcc|ptxas|cmake|ninja-failed|make-failed)/.test(one) && !one.endsWith("colours"))) {
    it(`finds in ${name} what the reader of builds finds`, () => {
      const read = problemsOf(linesOf(name)).filter((one) => tools.has(one.tool) && one.location !== undefined && one.severity !== "info")
        .map(({ location, severity }) => `${(location?.path ?? "").replace(/^\/project\//, "")}:${(location?.range.start.line ?? 0) + 1} ${severity}`);
      assert.deepEqual([...matched(linesOf(name))].sort(), [...new Set(read)].sort());
    });
  }
});
