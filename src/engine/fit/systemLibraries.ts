/**
 * Libraries of glibc and GCC: every Linux with glibc has them, and each symbol in them carries a version.
 * Source: the library lists of glibc 2.36 and GCC 12 (libc6, libgcc-s1, libstdc++6, libgomp1, libatomic1 of Debian 12).
 */
const names = /^(?:ld-linux[\w-]*\.so\.\d+|lib(?:c|m|mvec|dl|rt|pthread|util|resolv|nsl|anl|BrokenLocale|thread_db|stdc\+\+|gcc_s|gomp|atomic|quadmath|gfortran)\.so(?:\.\d+)*)$/;

export function isSystemLibrary(name: string): boolean {
  return names.test(name);
}

/** OpenMP's run time under its own name, or under the one that a repair tool gave to torch's copy: libgomp-a34b3233.so.1. */
export function isOpenMpLibrary(name: string): boolean {
  return /^lib(?:g|i)?omp\d?[-.]/.test(name);
}
