// Units that look into the elements: converted, or added atomically.
#ifndef GANTRY_CUDA_ELEMENTS_H
#define GANTRY_CUDA_ELEMENTS_H

#include "cuda/move.h"
#include "cuda/numeric.h"

namespace gantry {
namespace cuda {

template <int kElementBytes, class Value>
GANTRY_HD uint64_t element(const Value& value, int i) {
  if constexpr (kElementBytes == 8) {
    return static_cast<uint64_t>(value.word[2 * i + 1]) << 32 | value.word[2 * i];
  } else if constexpr (kElementBytes == 4) {
    return value.word[i];
  } else if constexpr (kElementBytes == 2) {
    return (value.word[i / 2] >> (i % 2 * 16)) & 0xffffu;
  } else {
    return (value.word[i / 4] >> (i % 4 * 8)) & 0xffu;
  }
}

// The element's bits have to be zero before.
template <int kElementBytes, class Value>
GANTRY_HD void set_element(Value* value, int i, uint64_t bits) {
  if constexpr (kElementBytes == 8) {
    value->word[2 * i] = static_cast<uint32_t>(bits);
    value->word[2 * i + 1] = static_cast<uint32_t>(bits >> 32);
  } else if constexpr (kElementBytes == 4) {
    value->word[i] = static_cast<uint32_t>(bits);
  } else if constexpr (kElementBytes == 2) {
    value->word[i / 2] |= static_cast<uint32_t>(bits & 0xffffu) << (i % 2 * 16);
  } else {
    value->word[i / 4] |= static_cast<uint32_t>(bits & 0xffu) << (i % 4 * 8);
  }
}

// Four floats of one kind become four of another.
template <Kind kFrom, Kind kTo>
struct FloatUnit {
  static constexpr int kElements = 4;
  // As many as fit into the registers.
  static constexpr int kRows = bytes_of(kFrom) == 8 || bytes_of(kTo) == 8 ? 2 : 4;
  using Value = Words<kElements * bytes_of(kFrom)>;
  GANTRY_HD static constexpr int from_bytes() { return kElements * bytes_of(kFrom); }
  GANTRY_HD static constexpr int to_bytes() { return kElements * bytes_of(kTo); }
  GANTRY_HD Value load(const char* from) const { return load_once<kElements * bytes_of(kFrom)>(from); }
  GANTRY_HD void put(char* to, const Value& value, bool streaming) const {
    Words<kElements * bytes_of(kTo)> result{};
    GANTRY_UNROLL
    for (int i = 0; i < kElements; ++i) {
      set_element<bytes_of(kTo)>(&result, i, convert_float<kFrom, kTo>(element<bytes_of(kFrom)>(value, i)));
    }
    store<kElements * bytes_of(kTo)>(to, result, streaming);
  }
};

// One element of any number type: integers, and floats that do not lie in fours.
struct AnyUnit {
  Kind from;
  Kind to;
  static constexpr int kRows = 4;
  using Value = Words<8>;
  GANTRY_HD int from_bytes() const { return bytes_of(from); }
  GANTRY_HD int to_bytes() const { return bytes_of(to); }
  GANTRY_HD Value load(const char* address) const {
    switch (bytes_of(from)) {
      case 1:
        return Value{{load_once<1>(address).word[0], 0}};
      case 2:
        return Value{{load_once<2>(address).word[0], 0}};
      case 4:
        return Value{{load_once<4>(address).word[0], 0}};
      default:
        return load_once<8>(address);
    }
  }
  GANTRY_HD void put(char* address, const Value& value, bool streaming) const {
    const uint64_t bits = convert_any(from, to, element<8>(value, 0));
    const uint32_t low = static_cast<uint32_t>(bits);
    switch (bytes_of(to)) {
      case 1:
        return store<1>(address, Words<1>{{low & 0xffu}}, streaming);
      case 2:
        return store<2>(address, Words<2>{{low & 0xffffu}}, streaming);
      case 4:
        return store<4>(address, Words<4>{{low}}, streaming);
      default:
        return store<8>(address, Words<8>{{low, static_cast<uint32_t>(bits >> 32)}}, streaming);
    }
  }
};

// One element added in place, whatever other threads do to it or to its neighbours.
template <Kind kKind>
GANTRY_HD void add_in_place(char* to, uint64_t bits) {
  constexpr int kBytes = bytes_of(kKind);
  require_aligned<kBytes>(to);
#if defined(__CUDA_ARCH__)
  if constexpr (kKind == Kind::f32) {
    // Subnormal numbers count as zero here: the instruction on global memory has no other form.
    atomicAdd(reinterpret_cast<float*>(to), f32_value(static_cast<uint32_t>(bits)));
  } else if constexpr (kKind == Kind::f64) {
    atomicAdd(reinterpret_cast<double*>(to), f64_value(bits));
  } else if constexpr (kBytes == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(bits));
  } else if constexpr (kBytes == 4) {
    atomicAdd(reinterpret_cast<unsigned int*>(to), static_cast<unsigned int>(bits));
  } else if constexpr (kKind == Kind::f16) {
    atomicAdd(reinterpret_cast<__half*>(to), __ushort_as_half(static_cast<unsigned short>(bits)));
#if __CUDA_ARCH__ >= 800
  } else if constexpr (kKind == Kind::bf16) {
    atomicAdd(reinterpret_cast<__nv_bfloat16*>(to), __ushort_as_bfloat16(static_cast<unsigned short>(bits)));
#endif
  } else if constexpr (kBytes == 2) {
    unsigned short* address = reinterpret_cast<unsigned short*>(to);
    unsigned short seen = *address;
    for (;;) {
      const unsigned short sum = static_cast<unsigned short>(add<kKind>(seen, bits));
      const unsigned short before = atomicCAS(address, seen, sum);
      if (before == seen) return;
      seen = before;
    }
  } else {
    // There is no such instruction on single bytes: the aligned word around it, of which the rest is put back as it
    // was.
    const uintptr_t address = reinterpret_cast<uintptr_t>(to);
    unsigned int* word = reinterpret_cast<unsigned int*>(address & ~static_cast<uintptr_t>(3));
    const unsigned int shift = static_cast<unsigned int>(address & 3u) * 8u;
    unsigned int seen = *word;
    for (;;) {
      const unsigned int sum = ((seen >> shift) + static_cast<unsigned int>(bits)) & 0xffu;
      const unsigned int before = atomicCAS(word, seen, (seen & ~(0xffu << shift)) | sum << shift);
      if (before == seen) return;
      seen = before;
    }
  }
#else
  uint64_t old = 0;
  memcpy(&old, to, kBytes);
  const uint64_t sum = add<kKind>(old, bits);
  memcpy(to, &sum, kBytes);
#endif
}

// Elements of a row added to the table's row.
template <Kind kKind, int kElements>
class AddUnit {
 public:
  static constexpr int kBytes = kElements * bytes_of(kKind);
  static constexpr int kRows = 4;
  using Value = Words<kBytes>;
  GANTRY_HD static constexpr int from_bytes() { return kBytes; }
  GANTRY_HD static constexpr int to_bytes() { return kBytes; }
  GANTRY_HD Value load(const char* from) const { return load_once<kBytes>(from); }
  GANTRY_HD void put(char* to, const Value& value, bool) const {
    require_aligned<kBytes>(to);
#if defined(__CUDA_ARCH__)
    constexpr bool kHasVectors = __CUDA_ARCH__ >= 900;
    if constexpr (kHasVectors && kKind == Kind::f32 && kElements == 4) {
      asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(__cvta_generic_to_global(to)), "f"(f32_value(value.word[0])), "f"(f32_value(value.word[1])),
                     "f"(f32_value(value.word[2])), "f"(f32_value(value.word[3]))
                   : "memory");
    } else if constexpr (kHasVectors && kKind == Kind::f16 && kElements == 8) {
      asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(__cvta_generic_to_global(to)), "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]),
                     "r"(value.word[3])
                   : "memory");
    } else if constexpr (kHasVectors && kKind == Kind::bf16 && kElements == 8) {
      asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(__cvta_generic_to_global(to)), "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]),
                     "r"(value.word[3])
                   : "memory");
    } else if constexpr (kKind == Kind::f16 && kElements > 1) {
      GANTRY_UNROLL
      for (int i = 0; i < kElements / 2; ++i) {
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;"
                     :
                     : "l"(__cvta_generic_to_global(to + 4 * i)), "r"(value.word[i])
                     : "memory");
      }
    } else if constexpr (kHasVectors && kKind == Kind::bf16 && kElements > 1) {
      GANTRY_UNROLL
      for (int i = 0; i < kElements / 2; ++i) {
        asm volatile("red.global.add.noftz.bf16x2 [%0], %1;"
                     :
                     : "l"(__cvta_generic_to_global(to + 4 * i)), "r"(value.word[i])
                     : "memory");
      }
    } else {
      add_one_by_one(to, value);
    }
#else
    add_one_by_one(to, value);
#endif
  }

 private:
  GANTRY_HD static void add_one_by_one(char* to, const Value& value) {
    GANTRY_UNROLL
    for (int i = 0; i < kElements; ++i) {
      add_in_place<kKind>(to + i * bytes_of(kKind), element<bytes_of(kKind)>(value, i));
    }
  }
};

}  // namespace cuda
}  // namespace gantry

#endif
