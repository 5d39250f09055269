// What the memory of this machine can do, by loops that do nothing else: the limits that the ops are measured against.
// Plain C, so that the Python benchmarks load the same loops (libgantry_loops.so).
#ifndef GANTRY_BENCH_ROOFS_H
#define GANTRY_BENCH_ROOFS_H

#include <stdint.h>

#define GANTRY_ROOF __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

// Every call runs once on `threads` threads, the caller among them, and returns the seconds from the first thread's start to the
// last one's end; the threads are started before. Buffers are aligned to 64 bytes, sizes multiples of 64 * threads.

GANTRY_ROOF double gantry_roof_copy(void* to, const void* from, uint64_t bytes, uint32_t threads);

// Stores that bypass the caches: no read for ownership.
GANTRY_ROOF double gantry_roof_copy_streaming(void* to, const void* from, uint64_t bytes, uint32_t threads);
GANTRY_ROOF double gantry_roof_write_streaming(void* to, uint64_t bytes, uint32_t threads);

GANTRY_ROOF double gantry_roof_read(const void* from, uint64_t bytes, uint32_t threads);

// a = b + 3 c over doubles, as STREAM's triad; `bytes` of each.
GANTRY_ROOF double gantry_roof_triad(void* a, const void* b, const void* c, uint64_t bytes, uint32_t threads);

// Reads rows of `row_bytes` in the order of `indices`, one load for each cache line that a row touches, prefetched
// `ahead` rows before: what a gather costs before it writes anything.
GANTRY_ROOF double gantry_roof_read_rows(const void* table, uint64_t row_bytes, const int64_t* indices, uint64_t count, uint32_t ahead,
                                         uint32_t threads);

// 1 when streaming stores exist for this architecture; else the streaming loops are ordinary ones.
GANTRY_ROOF int gantry_roof_has_streaming(void);

#ifdef __cplusplus
}
#endif

#endif
