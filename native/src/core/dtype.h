// Element types: sizes, alignments, kinds and names.
#ifndef GANTRY_CORE_DTYPE_H
#define GANTRY_CORE_DTYPE_H

#include "gantry/gantry.h"

namespace gantry {

inline bool same_dtype(gantry_dtype a, gantry_dtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

inline uint32_t dtype_bits(gantry_dtype dtype) { return static_cast<uint32_t>(dtype.bits) * dtype.lanes; }

// What a pointer to elements has to be a multiple of: C's alignment of one lane, and 1 for bytes without meaning.
uint32_t dtype_alignment(gantry_dtype dtype);

// float16, bfloat16, float32, float64.
bool is_convertible_float(gantry_dtype dtype);

// Signed and unsigned integers of 8, 16, 32 and 64 bits.
bool is_convertible_integer(gantry_dtype dtype);

// As people write it: "float32", "bfloat16", "uint8", "float32x4".
struct DtypeText {
  explicit DtypeText(gantry_dtype dtype);
  char text[32];
};

}  // namespace gantry

#endif
