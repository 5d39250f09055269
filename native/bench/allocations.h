// What blocks of memory cost an op: got from an environment and given back, in a loop without anything else.
#ifndef GANTRY_BENCH_ALLOCATIONS_H
#define GANTRY_BENCH_ALLOCATIONS_H

#include "gantry/gantry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Seconds for `count` pairs of allocate and deallocate on host memory; negative when the environment fails.
__attribute__((visibility("default"))) double gantry_time_allocations(const gantry_environment* environment, uint64_t bytes, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
