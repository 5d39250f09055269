#include <gtest/gtest.h>

#include "support.h"

namespace gantry::test {
namespace {

constexpr int64_t kWidths[] = {0,  1,  2,   3,   4,   8,   11,  12,  16,  31,  32,  33,
                               48, 64, 127, 128, 129, 192, 256, 384, 512, 513, 2052};

struct IndexType {
  int bits;
  bool is_unsigned;
};
constexpr IndexType kIndexTypes[] = {{32, false}, {32, true}, {64, false}, {64, true}};

constexpr gantry_bounds kPolicies[] = {GANTRY_BOUNDS_ERROR, GANTRY_BOUNDS_SKIP,          GANTRY_BOUNDS_ZERO,
                                       GANTRY_BOUNDS_CLAMP, GANTRY_BOUNDS_WRAP_NEGATIVE, GANTRY_BOUNDS_TRUST};

// Some indices become such as lie outside, close to the table and far away.
void spoil(std::vector<int64_t>* indices, int64_t rows, IndexType type) {
  const int64_t lowest = type.bits == 32 ? INT32_MIN : INT64_MIN;
  const int64_t highest = type.bits == 32 ? INT32_MAX : INT64_MAX;
  const int64_t outside[] = {-1, -rows, -rows - 1, rows, highest, lowest};
  for (size_t k = 0; k < 6; ++k) {
    const size_t position = 13 + 57 * k;
    if (position < indices->size()) (*indices)[position] = outside[k];
  }
}

// Runs the same call at every level, on 1 and on 7 threads, past the caches and not.
void check_all(Call* call, Rows* output, const std::string& what) {
  const std::vector<char> before = output->all();
  gantry_stats wanted;
  const gantry_status wanted_status = reference(call->request, &wanted);
  const std::vector<char> after = output->all();
  for (const std::string& level : levels()) {
    for (const uint32_t threads : {1u, 7u}) {
      static auto backends = std::vector<std::pair<std::string, std::unique_ptr<HostBackend>>>();
      HostBackend* used = nullptr;
      const std::string key = level + "/" + std::to_string(threads);
      for (const auto& [name, made] : backends) {
        if (name == key) used = made.get();
      }
      if (used == nullptr) used = backends.emplace_back(key, backend(level, threads)).second.get();
      for (const gantry_choice streaming : {GANTRY_NEVER, GANTRY_ALWAYS}) {
        output->set_all(before);
        call->request.streaming = static_cast<gantry_choice>(streaming);
        ASSERT_EQ(call->run(used), wanted_status) << what << key;
        ASSERT_EQ(output->all(), after) << what << key << " streaming " << streaming;
        expect_equal_stats(call->stats, wanted);
        ASSERT_FALSE(testing::Test::HasFailure()) << what << key;
      }
    }
  }
}

class GatherWidth : public testing::TestWithParam<int64_t> {};

TEST_P(GatherWidth, EveryIndexTypePolicyAndPlace) {
  const int64_t width = GetParam();
  std::mt19937_64 random(1);
  for (const int64_t gap : {0, 5}) {
    // Places are no matter of threads.
    if (kThreadSanitizer && gap != 0) break;
    for (const int64_t offset : {1, 0, 16}) {
      if (kThreadSanitizer && offset != 1) break;
      for (const int64_t chunk_count : {1, 4}) {
        Rows table(97, width, kU8, gap, offset, &random);
        for (const IndexType type : kIndexTypes) {
          for (const gantry_bounds bounds : kPolicies) {
            std::vector<int64_t> values = random_indices(403, 97, &random);
            if (bounds != GANTRY_BOUNDS_TRUST) spoil(&values, 97, type);
            const Indices indices(values, type.bits, type.is_unsigned, 1 + gap % 2);
            Rows output(403, width, kU8, gap, offset, &random);
            Call call(Op::gather);
            call.set(&table, width, &output, chunk_count);
            call.request.bounds = bounds;
            indices.put_into(&call.request);
            check_all(&call, &output,
                      "gap " + std::to_string(gap) + " offset " + std::to_string(offset) + " chunks " +
                          std::to_string(chunk_count) + " index " + std::to_string(type.bits) +
                          (type.is_unsigned ? "u" : "s") + " bounds " + std::to_string(bounds) + " ");
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, GatherWidth, testing::ValuesIn(kWidths),
                         [](const auto& tested) { return std::to_string(tested.param); });

// Found wherever it stands, without others that draw attention.
TEST(Gather, OneBadIndexAlone) {
  std::mt19937_64 random(2);
  Rows table(97, 16, kU8, 0, 0, &random);
  for (const IndexType type : kIndexTypes) {
    for (const int64_t value : {int64_t{97}, int64_t{98}, int64_t{-1}, int64_t{-97}, int64_t{-98}}) {
      for (const int64_t position : {0, 300, 1099}) {
        for (const gantry_bounds bounds : kPolicies) {
          if (bounds == GANTRY_BOUNDS_TRUST) continue;
          std::vector<int64_t> values = random_indices(1100, 97, &random);
          values[static_cast<size_t>(position)] = value;
          const Indices indices(values, type.bits, type.is_unsigned);
          Rows output(1100, 16, kU8, 0, 0, &random);
          Call call(Op::gather);
          call.set(&table, 16, &output);
          call.request.bounds = bounds;
          indices.put_into(&call.request);
          check_all(&call, &output,
                    "value " + std::to_string(value) + " position " + std::to_string(position) + " bounds " +
                        std::to_string(bounds) + " ");
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

void check_pair(gantry_dtype from, gantry_dtype to, Op op) {
  std::mt19937_64 random(7);
  for (const int64_t columns : {1, 2, 3, 7, 8, 11, 15, 16, 17, 32, 33, 129, 300, 513}) {
    if (kThreadSanitizer && columns != 7 && columns != 300) continue;
    for (const int64_t gap : {0, 16}) {
      Rows table(41, columns, op == Op::gather ? from : to, gap, 0, &random);
      Rows side(290, columns, op == Op::gather ? to : from, gap, 0, &random);
      std::vector<int64_t> values = random_indices(290, 41, &random);
      values[100] = 41;
      const Indices indices(values, 64, false);
      Call call(op);
      call.set(&table, columns, &side, 2);
      call.request.bounds = GANTRY_BOUNDS_ZERO;
      indices.put_into(&call.request);
      check_all(&call, op == Op::gather ? &side : &table,
                name_of(from) + " to " + name_of(to) + " columns " + std::to_string(columns) + " ");
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Gather, ConvertsEveryPairOfFloats) {
  for (const gantry_dtype from : kFloatTypes) {
    for (const gantry_dtype to : kFloatTypes) check_pair(from, to, Op::gather);
  }
}

TEST(Gather, ConvertsEveryPairOfIntegersModulo) {
  for (const gantry_dtype from : kIntegerTypes) {
    for (const gantry_dtype to : kIntegerTypes) check_pair(from, to, Op::gather);
  }
}

TEST(Scatter, ConvertsAsGatherDoes) {
  check_pair(kF32Type, kF16Type, Op::scatter);
  check_pair(kBF16Type, kF64Type, Op::scatter);
  check_pair(kIntegerTypes[4], kIntegerTypes[1], Op::scatter);
}

TEST(Gather, MovesElementsOfSeveralLanesAndUnknownCodes) {
  std::mt19937_64 random(3);
  for (const gantry_dtype dtype : {gantry_dtype{GANTRY_CODE_FLOAT, 32, 3}, gantry_dtype{GANTRY_CODE_COMPLEX, 64, 1},
                                   gantry_dtype{GANTRY_CODE_RAW, 24, 1}, gantry_dtype{GANTRY_CODE_BOOL, 8, 1}}) {
    Rows table(9, 5, dtype, 0, 0, &random);
    Rows output(20, 5, dtype, 0, 0, &random);
    const Indices indices(random_indices(20, 9, &random), 32, false);
    Call call(Op::gather);
    call.set(&table, 5, &output);
    indices.put_into(&call.request);
    check_all(&call, &output, name_of(dtype));
  }
}

TEST(Gather, ReportsTheFirstBadIndexOfAllThreads) {
  std::mt19937_64 random(4);
  Rows table(100, 4, kF32Type, 0, 0, &random);
  Rows output(5000, 4, kF32Type, 0, 0, &random);
  std::vector<int64_t> values = random_indices(5000, 100, &random);
  values[1234] = 100;
  values[1233] = -7;
  values[4999] = 1000;
  const Indices indices(values, 64, false);
  Call call(Op::gather);
  call.set(&table, 4, &output);
  indices.put_into(&call.request);
  const auto used = backend(levels().back(), 7);
  EXPECT_EQ(call.run(used.get()), GANTRY_ERROR_INDEX);
  EXPECT_EQ(last_report(),
            "index -7 at position 1233 is outside of the table of 100 rows; 3 of 5000 indices are outside");
  EXPECT_EQ(call.stats.first_bad_position, 1233);
  EXPECT_EQ(call.stats.first_bad_value, -7);
  EXPECT_EQ(call.stats.bad_rows, 3);
  EXPECT_EQ(call.stats.rows, 4997);
}

TEST(Gather, NamesAnUnsignedIndexByItsOwnValue) {
  std::mt19937_64 random(4);
  Rows table(3, 1, kU8, 0, 0, &random);
  Rows output(1, 1, kU8, 0, 0, &random);
  const Indices indices({-1}, 64, true);
  Call call(Op::gather);
  call.set(&table, 1, &output);
  call.request.bounds = GANTRY_BOUNDS_WRAP_NEGATIVE;
  indices.put_into(&call.request);
  EXPECT_EQ(call.run(backend("", 1).get()), GANTRY_ERROR_INDEX);
  EXPECT_EQ(last_report(),
            "index 18446744073709551615 at position 0 is outside of the table of 3 rows; 1 of 1 indices are outside");
}

TEST(Gather, OfNothing) {
  std::mt19937_64 random(4);
  Rows table(0, 4, kF32Type, 0, 0, &random);
  Rows output(3, 4, kF32Type, 0, 0, &random);
  for (const gantry_bounds bounds : kPolicies) {
    Call none(Op::gather);
    none.set(&table, 4, &output);
    none.request.bounds = bounds;
    const Indices no_indices({}, 64, false);
    no_indices.put_into(&none.request);
    check_all(&none, &output, "no indices");
    if (bounds == GANTRY_BOUNDS_TRUST) continue;
    Call some(Op::gather);
    some.set(&table, 4, &output);
    some.request.bounds = bounds;
    const Indices indices({0, -1, 5}, 64, false);
    indices.put_into(&some.request);
    check_all(&some, &output, "empty table");
  }
}

TEST(Gather, ManyRowsPastTheCaches) {
  std::mt19937_64 random(5);
  for (const int64_t columns : {4, 16, 20, 64}) {
    Rows table(5000, columns, kF32Type, 0, 0, &random);
    Rows output(70000, columns, kF32Type, 0, 0, &random);
    const Indices indices(random_indices(70000, 5000, &random), 64, false);
    Call call(Op::gather);
    call.set(&table, columns, &output);
    indices.put_into(&call.request);
    gantry_stats wanted;
    ASSERT_EQ(reference(call.request, &wanted), GANTRY_OK);
    const std::vector<char> after = output.all();
    for (const uint32_t threads : {1u, 2u, 7u, 16u}) {
      for (const std::string& level : levels()) {
        for (int64_t row = 0; row < output.count(); ++row) output.row(row)[0] = 0;
        const auto used = backend(level, threads, 1 << 20);
        ASSERT_EQ(call.run(used.get()), GANTRY_OK);
        ASSERT_EQ(output.all(), after) << level << " " << threads;
      }
    }
  }
}

TEST(Gather, RefusesPairsThatItDoesNotConvert) {
  std::mt19937_64 random(6);
  Rows table(3, 2, kF32Type, 0, 0, &random);
  Rows output(1, 2, kIntegerTypes[4], 0, 0, &random);
  const Indices indices({1}, 64, false);
  Call call(Op::gather);
  call.set(&table, 2, &output);
  indices.put_into(&call.request);
  EXPECT_EQ(call.run(backend("", 1).get()), GANTRY_ERROR_UNSUPPORTED);
  EXPECT_EQ(last_report(),
            "elements of dtype (code 2, 32 bits, 1 lanes) cannot be converted to elements of dtype (code 0, 32 bits, 1 "
            "lanes)");
}

}  // namespace
}  // namespace gantry::test
