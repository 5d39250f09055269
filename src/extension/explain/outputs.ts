/** What the last commands of a terminal printed. */
import { stripVTControlCharacters } from "node:util";

/** A command line that was run in a terminal. */
export interface RunCommand {
  readonly commandLine: string;
  /** URI of the folder that it ran in. */
  readonly folder?: string;
}

/** Characters that are kept of a terminal. The end of an output tells more than its beginning. */
const mostKept = 1 << 20;

/** What is forgotten at once: programs write a few characters at a time, or a million. */
const pieceSize = 1 << 14;

interface Kept extends RunCommand {
  readonly chunks: string[];
}

/** Keeps the outputs of commands as they come, the last million of characters of them; nothing of it leaves the memory of the window. */
export class Outputs {
  /** The oldest first. */
  readonly #commands: Kept[] = [];
  #size = 0;

  /** A command begins; what is answered takes what it prints. */
  begin(command: RunCommand): (data: string) => void {
    const kept: Kept = { ...command, chunks: [] };
    this.#commands.push(kept);
    return (data) => {
      for (let at = Math.max(0, data.length - mostKept); at < data.length; at += pieceSize) {
        const piece = data.slice(at, at + pieceSize);
        const last = kept.chunks.at(-1);
        if (last !== undefined && last.length + piece.length <= pieceSize) {
          kept.chunks[kept.chunks.length - 1] = last + piece;
        } else {
          kept.chunks.push(piece);
        }
        this.#size += piece.length;
      }
      this.#forget();
    };
  }

  /** The last command that printed something. */
  get last(): (RunCommand & { readonly text: string }) | undefined {
    const kept = this.#commands.findLast((one) => one.chunks.some((chunk) => /\S/.test(stripVTControlCharacters(chunk))));
    return kept === undefined ? undefined : answer(kept);
  }

  /** The last output with a line that holds these words, and the place of the line in it, from 1. */
  with(words: string): (RunCommand & { readonly text: string; readonly line: number }) | undefined {
    for (const kept of this.#commands.toReversed()) {
      const found = answer(kept);
      const line = stripVTControlCharacters(found.text).split("\n").findLastIndex((one) => one.includes(words));
      if (line >= 0) {
        return { ...found, line: line + 1 };
      }
    }
    return undefined;
  }

  #forget(): void {
    for (let oldest = this.#commands[0]; this.#size > mostKept && oldest !== undefined; oldest = this.#commands[0]) {
      const chunk = oldest.chunks.shift();
      this.#size -= chunk?.length ?? 0;
      if (chunk === undefined) {
        this.#commands.shift();
      }
    }
  }
}

function answer({ chunks, ...command }: Kept): RunCommand & { readonly text: string } {
  return { ...command, text: chunks.join("") };
}
