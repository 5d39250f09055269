#include "host/backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <new>

#include "host/isa.h"
#include "host/ops.h"

namespace gantry {
namespace {

class ThreadedBackend final : public HostBackend {
 public:
  explicit ThreadedBackend(const HostSettings& settings)
      : pool_(settings.threads),
        host_{choose_kernels(settings.isa), &pool_, settings.cache_bytes, settings.lane_nanoseconds} {}

  gantry_status execute(const Request& request) override {
    const bool is_linear = request.op == Op::convert || request.op == Op::copy;
    Tally tally = kNothingSeen;
    // Rows without columns and one index for all of them: nothing is moved, and what the index is, is known at once.
    const bool is_looked_at_once =
        !is_linear && request.columns == 0 && request.index_stride_bytes == 0 && request.index_count > 1;
    Request done = request;
    if (is_looked_at_once) done.index_count = 1;
    gantry_status status = is_linear                  ? run_linear(host_, done)
                           : request.op == Op::gather ? run_gather(host_, done, &tally)
                                                      : run_scatter(host_, done, &tally);
    if (is_looked_at_once) {
      tally.bad_rows *= request.index_count;
      tally.left_out *= request.index_count;
      tally.zeroed *= request.index_count;
    }
    if (status == GANTRY_ERROR_UNSUPPORTED) return unsupported(request);
    if (status != GANTRY_OK) return status;
    fill_stats(request, is_linear ? request.table_rows : request.index_count, tally);
    if (tally.bad_rows == 0 || !bad_rows_are_errors(request)) return GANTRY_OK;
    return bad_index(request, tally);
  }

  uint32_t threads() const override { return pool_.threads(); }
  const char* isa() const override { return host_.kernels->name; }

 private:
  static void fill_stats(const Request& request, int64_t count, const Tally& tally) {
    gantry_stats& stats = *request.stats;
    stats.rows = count - tally.left_out;
    const uint64_t rows = static_cast<uint64_t>(stats.rows);
    const uint64_t table_bytes = static_cast<uint64_t>(request.columns) * element_bytes(request.table_dtype);
    const uint64_t side_bytes = static_cast<uint64_t>(request.columns) * element_bytes(request.side_dtype);
    const bool has_indices = request.op != Op::convert && request.op != Op::copy;
    stats.bytes_read = has_indices ? static_cast<uint64_t>(count) * request.index_bytes : 0;
    if (request.op == Op::gather) {
      stats.bytes_read += rows * table_bytes;
      stats.bytes_written = (rows + static_cast<uint64_t>(tally.zeroed)) * side_bytes;
    } else {
      stats.bytes_read += rows * (side_bytes + (request.op == Op::scatter_add ? table_bytes : 0));
      stats.bytes_written = rows * table_bytes;
    }
    stats.bad_rows = tally.bad_rows;
    stats.first_bad_position = tally.bad_rows > 0 ? tally.first_bad_position : -1;
    stats.first_bad_value = tally.first_bad_value;
  }

  static gantry_status unsupported(const Request& request) {
    const gantry_dtype from = request.op == Op::gather ? request.table_dtype : request.side_dtype;
    const gantry_dtype to = request.op == Op::gather ? request.side_dtype : request.table_dtype;
    const char* const verb = request.op == Op::scatter_add ? "added to" : "converted to";
    return request.report(
        GANTRY_ERROR_UNSUPPORTED,
        "elements of dtype (code %u, %u bits, %u lanes) cannot be %s elements of dtype (code %u, %u bits, %u "
        "lanes)",
        from.code, from.bits, from.lanes, verb, to.code, to.bits, to.lanes);
  }

  static gantry_status bad_index(const Request& request, const Tally& tally) {
    char value[24];
    const bool is_large = request.index_unsigned != 0;
    snprintf(value, sizeof(value), is_large ? "%" PRIu64 : "%" PRId64, tally.first_bad_value);
    return request.report(GANTRY_ERROR_INDEX,
                          "index %s at position %" PRId64 " is outside of the table of %" PRId64 " rows; %" PRId64
                          " of %" PRId64 " indices are outside",
                          value, tally.first_bad_position, request.table_rows, tally.bad_rows, request.index_count);
  }

  Pool pool_;
  const Host host_;
};

// Several times what waking a thread costs.
constexpr uint64_t kLaneNanoseconds = 10000;

}  // namespace

std::unique_ptr<HostBackend> make_host_backend(const HostSettings& settings) {
  return std::unique_ptr<HostBackend>(new (std::nothrow) ThreadedBackend(settings));
}

std::unique_ptr<HostBackend> make_host_backend(uint32_t threads) {
  if (threads == 0) threads = parse_threads(getenv("GANTRY_NUM_THREADS"));
  if (threads == 0) threads = usable_processors();
  if (threads > kMaxThreads) threads = kMaxThreads;
  return make_host_backend(HostSettings{threads, getenv("GANTRY_ISA"), last_cache_bytes(), kLaneNanoseconds});
}

}  // namespace gantry
