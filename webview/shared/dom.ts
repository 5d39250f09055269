/** Elements, made by hand: whatever stands in a file reaches the page as text, never as markup. */
import { outlines } from "./marks.ts";
import type { Mark } from "./marks.ts";
import { visible } from "./text.ts";

export type { Mark } from "./marks.ts";
export { plural } from "../../src/views/words.ts";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== undefined).map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

export function button(label: string, run: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", run);
  return made;
}

export function icon(mark: Mark): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon ${mark}`);
  svg.setAttribute("aria-hidden", "true");
  const outline = document.createElementNS(space, "path");
  outline.setAttribute("d", outlines[mark]);
  outline.setAttribute("fill-rule", "evenodd");
  svg.append(outline);
  return svg;
}
