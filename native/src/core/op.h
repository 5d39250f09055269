// One op: what all of them do before and after the part that is their own.
#ifndef GANTRY_CORE_OP_H
#define GANTRY_CORE_OP_H

#include "core/context.h"
#include "core/scratch.h"
#include "core/table.h"

namespace gantry {

// The indices of an op, as the backend sees them.
struct Indices {
  Rows layout;
  gantry_dtype dtype;
};

class Operation {
 public:
  Operation(Op op, gantry_context* context, gantry_stream stream)
      : op_(op), context_(context), stream_(stream), scratch_(environment_, stream) {}

  // Reads options and environment.
  gantry_status begin(const gantry_options* options, const gantry_environment* environment);

  gantry_status gather(const gantry_table* table, const gantry_tensor* indices, gantry_tensor* output);
  gantry_status scatter(const gantry_tensor* rows, const gantry_tensor* indices, const gantry_table* table);
  gantry_status convert(const gantry_tensor* source, const gantry_tensor* destination);

 private:
  gantry_status read_indices(const gantry_tensor* from, Tensor* tensor, Indices* indices);
  // After all tensors have been placed, and before any memory is asked for on a device.
  gantry_status choose_backend();
  gantry_status allocate_output(const Tensor& output, gantry_tensor* to);
  gantry_status execute(const Table& table, const Rows& side, gantry_dtype side_dtype, const Indices* indices);
  void finish(const gantry_stats& stats, bool has_run);

  Op op_;
  gantry_context* context_;
  gantry_stream stream_;
  gantry_options options_{};
  gantry_environment environment_{};
  ScratchBlocks scratch_;
  Placement placement_;
  const Backend* cuda_ = nullptr;  // null: the host's
  uint64_t begun_ = 0;             // nanoseconds, when anybody wants to know
};

}  // namespace gantry

#endif
