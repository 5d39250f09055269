// What needs the positions in the order of their rows: the keys that are sorted, and sums in a fixed order.
#ifndef GANTRY_CUDA_SORTED_H
#define GANTRY_CUDA_SORTED_H

#include "cuda/elements.h"

namespace gantry {
namespace cuda {

// One key for each position. Bad indices are recorded here, and get the number of rows as their row: they come last.
GANTRY_HD void make_keys(const MoveArguments& arguments, uint64_t* keys, const Place& place) {
  const int64_t step = static_cast<int64_t>(place.blocks) * place.threads;
  for (int64_t i = static_cast<int64_t>(place.block) * place.threads + place.thread; i < arguments.count; i += step) {
    const int64_t row = resolve_row(arguments.indices, i, arguments.table.rows, true);
    const uint64_t shown = static_cast<uint64_t>(row == kNoRow ? arguments.table.rows : row);
    keys[i] = shown << arguments.sorted.position_bits | static_cast<uint64_t>(i);
  }
}

template <int kBytes>
GANTRY_HD uint64_t load_element(const char* from) {
  require_aligned<kBytes>(from);
#if defined(__CUDA_ARCH__)
  if constexpr (kBytes == 8) return *reinterpret_cast<const unsigned long long*>(from);
  if constexpr (kBytes == 4) return *reinterpret_cast<const unsigned int*>(from);
  return *reinterpret_cast<const unsigned short*>(from);
#else
  uint64_t bits = 0;
  memcpy(&bits, from, kBytes);
  return bits;
#endif
}

template <int kBytes>
GANTRY_HD void store_element(char* to, uint64_t bits) {
  if constexpr (kBytes == 8) {
    store<8>(to, Words<8>{{static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)}}, false);
  } else {
    store<kBytes>(to, Words<kBytes>{{static_cast<uint32_t>(bits)}}, false);
  }
}

// A sum that is rounded as the host rounds it: those of 16-bit floats once, at their end.
template <Kind kKind>
class OrderedSum {
 public:
  GANTRY_HD explicit OrderedSum(uint64_t bits) {
    if constexpr (kIsHalf) {
      single_ = to_f32<kKind>(bits);
    } else {
      bits_ = bits;
    }
  }
  GANTRY_HD void add_next(uint64_t bits) {
    if constexpr (kIsHalf) {
      single_ = to_f32<Kind::f32>(add<Kind::f32>(bits_of_f32(single_), bits_of_f32(to_f32<kKind>(bits))));
    } else {
      bits_ = add<kKind>(bits_, bits);
    }
  }
  GANTRY_HD uint64_t bits() const {
    if constexpr (kIsHalf) {
      return from_f32<kKind>(single_);
    } else {
      return bits_;
    }
  }

 private:
  static constexpr bool kIsHalf = kKind == Kind::f16 || kKind == Kind::bf16;
  float single_ = 0;
  uint64_t bits_ = 0;
};

// table row += its side rows, one after the other in the order of their positions: what a sequential loop gives, bit by
// bit. The threads at the first key of a row do it all; a unit is one element.
template <Kind kKind>
GANTRY_HD void add_in_order(const MoveArguments& arguments, const Place& place) {
  constexpr int kBytes = bytes_of(kKind);
  const uint32_t lanes = 1u << arguments.lanes_log2;
  const uint32_t lane = place.thread & (lanes - 1);
  const uint32_t groups = place.threads >> arguments.lanes_log2;
  const uint32_t group = place.thread >> arguments.lanes_log2;
  const int64_t piece_count = arguments.count << arguments.pieces_log2;
  const uint64_t position_mask = (1ULL << arguments.sorted.position_bits) - 1;
  const int64_t step = static_cast<int64_t>(place.blocks) * groups;
  for (int64_t piece = static_cast<int64_t>(place.block) * groups + group; piece < piece_count; piece += step) {
    const int64_t first = piece >> arguments.pieces_log2;
    const int64_t row = sorted_row(arguments, first);
    if (row >= arguments.table.rows || (first > 0 && sorted_row(arguments, first - 1) == row)) continue;
    const int64_t begin = (piece & ((1LL << arguments.pieces_log2) - 1)) * arguments.piece_units;
    const int64_t left = arguments.units - begin;
    const int64_t units = left < arguments.piece_units ? left : arguments.piece_units;
    char* entry = row_address(arguments.table, row) + begin * kBytes;
    for (int64_t i = lane; i < units; i += lanes) {
      OrderedSum<kKind> sum(load_element<kBytes>(entry + i * kBytes));
      for (int64_t rank = first; rank < arguments.count; ++rank) {
        const uint64_t key = arguments.sorted.keys[rank];
        if (static_cast<int64_t>(key >> arguments.sorted.position_bits) != row) break;
        const char* side = arguments.side + static_cast<int64_t>(key & position_mask) * arguments.side_stride_bytes;
        sum.add_next(load_element<kBytes>(side + (begin + i) * kBytes));
      }
      store_element<kBytes>(entry + i * kBytes, sum.bits());
    }
  }
}

}  // namespace cuda
}  // namespace gantry

#endif
