// What the benchmarks of the C interface share.
#ifndef GANTRY_BENCH_SUPPORT_H
#define GANTRY_BENCH_SUPPORT_H

#include <benchmark/benchmark.h>

#include <cstdint>

#include "gantry/gantry.h"

namespace gantry_bench {

constexpr gantry_dtype kFloat32{GANTRY_CODE_FLOAT, 32, 1};
constexpr gantry_dtype kFloat16{GANTRY_CODE_FLOAT, 16, 1};
constexpr gantry_dtype kInt64{GANTRY_CODE_INT, 64, 1};
constexpr gantry_dtype kInt32{GANTRY_CODE_INT, 32, 1};

// A context for the whole program, with as many threads as the process may use.
gantry_context* context();

// A row-major tensor on the host. `shape` has to live as long as the tensor.
gantry_tensor tensor_of(const void* data, gantry_dtype dtype, const int64_t* shape, int32_t ndim);

gantry_table table_of(const gantry_tensor* only_chunk);

// Ends the benchmark with the library's own text.
bool failed(benchmark::State& state, gantry_status status);

// payload: what the caller gets; traffic: indices, rows read and rows written.
void count_bytes(benchmark::State& state, double payload, double traffic, double rows);

}  // namespace gantry_bench

#endif
