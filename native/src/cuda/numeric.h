// Elements as bit patterns: conversions as the GPU's instructions do them, by intrinsics only, because frameworks'
// flags take the operators and implicit conversions of the 16-bit types away. On the host the exact arithmetic of the
// host's kernels stands in. The two agree in every bit but the payload of a NaN, which the GPU replaces.
#ifndef GANTRY_CUDA_NUMERIC_H
#define GANTRY_CUDA_NUMERIC_H

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include "cuda/grid.h"
#include "gantry/gantry.h"
#include "host/numeric.h"

namespace gantry {
namespace cuda {

enum class Kind : uint32_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64 };

// Wrong for dtypes that are no numbers: see is_number.
inline Kind kind_of(gantry_dtype dtype) {
  if (dtype.code == GANTRY_CODE_BFLOAT) return Kind::bf16;
  if (dtype.code == GANTRY_CODE_FLOAT) return dtype.bits == 16 ? Kind::f16 : dtype.bits == 32 ? Kind::f32 : Kind::f64;
  const bool has_sign = dtype.code == GANTRY_CODE_INT;
  if (dtype.bits == 8) return has_sign ? Kind::i8 : Kind::u8;
  if (dtype.bits == 16) return has_sign ? Kind::i16 : Kind::u16;
  if (dtype.bits == 32) return has_sign ? Kind::i32 : Kind::u32;
  return Kind::i64;
}

inline bool is_float(gantry_dtype dtype) {
  if (dtype.lanes != 1) return false;
  if (dtype.code == GANTRY_CODE_BFLOAT) return dtype.bits == 16;
  return dtype.code == GANTRY_CODE_FLOAT && (dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

inline bool is_integer(gantry_dtype dtype) {
  return dtype.lanes == 1 && (dtype.code == GANTRY_CODE_INT || dtype.code == GANTRY_CODE_UINT) &&
         (dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

GANTRY_HD constexpr int bytes_of(Kind kind) {
  return kind == Kind::f64 || kind == Kind::i64                        ? 8
         : kind == Kind::f32 || kind == Kind::i32 || kind == Kind::u32 ? 4
         : kind == Kind::i8 || kind == Kind::u8                        ? 1
                                                                       : 2;
}

GANTRY_HD float f32_value(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return bits_as<float>(bits);
#endif
}

GANTRY_HD uint32_t bits_of_f32(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return bits_as<uint32_t>(value);
#endif
}

GANTRY_HD double f64_value(uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return bits_as<double>(bits);
#endif
}

GANTRY_HD uint64_t bits_of_f64(double value) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint64_t>(__double_as_longlong(value));
#else
  return bits_as<uint64_t>(value);
#endif
}

// Of f16, bf16 and f32.
template <Kind kKind>
GANTRY_HD float to_f32(uint64_t bits) {
  if constexpr (kKind == Kind::f32) {
    return f32_value(static_cast<uint32_t>(bits));
  } else if constexpr (kKind == Kind::f16) {
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
#else
    return f32_value(f32_from_f16(static_cast<uint16_t>(bits)));
#endif
  } else {
    static_assert(kKind == Kind::bf16, "a float of at most 32 bits");
#if defined(__CUDA_ARCH__)
    return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(bits)));
#else
    return f32_value(f32_from_bf16(static_cast<uint16_t>(bits)));
#endif
  }
}

template <Kind kKind>
GANTRY_HD uint64_t from_f32(float value) {
  if constexpr (kKind == Kind::f32) {
    return bits_of_f32(value);
  } else if constexpr (kKind == Kind::f64) {
    return bits_of_f64(static_cast<double>(value));
  } else if constexpr (kKind == Kind::f16) {
#if defined(__CUDA_ARCH__)
    return __half_as_ushort(__float2half_rn(value));
#else
    return f16_from_f32(bits_of_f32(value));
#endif
  } else {
    static_assert(kKind == Kind::bf16, "a float");
#if defined(__CUDA_ARCH__)
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
    return bf16_from_f32(bits_of_f32(value));
#endif
  }
}

// Rounds once.
template <Kind kKind>
GANTRY_HD uint64_t from_f64(double value) {
  if constexpr (kKind == Kind::f64) {
    return bits_of_f64(value);
  } else if constexpr (kKind == Kind::f32) {
    return bits_of_f32(static_cast<float>(value));
  } else if constexpr (kKind == Kind::f16) {
#if defined(__CUDA_ARCH__)
    return __half_as_ushort(__double2half(value));
#else
    return f16_from_f64(bits_of_f64(value));
#endif
  } else {
    static_assert(kKind == Kind::bf16, "a float");
#if defined(__CUDA_ARCH__)
    return __bfloat16_as_ushort(__double2bfloat16(value));
#else
    return bf16_from_f64(bits_of_f64(value));
#endif
  }
}

template <Kind kFrom, Kind kTo>
GANTRY_HD uint64_t convert_float(uint64_t bits) {
  if constexpr (kFrom == Kind::f64) {
    return from_f64<kTo>(f64_value(bits));
  } else {
    return from_f32<kTo>(to_f32<kFrom>(bits));
  }
}

// Kinds known at run time only: floats to floats by f64, which holds each of the others, integers to integers modulo
// 2^bits.
GANTRY_HD uint64_t convert_any(Kind from, Kind to, uint64_t bits) {
  double value = 0;
  switch (from) {
    case Kind::f16:
      value = static_cast<double>(to_f32<Kind::f16>(bits));
      break;
    case Kind::bf16:
      value = static_cast<double>(to_f32<Kind::bf16>(bits));
      break;
    case Kind::f32:
      value = static_cast<double>(to_f32<Kind::f32>(bits));
      break;
    case Kind::f64:
      value = f64_value(bits);
      break;
    case Kind::i8:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(bits)));
    case Kind::i16:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(bits)));
    case Kind::i32:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits)));
    default:
      return bits;
  }
  switch (to) {
    case Kind::f16:
      return from_f64<Kind::f16>(value);
    case Kind::bf16:
      return from_f64<Kind::bf16>(value);
    case Kind::f32:
      return from_f64<Kind::f32>(value);
    default:
      return from_f64<Kind::f64>(value);
  }
}

// In the order given, rounded to the kind after every sum.
template <Kind kKind>
GANTRY_HD uint64_t add(uint64_t a, uint64_t b) {
  if constexpr (kKind == Kind::f64) {
#if defined(__CUDA_ARCH__)
    return bits_of_f64(__dadd_rn(f64_value(a), f64_value(b)));
#else
    return bits_of_f64(f64_value(a) + f64_value(b));
#endif
  } else if constexpr (kKind == Kind::f16 || kKind == Kind::bf16 || kKind == Kind::f32) {
#if defined(__CUDA_ARCH__)
    return from_f32<kKind>(__fadd_rn(to_f32<kKind>(a), to_f32<kKind>(b)));
#else
    return from_f32<kKind>(to_f32<kKind>(a) + to_f32<kKind>(b));
#endif
  } else {
    return a + b;
  }
}

}  // namespace cuda
}  // namespace gantry

#endif
