// Indices to addresses, and rows by addresses.
#include "host/kernels.h"

namespace gantry {
namespace {

template <class T>
inline uint64_t load_index(const char* from) {
  T index;
  memcpy(&index, from, sizeof(T));
  return static_cast<uint64_t>(index);
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

// Copies of what is shared, which stores to the output cannot change, stay in registers.
template <class Way>
void gather_rows(const GatherRun& shared_run, const Move& shared_move) {
  const GatherRun run = shared_run;
  const Move move = shared_move;
  char* out = run.out;
  for (int k = 0; k < run.count; ++k, out += run.out_stride) {
    Way::prefetch(run.rows[k + move.ahead], move);
    if (run.rows[k] != nullptr) Way::row(out, run.rows[k], move);
  }
}

// The address of a row that is prefetched may be anything: it stays a number until its index has been checked.
template <class T, class Way>
int64_t gather_indexed(const IndexedRun& shared_run, const Move& shared_move) {
  const IndexedRun run = shared_run;
  const Move move = shared_move;
  const uintptr_t base = reinterpret_cast<uintptr_t>(run.base);
  const int64_t prefetched = run.count - move.ahead;
  const char* index = run.indices;
  const char* next = run.indices + move.ahead * run.index_stride;
  char* out = run.out;
  int64_t k = 0;
  for (; k < prefetched; ++k) {
    Way::prefetch(reinterpret_cast<const char*>(base + load_index<T>(next) * run.row_stride), move);
    const uint64_t row = load_index<T>(index);
    if (row >= run.limit) return k;
    Way::row(out, reinterpret_cast<const char*>(base + row * run.row_stride), move);
    index += run.index_stride;
    next += run.index_stride;
    out += run.out_stride;
  }
  for (; k < run.count; ++k) {
    const uint64_t row = load_index<T>(index);
    if (row >= run.limit) return k;
    Way::row(out, reinterpret_cast<const char*>(base + row * run.row_stride), move);
    index += run.index_stride;
    out += run.out_stride;
  }
  return k;
}

template <class Way>
void scatter_rows(const ScatterRun& shared_run, const Move& shared_move) {
  const ScatterRun run = shared_run;
  const Move move = shared_move;
  for (int k = 0; k < run.count; ++k) {
    Way::prefetch(run.from[k + move.ahead], move);
    Way::row(run.to[k], run.from[k], move);
  }
}

}  // namespace
}  // namespace gantry
