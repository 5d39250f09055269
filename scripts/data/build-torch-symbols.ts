/**
 * Makes data/torch-symbols.br of the folder that read-torch-symbols.py left.
 *
 *     node scripts/data/build-torch-symbols.ts FOLDER [SINCE]
 *
 * Releases below SINCE (1.13.0) are left out: from 1.8 on the table would be half as large again, for torches of 2021.
 *
 * Brotli over: one line of JSON (source, number of symbols N and of classes K, libraries, R releases); K rows of R bytes,
 * for each release a bit per library that exports the symbols of the class; N low and N high bytes of the symbols'
 * classes; the N mangled names, sorted, as src/engine/catalogue/sortedNames.ts reads them. Whole names, since hashes would
 * be little smaller, could be mistaken, and could not show the overload that a release has instead; each without what it
 * shares with the one before, since what is shorter is unpacked sooner.
 */
import { readFileSync, readdirSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gunzipSync } from "node:zlib";
import { isRecordedSymbol } from "../../src/engine/catalogue/recordedSymbols.ts";
import { root } from "../../test/harness/locations.ts";

interface Wheel {
  readonly wheel: string;
  readonly libraries: Readonly<Record<string, { readonly needed: readonly string[] } | undefined>>;
}

const [, , folder = "", since = "1.13.0"] = process.argv;
const libraries = ["libc10", "libtorch_cpu", "libtorch_python", "libc10_cuda", "libtorch_cuda", "libtorch_cuda_cpp", "libtorch_cuda_cu", "libtorch"];
const byNumber = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });
const versions = readdirSync(folder).filter((one) => existsSync(join(folder, one, "wheel.json")) && byNumber(one, since) >= 0).sort(byNumber);
const masks = new Map<string, Uint8Array>();
const releases = versions.map((version, column) => {
  const wheel = JSON.parse(readFileSync(join(folder, version, "wheel.json"), "utf8")) as Wheel;
  for (const [bit, library] of libraries.entries()) {
    if (wheel.libraries[library] === undefined) continue;
    for (const name of gunzipSync(readFileSync(join(folder, version, `${library}.txt.gz`))).toString("latin1").split("\n")) {
      if (!isRecordedSymbol(name)) continue;
      const row = masks.get(name) ?? new Uint8Array(versions.length);
      row[column] = (row[column] ?? 0) | (1 << bit);
      masks.set(name, row);
    }
  }
  const spellings = ["Ss", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"].map((text) => `_ZN3c105ErrorC1ENS_14SourceLocationE${text}`);
  const libstdcxxAbi = spellings.findIndex((name) => (masks.get(name)?.[column] ?? 0) !== 0);
  if (libstdcxxAbi < 0) throw new Error(`${version}: c10::Error's constructor is not there, so the string ABI is not known.`);
  return { version, wheel: wheel.wheel, libstdcxxAbi, needed: Object.fromEntries(Object.entries(wheel.libraries).map(([name, one]) => [`${name}.so`, one?.needed ?? []])) };
});
const names = [...masks.keys()].sort();
const byRow = new Map<string, number[]>();
for (const [index, name] of names.entries()) {
  const row = String(masks.get(name));
  const members = byRow.get(row);
  if (members === undefined) byRow.set(row, [index]);
  else members.push(index);
}
const classes = [...byRow].sort(([, one], [, other]) => other.length - one.length);
const ids = Buffer.alloc(2 * names.length);
for (const [id, [, members]] of classes.entries()) {
  for (const index of members) {
    ids[index] = id & 255;
    ids[names.length + index] = id >> 8;
  }
}
const head = {
  source: "the dynamic symbol tables of the torch wheels that PyPI serves for Linux x86_64",
  symbols: names.length, classes: classes.length, libraries: libraries.map((one) => `${one}.so`), releases,
};
const data = Buffer.concat([
  Buffer.from(`${JSON.stringify(head)}\n`), ...classes.map(([row]) => Buffer.from(row.split(",").map(Number))), ids, packNames(names),
]);
const packed = brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } });
writeFileSync(join(root, "data", "torch-symbols.br"), packed);
process.stdout.write(`${versions.length} releases, ${names.length} symbols, ${classes.length} classes, ${data.length} bytes, ${packed.length} packed\n`);

/** Two bytes for the size of each block of 32 names; a byte for the letters that a name shares with the one before; the rests. */
function packNames(sorted: readonly string[]): Buffer {
  const shared = sorted.map((name, index) => (index % 32 === 0 ? 0 : commonLength(sorted[index - 1] ?? "", name)));
  const rests = sorted.map((name, index) => Buffer.from(`${name.slice(shared[index])}\n`));
  const sizes = Buffer.alloc(2 * Math.ceil(sorted.length / 32));
  for (let first = 0; first < sorted.length; first += 32) {
    // A block above 64 KB throws here.
    sizes.writeUInt16LE(rests.slice(first, first + 32).reduce((sum, one) => sum + one.length, 0), first / 16);
  }
  return Buffer.concat([sizes, Buffer.from(shared), ...rests]);
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < 255 && length < one.length && one[length] === other[length]) length++;
  return length;
}
