import type { Arg } from "../call.ts";
import { certainText, render } from "../value.ts";
import type { Piece } from "../value.ts";

export function textOf(arg: Arg | undefined): string | undefined {
  return arg === undefined ? undefined : certainText(arg.pieces);
}

export function shown(arg: Arg | undefined): string {
  return arg === undefined ? "" : render(arg.pieces);
}

export function piecesOf(args: readonly Arg[]): (readonly Piece[])[] {
  return args.map((arg) => arg.pieces);
}

export interface KeywordArguments {
  /** Before the first keyword. */
  readonly positional: readonly Arg[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly Arg[]>;
}

/** Sorts arguments by keywords, as cmake_parse_arguments does. */
export function byKeyword(args: readonly Arg[], flags: readonly string[], single: readonly string[], multiple: readonly string[]): KeywordArguments {
  const positional: Arg[] = [];
  const seen = new Set<string>();
  const values = new Map<string, Arg[]>();
  let current: { name: string; single: boolean } | undefined;
  for (const arg of args) {
    const text = arg.argument.kind === "unquoted" || arg.argument.kind === "quoted" ? textOf(arg) : undefined;
    if (text !== undefined && flags.includes(text)) {
      seen.add(text);
      current = undefined;
    } else if (text !== undefined && (single.includes(text) || multiple.includes(text))) {
      current = { name: text, single: single.includes(text) };
      if (!values.has(text)) values.set(text, []);
    } else if (current === undefined) positional.push(arg);
    else {
      values.get(current.name)?.push(arg);
      if (current.single) current = undefined;
    }
  }
  return { positional, flags: seen, values };
}
