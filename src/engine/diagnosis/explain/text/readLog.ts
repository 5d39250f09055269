import type { Log } from "../types.ts";
import { codeLines, exceptionsOf } from "./exceptions.ts";
import { asLine, piecesOf } from "./pieces.ts";
import type { Piece } from "./pieces.ts";
import { joined } from "./wraps.ts";

interface ReadOptions {
  /** Whether somebody understands such a line. Of a large text only these lines are kept, with those around them; absent: all are. */
  readonly matters?: (line: string) => boolean;
}

/** Texts up to here are kept whole, in UTF-16 units. */
const small = 4 * 1024 * 1024;
/** Lines kept before and after one that matters: the frames of a traceback, the command that a compiler ran. */
const before = 40;
const after = 80;
/** Most lines that are kept. */
const mostLines = 200_000;
const stepLines = 10_000;
const alwaysMatters = /Traceback \(most recent|The above exception was|During handling of the above|terminate called after/;

/** Reads a log, a traceback, or what somebody copied of one. Never throws. */
export function readLog(text: string): Log {
  const steps = readingLog(text, {});
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** The same in steps, between which others may run. */
export function* readingLog(text: string, { matters }: ReadOptions): Generator<undefined, Log> {
  const { pieces, unread } = yield* keptOf(text, matters);
  const whole = byWriter(withoutLabels(joined(pieces)));
  const lines = whole.map(asLine);
  const exceptions = exceptionsOf(lines);
  const code = new Set([...codeLines(lines, exceptions), ...raisingLines(whole)]);
  return { lines: lines.map((line, at) => (code.has(at) ? { ...line, isCode: true } : line)), exceptions, ...(unread === undefined ? {} : { unread }) };
}

interface Kept {
  readonly pieces: readonly Piece[];
  readonly unread?: NonNullable<Log["unread"]>;
}

function* keptOf(text: string, matters: ReadOptions["matters"]): Generator<undefined, Kept> {
  if (matters === undefined) return yield* allOf(text);
  const kept = text.length <= small ? yield* allOf(text) : undefined;
  return kept === undefined || kept.unread !== undefined ? yield* aroundWhatMatters(text, matters) : kept;
}

function* allOf(text: string): Generator<undefined, Kept> {
  const pieces: Piece[] = [];
  for (const piece of piecesOf(text)) {
    if (pieces.length === mostLines) return { pieces, unread: { from: piece.first } };
    pieces.push(piece);
    if (piece.first % stepLines === 0) yield;
  }
  return { pieces };
}

function* aroundWhatMatters(text: string, matters: (line: string) => boolean): Generator<undefined, Kept> {
  const pieces: Piece[] = [];
  let waiting: Piece[] = [];
  let wanted = 0;
  let lastKept = 0;
  for (const piece of piecesOf(text)) {
    if (piece.first % stepLines === 0) yield;
    if (matters(piece.text) || alwaysMatters.test(piece.text)) {
      const first = waiting[0]?.first ?? piece.first;
      // What was passed over parts what stands before it from what stands behind.
      if (first > lastKept + 1 && pieces.length > 0) pieces.push({ text: "", first: lastKept + 1, last: first - 1, width: 0, endsWithSpace: false, hasPrefix: false });
      pieces.push(...waiting, piece);
      waiting = [];
      wanted = after;
    } else if (wanted > 0) {
      pieces.push(piece);
      wanted -= 1;
    } else {
      waiting.push(piece);
      if (waiting.length > 2 * before) waiting = waiting.slice(-before);
      continue;
    }
    lastKept = piece.last;
    if (pieces.length > mostLines) return { pieces, unread: { from: piece.last + 1 } };
  }
  return { pieces };
}

const label = /^(\d{1,4}): ?/;

/** `srun --label` and `ctest -V` put a number before each line; where most lines have one, or neighbours have the same, it is no part of them. */
function withoutLabels(pieces: readonly Piece[]): readonly Piece[] {
  const labels = pieces.map(({ text }) => label.exec(text));
  const count = labels.filter((found) => found !== null).length;
  if (count < 2) return pieces;
  const most = count > 0.6 * pieces.filter(({ text }) => text !== "").length;
  return pieces.map((piece, at) => {
    const found = labels[at] ?? null;
    const isLabel = found !== null && (most || found[1] === labels[at - 1]?.[1] || found[1] === labels[at + 1]?.[1]);
    return isLabel ? { ...piece, text: piece.text.slice(found[0].length), writer: piece.writer ?? found[1] ?? "" } : piece;
  });
}

/** The source that pytest shows above what was raised: indented, with the places of the frames between. */
function raisingLines(pieces: readonly Piece[]): ReadonlySet<number> {
  const code = new Set<number>();
  for (const [at, { isRaised }] of pieces.entries()) {
    if (isRaised !== true) continue;
    for (let above = at - 1; above >= 0 && at - above < 400 && !code.has(above); above -= 1) {
      const piece = pieces[above];
      if (piece === undefined || piece.isRaised === true || !/^(?: {2}.*|(?:_ )*_?|\S{1,500}\.py:\d{1,6}:)$/.test(piece.text)) break;
      code.add(above);
    }
  }
  return code;
}

/** Lines of several writers, of whom each writes in between the others, one writer after the other. */
function byWriter(pieces: readonly Piece[]): readonly Piece[] {
  const writers = new Map<string | undefined, Piece[]>();
  for (const piece of pieces) {
    const own = writers.get(piece.writer);
    if (own === undefined) writers.set(piece.writer, [piece]);
    else own.push(piece);
  }
  return writers.size < 2 ? pieces : [...writers.values()].flat();
}
