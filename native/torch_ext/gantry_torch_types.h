// SPDX-License-Identifier: Apache-2.0
//
// torch's dtypes and Gantry's, for c10::ScalarType and for the stable ABI's copy of it: both name their members alike.
#ifndef GANTRY_TORCH_TYPES_H
#define GANTRY_TORCH_TYPES_H

#include "gantry/gantry.h"

namespace gantry_torch {

// torch has unsigned integers of more than 8 bits since 2.3.
#if defined(GANTRY_TORCH_WITHOUT_WIDE_UNSIGNED)
#define GANTRY_TORCH_WIDE_UNSIGNED(X)
#else
#define GANTRY_TORCH_WIDE_UNSIGNED(X) \
  X(UInt16, GANTRY_CODE_UINT, 16) X(UInt32, GANTRY_CODE_UINT, 32) X(UInt64, GANTRY_CODE_UINT, 64)
#endif

#define GANTRY_TORCH_DTYPES(X)               \
  X(Float, GANTRY_CODE_FLOAT, 32)            \
  X(Half, GANTRY_CODE_FLOAT, 16)             \
  X(BFloat16, GANTRY_CODE_BFLOAT, 16)        \
  X(Double, GANTRY_CODE_FLOAT, 64)           \
  X(Byte, GANTRY_CODE_UINT, 8)               \
  X(Char, GANTRY_CODE_INT, 8)                \
  X(Short, GANTRY_CODE_INT, 16)              \
  X(Int, GANTRY_CODE_INT, 32)                \
  X(Long, GANTRY_CODE_INT, 64)               \
  X(Bool, GANTRY_CODE_BOOL, 8)               \
  X(ComplexFloat, GANTRY_CODE_COMPLEX, 64)   \
  X(ComplexDouble, GANTRY_CODE_COMPLEX, 128) \
  GANTRY_TORCH_WIDE_UNSIGNED(X)

template <class ScalarType>
bool dtype_of(ScalarType type, gantry_dtype* out) {
  switch (type) {
#define GANTRY_TORCH_CASE(name, code, bits) \
  case ScalarType::name:                    \
    *out = gantry_dtype{code, bits, 1};     \
    return true;
    GANTRY_TORCH_DTYPES(GANTRY_TORCH_CASE)
#undef GANTRY_TORCH_CASE
    default:
      return false;
  }
}

template <class ScalarType>
bool scalar_type_of(gantry_dtype dtype, ScalarType* out) {
  if (dtype.lanes != 1) return false;
#define GANTRY_TORCH_MATCH(name, dtype_code, dtype_bits)      \
  if (dtype.code == dtype_code && dtype.bits == dtype_bits) { \
    *out = ScalarType::name;                                  \
    return true;                                              \
  }
  GANTRY_TORCH_DTYPES(GANTRY_TORCH_MATCH)
#undef GANTRY_TORCH_MATCH
  return false;
}

}  // namespace gantry_torch

#endif
