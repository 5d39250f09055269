#include "host/isa.h"

#include <string.h>

#if defined(GANTRY_ISA_LEVELS)
#include <cpuid.h>
#endif

namespace gantry {
namespace {

#if defined(GANTRY_ISA_LEVELS)

constexpr bool has_all(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

// The parts of the processor's state that the system saves at a context switch (XCR0).
uint32_t saved_state() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// 1: x86-64, 3: x86-64-v3, 4: x86-64-v4; the features of the x86-64 psABI's table of levels.
int processor_level() {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return 1;
  const uint32_t v3_of_leaf_1 = bit_SSE3 | bit_SSSE3 | bit_FMA | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_MOVBE |
                                bit_POPCNT | bit_OSXSAVE | bit_AVX | bit_F16C;
  if (!has_all(ecx, v3_of_leaf_1)) return 1;
  const uint32_t state = saved_state();
  if (!has_all(state, 0x06)) return 1;  // xmm, ymm
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) == 0 || !has_all(ecx, bit_LAHF_LM | bit_LZCNT)) return 1;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || !has_all(ebx, bit_BMI | bit_AVX2 | bit_BMI2)) return 1;
  const bool is_v4 =
      has_all(ebx, bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL) && has_all(state, 0xe6);
  return is_v4 ? 4 : 3;
}

#endif

}  // namespace

int runnable_kernels(const Kernels* out[kMaxLevels]) {
  int count = 0;
  out[count++] = &kKernelsBaseline;
#if defined(GANTRY_ISA_LEVELS)
  const int level = processor_level();
  if (level >= 3) out[count++] = &kKernelsV3;
  if (level >= 4) out[count++] = &kKernelsV4;
#endif
  return count;
}

const Kernels* choose_kernels(const char* wanted) {
  const Kernels* levels[kMaxLevels];
  const int count = runnable_kernels(levels);
  for (int k = 0; wanted != nullptr && k < count; ++k) {
    if (strcmp(wanted, levels[k]->name) == 0) return levels[k];
  }
  return levels[count - 1];
}

}  // namespace gantry
