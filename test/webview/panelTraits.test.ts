import assert from "node:assert/strict";
import test from "node:test";
import type { BodiesView, BodyRow } from "../../src/protocol/panel.ts";
import { chosenTarget, disagreements, disagreementsOf, placeName, saysReason, targetKeys, targetNotes } from "../../webview/panel/traits.ts";

const row = (agrees: boolean | null, also?: boolean): BodyRow => ({ trait: "cuda-version", title: "CUDA", cells: [], agrees, findings: [], ...(also === undefined ? {} : { also: { agrees: also, findings: [] } }) });
const target = (name: string, builder: string, ...rows: readonly BodyRow[]): BodiesView["targets"][number] => ({ name, builder, columns: [], rows });
const view: BodiesView = { root: "/w", targets: [target("ops", "setuptools", row(true), row(null)), target("ops", "cmake", row(false), row(true, false), row(false, true)), target("bench", "cmake")], findings: [], notChecked: [] };

test("a disagreement with the fifth column counts, and what could not be compared does not", () => {
  assert.deepEqual([view.targets.map(disagreementsOf), disagreements(view)], [[0, 3, 0], 3]);
});

test("the target that was chosen is shown, else the first that disagrees, else the first", () => {
  const [first, second, third] = view.targets;
  assert.ok(first && third);
  assert.equal(chosenTarget(view, targetKeys(view)[2]), third);
  assert.equal(chosenTarget(view, "cmake\ngone"), second);
  assert.equal(chosenTarget({ ...view, targets: [third, first] }, undefined), third);
  assert.equal(chosenTarget({ ...view, targets: [] }, undefined), undefined);
});

test("of several targets of one name each can be chosen, and is told from the others", () => {
  const at = (path: string): Pick<BodiesView["targets"][number], "location"> => ({ location: { path, range: { start: { line: 4, character: 0 }, end: { line: 4, character: 9 } } } });
  const several: BodiesView = { ...view, targets: [{ ...target("ops", "cmake"), ...at("/w/CMakeLists.txt") }, { ...target("ops", "cmake"), ...at("/w/old/CMakeLists.txt") }, { ...target("ops", "cmake"), ...at("/w/old/CMakeLists.txt") }, target("bench", "cmake")] };
  assert.deepEqual(targetKeys(several).map((key) => several.targets.findIndex((one) => one === chosenTarget(several, key))), [0, 1, 2, 3]);
  assert.deepEqual(targetNotes(several), ["CMakeLists.txt:5", "old/CMakeLists.txt:5, 1 of 2", "old/CMakeLists.txt:5, 2 of 2", ""]);
});

test("places have a line, files that have none do not", () => {
  const at = (line: number, character: number): { line: number; character: number } => ({ line, character });
  assert.deepEqual([placeName({ path: "C:\\w\\setup.py", range: { start: at(13, 4), end: at(13, 9) } }), placeName({ path: "/w/libc10.so", range: { start: at(0, 0), end: at(0, 0) } }), placeName({ path: "a.py", range: { start: at(0, 0), end: at(0, 5) } })], ["setup.py:14", "libc10.so", "a.py:1"]);
});

test("a reason is not said again by the finding below it", () => {
  const finding = { rule: "r", severity: "error", message: "The two differ. Pin them.", location: { path: "", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } }, related: [], against: [], fixes: [] } as const;
  assert.deepEqual(["The two differ.", "The two differ. P…", "Something else."].map((because) => saysReason(because, [finding])), [true, true, false]);
  assert.equal(saysReason("The two differ.", []), false);
});
