import * as fs from "node:fs";

/** e_machine of ELF (gABI, "ELF Header"). */
const elfMachines: Readonly<Record<number, string>> = { 3: "i386", 21: "ppc64le", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64" };
/** cputype of Mach-O (<mach/machine.h>). */
const machMachines: Readonly<Record<number, string>> = { 0x01000007: "x86_64", 0x0100000c: "arm64" };

/** This machine, as `LibtorchCandidate.platform` names it. */
export function thisPlatform(): string {
  const machine = { x64: "x86_64", arm64: process.platform === "linux" ? "aarch64" : "arm64" }[process.arch as string] ?? process.arch;
  return `${{ linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string] ?? process.platform}-${machine}`;
}

/** For which platforms a library or object file is; empty when that cannot be told. */
export function platformsOf(head: Uint8Array): readonly string[] {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.length < 20) {
    return [];
  }
  const magic = bytes.readUInt32BE(0);
  if (magic === 0x7f454c46) {
    const machine = bytes[5] === 2 ? bytes.readUInt16BE(18) : bytes.readUInt16LE(18);
    return [`linux-${elfMachines[machine] ?? `machine-${machine}`}`];
  }
  if (magic === 0xcffaedfe) {
    return [machPlatform(bytes.readUInt32LE(4))];
  }
  if (magic === 0xcafebabe) {
    // A "fat" file: fat_arch records of 20 bytes each (<mach-o/fat.h>).
    const count = Math.min(bytes.readUInt32BE(4), 8);
    return Array.from({ length: count }, (_, index) => 8 + index * 20).filter((at) => at + 4 <= bytes.length).map((at) => machPlatform(bytes.readUInt32BE(at)));
  }
  return bytes.toString("latin1", 0, 2) === "MZ" ? ["windows-amd64"] : [];
}

export function headOf(file: string): Uint8Array {
  const descriptor = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(256);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    fs.closeSync(descriptor);
  }
}

function machPlatform(cpu: number): string {
  return `macos-${machMachines[cpu] ?? `cpu-${cpu}`}`;
}
