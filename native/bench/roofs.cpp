#include "roofs.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#define GANTRY_STREAMING 1
#else
#define GANTRY_STREAMING 0
#endif

#if defined(__x86_64__) && defined(__GLIBC__)
#define GANTRY_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GANTRY_CLONES
#endif

namespace {

using Clock = std::chrono::steady_clock;

// Keeps a value that a loop computed from being thrown away with the loop.
std::atomic<uint64_t> sink;

// Runs `body(first, last)` on equal parts of [0, items), and times them between a common start and the last end.
template <class Body>
double timed(uint64_t items, uint32_t threads, const Body& body) {
  if (threads == 0) threads = 1;
  std::atomic<uint32_t> waiting{threads};
  std::vector<Clock::time_point> starts(threads);
  std::vector<Clock::time_point> ends(threads);
  const auto part = [&](uint32_t index) {
    waiting.fetch_sub(1);
    while (waiting.load() != 0) std::this_thread::yield();
    starts[index] = Clock::now();
    body(items * index / threads, items * (index + 1) / threads);
    ends[index] = Clock::now();
  };
  std::vector<std::thread> others;
  for (uint32_t index = 1; index < threads; ++index) others.emplace_back(part, index);
  part(0);
  for (std::thread& other : others) other.join();
  Clock::time_point start = starts[0];
  Clock::time_point end = ends[0];
  for (uint32_t index = 1; index < threads; ++index) {
    if (starts[index] < start) start = starts[index];
    if (ends[index] > end) end = ends[index];
  }
  return std::chrono::duration<double>(end - start).count();
}

constexpr uint64_t kLine = 64;

GANTRY_CLONES uint64_t sum(const uint64_t* from, uint64_t count) {
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; ++i) total += from[i];
  return total;
}

GANTRY_CLONES void triad(double* a, const double* b, const double* c, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
}

void copy_streaming(char* to, const char* from, uint64_t bytes) {
#if GANTRY_STREAMING
  for (uint64_t at = 0; at < bytes; at += kLine) {
    for (uint64_t part = 0; part < kLine; part += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + part),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(from + at + part)));
    }
  }
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

void write_streaming(char* to, uint64_t bytes) {
#if GANTRY_STREAMING
  const __m128i value = _mm_set1_epi32(0x01020304);
  for (uint64_t at = 0; at < bytes; at += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), value);
  _mm_sfence();
#else
  std::memset(to, 1, bytes);
#endif
}

uint64_t read_rows(const char* table, uint64_t row_bytes, const int64_t* indices, uint64_t first, uint64_t last, uint64_t count,
                   uint32_t ahead) {
  uint64_t total = 0;
  for (uint64_t i = first; i < last; ++i) {
    if (ahead > 0 && i + ahead < count) {
      const char* next = table + static_cast<uint64_t>(indices[i + ahead]) * row_bytes;
      for (uint64_t at = 0; at < row_bytes; at += kLine) __builtin_prefetch(next + at, 0, 3);
    }
    const char* row = table + static_cast<uint64_t>(indices[i]) * row_bytes;
    for (uint64_t at = 0; at < row_bytes; at += kLine) total += static_cast<unsigned char>(row[at]);
  }
  return total;
}

}  // namespace

extern "C" {

double gantry_roof_copy(void* to, const void* from, uint64_t bytes, uint32_t threads) {
  return timed(bytes / kLine, threads, [&](uint64_t first, uint64_t last) {
    std::memcpy(static_cast<char*>(to) + first * kLine, static_cast<const char*>(from) + first * kLine, (last - first) * kLine);
  });
}

double gantry_roof_copy_streaming(void* to, const void* from, uint64_t bytes, uint32_t threads) {
  return timed(bytes / kLine, threads, [&](uint64_t first, uint64_t last) {
    copy_streaming(static_cast<char*>(to) + first * kLine, static_cast<const char*>(from) + first * kLine, (last - first) * kLine);
  });
}

double gantry_roof_write_streaming(void* to, uint64_t bytes, uint32_t threads) {
  return timed(bytes / kLine, threads, [&](uint64_t first, uint64_t last) {
    write_streaming(static_cast<char*>(to) + first * kLine, (last - first) * kLine);
  });
}

double gantry_roof_read(const void* from, uint64_t bytes, uint32_t threads) {
  return timed(bytes / kLine, threads, [&](uint64_t first, uint64_t last) {
    constexpr uint64_t kWords = kLine / sizeof(uint64_t);
    sink += sum(static_cast<const uint64_t*>(from) + first * kWords, (last - first) * kWords);
  });
}

double gantry_roof_triad(void* a, const void* b, const void* c, uint64_t bytes, uint32_t threads) {
  return timed(bytes / kLine, threads, [&](uint64_t first, uint64_t last) {
    constexpr uint64_t kDoubles = kLine / sizeof(double);
    triad(static_cast<double*>(a) + first * kDoubles, static_cast<const double*>(b) + first * kDoubles,
          static_cast<const double*>(c) + first * kDoubles, (last - first) * kDoubles);
  });
}

double gantry_roof_read_rows(const void* table, uint64_t row_bytes, const int64_t* indices, uint64_t count, uint32_t ahead,
                             uint32_t threads) {
  return timed(count, threads, [&](uint64_t first, uint64_t last) {
    sink += read_rows(static_cast<const char*>(table), row_bytes, indices, first, last, count, ahead);
  });
}

int gantry_roof_has_streaming(void) { return GANTRY_STREAMING; }

}  // extern "C"
