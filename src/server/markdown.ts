/** Texts of a project inside Markdown: they must not become markup of their own. */
import type { Location } from "../engine/model/index.ts";
import { place } from "../engine/rules/support.ts";
import { uriOf } from "./uris.ts";

/** A text in code font. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("\n", " ")}\``;
}

/** "setup.py:4", leading there. */
export function placeLink(location: Location, root: string): string {
  const text = place(location, root).replace(/[\\`*_[\]<>]/g, "\\$&");
  const target = uriOf(location.path).replaceAll("(", "%28").replaceAll(")", "%29");
  return `[${text}](${target}#L${location.range.start.line + 1})`;
}
