#include "core/table.h"

#include <cinttypes>

#include "core/disjoint.h"
#include "core/dtype.h"
#include "core/first_release.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

constexpr gantry_device kHost{GANTRY_DEVICE_HOST, 0};

gantry_status read_chunk(const gantry_tensor* from, const Name& name, bool is_first, Placement* placement, Table* table,
                         Chunk* chunk) {
  Tensor tensor;
  if (const gantry_status status = read_tensor(from, name, &tensor)) return status;
  const gantry_tensor& given = tensor.given;
  if (given.ndim != 1 && given.ndim != 2) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "%s has %d dimensions; a table has 2 (rows, columns), or 1 (rows of one element)", name.text(),
                given.ndim);
  }
  const int64_t columns = given.ndim == 2 ? given.shape[1] : 1;
  if (is_first) {
    table->dtype = given.dtype;
    table->element_bytes = tensor.element_bytes;
    table->columns = columns;
  } else if (!same_dtype(given.dtype, table->dtype)) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "%s is of %s and the chunks before it are of %s", name.text(),
                DtypeText(given.dtype).text, DtypeText(table->dtype).text);
  } else if (columns != table->columns) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "%s has %" PRId64 " columns and the chunks before it have %" PRId64,
                name.text(), columns, table->columns);
  }
  if (const gantry_status status = placement->add(tensor, name)) return status;
  Rows rows;
  if (const gantry_status status = lay_out(tensor, name, 1, &rows)) return status;
  chunk->data = rows.data;
  chunk->first_row = table->rows;
  chunk->rows = rows.rows;
  chunk->row_stride_bytes = rows.stride_bytes;
  table->read_only |= (given.flags & GANTRY_TENSOR_READ_ONLY) != 0;
  table->is_pinned |= given.device.type == GANTRY_DEVICE_CUDA_HOST;
  if (__builtin_add_overflow(table->rows, rows.rows, &table->rows)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "the rows of the table's chunks are more than 63 bits hold: %" PRId64 " are added at %s", rows.rows,
                name.text());
  }
  return GANTRY_OK;
}

}  // namespace

gantry_status read_table(const gantry_table* from, Placement* placement, ScratchBlocks* scratch, Table* to) {
  gantry_table given{};
  if (const gantry_status status = read_struct(from, &given, kFirstTable, "the table")) return status;
  if (given.chunk_count == 0 || given.chunks == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the table has %u chunks%s; at least one is needed", given.chunk_count,
                given.chunks == nullptr ? " and its pointer to them is null" : "");
  }
  Chunk* chunks = to->inline_chunks;
  if (given.chunk_count > Table::kInline) {
    void* memory = nullptr;
    if (const gantry_status status = scratch->allocate(sizeof(Chunk) * uint64_t{given.chunk_count}, alignof(Chunk),
                                                       kHost, GANTRY_PURPOSE_SCRATCH, &memory)) {
      return status;
    }
    chunks = static_cast<Chunk*>(memory);
  }
  to->chunks = chunks;
  to->chunk_count = 0;
  to->rows = 0;
  to->read_only = false;
  to->is_pinned = false;
  // The caller's own size of a tensor is the step of the array.
  const uint32_t step = given.chunks->struct_size;
  for (uint32_t i = 0; i < given.chunk_count; ++i) {
    const auto* chunk =
        reinterpret_cast<const gantry_tensor*>(reinterpret_cast<const char*>(given.chunks) + uint64_t{i} * step);
    const Name name = given.chunk_count == 1 ? Name("the table") : Name("the table", i);
    if (i > 0 && chunk->struct_size != step) {
      return fail(GANTRY_ERROR_ABI,
                  "the gantry_tensor of %s has struct_size %u and that of chunk 0 has %u; in one table they are equal",
                  name.text(), chunk->struct_size, step);
    }
    Chunk* const place = &chunks[to->chunk_count];
    if (const gantry_status status = read_chunk(chunk, name, i == 0, placement, to, place)) return status;
    if (place->rows > 0) ++to->chunk_count;
  }
  if (to->chunk_count == 0) to->chunk_count = 1;
  return GANTRY_OK;
}

gantry_status check_writable(const Table& table, ScratchBlocks* scratch) {
  if (table.read_only) {
    return fail(GANTRY_ERROR_READ_ONLY, "the table was declared read-only and would be written");
  }
  if (table.empty()) return GANTRY_OK;
  for (uint32_t i = 0; i < table.chunk_count; ++i) {
    if (overlaps_itself(table.span(i))) {
      return fail(GANTRY_ERROR_OVERLAP,
                  "rows of the table, which is written, overlap each other: they have %" PRIu64
                  " bytes and a stride of %" PRId64,
                  table.row_bytes(), table.chunks[i].row_stride_bytes);
    }
  }
  if (table.chunk_count == 1) return GANTRY_OK;
  Span inline_spans[Table::kInline];
  Span* spans = inline_spans;
  if (table.chunk_count > Table::kInline) {
    void* memory = nullptr;
    if (const gantry_status status = scratch->allocate(sizeof(Span) * uint64_t{table.chunk_count}, alignof(Span), kHost,
                                                       GANTRY_PURPOSE_SCRATCH, &memory)) {
      return status;
    }
    spans = static_cast<Span*>(memory);
  }
  for (uint32_t i = 0; i < table.chunk_count; ++i) spans[i] = table.span(i);
  SharedBytes shared;
  if (const gantry_status status = find_shared_bytes(spans, table.chunk_count, scratch, &shared)) return status;
  if (shared.found) {
    return fail(GANTRY_ERROR_OVERLAP,
                "chunks of the table, which is written, overlap each other: at 0x%" PRIx64 " and 0x%" PRIx64,
                shared.first.begin, shared.second.begin);
  }
  return GANTRY_OK;
}

gantry_status check_apart(const Table& table, bool is_table_written, const Span& span, const char* name) {
  if (table.empty()) return GANTRY_OK;
  for (uint32_t i = 0; i < table.chunk_count; ++i) {
    const Span chunk = table.span(i);
    if (overlaps(chunk, span)) {
      return is_table_written ? fail_overlap("the table", chunk, name, span)
                              : fail_overlap(name, span, "the table", chunk);
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry
