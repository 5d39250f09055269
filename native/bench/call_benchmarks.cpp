// B06: what one call costs before any row counts.
#include <benchmark/benchmark.h>

#include "data.h"
#include "support.h"

namespace gantry_bench {
namespace {

void one_row(benchmark::State& state) {
  float rows[4][4] = {};
  float taken[1][4] = {};
  const int64_t number = 2;
  const int64_t table_shape[] = {4, 4};
  const int64_t output_shape[] = {1, 4};
  const gantry_tensor chunk = tensor_of(rows, kFloat32, table_shape, 2);
  const gantry_table table = table_of(&chunk);
  const gantry_tensor indices = tensor_of(&number, kInt64, output_shape, 1);
  gantry_tensor output = tensor_of(taken, kFloat32, output_shape, 2);
  for (auto _ : state) {
    if (failed(state, gantry_gather(context(), &table, &indices, &output, nullptr, nullptr, nullptr))) return;
    benchmark::ClobberMemory();
  }
}

BENCHMARK(one_row)->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace gantry_bench
