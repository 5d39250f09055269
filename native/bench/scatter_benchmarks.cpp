// B04: scatter and scatter_add, from hardly any to almost only equal indices.
#include <benchmark/benchmark.h>

#include "data.h"
#include "support.h"

namespace gantry_bench {
namespace {

using Op = gantry_status (*)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_table*, const gantry_options*,
                             const gantry_environment*, gantry_stream);

constexpr int64_t kCount = 262144;

void scatter(benchmark::State& state, Op op, Distribution distribution) {
  const int64_t rows = state.range(0);
  const int64_t columns = state.range(1);
  const uint64_t row_bytes = static_cast<uint64_t>(columns) * 4;
  const Memory table_memory = map_memory(static_cast<uint64_t>(rows) * row_bytes, Pages::small);
  const Memory source_memory = map_memory(kCount * row_bytes, Pages::small);
  if (!table_memory || !source_memory) {
    state.SkipWithError("too little memory");
    return;
  }
  const std::vector<int64_t> numbers = make_indices(distribution, rows, kCount);
  const int64_t table_shape[] = {rows, columns};
  const int64_t source_shape[] = {kCount, columns};
  const gantry_tensor chunk = tensor_of(table_memory.get(), kFloat32, table_shape, 2);
  const gantry_table table = table_of(&chunk);
  const gantry_tensor indices = tensor_of(numbers.data(), kInt64, source_shape, 1);
  const gantry_tensor source = tensor_of(source_memory.get(), kFloat32, source_shape, 2);
  for (auto _ : state) {
    if (failed(state, op(context(), &source, &indices, &table, nullptr, nullptr, nullptr))) return;
  }
  const auto payload = static_cast<double>(kCount) * static_cast<double>(row_bytes);
  count_bytes(state, payload, static_cast<double>(kCount) * 8 + payload * (op == gantry_scatter_add ? 3 : 2), kCount);
}

void sizes(benchmark::internal::Benchmark* one) {
  one->ArgNames({"rows", "columns"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int64_t rows : {2048, 65536, 2097152}) {
    for (const int64_t columns : {16, 64}) one->Args({rows, columns});
  }
}

BENCHMARK_CAPTURE(scatter, last_wins/uniform, gantry_scatter, Distribution::uniform)->Apply(sizes);
BENCHMARK_CAPTURE(scatter, last_wins/zipf, gantry_scatter, Distribution::zipf)->Apply(sizes);
BENCHMARK_CAPTURE(scatter, add/uniform, gantry_scatter_add, Distribution::uniform)->Apply(sizes);
BENCHMARK_CAPTURE(scatter, add/zipf, gantry_scatter_add, Distribution::zipf)->Apply(sizes);

}  // namespace
}  // namespace gantry_bench
