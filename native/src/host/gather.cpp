#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// Lanes take portions of rows until none are left: large enough for the loop to get going, small enough that lanes end
// together.
constexpr uint64_t kPortionBytes = uint64_t{1} << 20;
constexpr int64_t kPortionsOfLane = 8;

struct Job {
  GatherFn kernel;
  const Move* move;
  const Source* source;
  Output output;
  int64_t portion;  // rows
  std::atomic<int64_t> next;
  Tally* tallies;
};

void move_portion(const Job& job, int64_t begin, int64_t end, Tally* tally) {
  const char* rows[kBatch + 2 * kMaxAhead];
  const int ahead = job.move->ahead;
  int64_t filled = begin;
  int64_t moved = begin;
  while (moved < end) {
    int held = static_cast<int>(filled - moved);
    const int count = static_cast<int>(std::min<int64_t>(end - filled, kBatch + ahead - held));
    job.source->fill(job.source->self, filled, count, rows + held, tally);
    filled += count;
    held += count;
    int ready = held - ahead;
    if (filled == end) {
      std::fill_n(rows + held, ahead, rows[held - 1]);
      ready = held;
    }
    job.kernel(GatherRun{job.output.data + moved * job.output.stride, job.output.stride, rows, ready}, *job.move);
    moved += ready;
    memmove(rows, rows + ready, static_cast<size_t>(held - ready) * sizeof(rows[0]));
  }
}

void work(void* opaque, uint32_t lane) {
  Job& job = *static_cast<Job*>(opaque);
  Tally tally;
  for (;;) {
    const int64_t begin = job.next.fetch_add(job.portion, std::memory_order_relaxed);
    if (begin >= job.output.rows) break;
    move_portion(job, begin, std::min(begin + job.portion, job.output.rows), &tally);
  }
  if (job.tallies != nullptr) job.tallies[lane] = tally;
}

// Whether the output is stored past the caches. Lines that are filled in part only would be read from memory first:
// unless it is asked for, rows then have to lie side by side or be made of whole lines.
bool streams(const Host& host, const Request& request, const Output& output, uint64_t width) {
  if (request.streaming == GANTRY_NEVER || width == 0 || width % 16 != 0) return false;
  const uint64_t bits = reinterpret_cast<uintptr_t>(output.data) | static_cast<uint64_t>(output.stride);
  if (bits % 16 != 0) return false;
  if (request.streaming == GANTRY_ALWAYS) return true;
  const bool fills_lines = static_cast<uint64_t>(output.stride) == width || (bits | width) % 64 == 0;
  return fills_lines && static_cast<uint64_t>(output.rows) > host.cache_bytes / 2 / width;
}

GatherFn choose_kernel(const Host& host, const Request& request, const Output& output, const Move& move) {
  const bool streaming = streams(host, request, output, move.to_bytes);
  const Kernels& kernels = *host.kernels;
  if (move.convert != nullptr) {
    return streaming ? kernels.gather_converting_streaming : kernels.gather_converting;
  }
  const int width = width_class(move.from_bytes);
  if (!streaming) return kernels.gather[width];
  const uint64_t bits = reinterpret_cast<uintptr_t>(output.data) | static_cast<uint64_t>(output.stride);
  const bool is_aligned = bits % stream_alignment(move.to_bytes) == 0;
  return kernels.gather_streaming[is_aligned ? width : kWidthAny];
}

struct IndexedRows {
  const Request* request;
  const Lookup* lookup;
  ResolveFn resolve;  // null: several chunks
  uint64_t out_width;
};

void fill_by_index(const void* opaque, int64_t position, int count, const char** rows, Tally* tally) {
  const IndexedRows& self = *static_cast<const IndexedRows*>(opaque);
  const Request& request = *self.request;
  if (self.resolve != nullptr) {
    const Chunk& chunk = request.chunks[0];
    const ResolveRun run = {request.indices + position * request.index_stride_bytes,
                            request.index_stride_bytes,
                            chunk.data,
                            static_cast<uint64_t>(chunk.row_stride_bytes),
                            self.lookup->limit(),
                            count,
                            rows};
    if (!self.resolve(run)) return;
  }
  for (int k = 0; k < count; ++k) {
    const int64_t row = self.lookup->row(position + k, tally);
    if (row >= 0 || request.bounds == GANTRY_BOUNDS_TRUST) {
      rows[k] = self.lookup->address(row);
      continue;
    }
    rows[k] = nullptr;
    if (request.bounds == GANTRY_BOUNDS_ZERO) {
      ++tally->zeroed;
      if (self.out_width != 0) {
        memset(request.side + (position + k) * request.side_row_stride_bytes, 0, self.out_width);
      }
    }
  }
}

}  // namespace

void move_rows(const Host& host, const Request& request, const Source& source, const Output& output, const Move& move,
               Tally* tally) {
  Tally tallies[kMaxThreads];
  const uint64_t bytes = std::max<uint64_t>(move.from_bytes + move.to_bytes, 1);
  Job job = {};
  job.kernel = choose_kernel(host, request, output, move);
  job.move = &move;
  job.source = &source;
  job.output = output;
  job.tallies = tally != nullptr ? tallies : nullptr;
  const uint32_t lanes = share(host, request, output.rows, static_cast<uint64_t>(output.rows) * bytes);
  const int64_t most = static_cast<int64_t>(std::min<uint64_t>(kPortionBytes / bytes, 64 * kBatch));
  job.portion = lanes == 1
                    ? std::max<int64_t>(output.rows, 1)
                    : std::clamp<int64_t>(output.rows / (lanes * kPortionsOfLane), 1, std::max<int64_t>(most, 1));
  // Portions of aligned rows then begin at a cache line.
  if (job.portion > kBatch) job.portion -= job.portion % kBatch;
  host.pool->run(lanes, work, &job);
  for (uint32_t lane = 0; tally != nullptr && lane < lanes; ++lane) tally->add(tallies[lane]);
}

gantry_status run_gather(const Host& host, const Request& request, Tally* tally) {
  const Lookup lookup(request);
  uint64_t addresses = 0;
  for (uint32_t k = 0; k < request.chunk_count; ++k) {
    addresses |= reinterpret_cast<uintptr_t>(request.chunks[k].data);
    addresses |= static_cast<uint64_t>(request.chunks[k].row_stride_bytes);
  }
  Move move;
  if (!plan_move(*host.kernels, request.table_dtype, request.side_dtype, request.columns, addresses, &move)) {
    return GANTRY_ERROR_UNSUPPORTED;
  }
  IndexedRows rows = {&request, &lookup, nullptr, move.to_bytes};
  if (request.chunk_count == 1) {
    const int kind = request.index_bytes == 8 ? kIndex64 : request.index_unsigned != 0 ? kIndexU32 : kIndexI32;
    rows.resolve = host.kernels->resolve[kind];
  }
  move_rows(host, request, Source{fill_by_index, &rows},
            Output{request.side, request.side_row_stride_bytes, request.index_count}, move, tally);
  return GANTRY_OK;
}

}  // namespace gantry
