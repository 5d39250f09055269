import type { Knowledge } from "../types.ts";
import { lifeOf } from "./life.ts";
import type { Life } from "./life.ts";
import type { SymbolError } from "./types.ts";

interface Running {
  readonly torch: string;
  readonly words: string;
  /** Where the text says whose build it is, and all of that builder are built so. */
  readonly abi?: 1;
}

/** What the rest of a text says of the torches on both sides. */
export interface TextEvidence {
  /** The torch that a wheel's name says it was built for: "2.4" of "+cu12torch2.4cxx11abiFALSE". */
  readonly builtFor?: { readonly torch: string; readonly abi?: 0 | 1; readonly words: string };
  /** The torch that the text names as installed; absent where it names several. */
  readonly running?: Running;
  readonly speaksOfTorch: boolean;
  /** A command line has -D_GLIBCXX_USE_CXX11_ABI=0. */
  readonly isOldString: boolean;
}

/** Of a log of millions of lines these are looked through. */
const mostLines = 20_000;
const longestLine = 4000;

/** "+cu12torch2.4cxx11abiTRUE" of flash-attn and its like; "+pt25cu124" of the PyG libraries. */
const inWheelName = /[+_.-](?:cu\d+)?torch-?(\d\.\d{1,2}(?:\.\d+)?)(?:\.?cxx11abi(TRUE|FALSE))?|\+pt(\d)(\d{1,2})(?:cu|cpu)/i;
const builtWith = /built (?:for|with|against)(?: using)?:? (?:py)?torch (\d+\.\d+\.\d+[\w.+]*)/i;
const have = /(?:you (?:have|are using)|but you have)(?: (?:py)?torch)? (\d+\.\d+\.\d+[\w.+]*)/i;
const installed = /successfully installed .*\btorch-(\d+\.\d+\.\d+[\w.+]*)/i;
const mentioned = /(?<![\w.+-])(?:py)?torch(?:\.__version__)?(?: version)?["']?(?: ?(?:==|[:=@]) ?| {1,60}|-| \()["']?v?(\d+\.\d+\.\d+(?:[\w.]*\+[\w.]+|[a-z][\w.]*)?)/gi;
/** `pip show torch`, and a Python that is asked: the version stands on the line after. */
const asksVersion = /^Name: torch$|\btorch\.__version__\)?$/;
const answer = /^(?:Version: |['"]?)(\d+\.\d+\.\d+[\w.+]*)['"]?$/;
/** Before a version that is asked for, and not there. */
const asked = /(?:built|compiled|requires?|needs?|for|against|uninstalling|existing installation:?)\s*:?\s*$/i;

const read = new WeakMap<Knowledge["log"], TextEvidence>();

/** Looks for versions of torch in a log; read once for all its errors. */
export function evidenceIn({ log }: Knowledge): TextEvidence {
  const known = read.get(log);
  if (known !== undefined) {
    return known;
  }
  const wheels = new Map<string, NonNullable<TextEvidence["builtFor"]>>();
  const said = new Map<string, Running>();
  let last: TextEvidence["running"];
  let isAsked = false;
  let speaksOfTorch = false;
  let isOldString = false;
  for (const { text } of log.lines.slice(0, mostLines)) {
    const line = text.slice(0, longestLine);
    isOldString ||= /-D ?_GLIBCXX_USE_CXX11_ABI=0\b/.test(line);
    const answered = isAsked ? answer.exec(line)?.[1] : undefined;
    isAsked = asksVersion.test(line);
    if (answered !== undefined) {
      last = { torch: answered, words: line };
    }
    if (!/torch|\+pt\d/i.test(line)) {
      continue;
    }
    speaksOfTorch ||= /torch/i.test(line);
    const wheel = inWheelName.exec(line) ?? builtWith.exec(line);
    const torch = wheel?.[1] ?? (wheel?.[3] === undefined ? undefined : `${wheel[3]}.${wheel[4] ?? ""}`);
    if (wheel !== null && torch !== undefined) {
      const abi = wheel[2]?.toUpperCase();
      wheels.set(`${torch} ${abi ?? ""}`, { torch, words: wheel[0].replace(/^[_.-]/, ""), ...(abi === undefined ? {} : { abi: abi === "TRUE" ? 1 : 0 }) });
    }
    const sure = have.exec(line) ?? installed.exec(line);
    if (sure?.[1] !== undefined) {
      last = { torch: sure[1], words: shortened(sure[0]) };
    }
    for (const match of line.matchAll(mentioned)) {
      if (match[1] !== undefined && !asked.test(line.slice(Math.max(0, match.index - 40), match.index))) {
        said.set(match[1], { torch: match[1], words: match[0].replace(/ {2,}/, " "), ...(/\bconda-forge\b/.test(line) ? { abi: 1 } : {}) });
      }
    }
  }
  const [only] = said.values();
  const running = last ?? (said.size === 1 ? only : undefined);
  const [builtFor] = wheels.values();
  const evidence: TextEvidence = { speaksOfTorch, isOldString, ...(wheels.size === 1 && builtFor !== undefined ? { builtFor } : {}), ...(running === undefined ? {} : { running }) };
  read.set(log, evidence);
  return evidence;
}

function shortened(words: string): string {
  return words.length <= 60 ? words : `…${words.slice(-59)}`;
}

/** The lives of other symbols that the text names of the same file: together they tell more of its torch than one. */
export function livesOfFile(error: SymbolError, knowledge: Knowledge): readonly Life[] {
  return error.file === undefined ? [] : livesOfLog(error, knowledge, (file) => file === error.file);
}

/** The lives of other symbols that the text names. */
export function livesOfLog(error: SymbolError, { clues, history }: Knowledge, ofFile: (file: string | undefined) => boolean = () => true): readonly Life[] {
  const names = new Set(clues.slice(0, 1000).flatMap(({ subject }) => (ofFile(subject.file) && subject.symbol !== undefined && subject.symbol !== error.symbol ? [subject.symbol] : [])));
  return [...names].slice(0, 50).map((symbol) => lifeOf({ symbol, isDemangled: !/^(?:\?|\w+$)/.test(symbol), isCut: false, system: error.system }, history));
}
