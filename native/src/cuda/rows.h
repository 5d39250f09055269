// Which row an index means, where it lies, and the record of indices that mean none.
#ifndef GANTRY_CUDA_ROWS_H
#define GANTRY_CUDA_ROWS_H

#include "core/backend.h"
#include "cuda/memory.h"

namespace gantry {
namespace cuda {

// In device memory; all zero: nothing recorded.
struct Record {
  unsigned long long count;
  unsigned long long position_complement;  // ~position of the first bad index, so that the greatest is the first
  long long value;
  unsigned int lock;
  unsigned int reserved;
};

// One chunk comes with the arguments; several lie in device memory.
struct Table {
  Chunk first;
  const Chunk* chunks;  // all of them; null when there is one
  uint32_t chunk_count;
  int64_t rows;
};

struct Indices {
  const char* data;  // null: every row is its own index
  int64_t stride_bytes;
  uint32_t bytes;
  uint32_t is_unsigned;
  gantry_bounds bounds;
  Record* record;  // null: bad indices are not counted
};

GANTRY_HD char* row_address(const Table& table, int64_t row) {
  const Chunk* chunk = &table.first;
  if (table.chunks != nullptr) {
    // The last chunk that begins at the row or before; empty chunks begin where the next one does.
    uint32_t low = 0;
    uint32_t high = table.chunk_count;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (table.chunks[middle].first_row <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    chunk = &table.chunks[low];
  }
  return chunk->data + (row - chunk->first_row) * chunk->row_stride_bytes;
}

GANTRY_HD int64_t load_index(const Indices& indices, int64_t position) {
  const char* at = indices.data + position * indices.stride_bytes;
  if (indices.bytes == 4) {
    const uint32_t word = load_once<4>(at).word[0];
    return indices.is_unsigned != 0 ? static_cast<int64_t>(word) : static_cast<int64_t>(static_cast<int32_t>(word));
  }
  const Words<8> words = load_once<8>(at);
  return static_cast<int64_t>(static_cast<uint64_t>(words.word[1]) << 32 | words.word[0]);
}

GANTRY_HD void record_bad(Record* record, int64_t position, int64_t value) {
  const unsigned long long complement = ~static_cast<unsigned long long>(position);
#if defined(__CUDA_ARCH__)
  atomicAdd(&record->count, 1ULL);
  // Later positions, which are most, see that from outside of the lock.
  if (*const_cast<volatile unsigned long long*>(&record->position_complement) >= complement) return;
  for (bool done = false; !done;) {
    if (atomicCAS(&record->lock, 0u, 1u) == 0u) {
      __threadfence();
      if (*const_cast<volatile unsigned long long*>(&record->position_complement) < complement) {
        *const_cast<volatile long long*>(&record->value) = value;
        *const_cast<volatile unsigned long long*>(&record->position_complement) = complement;
      }
      __threadfence();
      atomicExch(&record->lock, 0u);
      done = true;
    }
  }
#else
  record->count += 1;
  if (record->position_complement < complement) {
    record->position_complement = complement;
    record->value = value;
  }
#endif
}

constexpr int64_t kNoRow = -1;

// The row that the index at `position` means, or kNoRow. `records`: the one thread of those that ask for the index.
GANTRY_HD int64_t resolve_row(const Indices& indices, int64_t position, int64_t table_rows, bool records) {
  if (indices.data == nullptr) return position;
  const int64_t index = load_index(indices, position);
  if (indices.bounds == GANTRY_BOUNDS_TRUST) return index;
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(table_rows)) return index;
  if (indices.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE && indices.is_unsigned == 0 && index < 0 && index >= -table_rows) {
    return index + table_rows;
  }
  if (records && indices.record != nullptr) record_bad(indices.record, position, index);
  if (indices.bounds != GANTRY_BOUNDS_CLAMP || table_rows == 0) return kNoRow;
  return index < 0 && indices.is_unsigned == 0 ? 0 : table_rows - 1;
}

}  // namespace cuda
}  // namespace gantry

#endif
