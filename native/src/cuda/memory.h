// Loads and stores of 1 to 16 bytes. On the GPU the loads go by the read-only path and leave nothing in L1: a row is
// read once. On the host they stop the program at an address that a GPU would refuse.
#ifndef GANTRY_CUDA_MEMORY_H
#define GANTRY_CUDA_MEMORY_H

#include <string.h>

#include "cuda/grid.h"

namespace gantry {
namespace cuda {

template <int kBytes>
struct Words {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16 || kBytes == 32, "words of 32 bits");
  uint32_t word[kBytes / 4];
};
template <>
struct Words<1> {
  uint32_t word[1];
};
template <>
struct Words<2> {
  uint32_t word[1];
};

template <int kBytes>
GANTRY_HD void require_aligned(const void* address) {
#if !defined(__CUDA_ARCH__)
  if (reinterpret_cast<uintptr_t>(address) % (kBytes > 16 ? 16 : kBytes) != 0) __builtin_trap();
#else
  (void)address;
#endif
}

// The memory must not change while the kernel runs.
template <int kBytes>
GANTRY_HD Words<kBytes> load_once(const char* from) {
  require_aligned<kBytes>(from);
  Words<kBytes> value{};
#if defined(__CUDA_ARCH__)
  if constexpr (kBytes == 32) {
    const Words<16> low = load_once<16>(from);
    const Words<16> high = load_once<16>(from + 16);
    for (int i = 0; i < 4; ++i) {
      value.word[i] = low.word[i];
      value.word[i + 4] = high.word[i];
    }
  } else if constexpr (kBytes == 16) {
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]), "=r"(value.word[3])
        : "l"(__cvta_generic_to_global(from)));
  } else if constexpr (kBytes == 8) {
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
        : "=r"(value.word[0]), "=r"(value.word[1])
        : "l"(__cvta_generic_to_global(from)));
  } else if constexpr (kBytes == 4) {
    asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(value.word[0]) : "l"(__cvta_generic_to_global(from)));
  } else if constexpr (kBytes == 2) {
    asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=r"(value.word[0]) : "l"(__cvta_generic_to_global(from)));
  } else {
    asm("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(value.word[0]) : "l"(__cvta_generic_to_global(from)));
  }
#else
  memcpy(value.word, from, kBytes);
#endif
  return value;
}

// `streaming`: the lines are the first to leave L2.
template <int kBytes>
GANTRY_HD void store(char* to, const Words<kBytes>& value, bool streaming) {
  require_aligned<kBytes>(to);
#if defined(__CUDA_ARCH__)
  const uint32_t* word = value.word;
  if constexpr (kBytes == 32) {
    store<16>(to, Words<16>{{word[0], word[1], word[2], word[3]}}, streaming);
    store<16>(to + 16, Words<16>{{word[4], word[5], word[6], word[7]}}, streaming);
  } else if constexpr (kBytes == 16) {
    const uint4 vector = make_uint4(word[0], word[1], word[2], word[3]);
    if (streaming) {
      __stcs(reinterpret_cast<uint4*>(to), vector);
    } else {
      *reinterpret_cast<uint4*>(to) = vector;
    }
  } else if constexpr (kBytes == 8) {
    const uint2 vector = make_uint2(word[0], word[1]);
    if (streaming) {
      __stcs(reinterpret_cast<uint2*>(to), vector);
    } else {
      *reinterpret_cast<uint2*>(to) = vector;
    }
  } else if constexpr (kBytes == 4) {
    if (streaming) {
      __stcs(reinterpret_cast<unsigned int*>(to), word[0]);
    } else {
      *reinterpret_cast<unsigned int*>(to) = word[0];
    }
  } else if constexpr (kBytes == 2) {
    if (streaming) {
      __stcs(reinterpret_cast<unsigned short*>(to), static_cast<unsigned short>(word[0]));
    } else {
      *reinterpret_cast<unsigned short*>(to) = static_cast<unsigned short>(word[0]);
    }
  } else {
    if (streaming) {
      __stcs(reinterpret_cast<unsigned char*>(to), static_cast<unsigned char>(word[0]));
    } else {
      *reinterpret_cast<unsigned char*>(to) = static_cast<unsigned char>(word[0]);
    }
  }
#else
  (void)streaming;
  memcpy(to, value.word, kBytes);
#endif
}

}  // namespace cuda
}  // namespace gantry

#endif
