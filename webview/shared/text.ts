import { plural } from "../../src/views/words.ts";

/** Controls, and marks that turn the direction of text around or join and part it unseen: names that hold them are not what they seem. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Longest text that is shown whole: a name may be as long as its file says. */
const longest = 2000;

/** The text with escapes where it holds characters that cannot be seen, and cut where it is longer than anybody reads. */
export function visible(text: string): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}… (${plural(text.length - longest, "more character")})` : text;
  return shown.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
