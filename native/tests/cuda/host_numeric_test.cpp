// The host's stand-ins for the GPU's conversions, against the definition of the formats, and against the toolkit's own
// host implementation of the very intrinsics that the kernels use.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "../host/support.h"
#include "cuda/numeric.h"

#if defined(HAS_TOOLKIT)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace gantry::test {
namespace {

using cuda::Kind;

gantry_dtype dtype_of(Kind kind) {
  return kind == Kind::bf16 ? kBF16Type : kind == Kind::f16 ? kF16Type : kind == Kind::f32 ? kF32Type : kF64Type;
}

template <Kind kFrom, Kind kTo>
void check(uint64_t bits) {
  uint64_t wanted = 0;
  char from[8];
  char to[8] = {};
  std::memcpy(from, &bits, sizeof from);
  convert_element(to, dtype_of(kTo), from, dtype_of(kFrom));
  std::memcpy(&wanted, to, sizeof wanted);
  ASSERT_EQ((cuda::convert_float<kFrom, kTo>(bits)), wanted) << std::hex << bits;
  ASSERT_EQ(cuda::convert_any(kFrom, kTo, bits), wanted) << std::hex << bits;
}

// Numbers on the boundaries of rounding to 16 bits, and beside them by the least that a double can say.
template <class Use>
void around_16_bits(const Use& use) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (const bool brain : {false, true}) {
      const uint32_t single =
          brain ? f32_from_bf16(static_cast<uint16_t>(bits)) : f32_from_f16(static_cast<uint16_t>(bits));
      const uint32_t next =
          brain ? f32_from_bf16(static_cast<uint16_t>(bits + 1)) : f32_from_f16(static_cast<uint16_t>(bits + 1));
      const double low = static_cast<double>(bits_as<float>(single));
      const double high = static_cast<double>(bits_as<float>(next));
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      for (const double value : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)}) use(value);
    }
  }
  for (const double value : {0.0, -0.0, 65504.0, 65519.999, 65520.0, 65536.0, 1e300, -1e300, 5e-324, 2.9e-8, 3e-8,
                             1e-40, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    use(value);
  }
}

TEST(HostNumeric, From16BitsAll) {
  for (uint64_t bits = 0; bits < 0x10000; ++bits) {
    check<Kind::f16, Kind::bf16>(bits);
    check<Kind::f16, Kind::f32>(bits);
    check<Kind::f16, Kind::f64>(bits);
    check<Kind::bf16, Kind::f16>(bits);
    check<Kind::bf16, Kind::f32>(bits);
    check<Kind::bf16, Kind::f64>(bits);
    if (HasFatalFailure()) return;
  }
}

TEST(HostNumeric, From32And64Bits) {
  around_16_bits([](double value) {
    if (HasFatalFailure()) return;
    check<Kind::f64, Kind::f16>(bits_as<uint64_t>(value));
    check<Kind::f64, Kind::bf16>(bits_as<uint64_t>(value));
    check<Kind::f64, Kind::f32>(bits_as<uint64_t>(value));
    const uint32_t single = bits_as<uint32_t>(static_cast<float>(value));
    check<Kind::f32, Kind::f16>(single);
    check<Kind::f32, Kind::bf16>(single);
    check<Kind::f32, Kind::f64>(single);
  });
  // A prime step meets every exponent and every pattern of the low bits.
  for (uint64_t bits = 0; bits < 0x100000000u && !HasFatalFailure(); bits += 4099) {
    check<Kind::f32, Kind::f16>(bits);
    check<Kind::f32, Kind::bf16>(bits);
    check<Kind::f32, Kind::f64>(bits);
  }
}

TEST(HostNumeric, Integers) {
  struct Type {
    Kind kind;
    gantry_dtype dtype;
  };
  const Type types[] = {{Kind::i8, {GANTRY_CODE_INT, 8, 1}},   {Kind::u8, {GANTRY_CODE_UINT, 8, 1}},
                        {Kind::i16, {GANTRY_CODE_INT, 16, 1}}, {Kind::u16, {GANTRY_CODE_UINT, 16, 1}},
                        {Kind::i32, {GANTRY_CODE_INT, 32, 1}}, {Kind::u32, {GANTRY_CODE_UINT, 32, 1}},
                        {Kind::i64, {GANTRY_CODE_INT, 64, 1}}, {Kind::i64, {GANTRY_CODE_UINT, 64, 1}}};
  const uint64_t values[] = {0,      1,      0x7f,       0x80,       0xff,       0x7fff,
                             0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~uint64_t{0}};
  for (const Type& from : types) {
    EXPECT_EQ(cuda::kind_of(from.dtype), from.kind);
    EXPECT_EQ(cuda::bytes_of(from.kind) * 8, from.dtype.bits);
    for (const Type& to : types) {
      for (const uint64_t value : values) {
        const uint64_t bits = from.dtype.bits == 64 ? value : value & ((uint64_t{1} << from.dtype.bits) - 1);
        char source[8];
        char target[8] = {};
        std::memcpy(source, &bits, sizeof source);
        convert_element(target, to.dtype, source, from.dtype);
        const uint64_t seen = cuda::convert_any(from.kind, to.kind, bits);
        ASSERT_EQ(std::memcmp(&seen, target, to.dtype.bits / 8u), 0)
            << name_of(from.dtype) << " " << name_of(to.dtype) << " " << bits;
      }
    }
  }
}

// A sum is rounded once, to the kind.
TEST(HostNumeric, Sums) {
  const uint16_t one = f16_from_f32(bits_as<uint32_t>(1.0f));
  const uint16_t tiny = f16_from_f32(bits_as<uint32_t>(0x1p-11f));
  EXPECT_EQ(cuda::add<Kind::f16>(one, tiny), one);  // a tie, to even
  EXPECT_EQ(cuda::add<Kind::f16>(one + 1u, tiny), one + 2u);
  EXPECT_EQ(cuda::add<Kind::bf16>(0x3f80, 0x3b80), 0x3f80u);
  EXPECT_EQ(cuda::add<Kind::bf16>(0x3f81, 0x3b80), 0x3f82u);
  EXPECT_EQ(cuda::add<Kind::f16>(0x8000, 0x8000), 0x8000u);  // -0 + -0
  EXPECT_EQ(cuda::add<Kind::f16>(0x7bff, 0x7bff), 0x7c00u);
  EXPECT_EQ(cuda::add<Kind::f16>(0x0001, 0x0001), 0x0002u);  // subnormal
  EXPECT_EQ(cuda::add<Kind::f32>(1u, 1u), 2u);
  EXPECT_EQ(cuda::add<Kind::f64>(1u, 1u), 2u);
}

#if defined(HAS_TOOLKIT)

bool is_nan16(uint64_t bits, uint32_t infinity) { return (bits & 0x7fffu) > infinity; }

TEST(HostNumeric, TheToolkitsIntrinsicsAgree) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    if (!is_nan16(bits, 0x7c00)) {
      ASSERT_EQ(bits_as<uint32_t>(__half2float(__ushort_as_half(half))),
                bits_as<uint32_t>(cuda::to_f32<Kind::f16>(bits)));
    }
    if (!is_nan16(bits, 0x7f80)) {
      ASSERT_EQ(bits_as<uint32_t>(__bfloat162float(__ushort_as_bfloat16(half))),
                bits_as<uint32_t>(cuda::to_f32<Kind::bf16>(bits)));
    }
  }
  const auto check_single = [](float value) {
    ASSERT_EQ(__half_as_ushort(__float2half_rn(value)), cuda::from_f32<Kind::f16>(value)) << value;
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(value)), cuda::from_f32<Kind::bf16>(value)) << value;
  };
  around_16_bits([&](double value) {
    if (std::isnan(value) || HasFatalFailure()) return;
    ASSERT_EQ(__half_as_ushort(__double2half(value)), cuda::from_f64<Kind::f16>(value)) << value;
    ASSERT_EQ(__bfloat16_as_ushort(__double2bfloat16(value)), cuda::from_f64<Kind::bf16>(value)) << value;
    check_single(static_cast<float>(value));
  });
  for (uint64_t bits = 0; bits < 0x100000000u && !HasFatalFailure(); bits += 4099) {
    const float value = bits_as<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value)) check_single(value);
  }
}

#endif

}  // namespace
}  // namespace gantry::test
