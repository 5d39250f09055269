// How the processor rounds, and whether it takes subnormals for zero: each thread has its own mode, and a caller may
// have set it (torch.set_flush_denormal does).
#ifndef GANTRY_HOST_FLOAT_MODE_H
#define GANTRY_HOST_FLOAT_MODE_H

#include <stdint.h>

namespace gantry {

#if defined(__x86_64__)

inline uint64_t float_mode() { return __builtin_ia32_stmxcsr() & 0xffc0u; }
inline void set_float_mode(uint64_t mode) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(mode)); }

#elif defined(__aarch64__)

inline uint64_t float_mode() {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void set_float_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }

#else

inline uint64_t float_mode() { return 0; }
inline void set_float_mode(uint64_t) {}

#endif

}  // namespace gantry

#endif
