// B01: the limits of this machine's memory.
#include <benchmark/benchmark.h>

#include "data.h"
#include "roofs.h"
#include "support.h"

namespace gantry_bench {
namespace {

constexpr uint64_t kBytes = 512ull << 20;
constexpr uint64_t kTableBytes = 2ull << 30;
constexpr uint32_t kPrefetchRowsAhead = 32;

enum class Loop { copy, copy_streaming, write_streaming, read, triad };

void roof(benchmark::State& state, Loop loop) {
  const auto threads = static_cast<uint32_t>(state.range(0));
  const Memory a = map_memory(kBytes, Pages::huge);
  const Memory b = map_memory(kBytes, Pages::huge);
  const Memory c = map_memory(kBytes, Pages::huge);
  if (!a || !b || !c) {
    state.SkipWithError("too little memory for three buffers of 512 MiB");
    return;
  }
  for (auto _ : state) {
    double seconds = 0;
    switch (loop) {
      case Loop::copy:
        seconds = gantry_roof_copy(a.get(), b.get(), kBytes, threads);
        break;
      case Loop::copy_streaming:
        seconds = gantry_roof_copy_streaming(a.get(), b.get(), kBytes, threads);
        break;
      case Loop::write_streaming:
        seconds = gantry_roof_write_streaming(a.get(), kBytes, threads);
        break;
      case Loop::read:
        seconds = gantry_roof_read(a.get(), kBytes, threads);
        break;
      case Loop::triad:
        seconds = gantry_roof_triad(a.get(), b.get(), c.get(), kBytes, threads);
        break;
    }
    state.SetIterationTime(seconds);
  }
  const double traffic = static_cast<double>(kBytes) * (loop == Loop::triad ? 3 : loop == Loop::copy || loop == Loop::copy_streaming ? 2 : 1);
  count_bytes(state, static_cast<double>(kBytes), traffic, static_cast<double>(kBytes) / 64);
}

// Rows read at random and not written: what bounds a gather from a table that no cache holds.
void roof_rows(benchmark::State& state, Pages pages) {
  const auto row_bytes = static_cast<uint64_t>(state.range(0));
  const auto threads = static_cast<uint32_t>(state.range(1));
  const Memory table = map_memory(kTableBytes, pages);
  if (!table) {
    state.SkipWithError("too little memory for a table of 2 GiB");
    return;
  }
  const int64_t count = (64ll << 20) / static_cast<int64_t>(row_bytes < 64 ? 64 : row_bytes);
  const auto indices = make_indices(Distribution::uniform, static_cast<int64_t>(kTableBytes / row_bytes), count);
  for (auto _ : state) {
    state.SetIterationTime(gantry_roof_read_rows(table.get(), row_bytes, indices.data(), static_cast<uint64_t>(count), kPrefetchRowsAhead, threads));
  }
  const double payload = static_cast<double>(count) * static_cast<double>(row_bytes);
  const double lines = static_cast<double>(count) * static_cast<double>((row_bytes + 63) / 64);
  count_bytes(state, payload, lines * 64, static_cast<double>(count));
  state.counters["lines_per_second"] = benchmark::Counter(lines, benchmark::Counter::kIsIterationInvariantRate);
}

void threads(benchmark::internal::Benchmark* one) {
  one->ArgName("threads")->UseManualTime()->Unit(benchmark::kMillisecond);
  for (uint32_t count = 1; count < gantry_threads(context()); count *= 2) one->Arg(count);
  one->Arg(gantry_threads(context()));
}

void rows_and_threads(benchmark::internal::Benchmark* one) {
  one->ArgNames({"row", "threads"})->UseManualTime()->Unit(benchmark::kMillisecond);
  for (const int64_t row : {16, 64, 128, 256, 512, 1024, 4096}) one->Args({row, gantry_threads(context())});
}

BENCHMARK_CAPTURE(roof, copy, Loop::copy)->Apply(threads);
BENCHMARK_CAPTURE(roof, copy_streaming, Loop::copy_streaming)->Apply(threads);
BENCHMARK_CAPTURE(roof, write_streaming, Loop::write_streaming)->Apply(threads);
BENCHMARK_CAPTURE(roof, read, Loop::read)->Apply(threads);
BENCHMARK_CAPTURE(roof, triad, Loop::triad)->Apply(threads);
BENCHMARK_CAPTURE(roof_rows, small_pages, Pages::small)->Apply(rows_and_threads);
BENCHMARK_CAPTURE(roof_rows, huge_pages, Pages::huge)->Apply(rows_and_threads);

}  // namespace
}  // namespace gantry_bench
