import { demangle } from "../../../binaries/mangling/index.ts";
import type { Piece } from "./pieces.ts";

/** Most lines into which one is wrapped. */
const mostParts = 24;
/** Narrower than that no terminal wraps what has a mangled name in it. */
const narrowest = 40;
/** Of a line as wide as these it is more likely that a terminal broke it in the middle of a word than that a formatter did between two. */
const usualWidths = new Set([80, 100, 120, 132, 140, 150, 160, 180, 200, 220, 240]);

// What loaders, linkers and torch say in one line. Where a break falls into one of these, the lines belong together.
const phrases = [
  "undefined symbol: ", "cannot open shared object file: No such file or directory", "symbol lookup error: ", "undefined reference to ", "not found (required by ", "wrong ELF class: ",
  "file too short", "invalid ELF header", "DLL load failed while importing ", "The specified module could not be found", "The specified procedure could not be found", "Symbol not found: ",
  "Referenced from: ", "Expected in: ", "Library not loaded: ", "cannot allocate memory in static TLS block", "incompatible function arguments", "incompatible constructor arguments",
  "no kernel image is available for execution on the device", "unresolved external symbol ", "The detected CUDA version (", "mismatches the version that was used to compile PyTorch (",
  "CUDA driver version is insufficient for CUDA runtime version", "is not a supported wheel on this platform", "No module named '", "unsupported GNU version! gcc versions later than ",
  "or later compatible compiler is required to use ", "Torch not compiled with CUDA enabled", "is already registered!", "environment variable is not set", "Unsupported gpu architecture ",
  "was compiled with an unsupported toolchain", "Could not load this library: ", "symbol not found in flat namespace ", "No such file or directory", "relocation R_X86_64_", "can not be used when making a shared object",
  "is not compatible with the current PyTorch installation", "The current PyTorch install supports CUDA capabilities ", "xFormers was built for:", "were compiled with different CUDA ", "Could not load library ",
  "Only a single TORCH_LIBRARY can be used to register the namespace ", "dynamic module does not define module export function ", "cuDNN version incompatibility", "Cannot find DGL C++ ", ", version lib", ": version `",
] as const;
const longestPhrase = Math.max(...phrases.map((phrase) => phrase.length));
const phrase = new RegExp(phrases.map((words) => words.replace(/[()[\]*.+?!]/g, "\\$&")).join("|"), "g");

const startsAnew = /^\s*(?:Traceback \(|File "|\[\d|#|-- |make|ninja:|\$ |>>> |(?:\w+\.)*\w*(?:Error|Exception|Warning)\b|During handling|The above exception|collect2|CMake|FAILED|error:|warning:|note:)/;
const mangledTail = /(?<![\w$.])_{1,2}(?:Z[\w$.]*)?$/;
const token = /^\s*([\w$.]+)/;
/** Ends of messages: lists of them are as wide as each other. */
const isSaid = /(?:No such file or directory|not found)$/;
const typeAlone = /^\s*(?:\w+\.)*\w+(?:Error|Exception):$/;
const nameIsNext = /(?:undefined symbol:|Symbol not found:|undefined reference to|unresolved external symbol|cannot open shared object file:|Could not load this library:|Library not loaded:)$/;
const openQuote = /(?:undefined reference to|unresolved external symbol|undefined symbol:?|multiple definition of) [`'"‘“][^`'"’”]*$/;
/** A name of C in a versioned library, or of a version, whose rest is recognised by what stands behind it. */
const begunNames: readonly (readonly [RegExp, RegExp])[] = [
  [/undefined symbol: \w{1,200}$/, /^\w{0,200}, version lib[\w.+-]{1,80}(?:\s|$)/],
  [/, version lib[\w.+-]{0,80}$/, /^[\w.+-]{1,80}$/],
  [/: version [`'‘][\w.+-]{0,80}$/, /^[\w.+-]{0,80}['’] not found \(required by /],
];
const pathTail = /(?:^|[\s'"(:])((?:\/|\.{1,2}\/|~\/|[A-Za-z]:\\)[^\s:'"()]*)$/;
const knownEnd = /\.(?:so(?:\.\d+)*|py|cpp|cc|cu|cuh|hpp|h|a|o|dll|pyd|dylib|whl|txt|toml|cmake)$/;
const pathHead = /^([^\s:'"(),]*\.(?:so(?:\.\d+)*|py|cpp|cc|cu|cuh|hpp|h|a|o|dll|pyd|dylib))(?=[\s:'"(),]|$)/;

/** Joins what a terminal, a mail program or a formatter wrapped. Lines without evidence that they belong together stay apart. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const width = wrapWidth(pieces);
  const lines: Piece[] = [];
  for (let at = 0; at < pieces.length;) {
    let line = pieces[at] as Piece;
    let parts = 1;
    let lastWidth = line.width;
    for (let next = pieces[at + 1]; next !== undefined && parts < mostParts; next = pieces[at + parts]) {
      const rest = pieces.slice(at + parts, at + parts + 8);
      const join = joint(line, lastWidth, rest, width);
      if (join === undefined) break;
      line = { ...line, text: line.text + join + (join === "" && !/^\s/.test(next.text) ? next.text : next.text.trimStart()), last: next.last, endsWithSpace: next.endsWithSpace };
      lastWidth = next.width;
      parts += 1;
    }
    lines.push(line);
    at += parts;
  }
  return lines;
}

/** What stands between a line and the next when they are one: nothing, or a space; undefined: they are not. */
function joint(line: Piece, width: number, rest: readonly Piece[], wrapped: number | undefined): "" | " " | undefined {
  const next = rest[0];
  if (next === undefined || next.text === "") return undefined;
  if (typeAlone.test(line.text)) return /^\s*(?:\/|[A-Za-z]:\\)\S+[.:]/.test(next.text) && next.first - line.last === 1 && !next.hasPrefix ? " " : undefined;
  if (next.first - line.last > 1 || next.first === line.last || next.hasPrefix && !(line.hasPrefix && next.writer === line.writer)) return undefined;
  const isFull = wrapped !== undefined && (width === wrapped || width === wrapped - 1);
  if (continuesName(line.text, rest, isFull || width === 80 || width === 79)) return "";
  if (startsAnew.test(next.text)) return undefined;
  if (/:\d+: (?:fatal )?error:$/.test(line.text)) return /^\S/.test(next.text) ? " " : undefined;
  if (nameIsNext.test(line.text)) return /^\s*[\w$./`'‘"]\S*(?:\s|$)/.test(next.text) ? " " : undefined;
  const crossing = crossesPhrase(line.text, next.text);
  if (crossing !== undefined) return crossing === "" ? hard(line) : crossing;
  if (/: version [`'‘][\w.+-]{1,80}['’]$/.test(line.text.slice(-100)) && /^ ?not found \(required by/.test(next.text)) return " ";
  if (width < narrowest) return undefined;
  if (begunNames.some(([begin, end]) => begin.test(line.text.slice(-300)) && end.test(next.text.slice(0, 400)))) return "";
  if (continuesPath(line.text, next.text)) return "";
  if (openQuote.test(line.text.slice(-2000)) && /[`'"’”]/.test(rest.map(({ text }) => text).join(" "))) return isFull || usualWidths.has(width) && !/^\s/.test(next.text) ? hard(line) : " ";
  if (isFull && !isSaid.test(line.text) && !/^\s/.test(next.text) && /[\w/.,:;()<>*&+'"-]$/.test(line.text) && !/([=*~#_-])\1{9}$/.test(line.text)) return width === wrapped ? hard(line) : " ";
  return undefined;
}

/** A break at a constant width may have fallen behind a space. */
function hard({ endsWithSpace }: Piece): "" | " " {
  return endsWithSpace ? " " : "";
}

/** The width at which a terminal broke every line: at least three different lines are that long, none is longer, and they go on in the middle of a word. */
function wrapWidth(pieces: readonly Piece[]): number | undefined {
  let widest = 0;
  for (const { width } of pieces) widest = Math.max(widest, width);
  if (widest < narrowest || widest > 400) return undefined;
  const full = pieces.filter((piece, at) => piece.width === widest && !isSaid.test(piece.text) && /[\w/.:]$/.test(piece.text) && /^[\w/.:]/.test(pieces[at + 1]?.text ?? ""));
  return new Set(full.map(({ text }) => text)).size >= 3 ? widest : undefined;
}

/**
 * Whether the mangled name at the end of a line goes on in the next ones, and is one with them. One that could end where the line
 * does goes on only where the line is full, or where the next line is nothing but more of it: "Killed" is a list of types, and a word.
 */
function continuesName(line: string, rest: readonly Piece[], isFull: boolean): boolean {
  const name = mangledTail.exec(line.slice(-16384))?.[0];
  if (name === undefined || demangle(name) !== undefined && !isFull && !/^(?![A-Z]?[a-z]{2,}$)[\w$.]+$/.test(rest[0]?.text ?? "")) return false;
  let whole = name;
  for (const { text } of rest) {
    const head = token.exec(text)?.[1];
    if (head === undefined) return false;
    whole += head;
    if (demangle(whole) !== undefined) return true;
    if (text.trim() !== head) return false;
  }
  return false;
}

function crossesPhrase(line: string, next: string): "" | " " | undefined {
  const tail = line.slice(-longestPhrase);
  const head = `${next.trim()} `.slice(0, longestPhrase);
  for (const between of ["", " "] as const) {
    for (const found of `${tail}${between}${head}`.matchAll(phrase)) {
      if (found.index < tail.length && found.index + found[0].trimEnd().length > tail.length + between.length) return between;
    }
  }
  // "x.so:" and below it what about it.
  if (/^: ?(?:undefined symbol|cannot open|version [`'"‘]|wrong ELF|file too short|invalid ELF|symbol )/.test(head)) return "";
  return /\.(?:so(?:\.\d+)*|pyd|dylib|dll):$/.test(tail) && /^(?:undefined symbol|cannot open|version [`'"‘]|wrong ELF|file too short|invalid ELF|symbol )/.test(head) ? " " : undefined;
}

function continuesPath(line: string, next: string): boolean {
  const begin = pathTail.exec(line.slice(-1000))?.[1];
  if (begin === undefined || knownEnd.test(begin.replace(/\.{2,}$|…$/, "")) || /^\s/.test(next)) return false;
  const end = pathHead.exec(next.slice(0, 1000))?.[1];
  return end !== undefined && !/^(?:\/|~|[A-Za-z]:\\)/.test(end) && /\.(?:so|py|pyd|dll|dylib)(?:\.\d+)*$/.test(end);
}
