/** What is inside string literals: escapes, and the pieces of f-strings. */

export type FormattedPiece =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "expression"; readonly start: number; readonly end: number; readonly conversion: string; readonly format: string };

const maximumFormatDepth = 8;

const simpleEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", "\\": "\\", "'": "'", '"': '"' };

/** Offset of the closing quotes, or of the place where the string breaks off. */
export function endOfString(text: string, from: number, to: number, close: string): number {
  const quote = close.charCodeAt(0);
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code === 92) {
      at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 3 : 2;
    } else if (code === quote && (close.length === 1 || text.startsWith(close, at))) {
      return at;
    } else if (close.length === 1 && (code === 10 || code === 13)) {
      return at;
    } else at++;
  }
  return to;
}

/** Decodes the escapes of a string literal (language reference, 2.5.1). */
export function unescape(written: string): string {
  if (!written.includes("\\")) return written;
  return written.replace(/\\(\r\n|[\s\S]?)((?<=\\x)[0-9a-fA-F]{2}|(?<=\\u)[0-9a-fA-F]{4}|(?<=\\U)[0-9a-fA-F]{8}|(?<=\\[0-7])[0-7]{0,2}|)/g, (all, first: string, rest: string) => {
    if (first === "\n" || first === "\r\n" || first === "\r") return "";
    if ((first === "x" || first === "u" || first === "U") && rest !== "") return codePoint(Number.parseInt(rest, 16));
    if (/^[0-7]$/.test(first)) return codePoint(Number.parseInt(first + rest, 8));
    return simpleEscapes[first] === undefined ? all : simpleEscapes[first] + rest;
  });
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

interface ScannedFormat {
  readonly pieces: readonly FormattedPiece[];
  /** After the closing quotes. */
  readonly end: number;
}

/** Reads an f-string from behind its opening quotes; nested quotes of the same kind are allowed (PEP 701). */
export function scanFormatted(text: string, from: number, to: number, close: string, raw: boolean, depth: number): ScannedFormat {
  const pieces: FormattedPiece[] = [];
  let literal = "";
  let at = from;
  const flush = (): void => {
    if (literal !== "") pieces.push({ kind: "text", value: raw ? literal : unescape(literal) });
    literal = "";
  };
  while (at < to) {
    const char = text[at] ?? "";
    if (text.startsWith(close, at)) {
      flush();
      return { pieces, end: at + close.length };
    }
    if (close.length === 1 && (char === "\n" || char === "\r")) break;
    if (char === "\\") {
      const named = !raw && text.startsWith("N{", at + 1) ? text.indexOf("}", at) + 1 : 0;
      const next = text[at + 1];
      const length = named > 0 ? named - at : next === "{" || next === "}" ? 1 : 2;
      literal += text.slice(at, at + length);
      at += length;
    } else if ((char === "{" || char === "}") && text[at + 1] === char) {
      literal += char;
      at += 2;
    } else if (char === "{") {
      flush();
      const field = scanField(text, at + 1, to, close, depth);
      pieces.push(field.piece);
      at = field.end;
    } else {
      literal += char;
      at++;
    }
  }
  flush();
  return { pieces, end: Math.min(at, to) };
}

/** Reads a replacement field from behind its brace. */
function scanField(text: string, from: number, to: number, close: string, depth: number): { piece: FormattedPiece; end: number } {
  let at = from;
  let brackets = 0;
  let expressionEnd = -1;
  let conversion = "";
  while (at < to) {
    const char = text[at] ?? "";
    if (char === '"' || char === "'") {
      if (close.length === 1 && char === close && !hasClosingBrace(text, at, to)) break;
      at = skipNestedString(text, at, to, depth);
      continue;
    }
    if (close.length === 1 && char === "\n" && brackets === 0 && !hasClosingBrace(text, at, to)) break;
    if (char === "(" || char === "[" || char === "{") brackets++;
    else if (char === ")" || char === "]") brackets--;
    else if (char === "}") {
      if (brackets <= 0) break;
      brackets--;
    } else if (brackets === 0 && char === "!" && text[at + 1] !== "=") {
      expressionEnd = at;
      conversion = text[at + 1] ?? "";
      at += 2;
      continue;
    } else if (brackets === 0 && char === ":") {
      break;
    }
    at++;
  }
  const end = expressionEnd < 0 ? at : expressionEnd;
  let format = "";
  if (text[at] === ":") {
    const formatStart = at + 1;
    let braces = 0;
    for (at++; at < to; at++) {
      const char = text[at];
      if (char === "{") braces++;
      else if (char === "}" && braces-- === 0) break;
      else if (close.length === 1 && (char === "\n" || char === close)) break;
    }
    format = text.slice(formatStart, at);
  }
  const trimmed = /\s*=\s*$/.exec(text.slice(from, end));
  const debug = trimmed !== null && !/[=!<>]=\s*$/.test(text.slice(from, end)) ? trimmed[0].length : 0;
  return { piece: { kind: "expression", start: from, end: end - debug, conversion, format }, end: text[at] === "}" ? at + 1 : at };
}

function hasClosingBrace(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 125) return true;
    if (code === 10) return false;
  }
  return false;
}

function skipNestedString(text: string, quoteAt: number, to: number, depth: number): number {
  const quote = text[quoteAt] ?? '"';
  const close = text.startsWith(quote.repeat(3), quoteAt) ? quote.repeat(3) : quote;
  const before = text.slice(Math.max(0, quoteAt - 2), quoteAt).toLowerCase();
  if (/[ft]r?$/.test(before) && depth < maximumFormatDepth) {
    return scanFormatted(text, quoteAt + close.length, to, close, before.endsWith("r"), depth + 1).end;
  }
  const end = endOfString(text, quoteAt + close.length, to, close);
  return Math.min(end + (text.startsWith(close, end) ? close.length : 0), to);
}
