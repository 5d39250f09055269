import { fileURLToPath, pathToFileURL } from "node:url";

/** The path of a `file:` URI; undefined for every other scheme and for what is no URI. */
export function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) {
    return undefined;
  }
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
