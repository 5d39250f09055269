// The innermost loops, of which there is one set for each ISA level. They take plain values: nothing that a level's
// file includes may put code for its level where the linker could choose it for all.
#ifndef GANTRY_HOST_KERNELS_H
#define GANTRY_HOST_KERNELS_H

#include <stdint.h>

namespace gantry {

// Rows whose addresses are known at a time, and how far beyond the current row addresses may be looked at.
constexpr int kBatch = 256;
constexpr int kMaxAhead = 64;

// Addresses of rows: rows[k] = base + index * row_stride. Returns whether an index was at or above `limit`; the
// addresses are of no use then.
struct ResolveRun {
  const char* indices;
  int64_t index_stride;
  const char* base;
  uint64_t row_stride;
  uint64_t limit;
  int count;
  const char** rows;
};
using ResolveFn = bool (*)(const ResolveRun&);
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

// to[k] = from[k], or to[k] += from[k], in this order. Both reach `ahead` further.
struct ScatterRun {
  char* const* to;
  const char* const* from;
  int count;
};
using ScatterFn = void (*)(const ScatterRun&, const Move&);

// Widths with loops of their own; kWidthAny for others.
constexpr int kWidths[] = {4, 8, 16, 32, 64, 128, 192, 256, 384, 512};
constexpr int kWidthAny = sizeof(kWidths) / sizeof(kWidths[0]);
constexpr int kWidthClasses = kWidthAny + 1;

enum AddKind { kAddI8, kAddI16, kAddI32, kAddI64, kAddF16, kAddBF16, kAddF32, kAddF64, kAddKinds };
enum FloatKind { kF16, kBF16, kF32, kF64, kFloatKinds };
enum IntegerKind { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kIntegerKinds };

struct Kernels {
  const char* name;
  ResolveFn resolve[kIndexKinds];
  GatherFn gather[kWidthClasses];
  GatherFn gather_streaming[kWidthClasses];  // rows that are aligned as stream_alignment() says
  GatherFn gather_converting;
  GatherFn gather_converting_streaming;
  ScatterFn scatter[kWidthClasses];
  ScatterFn scatter_converting;
  ScatterFn scatter_add[kAddKinds];
  ConvertFn convert_float[kFloatKinds][kFloatKinds];                   // [from][to]; null on the diagonal
  ConvertFn convert_integer[kIntegerKinds][kIntegerKinds];             // [from][to]; null when the sizes are equal
  void (*copy_streaming)(char* to, const char* from, uint64_t bytes);  // `to` and `bytes` are multiples of 64
};

// What addresses and strides of an output must be multiples of, so that its rows can be stored past the caches; 0:
// never.
inline uint64_t stream_alignment(uint64_t width) {
  if (width == 0 || width % 16 != 0) return 0;
  return width % 64 == 0 ? 64 : 16;
}

extern const Kernels kKernelsBaseline;
#if defined(GANTRY_ISA_LEVELS)
extern const Kernels kKernelsV3;
extern const Kernels kKernelsV4;
#endif

}  // namespace gantry

#endif
