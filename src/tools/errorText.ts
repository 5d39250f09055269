/** The longest text that is taken whole. Of logs beyond it nobody can say which part was meant. */
export const longestText = 256 * 1024 * 1024;

export type ErrorTextResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

interface Kind {
  readonly magic: readonly number[];
  /** Continues "X is ". */
  readonly words: string;
}

/** First bytes of files that people name in place of a log: ELF, ZIP (APPNOTE.TXT 4.3.7), gzip (RFC 1952), xz, zstd (RFC 8878), bzip2, PNG, PDF, PE, Mach-O. */
const kinds: readonly Kind[] = [
  { magic: [0x7f, 0x45, 0x4c, 0x46], words: "a program or a shared library, not the text of an error; `abiding fits FILE --against ENV` says whether it would load" },
  { magic: [0x50, 0x4b, 0x03, 0x04], words: "a ZIP archive or a wheel, not a text; unpack a downloaded log first, and ask about a wheel with `abiding fits`" },
  { magic: [0x1f, 0x8b], words: "compressed (gzip); gzip -dc FILE | abiding explain - reads it" },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], words: "compressed (xz); xz -dc FILE | abiding explain - reads it" },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], words: "compressed (zstd); zstd -dc FILE | abiding explain - reads it" },
  { magic: [0x42, 0x5a, 0x68], words: "compressed (bzip2); bzip2 -dc FILE | abiding explain - reads it" },
  { magic: [0x89, 0x50, 0x4e, 0x47], words: "a picture; the text of the error itself is needed" },
  { magic: [0xff, 0xd8, 0xff], words: "a picture; the text of the error itself is needed" },
  { magic: [0x25, 0x50, 0x44, 0x46], words: "a PDF file; the text of the error itself is needed" },
  { magic: [0xcf, 0xfa, 0xed, 0xfe], words: "a program or a library for macOS, not the text of an error" },
];

/** Of this many bytes at the start one in twenty may be a control byte: progress bars and colours are text as well. */
const looked = 65_536;

/** What was printed, as text: UTF-8, or the UTF-16 that PowerShell writes with ">". `name` is what people call it. */
export function errorText(bytes: Uint8Array, name: string): ErrorTextResult {
  const kind = kinds.find(({ magic }) => magic.every((byte, at) => bytes[at] === byte));
  if (kind !== undefined) {
    return { ok: false, message: `${name} is ${kind.words}.` };
  }
  const head = bytes.subarray(0, looked);
  const encoding = wideEncoding(head);
  if (encoding === undefined && isBinary(head)) {
    return { ok: false, message: `${name} is no text: it holds bytes that no program prints. Name the log, or paste the error.` };
  }
  const text = new TextDecoder(encoding ?? "utf-8").decode(bytes);
  return text.trim() === "" ? { ok: false, message: `${name} is empty.` } : { ok: true, text };
}

/** By the mark at the start; without one, by the zero bytes that every second byte of Latin text then is. */
function wideEncoding(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) {
    return "utf-16le";
  }
  if (head[0] === 0xfe && head[1] === 0xff) {
    return "utf-16be";
  }
  const zeros = [0, 0];
  head.forEach((byte, at) => {
    zeros[at % 2] = (zeros[at % 2] ?? 0) + (byte === 0 ? 1 : 0);
  });
  const [even = 0, odd = 0] = zeros;
  const most = head.length * 0.4;
  return odd > most && even < most / 20 ? "utf-16le" : even > most && odd < most / 20 ? "utf-16be" : undefined;
}

function isBinary(head: Uint8Array): boolean {
  const odd = head.reduce((count, byte) => count + (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b ? 1 : 0), 0);
  return odd > head.length / 20;
}
