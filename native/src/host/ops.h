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

// The place of a row's width in a table of kernels.
int width_class(uint64_t bytes);

// Over how many lanes rows are shared: as many as have enough to do to be worth waking a thread for.
uint32_t share(const Host& host, const Request& request, int64_t rows, uint64_t bytes);

gantry_status run_gather(const Host& host, const Request& request, Tally* tally);
gantry_status run_scatter(const Host& host, const Request& request, Tally* tally);
gantry_status run_linear(const Host& host, const Request& request);

// Where the loop over rows of an output gets them: rows[k] = row `position` + k, for k < count; null: left out.
struct Source {
  void (*fill)(const void* self, int64_t position, int count, const char** rows, Tally* tally);
  const void* self;
};

// An output of `rows` rows, moved by all lanes. `tally` may be null when the source counts nothing.
struct Output {
  char* data;
  int64_t stride;
  int64_t rows;
};
void move_rows(const Host& host, const Request& request, const Source& source, const Output& output, const Move& move,
               Tally* tally);

}  // namespace gantry

#endif
