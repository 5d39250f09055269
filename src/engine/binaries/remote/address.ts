import { ByteSourceError } from "../archive/index.ts";

/** An address on a web server, taken apart into what is sent and what may be shown. */
export interface Address {
  /** Without user and fragment. */
  readonly url: string;
  readonly origin: string;
  /** For messages: without user, query and fragment, which may hold secrets; "%2B" of wheel names is "+", which means the same in a path. */
  readonly shown: string;
  /** Of the user part, "https://user:secret@...": goes to this origin only. */
  readonly authorization: string | undefined;
  /** Of the fragment, "#sha256=...", as indexes write it: lower-case hexadecimal. */
  readonly sha256: string | undefined;
}

/** Throws ByteSourceError for what is no http or https address. */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ByteSourceError("refused", `"${text.slice(0, 200)}" is no http or https address.`);
  }
  const sha256 = /(?:^#|&)sha256=([0-9a-f]{64})(?:&|$)/i.exec(url.hash)?.[1]?.toLowerCase();
  const authorization = url.username === "" && url.password === "" ? undefined : `Basic ${Buffer.from(`${decode(url.username)}:${decode(url.password)}`).toString("base64")}`;
  url.username = "";
  url.password = "";
  url.hash = "";
  return { url: url.href, origin: url.origin, shown: `${url.origin}${url.pathname.replace(/%2B/gi, "+")}`, authorization, sha256 };
}

/** Percent-decoded where that is possible. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
