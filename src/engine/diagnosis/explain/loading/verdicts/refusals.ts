import { fileName, inside } from "../../symbols/words.ts";
import { verdict } from "../../reading.ts";
import type { Explanation } from "../../types.ts";

/** Reasons for which glibc refuses a file that it found (elf/dl-load.c, elf/dl-tls.c, elf/dl-execstack.c, sysdeps/x86/dl-prop.h). */
export const refusals = /wrong ELF class: ELFCLASS(?:32|64)|file too short|invalid ELF header|ELF file OS ABI invalid|ELF load command alignment not page-aligned|ELF load command address\/offset not (?:properly|page-)aligned|object file has no (?:loadable segments|dynamic section)|cannot allocate memory in static TLS block|initial-exec TLS resolves to dynamic definition|cannot enable executable stack as shared object requires|failed to map segment from shared object|cannot (?:restore segment prot after reloc|apply additional memory protection after relocation|make segment writable for relocation)|CPU ISA level is lower than required|cannot dynamically load (?:position-independent )?executable|unexpected (?:PLT )?reloc type|unsupported version \d+ of Verdef record/;

const notTorch = "torch's version and its ABI have no part in it.";

/** What it means that the loader refuses a file, by the reason that it gives. */
export function explainRefusal(reason: string, file: string): Explanation {
  const who = fileName(file);
  if (reason.startsWith("wrong ELF class")) {
    const is32 = reason.endsWith("32");
    return verdict("wrong-architecture", "certain", `${who} is a ${is32 ? 32 : 64}-bit library, and the process that loads it is ${is32 ? 64 : 32}-bit.`, ["The loader says so of the file's header.", notTorch], { fixes: [`Take or build ${inside(who)} for this machine; check -m32 and the toolchain of the build.`] });
  }
  if (/OS ABI|page-aligned|properly aligned/.test(reason)) {
    const isPages = /align/.test(reason);
    return verdict("wrong-architecture", "certain", isPages ? `${who} was linked for memory pages of another size than this machine's.` : `${who} is marked for another operating system.`, [isPages ? "Some kernels (aarch64 with pages of 16 or 64 KiB) need files that were linked with -Wl,-z,max-page-size of that size." : "The field EI_OSABI in the file's header is none that this loader takes; a damaged header reads the same."], {
      fixes: [isPages ? "Build it on this machine, or link with -Wl,-z,max-page-size=65536." : "Take or build the file for this system."],
    });
  }
  if (reason.startsWith("CPU ISA level")) {
    return verdict("wrong-architecture", "certain", `${who} was compiled for a newer processor than this one.`, ["The file is marked for a level of x86-64 (v2, v3, v4) that the processor does not reach, or that a virtual machine hides."], { fixes: ["Take a build for the plain architecture, or build it without -march=native or -march=x86-64-v3.", "In a virtual machine let it have the host's processor (cpu: host)."] });
  }
  if (/static TLS|initial-exec TLS/.test(reason)) return staticTls(who);
  if (/executable stack/.test(reason)) {
    return verdict("loading-refused", "certain", `${who} asks for an executable stack, and the system does not give it.`, ["An assembly source without the note .note.GNU-stack, or -z execstack, put the demand into the file; it is hardly ever meant.", "glibc 2.41 and later refuse to load such a file; SELinux and some kernels did before.", notTorch], {
      fixes: [`Build it again with -Wl,-z,noexecstack, or take a newer release of the package.`, `Where it cannot be rebuilt: patchelf --clear-execstack ${file}`],
      copy: `patchelf --clear-execstack ${file}`,
    });
  }
  if (/failed to map|segment|memory protection|Permission|not permitted/.test(reason)) {
    return verdict("loading-refused", "likely", `The system does not let ${inside(who)} be mapped as code.`, ["The file was found and read. A file system that is mounted noexec (often /tmp or a home on a cluster) or a file without the permission to read or execute gives this; so does a lack of memory, a damaged file, or SELinux.", notTorch], {
      fixes: ["Put the file, or the build folder (TORCH_EXTENSIONS_DIR, TMPDIR), on a file system that is not mounted noexec.", "Check the file's permissions, and memory limits (ulimit -v)."],
      needs: [`How its folder is mounted: \`findmnt -T ${file}\`, \`ls -l ${file}\`.`],
    });
  }
  if (/Too many open files/.test(reason)) return verdict("loading-refused", "certain", `${who} was not opened: the process has too many files open.`, [notTorch], { fixes: ["Raise the limit (ulimit -n), or share tensors by the file_system strategy (torch.multiprocessing.set_sharing_strategy)."] });
  if (reason.startsWith("cannot dynamically load")) return verdict("corrupt-file", "certain", `${who} is a program and no library.`, ["It was linked as an executable (without -shared), and a process cannot load one."], { fixes: ["Link it as a shared library: -shared (CMake: add_library(... MODULE))."] });
  return corrupt(reason, who);
}

function staticTls(who: string): Explanation {
  return verdict("static-tls", "certain", `${who} needs room for thread-local variables that this process has already given away.`, ["Its thread-local variables were compiled for the fixed block that a process sets up when it starts (initial-exec); the little that is left over goes to libraries in the order in which they are loaded.", "Usual on aarch64 with libgomp and libraries that bring their own copy of it.", notTorch], {
    fixes: [
      `Import the package that ${inside(who)} belongs to before the others.`,
      "Give the process more room (glibc 2.33 and later): GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384 in front of the command.",
      "Where you build it: without -ftls-model=initial-exec, and without linking a static copy of OpenMP or jemalloc into it.",
    ],
    copy: "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384",
  });
}

/** glibc before 2.22 (elf/dl-open.c): the message names no file, only dlopen. */
export function explainTlsSlots(): Explanation {
  return verdict("static-tls", "certain", "A library needs room for thread-local variables that this process has already given away.", ["glibc before 2.22 keeps room for a few libraries that are loaded later with such variables, and they went to those that were loaded first.", notTorch], {
    fixes: ["Import the package that failed before the others (often torch before cv2 or scikit-learn, or the other way round).", "A system with glibc 2.22 or later has no such limit of places."],
    needs: ["Which import failed: the lines of the traceback."],
  });
}

function corrupt(reason: string, who: string): Explanation {
  const isEmpty = reason === "file too short";
  return verdict("corrupt-file", "certain", isEmpty ? `${who} is empty or cut off.` : `${who} is no library that this system can load, or is damaged.`, [isEmpty ? "A build, a download or a copy was interrupted, the disk was full, or a pointer of Git LFS stands in the file's place." : "What is in the file is no ELF library: a pointer of Git LFS, a linker script, a page that a server sent instead, a file for macOS or Windows, or a half-written one.", notTorch], {
    fixes: ["Delete the file and build or install it again (for a JIT extension: its folder below ~/.cache/torch_extensions).", "If it comes from a repository: git lfs pull."],
  });
}
