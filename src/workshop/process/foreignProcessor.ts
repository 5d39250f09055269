import * as fs from "node:fs";
import * as os from "node:os";

/** e_machine of the ELF header, by what os.machine() answers. https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html */
const machines: Readonly<Record<number, { readonly name: string; readonly runsOn: readonly string[] }>> = {
  3: { name: "32-bit x86", runsOn: ["i386", "i686", "x86_64"] },
  20: { name: "32-bit PowerPC", runsOn: ["ppc", "ppc64"] },
  21: { name: "64-bit PowerPC", runsOn: ["ppc64", "ppc64le"] },
  22: { name: "s390", runsOn: ["s390", "s390x"] },
  40: { name: "32-bit Arm", runsOn: ["arm", "armv7l", "armv6l", "aarch64"] },
  62: { name: "x86-64", runsOn: ["x86_64"] },
  183: { name: "AArch64", runsOn: ["aarch64", "arm64"] },
  243: { name: "RISC-V", runsOn: ["riscv64", "riscv32"] },
  258: { name: "LoongArch", runsOn: ["loongarch64"] },
};

/**
 * The words for what an ELF header, of which 20 bytes are needed, is a program for; undefined when this machine may run it.
 * Asked before the start, because the C library hands a file that the kernel refuses to the shell (execvp(3)), whose
 * complaint says nothing.
 */
export function foreignProcessor(head: Buffer): string | undefined {
  // Nothing is refused on a machine that the table does not know.
  if (!Object.values(machines).some(({ runsOn }) => runsOn.includes(os.machine()))) return undefined;
  const number = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
  const machine = machines[number];
  return machine?.runsOn.includes(os.machine()) === true || emulates() ? undefined : machine?.name ?? `another processor (machine ${number} in its ELF header)`;
}

/** An emulator is registered for foreign programs: https://docs.kernel.org/admin-guide/binfmt-misc.html. */
function emulates(): boolean {
  try {
    return fs.readdirSync("/proc/sys/fs/binfmt_misc").some((name) => name.startsWith("qemu-"));
  } catch {
    return false;
  }
}
