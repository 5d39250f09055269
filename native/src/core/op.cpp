#include "core/op.h"

#include <time.h>

#include <cinttypes>

#include "core/dtype.h"
#include "core/first_release.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

constexpr const char* kOpNames[] = {"gather", "scatter", "scatter_add", "convert", "copy"};

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

gantry_status check_choice(gantry_choice choice, const char* name) {
  if (choice <= GANTRY_ALWAYS) return GANTRY_OK;
  return fail(GANTRY_ERROR_INVALID_ARGUMENT, "options.%s is %u; AUTO (0), NEVER (1) and ALWAYS (2) are known", name,
              choice);
}

gantry_status check_dtypes(Op op, gantry_dtype from, const char* from_name, gantry_dtype to, const char* to_name) {
  if (same_dtype(from, to)) {
    if (op != Op::scatter_add || is_convertible_float(from) || is_convertible_integer(from)) return GANTRY_OK;
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "scatter_add does not add %s; it adds floats of 16, 32 and 64 bits and integers of 8 to 64 bits",
                DtypeText(from).text);
  }
  if (op == Op::scatter_add || op == Op::copy) {
    return fail(GANTRY_ERROR_UNSUPPORTED, "%s is of %s and %s of %s; %s needs one dtype", from_name,
                DtypeText(from).text, to_name, DtypeText(to).text, kOpNames[static_cast<int>(op)]);
  }
  if ((is_convertible_float(from) && is_convertible_float(to)) ||
      (is_convertible_integer(from) && is_convertible_integer(to))) {
    return GANTRY_OK;
  }
  return fail(GANTRY_ERROR_UNSUPPORTED,
              "%s is of %s and %s of %s; floats are converted among each other, and integers, but not these", from_name,
              DtypeText(from).text, to_name, DtypeText(to).text);
}

// Sees a tensor of the shape that belongs to `count` indices and `columns` as rows: the indices' shape and the columns,
// two dimensions, or with one column the indices' shape alone.
gantry_status match_side(const Tensor& side, const Name& name, const Tensor& indices, int64_t columns, int* outer) {
  const gantry_tensor& given = side.given;
  const gantry_tensor& index = indices.given;
  const auto begins_as_indices = [&] {
    for (int d = 0; d < index.ndim; ++d) {
      if (given.shape[d] != index.shape[d]) return false;
    }
    return true;
  };
  if (given.ndim == index.ndim + 1 && given.shape[given.ndim - 1] == columns && begins_as_indices()) {
    *outer = index.ndim;
    return GANTRY_OK;
  }
  if (columns == 1 && given.ndim == index.ndim && begins_as_indices()) {
    *outer = given.ndim;
    return GANTRY_OK;
  }
  if (given.ndim == 2 && given.shape[0] == indices.count && given.shape[1] == columns) {
    *outer = 1;
    return GANTRY_OK;
  }
  if (columns == 1 && given.ndim == 1 && given.shape[0] == indices.count) {
    *outer = 1;
    return GANTRY_OK;
  }
  return fail(GANTRY_ERROR_INVALID_ARGUMENT,
              "the shape of %s does not belong to %" PRId64 " indices of %d dimensions and %" PRId64
              " columns: it has %d dimensions, the first of %" PRId64 ", the last of %" PRId64,
              name.text(), indices.count, index.ndim, columns, given.ndim, given.ndim > 0 ? given.shape[0] : 1,
              given.ndim > 0 ? given.shape[given.ndim - 1] : 1);
}

gantry_status refuse_read_only(const Tensor& tensor, const char* name) {
  if ((tensor.given.flags & GANTRY_TENSOR_READ_ONLY) == 0) return GANTRY_OK;
  return fail(GANTRY_ERROR_READ_ONLY, "%s was declared read-only and would be written", name);
}

gantry_status refuse_overlapping_rows(const Rows& rows, const char* name) {
  if (rows.empty() || !overlaps_itself(rows.span())) return GANTRY_OK;
  return fail(GANTRY_ERROR_OVERLAP,
              "rows of %s, which is written, overlap each other: they have %" PRIu64 " bytes and a stride of %" PRId64,
              name, rows.row_bytes, rows.stride_bytes);
}

}  // namespace

gantry_status Operation::begin(const gantry_options* options, const gantry_environment* environment) {
  if (options != nullptr) {
    if (const gantry_status status = read_struct(options, &options_, kFirstOptions, "the options of an op"))
      return status;
    if (options_.bounds > GANTRY_BOUNDS_TRUST) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "options.bounds is %u; 0 (ERROR) to %d (TRUST) are known",
                  options_.bounds, GANTRY_BOUNDS_TRUST);
    }
    if (const gantry_status status = check_choice(options_.deterministic, "deterministic")) return status;
    if (const gantry_status status = check_choice(options_.streaming, "streaming")) return status;
    if (const gantry_status status = check_choice(options_.sorted, "sorted")) return status;
    if (options_.stats != nullptr && options_.stats->struct_size < kFirstStats) {
      return fail(GANTRY_ERROR_ABI, "options.stats has struct_size %u, %zu is the least that this library accepts",
                  options_.stats->struct_size, kFirstStats);
    }
  }
  if (const gantry_status status = read_environment(environment, &environment_)) return status;
  if (options_.stats != nullptr || environment_.observe != nullptr) begun_ = now();
  return GANTRY_OK;
}

gantry_status Operation::read_indices(const gantry_tensor* from, Tensor* tensor, Indices* indices) {
  const Name name("the indices");
  if (const gantry_status status = read_tensor(from, name, tensor)) return status;
  const gantry_dtype dtype = tensor->given.dtype;
  if ((dtype.code != GANTRY_CODE_INT && dtype.code != GANTRY_CODE_UINT) || (dtype.bits != 32 && dtype.bits != 64) ||
      dtype.lanes != 1) {
    return fail(GANTRY_ERROR_UNSUPPORTED, "the indices are of %s; int32, int64, uint32 and uint64 are possible",
                DtypeText(dtype).text);
  }
  if (const gantry_status status = placement_.add(*tensor, name)) return status;
  indices->dtype = dtype;
  return lay_out(*tensor, name, tensor->given.ndim, &indices->layout);
}

gantry_status Operation::choose_backend() {
  if (!placement_.on_device()) return GANTRY_OK;
  if (const gantry_status status = check_stream(stream_, placement_.device())) return status;
  return context_->plugin->backend(&cuda_);
}

gantry_status Operation::allocate_output(const Tensor& output, gantry_tensor* to) {
  constexpr uint32_t kAlignment = 16;
  const gantry_tensor& given = output.given;
  gantry_allocation request{};
  request.struct_size = sizeof request;
  request.purpose = GANTRY_PURPOSE_OUTPUT;
  request.bytes = static_cast<uint64_t>(output.count) * output.element_bytes;
  request.alignment = kAlignment;
  request.device = given.device;
  request.stream = stream_;
  *to = given;
  return gantry::allocate_output(environment_, request, options_.slot, to);
}

gantry_status Operation::gather(const gantry_table* table, const gantry_tensor* indices, gantry_tensor* output) {
  Table from;
  if (const gantry_status status = read_table(table, &placement_, &scratch_, &from)) return status;
  Tensor index_tensor;
  Indices index;
  if (const gantry_status status = read_indices(indices, &index_tensor, &index)) return status;
  const Name name("the output");
  Tensor to;
  if (const gantry_status status = read_tensor(output, name, &to)) return status;
  int outer = 0;
  if (const gantry_status status = match_side(to, name, index_tensor, from.columns, &outer)) return status;
  if (const gantry_status status = check_dtypes(op_, from.dtype, "the table", to.given.dtype, "the output"))
    return status;
  if (const gantry_status status = placement_.add(to, name)) return status;
  if (const gantry_status status = choose_backend()) return status;
  const bool is_allocated = to.given.data == nullptr && to.count > 0;
  if (is_allocated) {
    if (const gantry_status status = allocate_output(to, &to.given)) return status;
    to.adopt_strides();
  }
  if (const gantry_status status = refuse_read_only(to, "the output")) return status;
  Rows rows;
  if (const gantry_status status = lay_out(to, name, outer, &rows)) {
    if (!is_allocated || status != GANTRY_ERROR_UNSUPPORTED) return status;
    return fail(GANTRY_ERROR_ENVIRONMENT,
                "the environment's allocate_output gave strides whose rows are not evenly spaced or have gaps inside");
  }
  if (const gantry_status status = refuse_overlapping_rows(rows, "the output")) return status;
  if (!rows.empty()) {
    const Span written = rows.span();
    if (const gantry_status status = check_apart(from, false, written, "the output")) return status;
    const Span read = index.layout.span();
    if (overlaps(written, read)) return fail_overlap("the output", written, "the indices", read);
  }
  if (is_allocated) {
    output->data = to.given.data;
    output->byte_offset = to.given.byte_offset;
    output->strides = to.given.strides;
    output->flags = to.given.flags;
  }
  return execute(from, rows, to.given.dtype, &index);
}

gantry_status Operation::scatter(const gantry_tensor* rows, const gantry_tensor* indices, const gantry_table* table) {
  Table to;
  if (const gantry_status status = read_table(table, &placement_, &scratch_, &to)) return status;
  Tensor index_tensor;
  Indices index;
  if (const gantry_status status = read_indices(indices, &index_tensor, &index)) return status;
  const Name name("the source");
  Tensor from;
  if (const gantry_status status = read_tensor(rows, name, &from)) return status;
  int outer = 0;
  if (const gantry_status status = match_side(from, name, index_tensor, to.columns, &outer)) return status;
  if (const gantry_status status = check_dtypes(op_, from.given.dtype, "the source", to.dtype, "the table"))
    return status;
  if (const gantry_status status = placement_.add(from, name)) return status;
  if (const gantry_status status = choose_backend()) return status;
  Rows layout;
  if (const gantry_status status = lay_out(from, name, outer, &layout)) return status;
  if (const gantry_status status = check_writable(to, &scratch_)) return status;
  if (const gantry_status status = check_apart(to, true, layout.span(), "the source")) return status;
  if (const gantry_status status = check_apart(to, true, index.layout.span(), "the indices")) return status;
  return execute(to, layout, from.given.dtype, &index);
}

gantry_status Operation::convert(const gantry_tensor* source, const gantry_tensor* destination) {
  const Name from_name("the source");
  const Name to_name("the destination");
  Tensor from;
  if (const gantry_status status = read_tensor(source, from_name, &from)) return status;
  Tensor to;
  if (const gantry_status status = read_tensor(destination, to_name, &to)) return status;
  bool is_same = from.given.ndim == to.given.ndim;
  for (int d = 0; is_same && d < to.given.ndim; ++d) {
    if (from.given.shape[d] != to.given.shape[d]) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                  "dimension %d of the source has the size %" PRId64 " and that of the destination %" PRId64, d,
                  from.given.shape[d], to.given.shape[d]);
    }
  }
  if (!is_same) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the source has %d dimensions and the destination %d", from.given.ndim,
                to.given.ndim);
  }
  if (const gantry_status status =
          check_dtypes(op_, from.given.dtype, "the source", to.given.dtype, "the destination")) {
    return status;
  }
  if (const gantry_status status = placement_.add(from, from_name)) return status;
  if (const gantry_status status = placement_.add(to, to_name)) return status;
  if (const gantry_status status = choose_backend()) return status;
  if (const gantry_status status = refuse_read_only(to, "the destination")) return status;
  // One dimension is rows of one element, which may have gaps; more are rows of the last one.
  const int outer = to.given.ndim > 1 ? to.given.ndim - 1 : to.given.ndim;
  Rows read;
  if (const gantry_status status = lay_out(from, from_name, outer, &read)) return status;
  Rows written;
  if (const gantry_status status = lay_out(to, to_name, outer, &written)) return status;
  if (const gantry_status status = refuse_overlapping_rows(written, "the destination")) return status;
  if (!written.empty() && overlaps(written.span(), read.span())) {
    return fail_overlap("the destination", written.span(), "the source", read.span());
  }
  Table table;
  table.inline_chunks[0] = {written.data, 0, written.rows, written.stride_bytes};
  table.chunks = table.inline_chunks;
  table.chunk_count = 1;
  table.dtype = to.given.dtype;
  table.element_bytes = to.element_bytes;
  table.rows = written.rows;
  table.columns = written.columns;
  table.read_only = false;
  table.is_pinned = to.given.device.type == GANTRY_DEVICE_CUDA_HOST;
  return execute(table, read, from.given.dtype, nullptr);
}

gantry_status Operation::execute(const Table& table, const Rows& side, gantry_dtype side_dtype,
                                 const Indices* indices) {
  gantry_stats stats{};
  stats.struct_size = sizeof stats;
  stats.first_bad_position = -1;
  const bool is_nothing = indices != nullptr ? indices->layout.rows == 0 : side.empty();
  if (is_nothing) {
    finish(stats, true);
    return GANTRY_OK;
  }
  Request request{};
  request.op = op_;
  request.bounds = options_.bounds;
  request.chunks = table.chunks;
  request.chunk_count = table.chunk_count;
  request.table_dtype = table.dtype;
  request.table_rows = table.rows;
  request.columns = table.columns;
  request.side = side.data;
  request.side_dtype = side_dtype;
  request.side_row_stride_bytes = side.stride_bytes;
  if (indices != nullptr) {
    request.indices = indices->layout.data;
    request.index_count = indices->layout.rows;
    request.index_stride_bytes = indices->layout.stride_bytes;
    request.index_bytes = indices->dtype.bits / 8u;
    request.index_unsigned = indices->dtype.code == GANTRY_CODE_UINT ? 1 : 0;
  }
  request.deterministic = options_.deterministic;
  request.streaming = options_.streaming;
  request.sorted = options_.sorted;
  request.threads = options_.threads;
  request.multiprocessors = options_.multiprocessors;
  request.device = placement_.device();
  request.table_on_host = cuda_ != nullptr && table.is_pinned;
  request.stream = stream_;
  request.scratch = scratch_.view();
  request.report = &fail;
  // On a device statistics cost a wait for the stream: only the caller's own wish is worth it.
  request.wants_stats = options_.stats != nullptr || (environment_.observe != nullptr && cuda_ == nullptr);
  request.stats = &stats;
  const gantry_status status =
      cuda_ != nullptr ? cuda_->execute(cuda_->self, &request) : context_->host->execute(request);
  finish(stats, status == GANTRY_OK || status == GANTRY_ERROR_INDEX);
  return status;
}

void Operation::finish(const gantry_stats& stats, bool has_run) {
  if (!has_run || begun_ == 0) return;
  gantry_stats whole = stats;
  whole.scratch_bytes = scratch_.bytes();
  whole.nanoseconds = now() - begun_;
  if (options_.stats != nullptr) write_struct(whole, options_.stats);
  if (environment_.observe != nullptr) {
    environment_.observe(environment_.user, kOpNames[static_cast<int>(op_)], whole.bytes_read + whole.bytes_written,
                         whole.nanoseconds);
  }
}

}  // namespace gantry
