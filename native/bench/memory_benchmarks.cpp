// B05, B07, B10: what memory costs: outputs made anew, cached or given; one block from each environment; shared segments.
#include <benchmark/benchmark.h>

#include "allocations.h"
#include "data.h"
#include "support.h"

namespace gantry_bench {
namespace {

enum class Output { fresh, cached, given };

// Where the output comes from, with a table of 2 GiB and rows of 256 bytes.
void output_policy(benchmark::State& state, Output policy) {
  constexpr int64_t kColumns = 64;
  constexpr int64_t kRows = (2ll << 30) / (kColumns * 4);
  const int64_t count = (state.range(0) << 20) / (kColumns * 4);
  const Memory table_memory = map_memory(2ull << 30, Pages::small);
  const Memory output_memory = map_memory(static_cast<uint64_t>(count) * kColumns * 4, Pages::small);
  if (!table_memory || !output_memory) {
    state.SkipWithError("too little memory");
    return;
  }
  gantry_environment* cached = nullptr;
  if (policy == Output::cached && failed(state, gantry_environment_cached_create(nullptr, &cached))) return;
  const std::vector<int64_t> numbers = make_indices(Distribution::uniform, kRows, count);
  const int64_t table_shape[] = {kRows, kColumns};
  const int64_t output_shape[] = {count, kColumns};
  const gantry_tensor chunk = tensor_of(table_memory.get(), kFloat32, table_shape, 2);
  const gantry_table table = table_of(&chunk);
  const gantry_tensor indices = tensor_of(numbers.data(), kInt64, output_shape, 1);
  for (auto _ : state) {
    gantry_storage* storage = nullptr;
    gantry_tensor output = tensor_of(policy == Output::given ? output_memory.get() : nullptr, kFloat32, output_shape, 2);
    gantry_options options{};
    options.struct_size = sizeof options;
    options.slot = &storage;
    const gantry_environment* environment = policy == Output::cached ? cached : gantry_environment_malloc();
    if (failed(state, gantry_gather(context(), &table, &indices, &output, &options, environment, nullptr))) break;
    gantry_storage_release(storage);
  }
  const auto payload = static_cast<double>(count) * kColumns * 4;
  count_bytes(state, payload, payload * 2 + static_cast<double>(count) * 8, static_cast<double>(count));
  if (cached != nullptr) gantry_environment_cached_destroy(cached);
}

void megabytes(benchmark::internal::Benchmark* one) {
  one->ArgName("MiB")->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int64_t size : {1, 8, 31, 33, 64, 256}) one->Arg(size);
}

// One block, got and given back: the mean of many, for one is shorter than a look at the clock.
void one_block(benchmark::State& state, bool from_cache) {
  gantry_environment* cached = nullptr;
  if (from_cache && failed(state, gantry_environment_cached_create(nullptr, &cached))) return;
  const gantry_environment* environment = from_cache ? cached : gantry_environment_malloc();
  constexpr uint64_t kPairs = 1000;
  for (auto _ : state) {
    const double seconds = gantry_time_allocations(environment, static_cast<uint64_t>(state.range(0)), kPairs);
    if (seconds < 0) {
      state.SkipWithError(gantry_last_error());
      break;
    }
    state.SetIterationTime(seconds / kPairs);
  }
  if (cached != nullptr) gantry_environment_cached_destroy(cached);
}

void segment_attach(benchmark::State& state) {
  gantry_segment_layout layout{};
  layout.struct_size = sizeof layout;
  layout.dtype = kFloat32;
  layout.rows = 1ll << 22;
  layout.columns = 64;
  gantry_storage* created = nullptr;
  if (failed(state, gantry_segment_create(nullptr, &layout, 0, &created))) return;
  for (auto _ : state) {
    gantry_storage* attached = nullptr;
    if (failed(state, gantry_segment_attach(nullptr, gantry_segment_fd(created), nullptr, GANTRY_SEGMENT_READ_ONLY, &attached))) break;
    gantry_storage_release(attached);
  }
  gantry_storage_release(created);
}

// Rows of 256 bytes from a table of 1 GiB: private memory, or a segment.
void gather_from(benchmark::State& state, bool shared) {
  constexpr int64_t kColumns = 64;
  constexpr int64_t kRows = (1ll << 30) / (kColumns * 4);
  constexpr int64_t kCount = 262144;
  gantry_segment_layout layout{};
  layout.struct_size = sizeof layout;
  layout.dtype = kFloat32;
  layout.rows = kRows;
  layout.columns = kColumns;
  gantry_storage* segment = nullptr;
  const Memory memory = map_memory(shared ? 0 : 1ull << 30, Pages::small);
  const int64_t table_shape[] = {kRows, kColumns};
  gantry_tensor chunk = tensor_of(memory.get(), kFloat32, table_shape, 2);
  if (shared) {
    if (failed(state, gantry_segment_create(nullptr, &layout, 0, &segment))) return;
    if (failed(state, gantry_segment_view(segment, &chunk))) return;
  }
  const gantry_table table = table_of(&chunk);
  const std::vector<int64_t> numbers = make_indices(Distribution::uniform, kRows, kCount);
  const int64_t output_shape[] = {kCount, kColumns};
  const gantry_tensor indices = tensor_of(numbers.data(), kInt64, output_shape, 1);
  const Memory output_memory = map_memory(kCount * kColumns * 4, Pages::small);
  gantry_tensor output = tensor_of(output_memory.get(), kFloat32, output_shape, 2);
  for (auto _ : state) {
    if (failed(state, gantry_gather(context(), &table, &indices, &output, nullptr, nullptr, nullptr))) break;
  }
  const auto payload = static_cast<double>(kCount) * kColumns * 4;
  count_bytes(state, payload, payload * 2 + kCount * 8.0, kCount);
  gantry_storage_release(segment);
}

BENCHMARK_CAPTURE(output_policy, fresh, Output::fresh)->Apply(megabytes);
BENCHMARK_CAPTURE(output_policy, cached, Output::cached)->Apply(megabytes);
BENCHMARK_CAPTURE(output_policy, given, Output::given)->Apply(megabytes);
BENCHMARK_CAPTURE(one_block, malloc, false)->UseManualTime()->ArgName("bytes")->Arg(4096)->Arg(1 << 20);
BENCHMARK_CAPTURE(one_block, cached, true)->UseManualTime()->ArgName("bytes")->Arg(4096)->Arg(1 << 20);
BENCHMARK(segment_attach)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gather_from, private_memory, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather_from, segment, true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gantry_bench
