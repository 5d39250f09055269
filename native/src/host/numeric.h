// Conversions between float formats, on their bits: every level of the host's kernels gives the same. Rounds to the
// nearest, ties to even, in the processor's default mode; a NaN keeps its sign and the upper bits of its payload and
// becomes quiet. Everything has internal linkage, because the file is compiled once for each level.
#ifndef GANTRY_HOST_NUMERIC_H
#define GANTRY_HOST_NUMERIC_H

#include <stdint.h>
#include <string.h>

namespace gantry {
namespace {

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

inline uint32_t f32_from_f16(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  // Subnormals: a multiple of 2^-24, exact as a float.
  const uint32_t subnormal = bits_as<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t normal = (magnitude << 13) + ((127u - 15u) << 23);
  const uint32_t special = (magnitude << 13) | 0x7f800000u | (magnitude > 0x7c00u ? 0x00400000u : 0u);
  const uint32_t finite = magnitude < 0x0400u ? subnormal : normal;
  return sign | (magnitude >= 0x7c00u ? special : finite);
}

inline uint16_t f16_from_f32(uint32_t single) {
  const uint32_t sign = (single >> 16) & 0x8000u;
  const uint32_t magnitude = single & 0x7fffffffu;
  const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x1ffu);
  // Below 2^-14 the result is a multiple of 2^-24: adding 0.5 puts exactly that bit last in the sum, rounded by the
  // hardware.
  const uint32_t subnormal = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude - ((127u - 15u) << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const uint32_t overflowed = magnitude >= 0x47800000u ? 0x7c00u : finite;
  return static_cast<uint16_t>(sign | (magnitude > 0x7f800000u ? nan : overflowed));
}

inline uint32_t f32_from_bf16(uint16_t brain) {
  const uint32_t wide = static_cast<uint32_t>(brain) << 16;
  return wide | ((brain & 0x7fffu) > 0x7f80u ? 0x00400000u : 0u);
}

inline uint16_t bf16_from_f32(uint32_t single) {
  const uint32_t rounded = (single + 0x7fffu + ((single >> 16) & 1u)) >> 16;
  const uint32_t nan = (single >> 16) | 0x40u;
  return static_cast<uint16_t>((single & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

inline uint64_t f64_from_f32(uint32_t single) { return bits_as<uint64_t>(static_cast<double>(bits_as<float>(single))); }

inline uint32_t f32_from_f64(uint64_t wide) { return bits_as<uint32_t>(static_cast<float>(bits_as<double>(wide))); }

// Rounded to odd: the last bit says that bits were lost, so that a second rounding to 16 bits is as if it were the
// first.
inline uint32_t f32_odd_from_f64(uint64_t wide) {
  const uint64_t magnitude = wide & 0x7fffffffffffffffu;
  const uint32_t nearest = f32_from_f64(wide);
  const uint64_t back = f64_from_f32(nearest) & 0x7fffffffffffffffu;
  // Away from zero: one step back gives the truncated value. An infinity from a finite number steps back to the largest
  // one.
  const bool is_number = magnitude <= 0x7ff0000000000000u;
  const uint32_t truncated = nearest - (back > magnitude && is_number ? 1u : 0u);
  return truncated | (back != magnitude && is_number ? 1u : 0u);
}

inline uint16_t f16_from_f64(uint64_t wide) { return f16_from_f32(f32_odd_from_f64(wide)); }
inline uint16_t bf16_from_f64(uint64_t wide) { return bf16_from_f32(f32_odd_from_f64(wide)); }

}  // namespace
}  // namespace gantry

#endif
