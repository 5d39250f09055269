import * as os from "node:os";
import * as path from "node:path";

/** An address without user, password and what comes after "?" or "#"; what is no address stays. */
export function withoutCredentials(address: string): string {
  try {
    const url = new URL(address);
    url.username = "";
    url.password = "";
    url.search = "";
    url.hash = "";
    return url.href;
  } catch {
    return address;
  }
}

/** Records are committed: what one machine calls its folders is no part of them. */
export function withoutPlaces(text: string, root: string): string {
  const home = os.homedir();
  const own = relativeTo(root, text);
  return home.length < 2 ? own : own.replaceAll(patternOf(home), "~");
}

/** Paths of the project as they are within it. */
export function relativeTo(root: string, text: string): string {
  return text.replaceAll(`${root}${path.sep}`, "").replaceAll(patternOf(root), "the project folder");
}

/** A folder, and not one whose name begins like it. */
function patternOf(folder: string): RegExp {
  return new RegExp(`${escapedPattern(folder)}(?![\\w.-]*\\w)`, "g");
}

/** A text as a pattern that finds it. */
export function escapedPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
