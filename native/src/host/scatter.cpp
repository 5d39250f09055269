// scatter and scatter_add. Every row of the table belongs to one lane, which goes through the indices in their order:
// what comes out is what one thread gives, whatever their number.
#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// From here on it costs less to sort the positions by owner than to let every lane read all indices.
constexpr uint32_t kLanesThatSort = 9;

// Neighbouring rows of about this many bytes have one owner, so that lanes seldom write to one cache line. Which owner,
// a hash says: the rows that are used most often lie side by side in many tables.
constexpr uint64_t kOwnedBytes = 1024;

struct Job {
  const Request* request;
  const Lookup* lookup;
  ScatterFn kernel;
  Move move;
  uint32_t lanes;
  uint32_t owned_shift;
  Tally* tallies;
  // Sorted: for each lane that sorts and each owner, where its positions go; then the positions.
  uint64_t* offsets;
  uint64_t* positions;

  uint32_t owner(int64_t row) const {
    const uint32_t block = static_cast<uint32_t>(static_cast<uint64_t>(row) >> owned_shift);
    return static_cast<uint32_t>((static_cast<uint64_t>(block * 0x9e3779b1u) * lanes) >> 32);
  }
  int64_t begin(uint32_t lane) const {
    const uint64_t count = static_cast<uint64_t>(request->index_count);
    return static_cast<int64_t>(count / lanes * lane + std::min<uint64_t>(lane, count % lanes));
  }
};

// Pairs that are known but not yet moved: the last ones stay until those after them are known, to be prefetched.
class Pairs {
 public:
  explicit Pairs(const Job& job) : job_(job) {}

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

  const Job& job_;
  int held_ = 0;
  char* to_[kBatch + 2 * kMaxAhead];
  const char* from_[kBatch + 2 * kMaxAhead];
};

// Every lane reads all indices; the first one counts those that are bad.
void scan(void* opaque, uint32_t lane) {
  const Job& job = *static_cast<Job*>(opaque);
  const Request& request = *job.request;
  Tally tally;
  Pairs pairs(job);
  const char* from = request.side;
  for (int64_t position = 0; position < request.index_count; ++position, from += request.side_row_stride_bytes) {
    const int64_t row = job.lookup->row(position, &tally);
    if (row < 0) continue;
    pairs.add(job.lookup->address(row), from, job.owner(row) == lane ? 1 : 0);
  }
  pairs.end();
  if (lane == 0) job.tallies[0] = tally;
}

void count_positions(void* opaque, uint32_t lane) {
  const Job& job = *static_cast<Job*>(opaque);
  Tally tally;
  uint64_t counts[kMaxThreads] = {};
  for (int64_t position = job.begin(lane); position < job.begin(lane + 1); ++position) {
    const int64_t row = job.lookup->row(position, &tally);
    if (row >= 0) ++counts[job.owner(row)];
  }
  memcpy(job.offsets + static_cast<size_t>(lane) * job.lanes, counts, job.lanes * sizeof(counts[0]));
  job.tallies[lane] = tally;
}

// Counts become places: those of an owner lie side by side, in the order of the indices. Returns the number of all.
void place_positions(const Job& job) {
  uint64_t place = 0;
  for (uint32_t owner = 0; owner < job.lanes; ++owner) {
    for (uint32_t lane = 0; lane < job.lanes; ++lane) {
      uint64_t* const at = job.offsets + static_cast<size_t>(lane) * job.lanes + owner;
      const uint64_t count = *at;
      *at = place;
      place += count;
    }
  }
  job.offsets[static_cast<size_t>(job.lanes) * job.lanes] = place;
}

void sort_positions(void* opaque, uint32_t lane) {
  const Job& job = *static_cast<Job*>(opaque);
  Tally counted_before;
  uint64_t places[kMaxThreads];
  memcpy(places, job.offsets + static_cast<size_t>(lane) * job.lanes, job.lanes * sizeof(places[0]));
  for (int64_t position = job.begin(lane); position < job.begin(lane + 1); ++position) {
    const int64_t row = job.lookup->row(position, &counted_before);
    if (row >= 0) job.positions[places[job.owner(row)]++] = static_cast<uint64_t>(position);
  }
}

void move_sorted(void* opaque, uint32_t lane) {
  const Job& job = *static_cast<Job*>(opaque);
  const Request& request = *job.request;
  Tally counted_before;
  Pairs pairs(job);
  const uint64_t begin = job.offsets[lane];
  const uint64_t end =
      lane + 1 < job.lanes ? job.offsets[lane + 1] : job.offsets[static_cast<size_t>(job.lanes) * job.lanes];
  for (uint64_t k = begin; k < end; ++k) {
    const int64_t position = static_cast<int64_t>(job.positions[k]);
    const int64_t row = job.lookup->row(position, &counted_before);
    pairs.add(job.lookup->address(row), request.side + position * request.side_row_stride_bytes, 1);
  }
  pairs.end();
}

gantry_status run_sorted(const Host& host, Job* job) {
  const uint64_t cells = static_cast<uint64_t>(job->lanes) * job->lanes + 1;
  void* scratch = nullptr;
  const Scratch& memory = job->request->scratch;
  const gantry_status status =
      memory.allocate(memory.self, (cells + static_cast<uint64_t>(job->request->index_count)) * sizeof(uint64_t), 64,
                      gantry_device{GANTRY_DEVICE_HOST, 0}, GANTRY_PURPOSE_SCRATCH, &scratch);
  if (status != GANTRY_OK) return status;
  job->offsets = static_cast<uint64_t*>(scratch);
  job->positions = job->offsets + cells;
  host.pool->run(job->lanes, count_positions, job);
  place_positions(*job);
  host.pool->run(job->lanes, sort_positions, job);
  host.pool->run(job->lanes, move_sorted, job);
  return GANTRY_OK;
}

int add_kind(gantry_dtype dtype) {
  const bool is_integer = dtype.code == GANTRY_CODE_INT || dtype.code == GANTRY_CODE_UINT;
  if (dtype.code == GANTRY_CODE_BFLOAT) return dtype.bits == 16 ? kAddBF16 : -1;
  if (!is_integer && dtype.code != GANTRY_CODE_FLOAT) return -1;
  switch (dtype.bits) {
    case 8:
      return is_integer ? kAddI8 : -1;
    case 16:
      return is_integer ? kAddI16 : kAddF16;
    case 32:
      return is_integer ? kAddI32 : kAddF32;
    case 64:
      return is_integer ? kAddI64 : kAddF64;
    default:
      return -1;
  }
}

bool plan(const Host& host, const Request& request, Job* job) {
  uint64_t addresses = 0;
  for (uint32_t k = 0; k < request.chunk_count; ++k) {
    addresses |= reinterpret_cast<uintptr_t>(request.chunks[k].data);
    addresses |= static_cast<uint64_t>(request.chunks[k].row_stride_bytes);
  }
  const Kernels& kernels = *host.kernels;
  if (!plan_move(kernels, request.side_dtype, request.table_dtype, request.columns, addresses, &job->move))
    return false;
  if (request.op == Op::scatter_add) {
    const int kind = add_kind(request.table_dtype);
    if (kind < 0 || !same_dtype(request.table_dtype, request.side_dtype)) return false;
    job->kernel = kernels.scatter_add[kind];
  } else {
    job->kernel = kernels.scatter[way_of(job->move)];
  }
  return true;
}

}  // namespace

gantry_status run_scatter(const Host& host, const Request& request, Tally* tally) {
  Tally tallies[kMaxThreads];
  const Lookup lookup(request);
  Job job = {};
  job.request = &request;
  job.lookup = &lookup;
  job.tallies = tallies;
  if (!plan(host, request, &job)) return GANTRY_ERROR_UNSUPPORTED;
  const uint64_t row_bytes = std::max<uint64_t>(job.move.to_bytes, 1);
  while ((row_bytes << (job.owned_shift + 1)) <= kOwnedBytes) ++job.owned_shift;
  job.lanes = share(host, request, request.index_count, static_cast<uint64_t>(request.index_count) * 2 * row_bytes);
  if (job.lanes >= kLanesThatSort) {
    const gantry_status status = run_sorted(host, &job);
    if (status != GANTRY_OK) return status;
  } else {
    host.pool->run(job.lanes, scan, &job);
  }
  for (uint32_t lane = 0; lane < job.lanes; ++lane) tally->add(tallies[lane]);
  return GANTRY_OK;
}

}  // namespace gantry
