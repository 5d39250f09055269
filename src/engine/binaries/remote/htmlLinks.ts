/** A tag that is longer is damaged; the text after it is read on as if it had ended. */
const longestTag = 16 * 1024;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

export interface Links {
  /** The address that relative links start from. */
  readonly base: string | undefined;
  /** Attributes of each anchor, by lower-case name. */
  readonly links: readonly ReadonlyMap<string, string>[];
  /** More than `most` were there. */
  readonly isCut: boolean;
}

/** The links of an HTML page, as PEP 503 uses them. Linear in the length of the text, whatever it holds. */
export function linksOf(text: string, most: number): Links {
  const links: ReadonlyMap<string, string>[] = [];
  let base: string | undefined;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      at = end < 0 ? text.length : end + 3;
      continue;
    }
    const name = /^<(a|base)(?=[\s/>])/i.exec(text.slice(at, at + 6))?.[1]?.toLowerCase();
    at += 1;
    if (name === undefined) {
      continue;
    }
    const { attributes, end } = attributesFrom(text, at + name.length);
    at = end;
    if (name === "base") {
      base ??= attributes.get("href");
    } else if (links.length >= most) {
      return { base, links, isCut: true };
    } else {
      links.push(attributes);
    }
  }
  return { base, links, isCut: false };
}

function attributesFrom(text: string, start: number): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  const limit = Math.min(text.length, start + longestTag);
  const tag = text.slice(start, limit);
  const attribute = /\s*\/?\s*(?:>|([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?|["'=])/y;
  for (let match = attribute.exec(tag); match !== null; match = attribute.exec(tag)) {
    const [, name, double, single, bare] = match;
    if (name === undefined) {
      if (match[0].endsWith(">")) {
        return { attributes, end: start + attribute.lastIndex };
      }
      continue;
    }
    const key = name.toLowerCase();
    // The first of two equal attributes counts, as in browsers.
    if (!attributes.has(key)) {
      attributes.set(key, unescape(double ?? single ?? bare ?? ""));
    }
  }
  return { attributes, end: limit };
}

function unescape(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) {
      return entities[name.toLowerCase()] ?? whole;
    }
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? "0", 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
