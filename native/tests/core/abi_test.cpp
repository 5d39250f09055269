// The border of the interface: versions, and structs that are older or newer than the library.
#include <cstring>
#include <string>

#include "support.h"

using namespace gantry_test;

TEST(Abi, VersionsAreThoseOfTheHeader) {
  EXPECT_EQ(gantry_abi_version(), GANTRY_ABI_VERSION);
  EXPECT_STREQ(gantry_version(), "0.1.0");
}

TEST(Abi, AnotherMajorOrANewerMinorIsRefused) {
  gantry_context* context = reinterpret_cast<gantry_context*>(1);
  expect_failure(gantry_open(GANTRY_ABI_VERSION + 0x10000, nullptr, &context), GANTRY_ERROR_ABI,
                 {"interface 2.0", "library has 1.0", "built anew"});
  EXPECT_EQ(context, nullptr);
  expect_failure(gantry_open(0, nullptr, &context), GANTRY_ERROR_ABI, {"interface 0.0", "library has 1.0"});
  expect_failure(gantry_open(GANTRY_ABI_VERSION + 1, nullptr, &context), GANTRY_ERROR_ABI,
                 {"interface 1.1", "library has 1.0", "a newer library is needed"});
}

TEST(Abi, OpenRefusesNullAndTooManyThreads) {
  expect_failure(gantry_open(GANTRY_ABI_VERSION, nullptr, nullptr), GANTRY_ERROR_INVALID_ARGUMENT, {"null"});
  gantry_open_options options{};
  options.struct_size = sizeof options;
  options.threads = 100000;
  gantry_context* context = nullptr;
  expect_failure(gantry_open(GANTRY_ABI_VERSION, &options, &context), GANTRY_ERROR_INVALID_ARGUMENT,
                 {"100000 threads", "256"});
}

TEST(Abi, ThreadsAreThoseAskedFor) {
  gantry_open_options options{};
  options.struct_size = sizeof options;
  options.threads = 1;
  gantry_context* context = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context), GANTRY_OK);
  EXPECT_EQ(gantry_threads(context), 1u);
  EXPECT_GT(std::strlen(gantry_isa(context)), 0u);
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
  EXPECT_EQ(gantry_close(nullptr), GANTRY_OK);
  EXPECT_EQ(gantry_threads(nullptr), 0u);
  EXPECT_STREQ(gantry_isa(nullptr), "none");
}

TEST(Abi, TheLogHasOneLineOfTheOpening) {
  std::string lines;
  gantry_open_options options{};
  options.struct_size = sizeof options;
  options.threads = 1;
  options.log_user = &lines;
  options.log = [](void* user, const char* line) { *static_cast<std::string*>(user) += std::string(line) + "\n"; };
  gantry_context* context = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context), GANTRY_OK);
  EXPECT_EQ(lines, std::string("gantry 0.1.0: host kernels ") + gantry_isa(context) + ", 1 threads\n");
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
}

TEST(Abi, EveryStatusHasItsName) {
  EXPECT_STREQ(gantry_status_name(GANTRY_OK), "GANTRY_OK");
  EXPECT_STREQ(gantry_status_name(GANTRY_ERROR_INTERNAL), "GANTRY_ERROR_INTERNAL");
  EXPECT_STREQ(gantry_status_name(GANTRY_ERROR_INTERNAL + 1), "unknown status");
  EXPECT_STREQ(gantry_status_name(-1), "unknown status");
  for (gantry_status status = 1; status <= GANTRY_ERROR_INTERNAL; ++status) {
    EXPECT_EQ(std::string(gantry_status_name(status)).rfind("GANTRY_ERROR_", 0), 0u) << status;
  }
}

namespace {

// A struct of a newer caller: the library's, and members behind it that it may neither read nor write.
template <class T>
struct Newer {
  T known{};
  unsigned char unknown[64];
  Newer() {
    std::memset(unknown, 0xa5, sizeof unknown);
    known.struct_size = sizeof *this;
  }
  bool is_untouched() const {
    for (const unsigned char byte : unknown) {
      if (byte != 0xa5) return false;
    }
    return known.struct_size == sizeof *this;
  }
};

template <class T>
T too_small(T value) {
  value.struct_size = sizeof(T) - 1;
  return value;
}

}  // namespace

class AbiOp : public WithContext {
 protected:
  std::vector<float> table_{1, 2, 3, 4, 5, 6};
  std::vector<int64_t> indices_{2, 0};
  std::vector<float> output_ = std::vector<float>(4, -1.0f);
};

TEST_F(AbiOp, StructsThatAreTooSmallAreRefused) {
  View table(table_, {3, 2});
  View indices(indices_, {2});
  View output(output_, {2, 2});
  gantry_table whole = table_of(&table);
  gantry_stats stats = empty_stats();
  gantry_options options = options_with(GANTRY_BOUNDS_ERROR, &stats);

  const auto call = [&] { return gantry_gather(context_, &whole, &indices, &output, &options, nullptr, nullptr); };
  ASSERT_EQ(call(), GANTRY_OK);

  output->struct_size = sizeof(gantry_tensor) - 1;
  expect_failure(call(), GANTRY_ERROR_ABI, {"the output", "struct_size 55", "56"});
  output->struct_size = 0;
  expect_failure(call(), GANTRY_ERROR_ABI, {"the output", "struct_size 0"});
  output->struct_size = sizeof(gantry_tensor);
  indices->struct_size = 8;
  expect_failure(call(), GANTRY_ERROR_ABI, {"the indices", "struct_size 8", "56"});
  indices->struct_size = sizeof(gantry_tensor);
  table->struct_size = 8;
  expect_failure(call(), GANTRY_ERROR_ABI, {"the table", "struct_size 8", "56"});
  table->struct_size = sizeof(gantry_tensor);
  whole = too_small(whole);
  expect_failure(call(), GANTRY_ERROR_ABI, {"the table", "struct_size 15", "16"});
  whole = table_of(&table);
  options = too_small(options);
  expect_failure(call(), GANTRY_ERROR_ABI, {"the options of an op", "struct_size 47", "48"});
  options.struct_size = sizeof options;
  stats = too_small(stats);
  expect_failure(call(), GANTRY_ERROR_ABI, {"options.stats", "struct_size 71", "72"});
  stats = empty_stats();
  const gantry_environment environment = too_small(*gantry_environment_malloc());
  expect_failure(gantry_gather(context_, &whole, &indices, &output, &options, &environment, nullptr), GANTRY_ERROR_ABI,
                 {"the environment", "struct_size 47", "48"});
  EXPECT_EQ(call(), GANTRY_OK);
}

TEST_F(AbiOp, OtherStructsThatAreTooSmallAreRefused) {
  gantry_context* context = nullptr;
  gantry_open_options open{};
  open.struct_size = 31;
  expect_failure(gantry_open(GANTRY_ABI_VERSION, &open, &context), GANTRY_ERROR_ABI, {"gantry_open", "31", "32"});
  gantry_environment* environment = nullptr;
  gantry_cache_options cache{};
  expect_failure(gantry_environment_cached_create(&cache, &environment), GANTRY_ERROR_ABI, {"struct_size 0", "16"});
  EXPECT_EQ(environment, nullptr);
  ASSERT_EQ(gantry_environment_cached_create(nullptr, &environment), GANTRY_OK);
  gantry_cache_statistics statistics{};
  statistics.struct_size = 47;
  expect_failure(gantry_environment_cached_statistics(environment, &statistics), GANTRY_ERROR_ABI, {"47", "48"});
  EXPECT_EQ(gantry_environment_cached_destroy(environment), GANTRY_OK);
}

TEST_F(AbiOp, StructsOfANewerCallerAreReadAndWrittenAsFarAsTheyAreKnown) {
  Newer<gantry_tensor> chunks[2];
  chunks[0].known = View(table_, {2, 2}).tensor;
  chunks[1].known = View(table_, {1, 2}).tensor;
  const int64_t first_shape[] = {2, 2};
  const int64_t second_shape[] = {1, 2};
  chunks[0].known.shape = first_shape;
  chunks[1].known.shape = second_shape;
  chunks[1].known.data = &table_[4];
  chunks[0].known.struct_size = chunks[1].known.struct_size = sizeof(Newer<gantry_tensor>);
  Newer<gantry_table> table;
  table.known.chunk_count = 2;
  table.known.chunks = &chunks[0].known;
  Newer<gantry_options> options;
  Newer<gantry_stats> stats;
  options.known.stats = &stats.known;
  Newer<gantry_environment> environment;
  environment.known = *gantry_environment_malloc();
  environment.known.struct_size = sizeof environment;
  View indices(indices_, {2});
  View output(output_, {2, 2});

  ASSERT_EQ(gantry_gather(context_, &table.known, &indices, &output, &options.known, &environment.known, nullptr),
            GANTRY_OK)
      << gantry_last_error();
  EXPECT_EQ(output_, (std::vector<float>{5, 6, 1, 2}));
  EXPECT_EQ(stats.known.rows, 2);
  EXPECT_EQ(stats.known.first_bad_position, -1);
  EXPECT_TRUE(stats.is_untouched());
  EXPECT_TRUE(options.is_untouched());

  // One array has one size of its elements.
  chunks[1].known.struct_size = sizeof(gantry_tensor);
  expect_failure(gantry_gather(context_, &table.known, &indices, &output, nullptr, nullptr, nullptr), GANTRY_ERROR_ABI,
                 {"chunk 1 of the table has struct_size 56", "that of chunk 0 has 120"});
}

TEST(Abi, ResultsOfANewerCallerAreWrittenAsFarAsTheyAreKnown) {
  Newer<gantry_cache_options> options;
  options.known.limit_bytes = 1 << 20;
  gantry_environment* environment = nullptr;
  ASSERT_EQ(gantry_environment_cached_create(&options.known, &environment), GANTRY_OK);
  Newer<gantry_cache_statistics> statistics;
  statistics.known.allocations = 77;
  ASSERT_EQ(gantry_environment_cached_statistics(environment, &statistics.known), GANTRY_OK);
  EXPECT_EQ(statistics.known.allocations, 0u);
  EXPECT_TRUE(statistics.is_untouched());
  EXPECT_EQ(gantry_environment_cached_destroy(environment), GANTRY_OK);
  Newer<gantry_open_options> open;
  gantry_context* context = nullptr;
  ASSERT_EQ(gantry_open(GANTRY_ABI_VERSION, &open.known, &context), GANTRY_OK);
  EXPECT_EQ(gantry_close(context), GANTRY_OK);
}
