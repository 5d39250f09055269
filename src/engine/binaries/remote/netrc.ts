/** Users of servers as ~/.netrc names them, where pip, uv and curl look too. */

/**
 * The user of a host by the text of a netrc file: the first entry of that machine, else `default`. Macros are passed over.
 * Source: GNU inetutils, "The .netrc file"; a "#" at the beginning of a word is a comment, as Python's netrc module reads it.
 */
export function netrcUser(text: string, host: string): { readonly login: string; readonly password: string } | undefined {
  const words = [...text.replaceAll(/^[ \t]*macdef[^\n]*\n(?:[^\n]+\n?)*/gm, "").matchAll(/"((?:\\.|[^"\\])*)"|#[^\n]*|(\S+)/g)].flatMap(([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? []);
  let fallback: { login: string; password: string } | undefined;
  let found: { login: string; password: string } | undefined;
  let entry: { login: string; password: string } | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "machine") {
      at += 1;
      entry = { login: "", password: "" };
      if (words[at] === host) found ??= entry;
    } else if (word === "default") {
      entry = { login: "", password: "" };
      fallback ??= entry;
    } else if (word === "login" || word === "user" || word === "account" || word === "password") {
      at += 1;
      if (entry !== undefined && word !== "account") entry[word === "password" ? "password" : "login"] = words[at] ?? "";
    }
  }
  return found ?? fallback;
}
