// What core hands to a backend: an op whose arguments have been checked, in plain C types, because the CUDA backend is a
// library of its own.
#ifndef GANTRY_CORE_BACKEND_H
#define GANTRY_CORE_BACKEND_H

#include "gantry/gantry.h"

namespace gantry {

enum class Op : uint32_t { gather, scatter, scatter_add, convert, copy };

// Consecutive rows of one address range.
struct Chunk {
  char* data;         // of the first row, byte offset applied
  int64_t first_row;  // its number in the table
  int64_t rows;
  int64_t row_stride_bytes;
};

// Temporary memory of one op: asked from the caller's environment, checked, and given back by core in reverse order when the op
// ends, whatever its outcome. A failure has already been reported: the backend returns the status as it is.
struct Scratch {
  void* self;
  gantry_status (*allocate)(void* self, uint64_t bytes, uint64_t alignment, gantry_device device, gantry_purpose purpose,
                            void** out);
};

// Sets the calling thread's error text; printf's format. Returns `status`.
using Report = gantry_status (*)(gantry_status status, const char* format, ...);

// convert and copy: the source is `side`, the destination the only chunk; every row is its own index.
struct Request {
  Op op;
  gantry_bounds bounds;
  const Chunk* chunks;
  uint32_t chunk_count;
  gantry_dtype table_dtype;
  int64_t table_rows;
  int64_t columns;
  // gather's output, the rows that scatter and scatter_add read, the source of convert and copy
  char* side;
  gantry_dtype side_dtype;
  int64_t side_row_stride_bytes;
  // Elements of 4 or 8 bytes; values of unsigned indices above the signed maximum are outside of every table.
  const char* indices;
  int64_t index_count;
  int64_t index_stride_bytes;
  uint32_t index_bytes;
  uint32_t index_unsigned;
  gantry_choice deterministic;
  gantry_choice streaming;
  gantry_choice sorted;
  uint32_t threads;
  uint32_t multiprocessors;
  // Where table, side and indices are: a device of type GANTRY_DEVICE_CUDA when any is there.
  gantry_device device;
  bool table_on_host;  // `device` is a GPU, and the table is pinned host memory that it reads over PCIe
  gantry_stream stream;
  Scratch scratch;
  Report report;
  bool wants_stats;
  gantry_stats* stats;  // never null; core has zeroed it and set first_bad_position to -1
};

// The entry of libgantry_cuda.so: `extern "C" gantry_status gantry_cuda_entry(const PluginHost*, Backend*)`. The layout may
// change with every build, which is why core compares the build.id in the plug-in's stamp with its own before dlopen.
struct PluginHost {
  uint32_t struct_size;
  Report report;
};

struct Backend {
  uint32_t struct_size;
  void* self;
  gantry_status (*execute)(void* self, const Request* request);
  gantry_status (*check)(void* self, int32_t device, gantry_stream stream, gantry_stats* stats, Report report);
  gantry_status (*allocate_pinned)(void* self, uint64_t bytes, void** out, Report report);
  void (*free_pinned)(void* self, void* data);
  gantry_status (*pin)(void* self, void* data, uint64_t bytes, bool read_only, Report report);
  void (*unpin)(void* self, void* data);
  void (*query)(void* self, gantry_backend_info* info);  // fills reason and the rest; runs the self-test at the first call
  void (*close)(void* self);
};

}  // namespace gantry

#endif
