import type { Piece } from "./value.ts";

/** A part of a piece; a part of exact text keeps its own range. */
export function slice(piece: Piece, start: number, end: number): Piece {
  if (start === 0 && end === piece.text.length) return piece;
  const text = piece.text.slice(start, end);
  const { origin } = piece;
  if (!piece.exact || origin === undefined) return { ...piece, text };
  return { ...piece, text, origin: { file: origin.file, start: origin.start + start, end: origin.start + end } };
}

/** Splits a value at semicolons as CMake splits lists: not inside generator expressions or square brackets; empty elements vanish. */
export function splitList(pieces: readonly Piece[]): Piece[][] {
  return split(pieces, "list");
}

/** Splits a flags variable into arguments at white space, outside of quotes. */
export function splitFlags(pieces: readonly Piece[]): Piece[][] {
  return split(pieces, "flags");
}

function split(pieces: readonly Piece[], mode: "list" | "flags"): Piece[][] {
  const out: Piece[][] = [];
  let current: Piece[] = [];
  let depth = 0;
  let brackets = 0;
  let quote = "";
  const finish = () => {
    if (current.length > 0) out.push(current);
    current = [];
  };
  for (const piece of pieces) {
    if (piece.soft) {
      if (mode === "list" && depth > 0 && current.length > 0) current.push({ ...piece, soft: false });
      else finish();
      continue;
    }
    if (piece.unknown) {
      current.push(piece);
      continue;
    }
    const { text } = piece;
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at] as string;
      if (quote !== "") {
        if (char === quote) quote = "";
        continue;
      }
      if (mode === "list") {
        if (char === "$" && text[at + 1] === "<") {
          depth++;
          at++;
        } else if (char === ">" && depth > 0) depth--;
        else if (char === "[") brackets++;
        else if (char === "]" && brackets > 0) brackets--;
        else if (char === ";" && depth === 0 && brackets === 0 && text[at - 1] !== "\\") {
          if (at > start) current.push(slice(piece, start, at));
          finish();
          start = at + 1;
        }
      } else if (char === '"' || char === "'") quote = char;
      else if (char === " " || char === "\t" || char === "\n" || char === "\r") {
        if (at > start) current.push(slice(piece, start, at));
        finish();
        start = at + 1;
      }
    }
    if (start < text.length) current.push(slice(piece, start, text.length));
  }
  finish();
  return out;
}
