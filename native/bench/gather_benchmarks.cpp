// B02, B03: gather, and gather with conversion, from tables that a cache holds and that none holds.
#include <benchmark/benchmark.h>

#include <string>

#include "data.h"
#include "support.h"

namespace gantry_bench {
namespace {

constexpr int64_t kOutputBytes = 64ll << 20;

// Payload of one call: small enough for many calls, large enough to leave the caches behind.
int64_t count_of(int64_t row_bytes) { return kOutputBytes / (row_bytes < 64 ? 64 : row_bytes); }

struct Case {
  int64_t table_bytes;
  int64_t columns;
  gantry_dtype table_dtype;
  int64_t output_item_bytes;
  gantry_dtype output_dtype;
  Distribution distribution;
  bool narrow_indices;
  Pages pages;
  uint32_t threads;
  gantry_choice streaming;
};

void run(benchmark::State& state, const Case& what) {
  const int64_t row_bytes = what.columns * what.table_dtype.bits / 8;
  const int64_t rows = what.table_bytes / row_bytes;
  const int64_t count = count_of(row_bytes);
  const Memory table_memory = map_memory(static_cast<uint64_t>(what.table_bytes), what.pages);
  const int64_t output_bytes = count * what.columns * what.output_item_bytes;
  const Memory output_memory = map_memory(static_cast<uint64_t>(output_bytes), what.pages);
  if (!table_memory || !output_memory) {
    state.SkipWithError("too little memory");
    return;
  }
  const std::vector<int64_t> wide = make_indices(what.distribution, rows, count);
  const std::vector<int32_t> narrow(wide.begin(), wide.end());
  const int64_t table_shape[] = {rows, what.columns};
  const int64_t output_shape[] = {count, what.columns};
  const gantry_tensor chunk = tensor_of(table_memory.get(), what.table_dtype, table_shape, 2);
  const gantry_table table = table_of(&chunk);
  const gantry_tensor indices = what.narrow_indices ? tensor_of(narrow.data(), kInt32, &count, 1) : tensor_of(wide.data(), kInt64, &count, 1);
  gantry_tensor output = tensor_of(output_memory.get(), what.output_dtype, output_shape, 2);
  gantry_options options{};
  options.struct_size = sizeof options;
  options.threads = what.threads;
  options.streaming = what.streaming;
  for (auto _ : state) {
    if (failed(state, gantry_gather(context(), &table, &indices, &output, &options, nullptr, nullptr))) return;
  }
  const double index_bytes = static_cast<double>(count) * (what.narrow_indices ? 4 : 8);
  const double read = static_cast<double>(count * row_bytes);
  const auto written = static_cast<double>(output_bytes);
  count_bytes(state, what.table_dtype.bits == what.output_dtype.bits ? written : read, index_bytes + read + written, static_cast<double>(count));
}

struct Named {
  const char* name;
  int64_t bytes;
};
constexpr Named kTables[] = {{"l2", 512ll << 10}, {"l3", 16ll << 20}, {"dram", 2ll << 30}};
constexpr int64_t kRows[] = {16, 64, 128, 256, 512, 1024, 4096};

void add(const std::string& name, const Case& what) {
  benchmark::RegisterBenchmark(name.c_str(), run, what)->UseRealTime()->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool registered = [] {
  const uint32_t all = gantry_threads(context());
  for (const Named& table : kTables) {
    for (const int64_t row : kRows) {
      for (const Distribution distribution : {Distribution::uniform, Distribution::zipf, Distribution::sequential}) {
        for (uint32_t threads = 1; threads <= all; threads = threads < all && threads * 2 > all ? all : threads * 2) {
          for (const bool narrow : {false, true}) {
            add("gather/table:" + std::string(table.name) + "/row:" + std::to_string(row) + "/" + name_of(distribution) + "/" +
                    (narrow ? "i32" : "i64") + "/threads:" + std::to_string(threads),
                {table.bytes, row / 4, kFloat32, 4, kFloat32, distribution, narrow, Pages::small, threads, GANTRY_AUTO});
          }
        }
      }
    }
  }
  for (const int64_t row : kRows) {
    const std::string size = std::to_string(row);
    add("gather/table:dram/pages:huge/row:" + size + "/uniform/i64/threads:" + std::to_string(all),
        {2ll << 30, row / 4, kFloat32, 4, kFloat32, Distribution::uniform, false, Pages::huge, all, GANTRY_AUTO});
    for (const gantry_choice streaming : {GANTRY_NEVER, GANTRY_ALWAYS}) {
      add("gather/table:dram/row:" + size + "/uniform/i64/streaming:" + (streaming == GANTRY_NEVER ? "never" : "always") +
              "/threads:" + std::to_string(all),
          {2ll << 30, row / 4, kFloat32, 4, kFloat32, Distribution::uniform, false, Pages::small, all, streaming});
    }
  }
  constexpr gantry_dtype kBfloat16{GANTRY_CODE_BFLOAT, 16, 1};
  for (const int64_t columns : {64, 128, 256, 512, 1024}) {
    for (const bool brain : {false, true}) {
      add(std::string("gather_convert/") + (brain ? "bf16" : "f16") + "_to_f32/columns:" + std::to_string(columns) + "/threads:" + std::to_string(all),
          {1ll << 30, columns, brain ? kBfloat16 : kFloat16, 4, kFloat32, Distribution::uniform, false, Pages::small, all, GANTRY_AUTO});
    }
  }
  return true;
}();

}  // namespace
}  // namespace gantry_bench
