#include <algorithm>
#include <cinttypes>

#include "cuda/backend.h"
#include "cuda/units.h"

namespace gantry {
namespace cuda {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kBlocksPerMultiprocessor = 16;
// Reads over PCIe: below this width, and above this number of rows, sorting them costs less than it saves.
constexpr uint64_t kSortedRowBytes = 512;
constexpr int64_t kSortedRows = 4096;
constexpr uint64_t kAlignment = 256;

uint32_t bits_for(uint64_t values) {
  uint32_t bits = 0;
  while (bits < 64 && (values >> bits) != 0) ++bits;
  return bits;
}

class Run {
 public:
  Run(const Request& request, Device* device)
      : request_(request), device_(*device), stream_(static_cast<cudaStream_t>(request.stream)) {}

  gantry_status run() {
    Plan plan;
    Plan tail;
    if (const gantry_status status = make_plan(request_, &plan)) return status;
    split_tail(request_, &plan, &tail);
    count_ = plan.arguments.count;
    if (count_ == 0) return GANTRY_OK;
    by_index_ = plan.arguments.indices.data != nullptr;
    if (by_index_ && request_.bounds == GANTRY_BOUNDS_CLAMP && request_.table_rows == 0) {
      return request_.report(GANTRY_ERROR_INDEX,
                             "the table has no rows that the %" PRId64 " indices could be clamped to", count_);
    }
    if (const gantry_status status = put_chunks(&plan)) return status;
    if (const gantry_status status = choose_record(&plan)) return status;
    if (const gantry_status status = sort(&plan)) return status;
    const uint64_t written =
        static_cast<uint64_t>(count_) * static_cast<uint64_t>(plan.arguments.units) * to_bytes(plan.unit);
    const bool is_large = request_.op != Op::scatter && written > device_.l2_bytes();
    const bool streaming = request_.streaming == GANTRY_ALWAYS || (request_.streaming == GANTRY_AUTO && is_large);
    plan.arguments.streaming = tail.arguments.streaming = streaming ? 1 : 0;
    if (const gantry_status status = launch(plan)) return status;
    if (tail.arguments.count != 0) {
      if (const gantry_status status = launch(tail)) return status;
    }
    return statistics();
  }

 private:
  static uint64_t to_bytes(const Unit& unit) {
    return unit.kind == UnitKind::bytes ? unit.elements : unit.elements * static_cast<uint64_t>(bytes_of(unit.to));
  }

  gantry_status cuda(cudaError_t error, const char* what) const {
    return report_cuda(request_.report, error, what, request_.device.id);
  }

  // The first launch of a kernel loads it, which a thread that captures a graph may not do without saying so.
  template <class Launch>
  gantry_status queue(const char* what, const Launch& launch) const {
    cudaError_t error = cudaSuccess;
    {
      UncapturedScope uncaptured;
      error = launch();
    }
    return cuda(error, what);
  }

  gantry_status allocate(uint64_t bytes, gantry_purpose purpose, void** out) const {
    return request_.scratch.allocate(request_.scratch.self, bytes, kAlignment, request_.device, purpose, out);
  }

  // A limit on multiprocessors is kept by launching no more blocks than that, of the greatest size.
  Grid grid(uint32_t blocks_of(const MoveArguments&, uint32_t, uint32_t, uint32_t), const MoveArguments& arguments,
            uint32_t rows) const {
    const bool limited = request_.multiprocessors != 0 && request_.multiprocessors < device_.multiprocessors();
    const uint32_t threads = limited ? kMaxThreads : kThreads;
    const uint32_t limit = limited ? request_.multiprocessors : device_.multiprocessors() * kBlocksPerMultiprocessor;
    return Grid{blocks_of(arguments, rows, threads, limit), threads, stream_};
  }

  gantry_status put_chunks(Plan* plan) const {
    if (request_.chunk_count < 2) return GANTRY_OK;
    void* chunks = nullptr;
    if (const gantry_status status = allocate(request_.chunk_count * sizeof(Chunk), GANTRY_PURPOSE_SCRATCH, &chunks)) {
      return status;
    }
    plan->arguments.table.chunks = static_cast<const Chunk*>(chunks);
    return queue("writing the table's chunks", [&] {
      return launch_put_chunks(request_.chunks, request_.chunk_count, static_cast<Chunk*>(chunks), stream_);
    });
  }

  // The op's own record when it will be read, the stream's when only gantry_check may read it.
  gantry_status choose_record(Plan* plan) {
    if (!by_index_ || request_.bounds == GANTRY_BOUNDS_TRUST) return GANTRY_OK;
    if (request_.wants_stats) {
      bool capturing = false;
      if (const gantry_status status = is_capturing(request_.report, stream_, request_.device.id, &capturing))
        return status;
      if (capturing) {
        return request_.report(
            GANTRY_ERROR_CAPTURE,
            "statistics were asked for while the stream captures a graph: they need a wait for the stream. Ask "
            "for none, and call gantry_check after the graph has run");
      }
      void* record = nullptr;
      if (const gantry_status status = allocate(sizeof(Record), GANTRY_PURPOSE_DIAGNOSTICS, &record)) return status;
      record_ = static_cast<Record*>(record);
      plan->arguments.indices.record = record_;
      return cuda(cudaMemsetAsync(record, 0, sizeof(Record), stream_), "clearing the record of bad indices");
    }
    if (request_.bounds != GANTRY_BOUNDS_ERROR && request_.bounds != GANTRY_BOUNDS_WRAP_NEGATIVE) return GANTRY_OK;
    return cuda(device_.record_of(stream_, &plan->arguments.indices.record),
                "making the stream's record of bad indices");
  }

  gantry_status sort(Plan* plan) {
    const uint64_t row_bytes = static_cast<uint64_t>(request_.columns) * element_bytes(request_.table_dtype);
    const bool helps = request_.op == Op::gather &&
                       (request_.sorted == GANTRY_ALWAYS || (request_.sorted == GANTRY_AUTO && request_.table_on_host &&
                                                             row_bytes <= kSortedRowBytes && count_ >= kSortedRows));
    if (!plan->needs_sort && !helps) return GANTRY_OK;
    MoveArguments& arguments = plan->arguments;
    const uint32_t position_bits = bits_for(static_cast<uint64_t>(count_) - 1);
    const uint32_t row_bits = bits_for(static_cast<uint64_t>(request_.table_rows));
    if (position_bits + row_bits > 64) {
      if (!plan->needs_sort) return GANTRY_OK;
      return request_.report(
          GANTRY_ERROR_UNSUPPORTED,
          "%" PRId64 " rows into a table of %" PRId64
          " rows are too many for a deterministic order on the GPU: their numbers need %u bits together, 64 are there",
          count_, request_.table_rows, position_bits + row_bits);
    }
    arguments.sorted.position_bits = position_bits;
    const int begin = static_cast<int>(position_bits);
    const int end = static_cast<int>(position_bits + row_bits);
    uint64_t* sorted = nullptr;
    size_t temporary_bytes = 0;
    if (const gantry_status status = queue("asking for the sort's memory", [&] {
          return sort_keys(nullptr, &temporary_bytes, nullptr, nullptr, count_, begin, end, stream_, &sorted);
        })) {
      return status;
    }
    void* keys = nullptr;
    void* other = nullptr;
    void* temporary = nullptr;
    const uint64_t key_bytes = static_cast<uint64_t>(count_) * sizeof(uint64_t);
    if (const gantry_status status = allocate(key_bytes, GANTRY_PURPOSE_SCRATCH, &keys)) return status;
    if (const gantry_status status = allocate(key_bytes, GANTRY_PURPOSE_SCRATCH, &other)) return status;
    if (const gantry_status status =
            allocate(std::max<uint64_t>(temporary_bytes, 1), GANTRY_PURPOSE_SCRATCH, &temporary)) {
      return status;
    }
    if (const gantry_status status = queue("writing the sort's keys", [&] {
          return launch_make_keys(arguments, static_cast<uint64_t*>(keys), grid(&flat_blocks, arguments, 1));
        })) {
      return status;
    }
    if (row_bits == 0) {  // a table without rows: no key says anything
      arguments.sorted.keys = static_cast<const uint64_t*>(keys);
      return GANTRY_OK;
    }
    const gantry_status status = queue("sorting the indices", [&] {
      return sort_keys(temporary, &temporary_bytes, static_cast<uint64_t*>(keys), static_cast<uint64_t*>(other), count_,
                       begin, end, stream_, &sorted);
    });
    arguments.sorted.keys = sorted;
    return status;
  }

  static uint32_t flat_blocks(const MoveArguments& arguments, uint32_t, uint32_t threads, uint32_t limit) {
    return static_cast<uint32_t>(std::min<int64_t>((arguments.count + threads - 1) / threads, limit));
  }

  gantry_status launch(const Plan& plan) const {
    const Grid shape = grid(&grid_blocks, plan.arguments, rows_in_flight(plan.unit));
    switch (plan.unit.kind) {
      case UnitKind::bytes:
        return queue("moving rows", [&] { return launch_move(plan.unit, plan.arguments, shape); });
      case UnitKind::floats:
      case UnitKind::any:
        return queue("converting rows", [&] { return launch_conversion(plan.unit, plan.arguments, shape); });
      case UnitKind::add:
        return queue("adding rows", [&] { return launch_add(plan.unit, plan.arguments, shape); });
      default:
        return queue("adding rows in order", [&] { return launch_add_in_order(plan.unit, plan.arguments, shape); });
    }
  }

  gantry_status statistics() const {
    if (!request_.wants_stats) return GANTRY_OK;
    Record record{};
    if (record_ != nullptr) {
      cudaError_t error = cudaMemcpyAsync(&record, record_, sizeof record, cudaMemcpyDeviceToHost, stream_);
      if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
      if (error != cudaSuccess) return cuda(error, "reading the record of bad indices");
    }
    gantry_stats& stats = *request_.stats;
    stats.bad_rows = static_cast<int64_t>(record.count);
    if (record.count != 0) {
      stats.first_bad_position = static_cast<int64_t>(~record.position_complement);
      stats.first_bad_value = record.value;
    }
    stats.rows = request_.bounds == GANTRY_BOUNDS_CLAMP ? count_ : count_ - stats.bad_rows;
    if (!by_index_) stats.rows = request_.table_rows;
    const uint64_t rows = static_cast<uint64_t>(stats.rows);
    const uint64_t index_bytes = by_index_ ? static_cast<uint64_t>(count_) * request_.index_bytes : 0;
    const uint64_t table_bytes = static_cast<uint64_t>(request_.columns) * element_bytes(request_.table_dtype);
    const uint64_t side_bytes = static_cast<uint64_t>(request_.columns) * element_bytes(request_.side_dtype);
    if (request_.op == Op::gather) {
      const uint64_t zeroed = request_.bounds == GANTRY_BOUNDS_ZERO ? static_cast<uint64_t>(stats.bad_rows) : 0;
      stats.bytes_read = index_bytes + rows * table_bytes;
      stats.bytes_written = (rows + zeroed) * side_bytes;
    } else {
      stats.bytes_read = index_bytes + rows * (side_bytes + (request_.op == Op::scatter_add ? table_bytes : 0));
      stats.bytes_written = rows * table_bytes;
    }
    if (stats.bad_rows == 0 ||
        (request_.bounds != GANTRY_BOUNDS_ERROR && request_.bounds != GANTRY_BOUNDS_WRAP_NEGATIVE)) {
      return GANTRY_OK;
    }
    return request_.report(GANTRY_ERROR_INDEX,
                           "index %" PRId64 " at position %" PRId64 " is outside of the table of %" PRId64
                           " rows; %" PRId64 " of %" PRId64 " indices are outside",
                           stats.first_bad_value, stats.first_bad_position, request_.table_rows, stats.bad_rows,
                           count_);
  }

  const Request& request_;
  Device& device_;
  cudaStream_t stream_;
  int64_t count_ = 0;
  bool by_index_ = false;
  Record* record_ = nullptr;
};

}  // namespace

uint32_t rows_in_flight(const Unit& unit) {
  uint32_t rows = 1;
  const auto see = [&rows](const auto& type) { rows = static_cast<uint32_t>(type.kRows); };
  switch (unit.kind) {
    case UnitKind::bytes:
      with_byte_unit(unit, see);
      break;
    case UnitKind::floats:
    case UnitKind::any:
      with_conversion_unit(unit, see);
      break;
    case UnitKind::add:
      with_add_unit(unit, see);
      break;
    case UnitKind::add_ordered:
      break;
  }
  return rows;
}

gantry_status run_request(const Request& request, Device* device) { return Run(request, device).run(); }

}  // namespace cuda
}  // namespace gantry
