// Conversions and additions of whole rows. The loops are plain, for the compiler to vectorise; float16 has instructions
// of its own from AVX2's level on, which give the same bits as numeric.h.
#include "host/kernels.h"
#include "host/numeric.h"

namespace gantry {
namespace {

struct F16 {
  using Bits = uint16_t;
  static float wide(uint16_t bits) { return bits_as<float>(f32_from_f16(bits)); }
  static uint16_t narrow(float value) { return f16_from_f32(bits_as<uint32_t>(value)); }
  static uint16_t narrow_f64(double value) { return f16_from_f64(bits_as<uint64_t>(value)); }
};

struct BF16 {
  using Bits = uint16_t;
  static float wide(uint16_t bits) { return bits_as<float>(f32_from_bf16(bits)); }
  static uint16_t narrow(float value) { return bf16_from_f32(bits_as<uint32_t>(value)); }
  static uint16_t narrow_f64(double value) { return bf16_from_f64(bits_as<uint64_t>(value)); }
};

struct F32 {
  using Bits = uint32_t;
  static float wide(uint32_t bits) { return bits_as<float>(bits); }
  static uint32_t narrow(float value) { return bits_as<uint32_t>(value); }
  static uint32_t narrow_f64(double value) { return bits_as<uint32_t>(static_cast<float>(value)); }
};

struct F64 {
  using Bits = uint64_t;
  static double wide(uint64_t bits) { return bits_as<double>(bits); }
  static uint64_t narrow(float value) { return bits_as<uint64_t>(static_cast<double>(value)); }
};

template <class T>
inline T load_at(const char* from, int64_t element) {
  T value;
  memcpy(&value, from + element * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
inline void store_at(char* to, int64_t element, T value) {
  memcpy(to + element * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

template <class From, class To>
void convert_float(char* __restrict to, const char* __restrict from, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) {
    const auto value = From::wide(load_at<typename From::Bits>(from, i));
    if constexpr (sizeof(typename From::Bits) == 8) {
      store_at(to, i, To::narrow_f64(value));
    } else {
      store_at(to, i, To::narrow(value));
    }
  }
}

#if defined(__AVX512F__)
template <>
void convert_float<F16, F32>(char* __restrict to, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 16 <= elements; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i * 2));
    _mm512_storeu_ps(to + i * 4, _mm512_cvtph_ps(halves));
  }
  if (i < elements) {
    const __mmask16 rest = static_cast<__mmask16>((1u << (elements - i)) - 1u);
    _mm512_mask_storeu_ps(to + i * 4, rest, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(rest, from + i * 2)));
  }
}

template <>
void convert_float<F32, F16>(char* __restrict to, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 16 <= elements; i += 16) {
    const __m256i halves = _mm512_cvtps_ph(_mm512_loadu_ps(from + i * 4), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * 2), halves);
  }
  if (i < elements) {
    const __mmask16 rest = static_cast<__mmask16>((1u << (elements - i)) - 1u);
    _mm256_mask_storeu_epi16(to + i * 2, rest,
                             _mm512_cvtps_ph(_mm512_maskz_loadu_ps(rest, from + i * 4), _MM_FROUND_TO_NEAREST_INT));
  }
}
#elif defined(__F16C__)
template <>
void convert_float<F16, F32>(char* __restrict to, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 8 <= elements; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * 2));
    _mm256_storeu_ps(reinterpret_cast<float*>(to + i * 4), _mm256_cvtph_ps(halves));
  }
  for (; i < elements; ++i) store_at(to, i, F32::narrow(F16::wide(load_at<uint16_t>(from, i))));
}

template <>
void convert_float<F32, F16>(char* __restrict to, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 8 <= elements; i += 8) {
    const __m256 singles = _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * 4));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * 2), _mm256_cvtps_ph(singles, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < elements; ++i) store_at(to, i, F16::narrow(F32::wide(load_at<uint32_t>(from, i))));
}
#endif

// Modulo 2^bits: a signed `From` is extended by its sign.
template <class From, class To>
void convert_integer(char* __restrict to, const char* __restrict from, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) store_at(to, i, static_cast<To>(load_at<From>(from, i)));
}

template <class T>
struct AddInteger {
  using Bits = T;
  static T add(T a, T b) { return static_cast<T>(a + b); }
};

// The sum of two elements, rounded to their format.
template <class Format>
struct AddFloat {
  using Bits = typename Format::Bits;
  static Bits add(Bits a, Bits b) { return Format::narrow(Format::wide(a) + Format::wide(b)); }
};

struct AddF64 {
  using Bits = uint64_t;
  static uint64_t add(uint64_t a, uint64_t b) { return bits_as<uint64_t>(bits_as<double>(a) + bits_as<double>(b)); }
};

template <class Sum>
void add_row(char* __restrict to, const char* __restrict from, int64_t elements) {
  using Bits = typename Sum::Bits;
  for (int64_t i = 0; i < elements; ++i) store_at(to, i, Sum::add(load_at<Bits>(to, i), load_at<Bits>(from, i)));
}

#if defined(__AVX2__)
// Rows are often short: a loop that the compiler vectorises would go through most of them one element at a time.
template <>
void add_row<AddFloat<F32>>(char* __restrict to, const char* __restrict from, int64_t elements) {
  float* sums = reinterpret_cast<float*>(to);
  const float* added = reinterpret_cast<const float*>(from);
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= elements; i += 16) {
    _mm512_storeu_ps(sums + i, _mm512_add_ps(_mm512_loadu_ps(sums + i), _mm512_loadu_ps(added + i)));
  }
#endif
  for (; i + 8 <= elements; i += 8) {
    _mm256_storeu_ps(sums + i, _mm256_add_ps(_mm256_loadu_ps(sums + i), _mm256_loadu_ps(added + i)));
  }
  if (i + 4 <= elements) {
    _mm_storeu_ps(sums + i, _mm_add_ps(_mm_loadu_ps(sums + i), _mm_loadu_ps(added + i)));
    i += 4;
  }
  for (; i < elements; ++i) store_at(to, i, AddFloat<F32>::add(load_at<uint32_t>(to, i), load_at<uint32_t>(from, i)));
}
#endif

#if defined(__F16C__)
inline __m256 load_halves(const char* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

template <>
void add_row<AddFloat<F16>>(char* __restrict to, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 8 <= elements; i += 8) {
    const __m256 sum = _mm256_add_ps(load_halves(to + i * 2), load_halves(from + i * 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * 2), _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT));
  }
  using Sum = AddFloat<F16>;
  for (; i < elements; ++i) store_at(to, i, Sum::add(load_at<uint16_t>(to, i), load_at<uint16_t>(from, i)));
}
#endif

template <class Format>
void add_wide(float* __restrict sums, const char* __restrict from, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) sums[i] += Format::wide(load_at<typename Format::Bits>(from, i));
}

#if defined(__F16C__)
template <>
void add_wide<F16>(float* __restrict sums, const char* __restrict from, int64_t elements) {
  int64_t i = 0;
  for (; i + 8 <= elements; i += 8) {
    _mm256_storeu_ps(sums + i, _mm256_add_ps(_mm256_loadu_ps(sums + i), load_halves(from + i * 2)));
  }
  for (; i < elements; ++i) sums[i] += F16::wide(load_at<uint16_t>(from, i));
}
#endif

template <class Sum>
void scatter_add_rows(const ScatterRun& shared_run, const Move& shared_move) {
  const ScatterRun run = shared_run;
  const Move move = shared_move;
  for (int k = 0; k < run.count; ++k) {
    prefetch_row(run.to[k + move.ahead], move.prefetch, move.from_bytes, move.straddles);
    prefetch_row(run.from[k + move.ahead], move.prefetch, move.from_bytes, move.prefetch != 0);
    add_row<Sum>(run.to[k], run.from[k], move.elements);
  }
}

}  // namespace
}  // namespace gantry
