// Many sets of rows that share no byte, or one: against a comparison of every byte, and of more sets than pairs of them
// can be compared in the test's time.
#include "core/disjoint.h"

#include <algorithm>
#include <random>

#include "../sanitizers.h"
#include "support.h"

using namespace gantry_test;
using gantry::Span;

namespace {

constexpr uint64_t kBase = uint64_t{1} << 40;

Span span_at(uint64_t begin, uint64_t rows, uint64_t stride, uint64_t width) {
  Span span;
  span.begin = kBase + begin;
  span.rows = rows;
  span.stride = stride;
  span.width = width;
  return span;
}

gantry::SharedBytes find(std::vector<Span> spans) {
  std::shuffle(spans.begin(), spans.end(), std::mt19937(7));
  gantry::ScratchBlocks scratch(*gantry_environment_malloc(), nullptr);
  gantry::SharedBytes shared;
  EXPECT_EQ(gantry::find_shared_bytes(spans.data(), static_cast<uint32_t>(spans.size()), &scratch, &shared), GANTRY_OK)
      << gantry_last_error();
  if (shared.found) {
    EXPECT_TRUE(gantry::overlaps(shared.first, shared.second));
  }
  return shared;
}

bool shares_a_byte(const std::vector<Span>& spans) {
  std::vector<char> used(1 << 16);
  for (const Span& span : spans) {
    for (uint64_t row = 0; row < span.rows; ++row) {
      for (uint64_t k = 0; k < span.width; ++k) {
        if (used.at(span.begin - kBase + row * span.stride + k)++ != 0) return true;
      }
    }
  }
  return false;
}

// The columns of a matrix, which is cut into blocks of rows as well.
std::vector<Span> grid(uint64_t blocks, uint64_t rows, uint64_t slices, uint64_t width) {
  const uint64_t stride = slices * width;
  std::vector<Span> spans;
  for (uint64_t block = 0; block < blocks; ++block) {
    for (uint64_t k = 0; k < slices; ++k) {
      spans.push_back(span_at(block * rows * stride + k * width, rows, stride, width));
    }
  }
  return spans;
}

}  // namespace

TEST(FindSharedBytes, SlicesOfOneMatrix) {
  for (const uint64_t blocks : {1, 5}) {
    for (const uint64_t slices : {2, 12, 40}) {
      std::vector<Span> spans = grid(blocks, 3, slices, 8);
      EXPECT_FALSE(find(spans).found);
      for (size_t moved = 1; moved + 1 < spans.size(); ++moved) {
        for (const uint64_t by : {uint64_t{1}, uint64_t{0} - 1}) {
          spans[moved].begin += by;
          EXPECT_TRUE(find(spans).found) << moved << " of " << spans.size();
          spans[moved].begin -= by;
        }
      }
    }
  }
}

TEST(FindSharedBytes, AsEveryByteSays) {
  std::mt19937 random(4711);
  const auto below = [&](uint64_t limit) { return std::uniform_int_distribution<uint64_t>(0, limit - 1)(random); };
  int shared = 0;
  // No threads here.
  constexpr int kRounds = gantry::test::kThreadSanitizer ? 200 : 3000;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t stride = 24 + below(40);
    std::vector<Span> spans;
    // Slices are added as long as none meets another; the last one may, in half of the rounds.
    const size_t wanted = 17 + below(30);
    for (int tries = 0; spans.size() < wanted && tries < 4000; ++tries) {
      const uint64_t rows = 1 + below(6);
      const uint64_t width = rows == 1 && below(4) == 0 ? 1 + below(3 * stride) : 1 + below(6);
      spans.push_back(span_at(below(stride * 40), rows, rows == 1 ? width : stride, width));
      if (spans.size() == wanted && round % 2 == 0) break;
      if (shares_a_byte(spans)) spans.pop_back();
    }
    const bool expected = shares_a_byte(spans);
    ASSERT_EQ(find(spans).found, expected) << "round " << round;
    shared += expected ? 1 : 0;
  }
  EXPECT_GT(shared, kRounds / 10);
  EXPECT_LT(shared, kRounds * 6 / 10);
}

TEST(FindSharedBytes, OfManyClustersNeedsOneBlock) {
  std::vector<Span> spans;
  for (uint64_t k = 0; k < 100; ++k) {
    for (Span span : grid(1, 4, 20, 4)) {
      span.begin += k * 1000;
      spans.push_back(span);
    }
  }
  EXPECT_FALSE(find(spans).found);
  spans.back().begin -= 1;
  EXPECT_TRUE(find(spans).found);
}

TEST(FindSharedBytes, TakesHalfAMillionSlices) {
  std::vector<Span> spans = grid(2, 100, 250000, 4);
  EXPECT_FALSE(find(spans).found);
  spans[333333].begin += 2;
  EXPECT_TRUE(find(spans).found);
}
