// Registers of the level that is being compiled: whole loads and stores, past the caches or not, and prefetches.
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace gantry {
namespace {

#if defined(__AVX512F__)
using Vector = __m512i;
inline Vector load_vector(const char* from) { return _mm512_loadu_si512(from); }
inline void store_vector(char* to, Vector value) { _mm512_storeu_si512(to, value); }
inline void stream_vector(char* to, Vector value) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value); }
#elif defined(__AVX2__)
using Vector = __m256i;
inline Vector load_vector(const char* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
inline void store_vector(char* to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
inline void stream_vector(char* to, Vector value) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value); }
#elif defined(__SSE2__)
using Vector = __m128i;
inline Vector load_vector(const char* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
inline void store_vector(char* to, Vector value) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value); }
inline void stream_vector(char* to, Vector value) { _mm_stream_si128(reinterpret_cast<__m128i*>(to), value); }
#else
struct Vector {
  uint64_t words[2];
};
inline Vector load_vector(const char* from) {
  Vector value;
  memcpy(&value, from, sizeof(value));
  return value;
}
inline void store_vector(char* to, Vector value) { memcpy(to, &value, sizeof(value)); }
inline void stream_vector(char* to, Vector value) { store_vector(to, value); }
#endif

#if defined(__SSE2__)
inline void stream_16(char* to, const char* from) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
// Stores past the caches become visible to other threads.
inline void end_streaming() { _mm_sfence(); }
#else
inline void stream_16(char* to, const char* from) { memcpy(to, from, 16); }
inline void end_streaming() {}
#endif

constexpr uint64_t kVector = sizeof(Vector);

// The row may lie anywhere, as long as it is not read: hence no arithmetic with pointers.
inline void prefetch_row(const char* row, uint64_t bytes, uint64_t width, bool straddles) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(row);
  for (uint64_t at = 0; at < bytes; at += 64) __builtin_prefetch(reinterpret_cast<const char*>(begin + at));
  if (straddles) __builtin_prefetch(reinterpret_cast<const char*>(begin + width - 1));
}

// Two words, the second ending where the row ends, for rows of one to two words.
template <class T>
inline void copy_ends(char* to, const char* from, uint64_t bytes) {
  T first;
  T last;
  memcpy(&first, from, sizeof(T));
  memcpy(&last, from + bytes - sizeof(T), sizeof(T));
  memcpy(to, &first, sizeof(T));
  memcpy(to + bytes - sizeof(T), &last, sizeof(T));
}

// memcpy whose call would cost more than the copy.
inline void copy_row(char* to, const char* from, uint64_t bytes) {
  if (bytes >= kVector) {
    if (bytes > 2048) {
      memcpy(to, from, bytes);
      return;
    }
    const Vector last = load_vector(from + bytes - kVector);
    uint64_t at = 0;
    for (; at + kVector < bytes; at += kVector) store_vector(to + at, load_vector(from + at));
    store_vector(to + bytes - kVector, last);
    return;
  }
#if defined(__AVX512F__)
  if (bytes >= 32) return copy_ends<__m256i>(to, from, bytes);
#endif
#if defined(__AVX2__)
  if (bytes >= 16) return copy_ends<__m128i>(to, from, bytes);
#endif
  if (bytes >= 8) return copy_ends<uint64_t>(to, from, bytes);
  if (bytes >= 4) return copy_ends<uint32_t>(to, from, bytes);
  if (bytes >= 2) return copy_ends<uint16_t>(to, from, bytes);
  if (bytes == 1) *to = *from;
}

// A row whose width the compiler knows: a power of two below a vector, or vectors.
template <int kBytes>
inline void copy_fixed(char* to, const char* from) {
  if constexpr (kBytes % kVector == 0) {
    for (uint64_t at = 0; at < kBytes; at += kVector) store_vector(to + at, load_vector(from + at));
  } else {
    memcpy(to, from, kBytes);
  }
}

template <int kBytes>
inline void stream_fixed(char* to, const char* from) {
  if constexpr (kBytes % 64 == 0) {
    for (uint64_t at = 0; at < kBytes; at += kVector) stream_vector(to + at, load_vector(from + at));
  } else {
    for (uint64_t at = 0; at < kBytes; at += 16) stream_16(to + at, from + at);
  }
}

// `to` and `bytes` are multiples of 16, or of 64.
inline void stream_row(char* to, const char* from, uint64_t bytes) {
  uint64_t at = 0;
  if ((reinterpret_cast<uintptr_t>(to) | bytes) % 64 == 0) {
    for (; at < bytes; at += kVector) stream_vector(to + at, load_vector(from + at));
    return;
  }
  for (; at < bytes; at += 16) stream_16(to + at, from + at);
}

}  // namespace
}  // namespace gantry
