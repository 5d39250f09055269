// Rows moved by index: gather, scatter, copy, conversion and the atomic scatter_add are this one loop with different
// units.
//
// 1 to 32 lanes share a row, each lane has up to four rows in flight, and a wide row is cut into pieces that are spread
// over the grid like rows. A unit is what one lane moves at a time: kRows, the rows in flight; load and put; its bytes
// on both sides.
#ifndef GANTRY_CUDA_MOVE_H
#define GANTRY_CUDA_MOVE_H

#include "cuda/rows.h"

namespace gantry {
namespace cuda {

// Positions in the order of their rows: row << position_bits | position. Rows that are not to be used have the number
// of rows.
struct SortedKeys {
  const uint64_t* keys;  // null: positions in their own order
  uint32_t position_bits;
};

struct MoveArguments {
  Table table;
  Indices indices;
  SortedKeys sorted;
  char* side;
  int64_t side_stride_bytes;
  int64_t count;        // positions
  int64_t units;        // of a row
  int64_t piece_units;  // of a piece, at most
  uint32_t pieces_log2;
  uint32_t lanes_log2;
  uint32_t to_table;  // else from the table to the side
  uint32_t streaming;
  uint32_t last_wins;  // sorted: only the last position of each row is moved
};

// Bytes as they are.
template <int kBytes>
struct ByteUnit {
  static constexpr int kRows = 4;
  using Value = Words<kBytes>;
  GANTRY_HD static constexpr int from_bytes() { return kBytes; }
  GANTRY_HD static constexpr int to_bytes() { return kBytes; }
  GANTRY_HD Value load(const char* from) const { return load_once<kBytes>(from); }
  GANTRY_HD void put(char* to, const Value& value, bool streaming) const { store<kBytes>(to, value, streaming); }
};

GANTRY_HD int64_t sorted_row(const MoveArguments& arguments, int64_t rank) {
  return static_cast<int64_t>(arguments.sorted.keys[rank] >> arguments.sorted.position_bits);
}

// The row and the position that have rank `rank` in the order of the move; false: nothing to be moved there.
GANTRY_HD bool row_at(const MoveArguments& arguments, int64_t rank, bool records, int64_t* position, int64_t* row) {
  if (arguments.sorted.keys == nullptr) {
    *position = rank;
    *row = resolve_row(arguments.indices, rank, arguments.table.rows, records);
    return *row != kNoRow;
  }
  const uint64_t key = arguments.sorted.keys[rank];
  *position = static_cast<int64_t>(key & ((1ULL << arguments.sorted.position_bits) - 1));
  *row = static_cast<int64_t>(key >> arguments.sorted.position_bits);
  if (*row >= arguments.table.rows) return false;
  return arguments.last_wins == 0 || rank + 1 == arguments.count || sorted_row(arguments, rank + 1) != *row;
}

template <class Unit>
GANTRY_HD void move_rows(const MoveArguments& arguments, const Unit& unit, const Place& place) {
  using Value = typename Unit::Value;
  constexpr int kRows = Unit::kRows;
  const uint32_t lanes = 1u << arguments.lanes_log2;
  const uint32_t lane = place.thread & (lanes - 1);
  const uint32_t groups = place.threads >> arguments.lanes_log2;
  const uint32_t group = place.thread >> arguments.lanes_log2;
  const int64_t piece_count = arguments.count << arguments.pieces_log2;
  const int64_t tile = static_cast<int64_t>(groups) * kRows;
  for (int64_t first = place.block * tile + group; first < piece_count; first += place.blocks * tile) {
    const char* from[kRows];
    char* to[kRows];
    int32_t units[kRows];  // of this piece; 0: nothing to do
    GANTRY_UNROLL
    for (int k = 0; k < kRows; ++k) {
      from[k] = nullptr;
      to[k] = nullptr;
      units[k] = 0;
      const int64_t piece = first + static_cast<int64_t>(k) * groups;
      if (piece >= piece_count) continue;
      const int64_t begin = (piece & ((1LL << arguments.pieces_log2) - 1)) * arguments.piece_units;
      int64_t position = 0;
      int64_t row = 0;
      const bool found = row_at(arguments, piece >> arguments.pieces_log2, begin == 0 && lane == 0, &position, &row);
      const bool zeroes = !found && arguments.to_table == 0 && arguments.indices.bounds == GANTRY_BOUNDS_ZERO;
      const int64_t left = arguments.units - begin;
      if ((!found && !zeroes) || left <= 0) continue;
      units[k] = static_cast<int32_t>(left < arguments.piece_units ? left : arguments.piece_units);
      char* side = arguments.side + position * arguments.side_stride_bytes;
      char* entry = found ? row_address(arguments.table, row) : nullptr;
      to[k] = (arguments.to_table != 0 ? entry : side) + begin * unit.to_bytes();
      if (found) from[k] = (arguments.to_table != 0 ? side : entry) + begin * unit.from_bytes();
    }
    for (int32_t i = static_cast<int32_t>(lane); i < arguments.piece_units; i += static_cast<int32_t>(lanes)) {
      Value value[kRows];
      GANTRY_UNROLL
      for (int k = 0; k < kRows; ++k) {
        value[k] = Value{};
        if (i < units[k] && from[k] != nullptr) {
          value[k] = unit.load(from[k] + static_cast<int64_t>(i) * unit.from_bytes());
        }
      }
      GANTRY_UNROLL
      for (int k = 0; k < kRows; ++k) {
        if (i < units[k])
          unit.put(to[k] + static_cast<int64_t>(i) * unit.to_bytes(), value[k], arguments.streaming != 0);
      }
    }
  }
}

}  // namespace cuda
}  // namespace gantry

#endif
