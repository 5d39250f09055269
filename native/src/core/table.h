// A caller's table, read and checked.
#ifndef GANTRY_CORE_TABLE_H
#define GANTRY_CORE_TABLE_H

#include "core/backend.h"
#include "core/device.h"
#include "core/scratch.h"

namespace gantry {

struct Table {
  const Chunk* chunks;  // those with rows; one without rows when there are none
  uint32_t chunk_count;
  gantry_dtype dtype;
  uint32_t element_bytes;
  int64_t rows;
  int64_t columns;
  bool read_only;
  bool is_pinned;  // some of it is page-locked host memory

  bool empty() const { return rows == 0 || columns == 0; }
  uint64_t row_bytes() const { return static_cast<uint64_t>(columns) * element_bytes; }
  Span span(uint32_t chunk) const {
    return Span::of(chunks[chunk].data, chunks[chunk].rows, chunks[chunk].row_stride_bytes, row_bytes());
  }

  static constexpr uint32_t kInline = 8;
  Chunk inline_chunks[kInline];  // more than these are kept in scratch
};

gantry_status read_table(const gantry_table* from, Placement* placement, ScratchBlocks* scratch, Table* to);

// For a table that is written: no row of it may share a byte with another.
gantry_status check_writable(const Table& table, ScratchBlocks* scratch);

// GANTRY_ERROR_OVERLAP when a row of the table and the span share a byte.
gantry_status check_apart(const Table& table, bool is_table_written, const Span& span, const char* name);

}  // namespace gantry

#endif
