import * as os from "node:os";

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

/** Records are committed: what one machine calls its folders is no part of them. Paths of the project become relative. */
export function withoutPlaces(text: string, root: string): string {
  const home = os.homedir();
  return [[root, "."], ...(home === "/" || home === "" ? [] : [[home, "~"]])].reduce((written, [from = "", to = ""]) => written.replaceAll(from, to), text);
}
