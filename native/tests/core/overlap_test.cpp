// Overlap is exact: compared with the bytes themselves, over small and over far shapes.
#include "core/overlap.h"

#include <random>

#include "support.h"

using gantry::overlaps;
using gantry::overlaps_exactly;
using gantry::Span;

namespace {

bool share_a_byte(const Span& a, const Span& b) {
  std::vector<bool> covered(4096, false);
  for (uint64_t i = 0; i < a.rows; ++i) {
    for (uint64_t at = 0; at < a.width; ++at) covered[a.begin + i * a.stride + at] = true;
  }
  for (uint64_t i = 0; i < b.rows; ++i) {
    for (uint64_t at = 0; at < b.width; ++at) {
      if (covered[b.begin + i * b.stride + at]) return true;
    }
  }
  return false;
}

Span span(uint64_t begin, uint64_t rows, uint64_t stride, uint64_t width) {
  Span made;
  made.begin = begin;
  made.rows = rows;
  made.stride = stride;
  made.width = width;
  return made;
}

}  // namespace

TEST(Overlap, AgreesWithTheBytes) {
  std::mt19937 random(20260401);
  int overlapping = 0;
  int interleaved = 0;
  for (int round = 0; round < 200000; ++round) {
    const auto make = [&] {
      const uint64_t stride = random() % 40;
      const uint64_t width = 1 + random() % (random() % 2 != 0 ? 8 : 48);
      return span(random() % 200, 1 + random() % 30, stride, width);
    };
    const Span a = make();
    const Span b = make();
    const bool expected = share_a_byte(a, b);
    ASSERT_EQ(overlaps(a, b), expected) << a.begin << " " << a.rows << " " << a.stride << " " << a.width << " | "
                                        << b.begin << " " << b.rows << " " << b.stride << " " << b.width;
    ASSERT_EQ(overlaps(b, a), expected);
    overlapping += expected ? 1 : 0;
    interleaved += !expected && a.begin < b.end() && b.begin < a.end() ? 1 : 0;
  }
  // Both outcomes, and the hard one between, were really seen.
  EXPECT_GT(overlapping, 20000);
  EXPECT_GT(interleaved, 1000);
}

TEST(Overlap, ColumnSlicesOfOneMatrix) {
  // [:, 0:4] and [:, 4:8] of a million rows of 8 floats, and a slice that reaches one byte over.
  const Span left = span(1 << 20, 1000000, 32, 16);
  EXPECT_FALSE(overlaps(left, span((1 << 20) + 16, 1000000, 32, 16)));
  EXPECT_TRUE(overlaps(left, span((1 << 20) + 15, 1000000, 32, 16)));
  EXPECT_FALSE(overlaps(left, span((1 << 20) + 16, 500000, 64, 16)));
  EXPECT_TRUE(overlaps(left, span((1 << 20) + 16, 500000, 48, 16)));
}

TEST(Overlap, WholeAddressSpace) {
  const uint64_t far = uint64_t{1} << 62;
  // Strides without a common measure: rows meet only after many periods, or never.
  EXPECT_TRUE(overlaps(span(0, far / 1000003, 1000003, 1), span(1, far / 1000033, 1000033, 1)));
  EXPECT_FALSE(overlaps(span(0, far / 1000000, 1000000, 1), span(1, far / 1000002, 1000002, 1)));
  EXPECT_TRUE(overlaps(span(0, 1, 1, far), span(far - 1, 1, 1, far)));
  EXPECT_FALSE(overlaps(span(0, 1, 1, far), span(far, 1, 1, far)));
}

TEST(Overlap, EmptySpansOverlapNothing) {
  EXPECT_FALSE(overlaps(span(10, 0, 4, 4), span(0, 1, 100, 100)));
  EXPECT_FALSE(overlaps(span(10, 5, 4, 0), span(0, 1, 100, 100)));
}

TEST(Overlap, RowsThatRunDownwards) {
  char bytes[64];
  const Span down = Span::of(bytes + 48, 4, -16, 8);
  EXPECT_EQ(down.begin, reinterpret_cast<uint64_t>(bytes));
  EXPECT_EQ(down.stride, 16u);
  EXPECT_EQ(down.end(), reinterpret_cast<uint64_t>(bytes) + 56);
}

TEST(Overlap, ASpanWithItself) {
  EXPECT_TRUE(gantry::overlaps_itself(span(0, 2, 3, 4)));
  EXPECT_TRUE(gantry::overlaps_itself(span(0, 2, 0, 4)));
  EXPECT_FALSE(gantry::overlaps_itself(span(0, 2, 4, 4)));
  EXPECT_FALSE(gantry::overlaps_itself(span(0, 1, 0, 4)));
}
