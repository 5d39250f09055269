import { decode } from "./address.ts";
import { linksOf } from "./htmlLinks.ts";

/** One file that a page of an index offers. */
export interface IndexFile {
  readonly name: string;
  /** Absolute, without fragment. */
  readonly url: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string | undefined;
  readonly size: number | undefined;
  readonly requiresPython: string | undefined;
  /** PEP 592: the reason, perhaps empty; undefined: not yanked. */
  readonly yanked: string | undefined;
  /** PEP 658: METADATA can be had at `url` + ".metadata"; its sha256 where the page says it. */
  readonly metadata: { readonly sha256: string | undefined } | undefined;
}

export interface IndexPage {
  readonly url: string;
  readonly files: readonly IndexFile[];
  /** What of the page is not right, in sentences. */
  readonly problems: readonly string[];
}

const maximumFiles = 200_000;

/** Reads a page of an index: PEP 503 HTML, or PEP 691 JSON. Never throws. */
export function parseIndexPage(text: string, contentType: string, url: string): IndexPage {
  return /[/+]json\b/i.test(contentType) || (contentType === "" && text.trimStart().startsWith("{")) ? parseJson(text, url) : parseHtml(text, url);
}

function parseHtml(text: string, url: string): IndexPage {
  const { base, links, isCut } = linksOf(text, maximumFiles);
  const start = base !== undefined && URL.canParse(base, url) ? new URL(base, url).href : url;
  const problems = isCut ? [`${url} has more than ${maximumFiles} links; the rest was not read.`] : [];
  let lost = 0;
  const files = links.flatMap((attributes): IndexFile[] => {
    const href = attributes.get("href");
    const file = href === undefined ? undefined : fileOf(href, start);
    if (file === undefined) {
      lost += href === undefined ? 0 : 1;
      return [];
    }
    // The older name of the attribute is the one that pip's first servers used; PEP 714.
    const metadata = attributes.get("data-core-metadata") ?? attributes.get("data-dist-info-metadata");
    return [{ ...file, size: undefined, requiresPython: attributes.get("data-requires-python"), yanked: attributes.get("data-yanked"), metadata: metadata === undefined || metadata === "false" ? undefined : { sha256: checksum(metadata.replace(/^sha256=/i, "")) } }];
  });
  return { url, files, problems: lost === 0 ? problems : [...problems, `${url} has ${lost} ${lost === 1 ? "link" : "links"} that lead to no file of a web server.`] };
}

function parseJson(text: string, url: string): IndexPage {
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    return { url, files: [], problems: [`${url} is not valid JSON.`] };
  }
  const list = member(page, "files");
  if (!Array.isArray(list)) {
    return { url, files: [], problems: [`${url} is JSON without a list of files.`] };
  }
  const problems = list.length > maximumFiles ? [`${url} lists more than ${maximumFiles} files; the rest was not read.`] : [];
  let lost = 0;
  const files = list.slice(0, maximumFiles).flatMap((one: unknown): IndexFile[] => {
    const href = textOf(member(one, "url"));
    const file = href === undefined ? undefined : fileOf(href, url);
    if (file === undefined) {
      lost += 1;
      return [];
    }
    const size = member(one, "size");
    const yanked = member(one, "yanked");
    const metadata = member(one, "core-metadata") ?? member(one, "dist-info-metadata");
    return [{
      ...file,
      name: textOf(member(one, "filename")) ?? file.name,
      sha256: checksum(textOf(member(member(one, "hashes"), "sha256"))) ?? file.sha256,
      size: typeof size === "number" && Number.isSafeInteger(size) && size >= 0 ? size : undefined,
      requiresPython: textOf(member(one, "requires-python")),
      yanked: yanked === true ? "" : textOf(yanked),
      metadata: metadata === true ? { sha256: undefined } : typeof metadata === "object" && metadata !== null ? { sha256: checksum(textOf(member(metadata, "sha256"))) } : undefined,
    }];
  });
  return { url, files, problems: lost === 0 ? problems : [...problems, `${url} has ${lost} ${lost === 1 ? "entry" : "entries"} without the address of a file.`] };
}

/** A file by its link, which may be relative; undefined when it leads to no file of a web server. */
function fileOf(href: string, base: string): Pick<IndexFile, "name" | "url" | "sha256"> | undefined {
  const url = URL.canParse(href, base) ? new URL(href, base) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return undefined;
  }
  const sha256 = checksum(/(?:^#|&)sha256=([^&]*)/i.exec(url.hash)?.[1]);
  url.hash = "";
  const name = decode(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  return name === "" || /[/\\\0]/.test(name) ? undefined : { name, url: url.href, sha256 };
}

function checksum(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
