// scatter and scatter_add. Every row of the table belongs to one lane, which goes through the indices in their order:
// what comes out is what one thread gives, whatever their number.
#include "host/scatter.h"

namespace gantry {
namespace {

// From here on it costs less to sort the positions by owner than to let every lane read all indices.
constexpr uint32_t kLanesThatSort = 9;

// Neighbouring rows of about this many bytes have one owner, so that lanes seldom write to one cache line.
constexpr uint64_t kOwnedBytes = 1024;

// Pairs that are known but not yet moved: the last ones stay until those after them are known, to be prefetched.
class Pairs {
 public:
  explicit Pairs(const ScatterJob& job) : job_(job) {}

  // `counts` is 0 or 1: whether the pair is kept.
  void add(char* to, const char* from, int counts) {
    to_[held_] = to;
    from_[held_] = from;
    held_ += counts;
    if (held_ == kBatch + kMaxAhead) flush(held_ - job_.move.ahead);
  }

  void end() {
    if (held_ == 0) return;
    std::fill_n(to_ + held_, job_.move.ahead, to_[held_ - 1]);
    std::fill_n(from_ + held_, job_.move.ahead, from_[held_ - 1]);
    flush(held_);
  }

 private:
  void flush(int count) {
    job_.kernel(ScatterRun{to_, from_, count}, job_.move);
    held_ -= count;
    memmove(to_, to_ + count, static_cast<size_t>(held_) * sizeof(to_[0]));
    memmove(from_, from_ + count, static_cast<size_t>(held_) * sizeof(from_[0]));
  }

  const ScatterJob& job_;
  int held_ = 0;
  char* to_[kBatch + 2 * kMaxAhead];
  const char* from_[kBatch + 2 * kMaxAhead];
};

// Every lane reads all indices; the first one counts those that are bad.
template <bool kAlone>
void scan_indices(const ScatterJob& job, uint32_t lane) {
  const Request& request = *job.request;
  Tally tally = kNothingSeen;
  Pairs pairs(job);
  const char* from = request.side;
  for (int64_t position = 0; position < request.index_count; ++position, from += request.side_row_stride_bytes) {
    const int64_t row = job.lookup->row(position, &tally);
    if (row < 0) continue;
    pairs.add(job.lookup->address(row), from, kAlone || job.owner(row) == lane ? 1 : 0);
  }
  pairs.end();
  job.tallies[lane] = lane == 0 ? tally : kNothingSeen;
}

void scan(void* opaque, uint32_t lane) {
  const ScatterJob& job = *static_cast<ScatterJob*>(opaque);
  if (job.lanes == 1) {
    scan_indices<true>(job, lane);
  } else {
    scan_indices<false>(job, lane);
  }
}

struct Position {
  Position(int64_t, int64_t position) : value(static_cast<uint64_t>(position)) {}
  uint64_t value;
};

struct SortedJob {
  ScatterJob* scatter;
  Position* positions;
};

void list_positions(void* opaque, uint32_t lane) {
  const SortedJob& job = *static_cast<SortedJob*>(opaque);
  list_by_owner(*job.scatter, lane, job.positions);
}

void move_owned(void* opaque, uint32_t lane) {
  const SortedJob& sorted = *static_cast<SortedJob*>(opaque);
  const ScatterJob& job = *sorted.scatter;
  const Request& request = *job.request;
  Tally counted_before = kNothingSeen;
  Pairs pairs(job);
  for (uint64_t k = job.owned_begin(lane); k < job.owned_end(lane); ++k) {
    const int64_t position = static_cast<int64_t>(sorted.positions[k].value);
    const int64_t row = job.lookup->row(position, &counted_before);
    pairs.add(job.lookup->address(row), request.side + position * request.side_row_stride_bytes, 1);
  }
  pairs.end();
}

gantry_status run_sorted(const Host& host, ScatterJob* job) {
  const uint64_t count = static_cast<uint64_t>(job->request->index_count);
  const Scratch& scratch = job->request->scratch;
  void* memory = nullptr;
  const gantry_status status = scratch.allocate(scratch.self, (job->cells() + count) * sizeof(uint64_t), 64,
                                                gantry_device{GANTRY_DEVICE_HOST, 0}, GANTRY_PURPOSE_SCRATCH, &memory);
  if (status != GANTRY_OK) return status;
  job->places = static_cast<uint64_t*>(memory);
  SortedJob sorted = {job, reinterpret_cast<Position*>(job->places + job->cells())};
  count_by_owner(host, job);
  host.pool->run(job->lanes, list_positions, &sorted);
  host.pool->run(job->lanes, move_owned, &sorted);
  return GANTRY_OK;
}

void count_owned(void* opaque, uint32_t lane) {
  const ScatterJob& job = *static_cast<ScatterJob*>(opaque);
  Tally tally = kNothingSeen;
  uint64_t counts[kMaxThreads] = {};
  for (int64_t position = job.begin(lane); position < job.begin(lane + 1); ++position) {
    const int64_t row = job.lookup->row(position, &tally);
    if (row >= 0) ++counts[job.owner(row)];
  }
  memcpy(job.places_of(lane), counts, job.lanes * sizeof(counts[0]));
  job.tallies[lane] = tally;
}

// The kind of addition; negative: there is none.
int add_kind(gantry_dtype dtype) {
  const bool is_float = dtype.code == GANTRY_CODE_FLOAT;
  if (!is_float && dtype.code != GANTRY_CODE_INT && dtype.code != GANTRY_CODE_UINT) return -1;
  switch (dtype.bits) {
    case 8:
      return is_float ? -1 : kAddI8;
    case 16:
      return is_float ? -1 : kAddI16;
    case 32:
      return is_float ? kAddF32 : kAddI32;
    case 64:
      return is_float ? kAddF64 : kAddI64;
    default:
      return -1;
  }
}

bool is_float_of_16_bits(gantry_dtype dtype) {
  return dtype.bits == 16 && (dtype.code == GANTRY_CODE_FLOAT || dtype.code == GANTRY_CODE_BFLOAT);
}

bool plan(const Request& request, ScatterJob* job) {
  uint64_t addresses = 0;
  for (uint32_t k = 0; k < request.chunk_count; ++k) {
    addresses |= reinterpret_cast<uintptr_t>(request.chunks[k].data);
    addresses |= static_cast<uint64_t>(request.chunks[k].row_stride_bytes);
  }
  const Kernels& kernels = *job->kernels;
  if (!plan_move(kernels, request.side_dtype, request.table_dtype, request.columns, addresses, &job->move))
    return false;
  if (request.op == Op::scatter) {
    job->kernel = kernels.scatter[way_of(job->move)];
    return true;
  }
  if (!same_dtype(request.table_dtype, request.side_dtype)) return false;
  if (is_float_of_16_bits(request.table_dtype)) return true;
  const int kind = add_kind(request.table_dtype);
  if (kind < 0) return false;
  job->kernel = kernels.scatter_add[kind];
  return true;
}

}  // namespace

void count_by_owner(const Host& host, ScatterJob* job) {
  host.pool->run(job->lanes, count_owned, job);
  uint64_t place = 0;
  for (uint32_t owner = 0; owner < job->lanes; ++owner) {
    for (uint32_t lane = 0; lane < job->lanes; ++lane) {
      uint64_t* const at = job->places_of(lane) + owner;
      const uint64_t count = *at;
      *at = place;
      place += count;
    }
  }
  job->places[job->cells() - 1] = place;
}

gantry_status run_scatter(const Host& host, const Request& request, Tally* tally) {
  Tally tallies[kMaxThreads];
  const Lookup lookup(request);
  ScatterJob job = {};
  job.request = &request;
  job.lookup = &lookup;
  job.kernels = host.kernels;
  job.tallies = tallies;
  if (!plan(request, &job)) return GANTRY_ERROR_UNSUPPORTED;
  const uint64_t row_bytes = std::max<uint64_t>(job.move.to_bytes, 1);
  while ((row_bytes << (job.owned_shift + 1)) <= kOwnedBytes) ++job.owned_shift;
  job.lanes = share(host, request, request.index_count, static_cast<uint64_t>(request.index_count) * 2 * row_bytes);
  gantry_status status = GANTRY_OK;
  if (job.kernel == nullptr) {
    status = run_scatter_add_rounded(host, &job);
  } else if (job.lanes >= kLanesThatSort) {
    status = run_sorted(host, &job);
  } else {
    host.pool->run(job.lanes, scan, &job);
  }
  if (status != GANTRY_OK) return status;
  for (uint32_t lane = 0; lane < job.lanes; ++lane) tally->add(tallies[lane]);
  return GANTRY_OK;
}

}  // namespace gantry
