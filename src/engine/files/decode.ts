import type { ReadResult } from "../model/index.ts";

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("utf-8");

/** UTF-8 bytes as text without a byte order mark; invalid sequences become U+FFFD and are reported as lossy. */
export function decodeText(path: string, bytes: Uint8Array): ReadResult {
  if (bytes.includes(0)) {
    return { ok: false, problem: "binary", message: `${path} holds NUL bytes: it is binary, or UTF-16 text.` };
  }
  try {
    return { ok: true, text: strict.decode(bytes), lossy: false };
  } catch {
    return { ok: true, text: lenient.decode(bytes), lossy: true };
  }
}
