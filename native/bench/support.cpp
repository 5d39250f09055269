#include "support.h"

namespace gantry_bench {

gantry_context* context() {
  static gantry_context* const opened = [] {
    gantry_context* out = nullptr;
    gantry_open(GANTRY_ABI_VERSION, nullptr, &out);
    return out;
  }();
  return opened;
}

gantry_tensor tensor_of(const void* data, gantry_dtype dtype, const int64_t* shape, int32_t ndim) {
  gantry_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.data = const_cast<void*>(data);
  tensor.shape = shape;
  tensor.ndim = ndim;
  tensor.dtype = dtype;
  tensor.device = {GANTRY_DEVICE_HOST, 0};
  return tensor;
}

gantry_table table_of(const gantry_tensor* only_chunk) {
  gantry_table table{};
  table.struct_size = sizeof table;
  table.chunk_count = 1;
  table.chunks = only_chunk;
  return table;
}

bool failed(benchmark::State& state, gantry_status status) {
  if (status == GANTRY_OK) return false;
  state.SkipWithError(gantry_last_error());
  return true;
}

void count_bytes(benchmark::State& state, double payload, double traffic, double rows) {
  state.counters["payload_bytes"] = payload;
  state.counters["traffic_bytes"] = traffic;
  state.counters["rows"] = rows;
  state.counters["bytes_per_second"] = benchmark::Counter(payload, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["traffic_bytes_per_second"] = benchmark::Counter(traffic, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["ns_per_row"] = benchmark::Counter(rows / 1e9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace gantry_bench
