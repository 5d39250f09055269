#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace gantry::test {
namespace {

// Converts `values` at every level and compares with the definition of the formats.
template <class From>
void check_values(const std::vector<From>& values, gantry_dtype from, gantry_dtype to) {
  const size_t to_bytes = static_cast<size_t>(bytes_of(to));
  std::vector<char> wanted(values.size() * to_bytes);
  for (size_t k = 0; k < values.size(); ++k) {
    convert_element(wanted.data() + k * to_bytes, to, reinterpret_cast<const char*>(&values[k]), from);
  }
  for (const std::string& level : levels()) {
    const auto used = backend(level, 1);
    std::vector<char> seen(wanted.size());
    Chunk chunk = {seen.data(), 0, 1, static_cast<int64_t>(seen.size())};
    Call call(Op::convert);
    call.request.chunks = &chunk;
    call.request.chunk_count = 1;
    call.request.table_dtype = to;
    call.request.table_rows = 1;
    call.request.columns = static_cast<int64_t>(values.size());
    call.request.side = const_cast<char*>(reinterpret_cast<const char*>(values.data()));
    call.request.side_dtype = from;
    call.request.side_row_stride_bytes = static_cast<int64_t>(values.size() * sizeof(From));
    ASSERT_EQ(call.run(used.get()), GANTRY_OK);
    for (size_t k = 0; k < values.size(); ++k) {
      ASSERT_EQ(std::memcmp(seen.data() + k * to_bytes, wanted.data() + k * to_bytes, to_bytes), 0)
          << name_of(from) << " to " << name_of(to) << " " << level << ": bits " << std::hex << +values[k];
    }
  }
}

std::vector<uint16_t> all_halves() {
  std::vector<uint16_t> halves(65536);
  for (size_t k = 0; k < halves.size(); ++k) halves[k] = static_cast<uint16_t>(k);
  return halves;
}

TEST(Convert, EveryFloat16) {
  for (const gantry_dtype to : {kBF16Type, kF32Type, kF64Type}) check_values(all_halves(), kF16Type, to);
}

TEST(Convert, EveryBfloat16) {
  for (const gantry_dtype to : {kF16Type, kF32Type, kF64Type}) check_values(all_halves(), kBF16Type, to);
}

// The upper half takes every value; the lower half those around a tie of float16 (13 bits are cut off) and of bfloat16
// (16 bits).
TEST(Convert, Float32AroundEveryTie) {
  const uint16_t lower[] = {0x0000, 0x0001, 0x0fff, 0x1000, 0x1001, 0x2fff,
                            0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xffff};
  for (const uint16_t low : lower) {
    std::vector<uint32_t> values(65536);
    for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<uint32_t>(k << 16) | low;
    for (const gantry_dtype to : {kF16Type, kBF16Type, kF64Type}) check_values(values, kF32Type, to);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Subnormal results of float16 have ties at other bits.
TEST(Convert, Float32ToSubnormalFloat16) {
  std::vector<uint32_t> values;
  for (uint32_t exponent = 100; exponent <= 114; ++exponent) {
    for (uint32_t fraction = 0; fraction < (1u << 23); fraction += 1021) values.push_back(exponent << 23 | fraction);
    for (int bit = 0; bit < 23; ++bit) {
      for (const uint32_t near : {0u, 1u, ~0u}) {
        values.push_back(exponent << 23 | (((1u << bit) + near) & 0x7fffffu));
        values.push_back(0x80000000u | exponent << 23 | (((3u << bit) + near) & 0x7fffffu));
      }
    }
  }
  check_values(values, kF32Type, kF16Type);
}

TEST(Convert, RandomFloat32) {
  std::mt19937_64 random(11);
  std::vector<uint32_t> values(1 << 20);
  for (uint32_t& value : values) value = static_cast<uint32_t>(random());
  for (const gantry_dtype to : {kF16Type, kBF16Type, kF64Type}) check_values(values, kF32Type, to);
}

// Every 16-bit float, and every midpoint between two of them, and what lies next to both in float64: rounded once.
TEST(Convert, Float64AroundEveryTieIsRoundedOnce) {
  for (const gantry_dtype to : {kF16Type, kBF16Type}) {
    std::vector<uint64_t> values;
    for (uint32_t half = 0; half < 65536; ++half) {
      const uint16_t bits = static_cast<uint16_t>(half);
      uint64_t exact;
      convert_element(reinterpret_cast<char*>(&exact), kF64Type, reinterpret_cast<const char*>(&bits), to);
      const uint64_t next_half = to.code == GANTRY_CODE_BFLOAT ? uint64_t{1} << 45 : uint64_t{1} << 42;
      const uint64_t midpoint = exact + next_half / 2;
      for (const uint64_t value : {exact, midpoint}) {
        values.push_back(value);
        values.push_back(value + 1);
        if ((value << 1) != 0) values.push_back(value - 1);
      }
    }
    check_values(values, kF64Type, to);
  }
}

TEST(Convert, RandomFloat64) {
  std::mt19937_64 random(12);
  std::vector<uint64_t> values(1 << 19);
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = random();
    // Half of them near the exponents of the narrow formats.
    if (k % 2 == 0) values[k] = (values[k] & 0x800fffffffffffffu) | (uint64_t{1023 - 160 + random() % 320} << 52);
    if (k % 8 == 0) values[k] &= ~uint64_t{0x1fffffff};
  }
  for (const gantry_dtype to : {kF16Type, kBF16Type, kF32Type}) check_values(values, kF64Type, to);
}

TEST(Convert, RowsWithGapsAndWithout) {
  std::mt19937_64 random(13);
  for (const gantry_dtype from : kFloatTypes) {
    for (const gantry_dtype to : kFloatTypes) {
      for (const int64_t columns : {0, 1, 3, 16, 33, 1024, 2500}) {
        for (const int64_t gap : {0, 24}) {
          if (kThreadSanitizer && gap != 0) break;
          Rows source(37, columns, from, 0, 0, &random);
          Rows destination(37, columns, to, gap, 0, &random);
          Call call(bytes_of(from) == bytes_of(to) && from.code == to.code ? Op::copy : Op::convert);
          call.set(&destination, columns, &source);
          const std::vector<char> before = destination.all();
          gantry_stats wanted;
          ASSERT_EQ(reference(call.request, &wanted), GANTRY_OK);
          const std::vector<char> after = destination.all();
          for (const std::string& level : levels()) {
            for (const uint32_t threads : {1u, 7u}) {
              for (const gantry_choice streaming : {GANTRY_NEVER, GANTRY_ALWAYS}) {
                destination.set_all(before);
                call.request.streaming = static_cast<gantry_choice>(streaming);
                ASSERT_EQ(call.run(backend(level, threads).get()), GANTRY_OK);
                ASSERT_EQ(destination.all(), after)
                    << name_of(from) << name_of(to) << columns << " " << gap << level << threads;
                expect_equal_stats(call.stats, wanted);
              }
            }
          }
        }
      }
    }
  }
}

// Far more rows than could be counted through.
TEST(Copy, RowsOfNothing) {
  char byte = 1;
  Chunk chunk = {&byte, 0, int64_t{1} << 60, 8};
  Call call(Op::copy);
  call.request.chunks = &chunk;
  call.request.chunk_count = 1;
  call.request.table_dtype = call.request.side_dtype = kU8;
  call.request.table_rows = int64_t{1} << 60;
  call.request.side = &byte;
  EXPECT_EQ(call.run(backend("", 2).get()), GANTRY_OK);
  EXPECT_EQ(call.stats.rows, int64_t{1} << 60);
  EXPECT_EQ(byte, 1);
}

TEST(Copy, AnyWidthAndPlace) {
  std::mt19937_64 random(14);
  for (const int64_t columns : {0, 1, 7, 64, 1023, 1024, 1025, 70000}) {
    for (const int64_t gap : {0, 3}) {
      for (const int64_t offset : {0, 1}) {
        const int64_t rows = offset == 0 ? 5 : 1;
        Rows source(rows, columns, kU8, gap, offset, &random);
        Rows destination(rows, columns, kU8, 0, 0, &random);
        Call call(Op::copy);
        call.set(&destination, columns, &source);
        const std::vector<char> before = destination.all();
        gantry_stats wanted;
        ASSERT_EQ(reference(call.request, &wanted), GANTRY_OK);
        const std::vector<char> after = destination.all();
        for (const std::string& level : levels()) {
          for (const uint64_t cache_bytes : {uint64_t{1} << 40, uint64_t{64}}) {
            destination.set_all(before);
            ASSERT_EQ(call.run(backend(level, 2, cache_bytes).get()), GANTRY_OK);
            ASSERT_EQ(destination.all(), after) << columns << " " << gap << " " << offset << level;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gantry::test
