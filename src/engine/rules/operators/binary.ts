/** Operators of aten that a built file calls through the dispatcher, by the strings in it. */
import type { BuiltBody, Files } from "../../model/index.ts";

/** Larger files hold GPU code for the most part; reading them for a few strings is not worth the wait. */
const largest = 64 * 1024 * 1024;

const known = new WeakMap<BuiltBody, readonly string[]>();

/** Names without "aten::"; empty for a file that does not ask the dispatcher by name, or defines operators of aten itself. */
export function calledByName(body: BuiltBody, files: Files): readonly string[] {
  let found = known.get(body);
  if (found === undefined) known.set(body, (found = read(body, files)));
  return found;
}

function read(body: BuiltBody, files: Files): readonly string[] {
  const { imports, size } = body.profile;
  if ((imports.torch ?? 0) + (imports["torch-stable"] ?? 0) === 0 || size > largest) return [];
  const raw = files.readBytes(body.path, 0, size);
  if (raw === undefined) return [];
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (!bytes.includes("findSchemaOrThrow") && !bytes.includes("torch_call_dispatcher\0")) return [];
  const names = new Set<string>();
  for (let at = bytes.indexOf("\0aten::"); at >= 0; at = bytes.indexOf("\0aten::", at + 1)) {
    const end = bytes.indexOf(0, at + 1);
    const name = /^aten::(\w{1,100})$/.exec(bytes.toString("latin1", at + 1, Math.min(end < 0 ? bytes.length : end, at + 200)))?.[1];
    if (name !== undefined && !bytes.includes(`${name}(`)) names.add(name);
  }
  return [...names];
}
