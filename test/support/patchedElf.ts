/** What patchelf does to a library when it lengthens a path: names and hash table move to a new segment at the end. */
export function withTablesAtEnd(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const number = (at: number): number => Number(view.getBigUint64(at, true));
  const sections = Array.from({ length: view.getUint16(60, true) }, (_, index) => number(40) + index * 64);
  // SHT_GNU_HASH, and the string table that .dynsym links to.
  const hash = sections.find((at) => view.getUint32(at + 4, true) === 0x6ffffff6) ?? 0;
  const symbols = sections.find((at) => view.getUint32(at + 4, true) === 11) ?? 0;
  const strings = sections[view.getUint32(symbols + 40, true)] ?? 0;
  const headersAt = Math.ceil(file.length / 8) * 8;
  const start = Math.ceil((headersAt + sections.length * 64) / 4096) * 4096;
  const contents = [hash, strings].map((at) => file.slice(number(at + 24), number(at + 24) + number(at + 32)));
  const patched = new Uint8Array(start + contents.reduce((sum, one) => sum + Math.ceil(one.length / 8) * 8, 0));
  patched.set(file);
  patched.set(file.subarray(number(40), number(40) + sections.length * 64), headersAt);
  const out = new DataView(patched.buffer);
  // Far behind all other segments.
  const address = (offset: number): number => offset + 0x1000_0000;
  const moved = new Map<number, number>();
  let at = start;
  for (const [index, section] of [hash, strings].entries()) {
    const content = contents[index] ?? new Uint8Array(0);
    patched.fill(0x5a, number(section + 24), number(section + 24) + content.length);
    patched.set(content, at);
    out.setBigUint64(headersAt + (section - number(40)) + 24, BigInt(at), true);
    moved.set(index === 0 ? 0x6ffffef5 : 5, address(at));
    at += Math.ceil(content.length / 8) * 8;
  }
  out.setBigUint64(40, BigInt(headersAt), true);
  for (let index = 0; index < view.getUint16(56, true); index += 1) {
    const header = number(32) + index * 56;
    const type = view.getUint32(header, true);
    if (type === 2) {
      for (let entry = number(header + 8); entry < number(header + 8) + number(header + 32); entry += 16) {
        const value = moved.get(number(entry));
        if (value !== undefined) out.setBigUint64(entry + 8, BigInt(value), true);
      }
    } else if (type === 0x6474e551) {
      // The segment takes the place of PT_GNU_STACK.
      out.setUint32(header, 1, true);
      for (const [field, value] of [[8, start], [16, address(start)], [24, address(start)], [32, patched.length - start], [40, patched.length - start]] as const) out.setBigUint64(header + field, BigInt(value), true);
    }
  }
  return patched;
}
