import type { EvidenceStep, Location, SourceEvidence } from "../../model/index.ts";
import type { Call } from "./call.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Frame, Origin, Piece, Via } from "./value.ts";

const maximumSteps = 24;

export function locationOf(origin: Origin): Location {
  return origin.file.location(origin.start, origin.end);
}

/** Evidence at a place that is itself what matters. */
export function sourceEvidence(vm: Interpreter, origin: Origin): SourceEvidence {
  return { kind: "source", location: locationOf(origin), text: origin.file.text.slice(origin.start, origin.end), via: frames(vm.frame) };
}

/** Evidence for text that a command received. */
export function textEvidence(vm: Interpreter, pieces: readonly Piece[], call: Call): SourceEvidence | undefined {
  return evidenceOf(pieces) ?? sourceEvidence(vm, { file: call.file, start: call.command.start, end: call.command.end });
}

/**
 * Evidence for a value put together from pieces. The place to edit is the last piece with a place, which holds the value
 * behind `=`; where the text before it stands elsewhere, that is a step on the way.
 */
export function evidenceOf(pieces: readonly Piece[]): SourceEvidence | undefined {
  const [only] = pieces;
  if (pieces.length === 1 && only?.origin !== undefined && !only.soft) {
    const { file, start, end } = only.origin;
    return { kind: "source", location: file.location(start, end), text: file.text.slice(start, end), via: steps(only.via) };
  }
  const placed = pieces.filter((piece) => piece.origin !== undefined && !piece.soft);
  const last = placed.at(-1);
  const first = placed[0];
  if (last?.origin === undefined || first?.origin === undefined) return undefined;
  const { file } = last.origin;
  const together = placed.every((piece) => piece.origin?.file === file) && placed.every((piece, index) => index === 0 || piece.origin?.start === placed[index - 1]?.origin?.end);
  const origin = together ? { file, start: first.origin.start, end: last.origin.end } : last.origin;
  const way = steps(last.via);
  const via = together || first === last ? way : [...way, { location: locationOf(first.origin), what: `used in ${first.text.trim()}` }];
  return { kind: "source", location: locationOf(origin), text: file.text.slice(origin.start, origin.end), via };
}

/** Oldest first: how the text was set, then where it was used, then the calls around that. */
function steps(via: Via | undefined): readonly EvidenceStep[] {
  return via === undefined ? none : (via.steps ??= readSteps(via));
}

const none: readonly EvidenceStep[] = [];

function readSteps(via: Via): EvidenceStep[] {
  const chain: Via[] = [];
  for (let at: Via | undefined = via; at !== undefined && chain.length < maximumSteps; at = at.previous) chain.push(at);
  const out: EvidenceStep[] = [];
  let frame: Frame | undefined;
  for (const step of chain.reverse()) {
    out.push((step.step ??= { location: locationOf(step.origin), what: step.what }));
    frame = step.frame;
  }
  out.push(...frames(frame));
  return out;
}

function frames(frame: Frame | undefined): readonly EvidenceStep[] {
  return frame === undefined ? none : (frame.steps ??= readFrames(frame));
}

/** Calls are nested in a bounded way, so that this may call itself; the steps of the outer calls are the same objects. */
function readFrames(frame: Frame): readonly EvidenceStep[] {
  return [{ location: locationOf(frame.origin), what: frame.what }, ...frames(frame.parent)].slice(0, maximumSteps);
}
