/** Paths as Python's os.path takes them, with forward slashes only. */

export function joinPath(parts: readonly string[]): string {
  let result = "";
  for (const part of parts) {
    if (part.startsWith("/") || result === "") result = part;
    else result = result.endsWith("/") ? result + part : `${result}/${part}`;
  }
  return result;
}

export function normalisePath(path: string): string {
  const absolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !absolute) parts.push(part);
  }
  return (absolute ? "/" : "") + parts.join("/") || (absolute ? "/" : ".");
}

export function directoryOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "" : at === 0 ? "/" : path.slice(0, at);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
