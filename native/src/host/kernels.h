// The innermost loops, of which there is one set for each ISA level. They take plain values: nothing that a level's
// file includes may put code for its level where the linker could choose it for all.
#ifndef GANTRY_HOST_KERNELS_H
#define GANTRY_HOST_KERNELS_H

#include <stdint.h>

namespace gantry {

// Indices that are checked at a time, or rows whose addresses are found at a time, and how far beyond the current row
// addresses may be looked at.
constexpr int kBatch = 256;
constexpr int kMaxAhead = 64;

enum IndexKind { kIndexI32, kIndexU32, kIndex64, kIndexKinds };

// `to` and `from` do not overlap.
using ConvertFn = void (*)(char* to, const char* from, int64_t elements);

// How rows are moved: `from_bytes` and `to_bytes` differ when `convert` changes the size of `elements`.
struct Move {
  uint64_t from_bytes;
  uint64_t to_bytes;
  int64_t elements;
  ConvertFn convert;
  int ahead;          // rows between the one that is prefetched and the one that is moved
  uint64_t prefetch;  // bytes of each row that are prefetched
  bool straddles;     // rows begin anywhere in a cache line: the line of the last byte is prefetched too
};

// out + k * out_stride = rows[k] for k < count. rows[count] .. rows[count + ahead - 1] are only prefetched. A null row
// is left out.
struct GatherRun {
  char* out;
  int64_t out_stride;
  const char* const* rows;
  int count;
};
using GatherFn = void (*)(const GatherRun&, const Move&);

// out + k * out_stride = base + index * row_stride for the indices in their order, up to the first that is not below
// `limit`. Returns how many rows were moved. The rows of the next indices are prefetched, wherever they lie.
struct IndexedRun {
  const char* indices;
  int64_t index_stride;
  int64_t count;
  uint64_t limit;
  const char* base;
  uint64_t row_stride;
  char* out;
  int64_t out_stride;
};
using IndexedFn = int64_t (*)(const IndexedRun&, const Move&);

// to[k] = from[k], or to[k] += from[k], in this order. Both reach `ahead` further.
struct ScatterRun {
  char* const* to;
  const char* const* from;
  int count;
};
using ScatterFn = void (*)(const ScatterRun&, const Move&);

// Ways to move a row: by loops of their own for these widths, kWayAny for others, kWayConvert when elements are
// converted. Streaming ways store past the caches: addresses and strides of the output are multiples of 16; for widths
// that are multiples of 64 and have loops of their own, of 64.
constexpr int kWidths[] = {4, 8, 16, 32, 64, 128, 192, 256, 384, 512};
constexpr int kWayAny = sizeof(kWidths) / sizeof(kWidths[0]);
constexpr int kWayConvert = kWayAny + 1;
constexpr int kWays = kWayConvert + 1;

enum AddKind { kAddI8, kAddI16, kAddI32, kAddI64, kAddF32, kAddF64, kAddKinds };
enum FloatKind { kF16, kBF16, kF32, kF64, kFloatKinds };
enum IntegerKind { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kIntegerKinds };

// to += from, of one dtype.
using AddFn = void (*)(char* to, const char* from, int64_t elements);

// sums += from, where the elements are float16 or bfloat16.
using AddWideFn = void (*)(float* sums, const char* from, int64_t elements);

struct Kernels {
  const char* name;
  IndexedFn gather_indexed[kIndexKinds][kWays];
  IndexedFn gather_indexed_streaming[kIndexKinds][kWays];
  GatherFn gather[2];            // [converting]
  GatherFn gather_streaming[2];  // [converting]
  ScatterFn scatter[kWays];
  ScatterFn scatter_add[kAddKinds];
  AddFn add_rounded[2];                                     // float16, bfloat16: as kF16 and kBF16
  AddWideFn add_wide[2];                                    // likewise
  ConvertFn convert_float[kFloatKinds][kFloatKinds];        // [from][to]; null on the diagonal
  ConvertFn convert_integer[kIntegerKinds][kIntegerKinds];  // [from][to]; null when the sizes are equal
  void (*end_streaming)();  // by the thread that stored past the caches, before others may read it
};

extern const Kernels kKernelsBaseline;
#if defined(GANTRY_ISA_LEVELS)
extern const Kernels kKernelsV3;
extern const Kernels kKernelsV4;
#endif

}  // namespace gantry

#endif
