// The ops, split over lanes. Each returns after all lanes have; nothing is allocated but scatter's buckets, by the
// request.
#ifndef GANTRY_HOST_OPS_H
#define GANTRY_HOST_OPS_H

#include "core/backend.h"
#include "host/kernels.h"
#include "host/lookup.h"
#include "host/pool.h"
#include "host/processors.h"

namespace gantry {

struct Host {
  const Kernels* kernels;
  Pool* pool;
  uint64_t cache_bytes;       // of the last level
  uint64_t lane_nanoseconds;  // a lane's least work
};

uint64_t element_bytes(gantry_dtype dtype);
bool same_dtype(gantry_dtype a, gantry_dtype b);

// The function that makes elements of `to` from elements of `from`. Returns whether the pair is known; null in
// `convert`: the bytes stay as they are.
bool find_conversion(const Kernels& kernels, gantry_dtype from, gantry_dtype to, ConvertFn* convert);

// How rows of `columns` elements are moved, and prefetched when they are read at random places, of which `addresses`
// has the bits that first row's address and strides have. Returns false for a pair of dtypes that is not converted.
bool plan_move(const Kernels& kernels, gantry_dtype from, gantry_dtype to, int64_t columns, uint64_t addresses,
               Move* out);

// The place of a move in the tables of kernels.
int way_of(const Move& move);

// Over how many lanes rows are shared: as many as have enough to do to be worth waking a thread for.
uint32_t share(const Host& host, const Request& request, int64_t rows, uint64_t bytes);

gantry_status run_gather(const Host& host, const Request& request, Tally* tally);
gantry_status run_scatter(const Host& host, const Request& request, Tally* tally);
gantry_status run_linear(const Host& host, const Request& request);

struct Output {
  char* data;
  int64_t stride;
  int64_t rows;
};

// Whether the output is stored past the caches.
bool streams(const Host& host, const Request& request, const Output& output, uint64_t width);

// How many rows a lane takes at a time.
int64_t portion_of(int64_t rows, uint32_t lanes, uint64_t row_bytes);

// What a lane that takes portions of an output works on. `rows` are addresses of which kMaxAhead more than kBatch are
// known at a time: rows[k] is row `position` + k for k < count; null: it is left out.
struct RowList {
  void (*fill)(const void* self, int64_t position, int count, const char** rows, Tally* tally);
  const void* self;
};
void move_listed(const RowList& list, const Output& output, int64_t begin, int64_t end, GatherFn kernel,
                 const Move& move, Tally* tally);

}  // namespace gantry

#endif
