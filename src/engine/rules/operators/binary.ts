/** Operators of aten that a built file calls through the dispatcher, by the strings in it. */
import { openElf } from "../../binaries/elf/index.ts";
import type { ElfFile } from "../../binaries/elf/index.ts";
import { constantTexts } from "../../binaries/profile/index.ts";
import type { BuiltBody, Files } from "../../model/index.ts";

/**
 * c10::Dispatcher::findSchemaOrThrow, and torch_call_dispatcher of the stable ABI with its older aoti_ name.
 * Source: ATen/core/dispatch/Dispatcher.h, torch/csrc/stable/c/shim.h, torch/csrc/inductor/aoti_torch/c/shim.h.
 */
const dispatcherCall = /findSchemaOrThrow|^(?:aoti_)?torch_call_dispatcher$/;

const known = new WeakMap<BuiltBody, readonly string[]>();

/** Names without "aten::"; empty for a file that does not ask the dispatcher by name, or defines operators of aten itself. */
export function calledByName(body: BuiltBody, files: Files): readonly string[] {
  let found = known.get(body);
  if (found === undefined) known.set(body, (found = read(body, files)));
  return found;
}

function read(body: BuiltBody, files: Files): readonly string[] {
  const { imports } = body.profile;
  if ((imports.torch ?? 0) + (imports["torch-stable"] ?? 0) === 0) return [];
  const opened = openElf(body.path, files);
  if (!opened.ok || !asksDispatcher(opened.elf)) return [];
  const names = new Set<string>();
  for (const text of constantTexts(opened.elf)) {
    for (let at = text.indexOf("\0aten::"); at >= 0; at = text.indexOf("\0aten::", at + 1)) {
      const name = /^aten::(\w{1,100})\0/.exec(text.toString("latin1", at + 1, at + 200))?.[1];
      if (name !== undefined) names.add(name);
    }
  }
  const defined = new Set(textsWithin(opened.elf, [...names].map((name) => `${name}(`)));
  return [...names].filter((name) => !defined.has(`${name}(`));
}

function asksDispatcher(elf: ElfFile): boolean {
  for (const symbol of elf.imports()) {
    if (dispatcherCall.test(symbol.name)) return true;
  }
  return false;
}

/** Those of the texts that stand among the constants of a file. */
export function textsWithin(elf: ElfFile, texts: readonly string[]): readonly string[] {
  const left = new Set(texts);
  if (left.size === 0) return [];
  for (const window of constantTexts(elf)) {
    for (const text of left) {
      if (window.includes(text)) left.delete(text);
    }
    if (left.size === 0) break;
  }
  return texts.filter((text) => !left.has(text));
}
