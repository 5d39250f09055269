// convert and copy: rows in their order.
#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// Rows without gaps are cut anew, into pieces that the first-level cache holds.
constexpr int64_t kPieceElements = 1024;

struct ConsecutiveRows {
  const char* data;
  int64_t stride;
};

void fill_in_order(const void* opaque, int64_t position, int count, const char** rows, Tally*) {
  const ConsecutiveRows& self = *static_cast<const ConsecutiveRows*>(opaque);
  for (int k = 0; k < count; ++k) rows[k] = self.data + (position + k) * self.stride;
}

}  // namespace

gantry_status run_linear(const Host& host, const Request& request) {
  const int64_t from_element = static_cast<int64_t>(element_bytes(request.side_dtype));
  const int64_t to_element = static_cast<int64_t>(element_bytes(request.table_dtype));
  ConsecutiveRows from = {request.side, request.side_row_stride_bytes};
  Output to = {nullptr, 0, request.table_rows};
  if (request.chunk_count > 0) {
    to.data = request.chunks[0].data;
    to.stride = request.chunks[0].row_stride_bytes;
  }
  int64_t columns = request.columns;
  int64_t rest = 0;
  const bool has_gaps = from.stride != columns * from_element || to.stride != columns * to_element;
  if (!has_gaps || to.rows == 1) {
    const int64_t elements = columns * to.rows;
    columns = kPieceElements;
    from.stride = columns * from_element;
    to.stride = columns * to_element;
    to.rows = elements / columns;
    rest = elements % columns;
  }
  Move move;
  if (!plan_move(*host.kernels, request.side_dtype, request.table_dtype, columns, 0, &move)) {
    return GANTRY_ERROR_UNSUPPORTED;
  }
  // The processor's own prefetcher sees what is read next.
  move.prefetch = 0;
  move.straddles = false;
  move.ahead = 0;
  move_rows(host, request, Source{fill_in_order, &from}, to, move, nullptr);
  if (rest > 0) {
    const char* const from_rest = from.data + to.rows * from.stride;
    char* const to_rest = to.data + to.rows * to.stride;
    if (move.convert != nullptr) {
      move.convert(to_rest, from_rest, rest * request.side_dtype.lanes);
    } else {
      memcpy(to_rest, from_rest, static_cast<size_t>(rest * from_element));
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry
