#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

struct Job {
  const Request* request;
  const Lookup* lookup;
  Output output;
  Move move;
  int64_t portion;  // rows that a lane takes at a time
  std::atomic<int64_t> next;
  IndexedFn indexed;  // null: the table has several chunks
  GatherFn listed;
  void (*end_streaming)();  // null: nothing is stored past the caches
  Tally* tallies;
};

void list_rows(const void* opaque, int64_t position, int count, const char** rows, Tally* tally) {
  const Job& job = *static_cast<const Job*>(opaque);
  const gantry_bounds bounds = job.request->bounds;
  for (int k = 0; k < count; ++k) {
    const int64_t row = job.lookup->row(position + k, tally);
    if (row >= 0) {
      rows[k] = job.lookup->address(row);
      continue;
    }
    rows[k] = nullptr;
    if (bounds != GANTRY_BOUNDS_ZERO) continue;
    ++tally->zeroed;
    if (job.move.to_bytes != 0) memset(job.output.data + (position + k) * job.output.stride, 0, job.move.to_bytes);
  }
}

void move_portion(const Job& job, int64_t begin, int64_t end, Tally* tally) {
  const RowList list = {list_rows, &job};
  if (job.indexed == nullptr) {
    move_listed(list, job.output, begin, end, job.listed, job.move, tally);
    return;
  }
  const Request& request = *job.request;
  const Chunk& chunk = request.chunks[0];
  for (int64_t at = begin; at < end;) {
    at +=
        job.indexed(IndexedRun{request.indices + at * request.index_stride_bytes, request.index_stride_bytes, end - at,
                               job.lookup->limit(), chunk.data, static_cast<uint64_t>(chunk.row_stride_bytes),
                               job.output.data + at * job.output.stride, job.output.stride},
                    job.move);
    // Where one index is outside, others follow soon, or else it hardly matters that a few rows take longer.
    const int64_t slow_end = std::min<int64_t>(at + kBatch, end);
    move_listed(list, job.output, at, slow_end, job.listed, job.move, tally);
    at = slow_end;
  }
}

void work(void* opaque, uint32_t lane) {
  Job& job = *static_cast<Job*>(opaque);
  Tally tally = kNothingSeen;
  for (;;) {
    const int64_t begin = job.next.fetch_add(job.portion, std::memory_order_relaxed);
    if (begin >= job.output.rows) break;
    move_portion(job, begin, std::min(begin + job.portion, job.output.rows), &tally);
  }
  if (job.end_streaming != nullptr) job.end_streaming();
  job.tallies[lane] = tally;
}

void choose_kernels(const Host& host, Job* job) {
  const Kernels& kernels = *host.kernels;
  const Request& request = *job->request;
  const int kind = request.index_bytes == 8 ? kIndex64 : request.index_unsigned != 0 ? kIndexU32 : kIndexI32;
  const int converts = job->move.convert != nullptr ? 1 : 0;
  int way = way_of(job->move);
  if (streams(host, request, job->output, job->move.to_bytes)) {
    const uint64_t bits = reinterpret_cast<uintptr_t>(job->output.data) | static_cast<uint64_t>(job->output.stride);
    if (way < kWayAny && job->move.to_bytes % 64 == 0 && bits % 64 != 0) way = kWayAny;
    job->indexed = kernels.gather_indexed_streaming[kind][way];
    job->listed = kernels.gather_streaming[converts];
    job->end_streaming = kernels.end_streaming;
  } else {
    job->indexed = kernels.gather_indexed[kind][way];
    job->listed = kernels.gather[converts];
  }
  if (request.chunk_count != 1) job->indexed = nullptr;
}

}  // namespace

gantry_status run_gather(const Host& host, const Request& request, Tally* tally) {
  Tally tallies[kMaxThreads];
  const Lookup lookup(request);
  uint64_t addresses = 0;
  for (uint32_t k = 0; k < request.chunk_count; ++k) {
    addresses |= reinterpret_cast<uintptr_t>(request.chunks[k].data);
    addresses |= static_cast<uint64_t>(request.chunks[k].row_stride_bytes);
  }
  Job job = {};
  if (!plan_move(*host.kernels, request.table_dtype, request.side_dtype, request.columns, addresses, &job.move)) {
    return GANTRY_ERROR_UNSUPPORTED;
  }
  job.request = &request;
  job.lookup = &lookup;
  job.output = Output{request.side, request.side_row_stride_bytes, request.index_count};
  job.tallies = tallies;
  choose_kernels(host, &job);
  const uint64_t row_bytes = std::max<uint64_t>(job.move.from_bytes + job.move.to_bytes, 1);
  const uint32_t lanes =
      share(host, request, request.index_count, static_cast<uint64_t>(request.index_count) * row_bytes);
  job.portion = portion_of(request.index_count, lanes, row_bytes);
  host.pool->run(lanes, work, &job);
  for (uint32_t lane = 0; lane < lanes; ++lane) tally->add(tallies[lane]);
  return GANTRY_OK;
}

}  // namespace gantry
