/** A dependency specifier taken apart; offsets are UTF-16 units in the text that was parsed. */
export interface RequirementText {
  /** PEP 503 normalised. */
  readonly name: string;
  readonly extras: readonly string[];
  /** Without parentheses and surrounding space. */
  readonly specifier: string;
  readonly specifierStart: number;
  readonly specifierEnd: number;
  readonly url?: string;
  readonly marker?: string;
  readonly start: number;
  readonly end: number;
}

/** PEP 503: runs of "-", "_" and "." are one "-", in lower case. */
export function normaliseName(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}

const head = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\]\s*)?/;

/**
 * Parses one dependency specifier ("torch[opt]>=2.1 ; python_version>'3.9'"). Undefined when the text is none.
 * Source: packaging.python.org, "Dependency specifiers" (PEP 508). A specifier that is not PEP 440 is kept as written.
 */
export function parseRequirementText(text: string): RequirementText | undefined {
  const match = head.exec(text);
  if (!match) return undefined;
  const [whole, name = "", extras] = match;
  const start = whole.length - whole.trimStart().length;
  let at = whole.length;
  let url: string | undefined;
  let specifierStart = at;
  let specifierEnd = at;
  if (text[at] === "@") {
    const link = /^@\s*(\S+)/.exec(text.slice(at));
    if (!link) return undefined;
    url = link[1];
    at += link[0].length;
    specifierStart = specifierEnd = at;
  } else {
    const semicolon = text.indexOf(";", at);
    const stop = semicolon < 0 ? text.length : semicolon;
    let part = text.slice(at, stop);
    at = stop;
    const parenthesised = /^(\s*\()([^)]*)\)\s*$/.exec(part);
    if (parenthesised) {
      specifierStart += parenthesised[1]?.length ?? 0;
      part = parenthesised[2] ?? "";
    }
    specifierStart += part.length - part.trimStart().length;
    specifierEnd = specifierStart + part.trim().length;
    const specifier = text.slice(specifierStart, specifierEnd);
    if (specifier !== "" && !/^[=!<>~]/.test(specifier)) return undefined;
  }
  const rest = text.slice(at).trim();
  if (rest !== "" && !rest.startsWith(";")) return undefined;
  const marker = rest.slice(1).trim();
  return {
    name: normaliseName(name),
    extras: (extras ?? "").split(",").map((one) => normaliseName(one.trim())).filter((one) => one !== ""),
    specifier: text.slice(specifierStart, specifierEnd),
    specifierStart,
    specifierEnd,
    ...(url === undefined ? {} : { url }),
    ...(marker === "" ? {} : { marker }),
    start,
    end: text.trimEnd().length,
  };
}
