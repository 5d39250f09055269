/** Elements, made by hand: whatever stands in a file reaches the page as text, never as markup. */

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

/** Controls, and marks that turn the direction of text around or join and part it unseen: names that hold them are not what they seem. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Longest text that is shown whole: a name may be as long as its file says. */
const longest = 2000;

/** The text with escapes where it holds characters that cannot be seen, and cut where it is longer than anybody reads. */
function visible(text: string): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}… (${plural(text.length - longest, "more character")})` : text;
  return shown.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function button(label: string, run: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", run);
  return made;
}

export type Mark = "good" | "bad" | "warning" | "unknown" | "info";

/** Outlines in a square of 16, so that marks differ in shape and not in colour alone. */
const outlines: Readonly<Record<Mark, string>> = {
  good: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm3.4 4.3L7 9.7 4.9 7.6l-.9.9 3 3 5.3-5.3Z",
  bad: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1ZM5.6 4.7l-.9.9L7.1 8l-2.4 2.4.9.9L8 8.9l2.4 2.4.9-.9L8.9 8l2.4-2.4-.9-.9L8 7.1Z",
  warning: "M8 1.2 15.4 14H.6ZM7.3 6v4h1.4V6Zm0 5v1.4h1.4V11Z",
  unknown: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm-.7 9.8v1.4h1.4v-1.4ZM5.4 6.3h1.3a1.3 1.3 0 1 1 2 1.1c-.9.6-1.4 1-1.4 2.1h1.4c0-.5.2-.7.8-1.1a2.6 2.6 0 1 0-4.1-2.1Z",
  info: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm-.7 6v5h1.4V7Zm0-3v1.5h1.4V4Z",
};

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

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
