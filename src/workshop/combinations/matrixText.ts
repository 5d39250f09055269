import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";

/** What abiding.json gets where nobody has said yet what to try: the newest of both channels, without benchmarks. */
const usual = { matrix: { torch: ["release:2", "nightly:3"] }, steps: ["build", "load", "smoke"] };

/**
 * The text of abiding.json with a section "combinations", and where that begins. A text that has one, or that is not to be
 * understood, stays as it is. Comments stay.
 */
export function withMatrix(text: string): { readonly text: string; readonly offset: number } {
  const tree = parseTree(text);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, ["combinations"]);
  if (node !== undefined) {
    return { text, offset: node.parent?.offset ?? node.offset };
  }
  if (text.trim() !== "" && tree?.type !== "object") {
    return { text, offset: 0 };
  }
  const isTabbed = /^\t/m.test(text);
  const changed = applyEdits(text, modify(text, ["combinations"], usual, { formattingOptions: { insertSpaces: !isTabbed, tabSize: 2, insertFinalNewline: true } }));
  const added = parseTree(changed);
  return { text: changed, offset: (added === undefined ? undefined : findNodeAtLocation(added, ["combinations"]))?.parent?.offset ?? 0 };
}
