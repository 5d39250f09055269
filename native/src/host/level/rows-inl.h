// Indices to addresses, and rows by addresses.
#include "host/kernels.h"

namespace gantry {
namespace {

template <class T>
bool resolve(const ResolveRun& run) {
  const uintptr_t base = reinterpret_cast<uintptr_t>(run.base);
  const uint64_t stride = run.row_stride;
  const uint64_t limit = run.limit;
  uintptr_t* const rows = reinterpret_cast<uintptr_t*>(run.rows);
  uint64_t outside = 0;
  if (run.index_stride == static_cast<int64_t>(sizeof(T))) {
    for (int k = 0; k < run.count; ++k) {
      T index;
      memcpy(&index, run.indices + k * sizeof(T), sizeof(T));
      const uint64_t row = static_cast<uint64_t>(index);
      outside |= row >= limit ? 1u : 0u;
      rows[k] = base + row * stride;
    }
  } else {
    for (int k = 0; k < run.count; ++k) {
      T index;
      memcpy(&index, run.indices + k * run.index_stride, sizeof(T));
      const uint64_t row = static_cast<uint64_t>(index);
      outside |= row >= limit ? 1u : 0u;
      rows[k] = base + row * stride;
    }
  }
  return outside != 0;
}

void stream_row_and_end(char* to, const char* from, uint64_t bytes) {
  stream_row(to, from, bytes);
  end_streaming();
}

struct CopyAny {
  static void row(char* to, const char* from, const Move& move) { copy_row(to, from, move.from_bytes); }
  static void prefetch(const char* row, const Move& move) {
    prefetch_row(row, move.prefetch, move.from_bytes, move.straddles);
  }
};

struct StreamAny : CopyAny {
  static void row(char* to, const char* from, const Move& move) { stream_row(to, from, move.from_bytes); }
};

template <int kBytes>
struct CopyFixed {
  static void row(char* to, const char* from, const Move&) { copy_fixed<kBytes>(to, from); }
  static void prefetch(const char* row, const Move& move) { prefetch_row(row, kBytes, kBytes, move.straddles); }
};

template <int kBytes>
struct StreamFixed : CopyFixed<kBytes> {
  static void row(char* to, const char* from, const Move&) { stream_fixed<kBytes>(to, from); }
};

struct Convert : CopyAny {
  static void row(char* to, const char* from, const Move& move) { move.convert(to, from, move.elements); }
};

// Converted in the first-level cache, then stored past it.
struct ConvertStreaming : CopyAny {
  static constexpr int64_t kElements = 256;
  static void row(char* to, const char* from, const Move& move) {
    alignas(64) char converted[kElements * 8];
    const uint64_t from_element = move.from_bytes / static_cast<uint64_t>(move.elements);
    const uint64_t to_element = move.to_bytes / static_cast<uint64_t>(move.elements);
    for (int64_t done = 0; done < move.elements; done += kElements) {
      const int64_t count = move.elements - done < kElements ? move.elements - done : kElements;
      move.convert(converted, from + static_cast<uint64_t>(done) * from_element, count);
      stream_row(to + static_cast<uint64_t>(done) * to_element, converted, static_cast<uint64_t>(count) * to_element);
    }
  }
};

template <class Way, bool kStreaming>
void gather_rows(const GatherRun& run, const Move& move) {
  char* out = run.out;
  const int ahead = move.ahead;
  for (int k = 0; k < run.count; ++k, out += run.out_stride) {
    Way::prefetch(run.rows[k + ahead], move);
    if (run.rows[k] != nullptr) Way::row(out, run.rows[k], move);
  }
  if (kStreaming) end_streaming();
}

template <class Way>
void scatter_rows(const ScatterRun& run, const Move& move) {
  const int ahead = move.ahead;
  for (int k = 0; k < run.count; ++k) {
    Way::prefetch(run.from[k + ahead], move);
    Way::row(run.to[k], run.from[k], move);
  }
}

}  // namespace
}  // namespace gantry
