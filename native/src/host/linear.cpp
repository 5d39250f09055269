// convert and copy: rows in their order.
#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// Rows without gaps are cut anew, into pieces that the first-level cache holds.
constexpr int64_t kPieceElements = 1024;

struct Job {
  const char* from;
  int64_t from_stride;
  Output output;
  Move move;
  int64_t portion;
  std::atomic<int64_t> next;
  GatherFn kernel;
  void (*end_streaming)();
};

void list_rows(const void* opaque, int64_t position, int count, const char** rows, Tally*) {
  const Job& job = *static_cast<const Job*>(opaque);
  for (int k = 0; k < count; ++k) rows[k] = job.from + (position + k) * job.from_stride;
}

void work(void* opaque, uint32_t) {
  Job& job = *static_cast<Job*>(opaque);
  for (;;) {
    const int64_t begin = job.next.fetch_add(job.portion, std::memory_order_relaxed);
    if (begin >= job.output.rows) break;
    const int64_t end = std::min(begin + job.portion, job.output.rows);
    move_listed(RowList{list_rows, &job}, job.output, begin, end, job.kernel, job.move, nullptr);
  }
  if (job.end_streaming != nullptr) job.end_streaming();
}

}  // namespace

gantry_status run_linear(const Host& host, const Request& request) {
  const int64_t from_element = static_cast<int64_t>(element_bytes(request.side_dtype));
  const int64_t to_element = static_cast<int64_t>(element_bytes(request.table_dtype));
  Job job = {};
  job.from = request.side;
  job.from_stride = request.side_row_stride_bytes;
  job.output.rows = request.table_rows;
  if (request.chunk_count > 0) {
    job.output.data = request.chunks[0].data;
    job.output.stride = request.chunks[0].row_stride_bytes;
  }
  int64_t columns = request.columns;
  int64_t rest = 0;
  const bool has_gaps = job.from_stride != columns * from_element || job.output.stride != columns * to_element;
  if (!has_gaps || job.output.rows == 1) {
    const int64_t elements = columns * job.output.rows;
    columns = kPieceElements;
    job.from_stride = columns * from_element;
    job.output.stride = columns * to_element;
    job.output.rows = elements / columns;
    rest = elements % columns;
  }
  if (columns == 0) job.output.rows = 0;
  if (!plan_move(*host.kernels, request.side_dtype, request.table_dtype, columns, 0, &job.move)) {
    return GANTRY_ERROR_UNSUPPORTED;
  }
  // The processor's own prefetcher sees what is read next.
  job.move.prefetch = 0;
  job.move.straddles = false;
  job.move.ahead = 0;
  const int converts = job.move.convert != nullptr ? 1 : 0;
  job.kernel = host.kernels->gather[converts];
  if (streams(host, request, job.output, job.move.to_bytes)) {
    job.kernel = host.kernels->gather_streaming[converts];
    job.end_streaming = host.kernels->end_streaming;
  }
  const uint64_t row_bytes = job.move.from_bytes + job.move.to_bytes;
  const uint32_t lanes = share(host, request, job.output.rows, static_cast<uint64_t>(job.output.rows) * row_bytes);
  job.portion = portion_of(job.output.rows, lanes, row_bytes);
  host.pool->run(lanes, work, &job);
  if (rest > 0) {
    const char* const from_rest = job.from + job.output.rows * job.from_stride;
    char* const to_rest = job.output.data + job.output.rows * job.output.stride;
    if (converts != 0) {
      job.move.convert(to_rest, from_rest, rest * request.side_dtype.lanes);
    } else {
      memcpy(to_rest, from_rest, static_cast<size_t>(rest * from_element));
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry
