/** Why a file was not opened. `offset`: the byte of the file that does not hold what it should. */
export interface ElfFailure {
  readonly ok: false;
  /** "unsupported": a healthy ELF file of a kind that is not read. */
  readonly problem: "unreadable" | "not-elf" | "unsupported" | "damaged";
  /** A sentence. */
  readonly message: string;
  readonly offset?: number;
}

/** e_machine. Source: the ELF registry of machine values (gABI, "ELF Header"), and binutils' include/elf/common.h. */
const machines: ReadonlyMap<number, string> = new Map([
  [2, "sparc"], [3, "i386"], [8, "mips"], [20, "ppc"], [21, "ppc64"], [22, "s390x"], [40, "arm"], [43, "sparc64"], [50, "ia64"],
  [62, "x86-64"], [183, "aarch64"], [190, "cuda"], [224, "amdgpu"], [243, "riscv"], [247, "bpf"], [258, "loongarch"],
]);

/** "x86-64" of e_machine 62; a number that is not in the table as "machine 4242". */
export function machineName(machine: number): string {
  return machines.get(machine) ?? `machine ${machine}`;
}

/** "0x1f40", as the tools print places in files. */
export function hex(offset: number): string {
  return Number.isFinite(offset) ? `0x${offset.toString(16)}` : "an impossible place";
}

export function damaged(path: string, what: string, offset: number): ElfFailure {
  return { ok: false, problem: "damaged", message: `${path} is a damaged ELF file: ${what}.`, offset };
}

/** Refuses 32-bit and big-endian files by the name of their machine. `header`: the first 20 bytes at least. */
export function refuseClass(path: string, header: DataView): ElfFailure | undefined {
  const bits = header.getUint8(4);
  const order = header.getUint8(5);
  if ((bits !== 1 && bits !== 2) || (order !== 1 && order !== 2)) {
    return damaged(path, `its class (${bits}) and byte order (${order}) are none that exist`, 4);
  }
  if (bits === 2 && order === 1) {
    return undefined;
  }
  const kind = `${bits === 1 ? "32" : "64"}-bit ${order === 1 ? "little" : "big"}-endian`;
  return { ok: false, problem: "unsupported", message: `${path} is a ${kind} ELF file for ${machineName(header.getUint16(18, order === 1))}; only 64-bit little-endian ones are read.`, offset: 4 };
}

/** Says what a file that is no ELF file is, where its first bytes tell. */
export function refuseOther(path: string, start: Uint8Array, size: number): ElfFailure {
  return { ok: false, problem: "not-elf", message: size === 0 ? `${path} is empty.` : `${path} is not an ELF file${describe(start)}.`, offset: 0 };
}

function describe(start: Uint8Array): string {
  const text = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString("latin1");
  const magic = start.length < 4 ? 0 : new DataView(start.buffer, start.byteOffset, 4).getUint32(0);
  if (text.startsWith("MZ")) {
    return " but a Windows program or DLL";
  }
  // Mach-O in both byte orders and sizes, and the "fat" container, whose magic Java class files share.
  if ([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe].includes(magic) || (magic === 0xcafebabe && (start[7] ?? 255) < 40)) {
    return " but a macOS (Mach-O) library or program";
  }
  if (text.startsWith("!<arch>\n") || text.startsWith("!<thin>\n")) {
    return " but a static archive (ar)";
  }
  if (text.startsWith("PK\x03\x04")) {
    return " but a zip archive";
  }
  if (text.startsWith("version https://git-lfs.github.com/spec/")) {
    return " but a Git LFS pointer: the file itself was not downloaded";
  }
  if (/^(?:\s|\/\*[^]*?\*\/)*(?:GROUP|INPUT|OUTPUT_FORMAT)\s*\(/.test(text)) {
    return " but a linker script, a text that names other libraries";
  }
  if (text.startsWith("#!")) {
    return " but a script";
  }
  if (/^[BC]C\xc0\xde/.test(text)) {
    return " but LLVM bitcode";
  }
  return "";
}
