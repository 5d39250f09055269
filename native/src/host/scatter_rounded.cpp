// scatter_add of 16-bit floats: the owner of rows sorts what is added to them by row, so that each row is rounded once.
#include <algorithm>

#include "host/scatter.h"

namespace gantry {
namespace {

struct Entry {
  Entry(int64_t row_number, int64_t index_position)
      : row(static_cast<uint64_t>(row_number)), position(static_cast<uint64_t>(index_position)) {}
  uint64_t row;
  uint64_t position;
};

struct RoundedJob {
  ScatterJob* scatter;
  Entry* entries;
  Entry* others;  // as many
  int format;     // kF16 or kBF16
};

// Ops of few indices take no memory from the caller.
constexpr uint64_t kLocalBytes = 8192;

constexpr int kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;
constexpr uint64_t kFewEntries = 512;

// Sorts by row; entries of one row keep their order. Returns where the result is: `entries` or `others`.
Entry* sort_by_row(Entry* entries, Entry* others, uint64_t count, uint64_t rows) {
  if (count < kFewEntries) {
    std::sort(entries, entries + count,
              [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.position < b.position; });
    return entries;
  }
  for (int shift = 0; shift < 64 && (rows - 1) >> shift != 0; shift += kDigitBits) {
    uint64_t places[kDigits] = {};
    for (uint64_t k = 0; k < count; ++k) ++places[(entries[k].row >> shift) % kDigits];
    uint64_t place = 0;
    for (uint64_t& at : places) {
      const uint64_t here = at;
      at = place;
      place += here;
    }
    for (uint64_t k = 0; k < count; ++k) others[places[(entries[k].row >> shift) % kDigits]++] = entries[k];
    std::swap(entries, others);
  }
  return entries;
}

// One row of the table and the rows of its entries.
void add_group(const RoundedJob& job, const Entry* first, const Entry* last) {
  constexpr int64_t kBlock = 1024;
  const ScatterJob& scatter = *job.scatter;
  const Request& request = *scatter.request;
  const Kernels& kernels = *scatter.kernels;
  char* const to = scatter.lookup->address(static_cast<int64_t>(first->row));
  const auto source = [&](const Entry* entry) {
    return request.side + static_cast<int64_t>(entry->position) * request.side_row_stride_bytes;
  };
  if (last - first == 1) {
    kernels.add_rounded[job.format](to, source(first), scatter.move.elements);
    return;
  }
  alignas(64) float sums[kBlock];
  for (int64_t done = 0; done < scatter.move.elements; done += kBlock) {
    const int64_t count = std::min(scatter.move.elements - done, kBlock);
    kernels.convert_float[job.format][kF32](reinterpret_cast<char*>(sums), to + done * 2, count);
    for (const Entry* entry = first; entry < last; ++entry) {
      kernels.add_wide[job.format](sums, source(entry) + done * 2, count);
    }
    kernels.convert_float[kF32][job.format](to + done * 2, reinterpret_cast<const char*>(sums), count);
  }
}

void prefetch(const RoundedJob& job, const Entry& entry) {
  const ScatterJob& scatter = *job.scatter;
  const Request& request = *scatter.request;
  const char* const to = scatter.lookup->address(static_cast<int64_t>(entry.row));
  const char* const from = request.side + static_cast<int64_t>(entry.position) * request.side_row_stride_bytes;
  for (uint64_t at = 0; at < scatter.move.prefetch; at += 64) {
    __builtin_prefetch(to + at);
    __builtin_prefetch(from + at);
  }
}

void list_entries(void* opaque, uint32_t lane) {
  const RoundedJob& job = *static_cast<RoundedJob*>(opaque);
  list_by_owner(*job.scatter, lane, job.entries);
}

void add_owned(void* opaque, uint32_t lane) {
  const RoundedJob& job = *static_cast<RoundedJob*>(opaque);
  const uint64_t begin = job.scatter->owned_begin(lane);
  const uint64_t count = job.scatter->owned_end(lane) - begin;
  const uint64_t rows = static_cast<uint64_t>(job.scatter->request->table_rows);
  const Entry* entry = sort_by_row(job.entries + begin, job.others + begin, count, rows);
  const Entry* const end = entry + count;
  const int64_t ahead = job.scatter->move.ahead;
  for (const Entry* next = entry; entry < end; entry = next) {
    while (next < end && next->row == entry->row) {
      if (end - next > ahead) prefetch(job, next[ahead]);
      ++next;
    }
    add_group(job, entry, next);
  }
}

}  // namespace

gantry_status run_scatter_add_rounded(const Host& host, ScatterJob* job) {
  alignas(64) char local[kLocalBytes];
  const uint64_t count = static_cast<uint64_t>(job->request->index_count);
  const uint64_t bytes = job->cells() * sizeof(uint64_t) + 2 * count * sizeof(Entry);
  void* memory = local;
  if (bytes > kLocalBytes) {
    const Scratch& scratch = job->request->scratch;
    const gantry_status status = scratch.allocate(scratch.self, bytes, 64, gantry_device{GANTRY_DEVICE_HOST, 0},
                                                  GANTRY_PURPOSE_SCRATCH, &memory);
    if (status != GANTRY_OK) return status;
  }
  job->places = static_cast<uint64_t*>(memory);
  Entry* const entries = reinterpret_cast<Entry*>(job->places + job->cells());
  RoundedJob rounded = {job, entries, entries + count,
                        job->request->table_dtype.code == GANTRY_CODE_BFLOAT ? kBF16 : kF16};
  count_by_owner(host, job);
  host.pool->run(job->lanes, list_entries, &rounded);
  host.pool->run(job->lanes, add_owned, &rounded);
  return GANTRY_OK;
}

}  // namespace gantry
