#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "support.h"

namespace gantry::test {
namespace {

struct Format {
  int bits;
  int fraction;  // bits
  int bias;
};

Format format_of(gantry_dtype dtype) {
  if (dtype.code == GANTRY_CODE_BFLOAT) return {16, 7, 127};
  if (dtype.bits == 16) return {16, 10, 15};
  if (dtype.bits == 32) return {32, 23, 127};
  return {64, 52, 1023};
}

uint64_t load_bits(const char* from, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(bytes));
  return bits;
}

// A finite or infinite number: all formats are exact as double.
double decode(uint64_t bits, const Format& format) {
  const uint64_t fraction = bits & ((uint64_t{1} << format.fraction) - 1);
  const int exponent_bits = format.bits - 1 - format.fraction;
  const uint64_t exponent = (bits >> format.fraction) & ((uint64_t{1} << exponent_bits) - 1);
  const double sign = (bits >> (format.bits - 1)) != 0 ? -1.0 : 1.0;
  if (exponent == (uint64_t{1} << exponent_bits) - 1) return sign * HUGE_VAL;
  const double significand =
      static_cast<double>(exponent == 0 ? fraction : fraction + (uint64_t{1} << format.fraction));
  return sign * std::ldexp(significand, static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.fraction);
}

uint64_t encode(double value, const Format& format) {
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (format.bits - 1) : 0;
  const uint64_t infinity = ((uint64_t{1} << (format.bits - 1 - format.fraction)) - 1) << format.fraction;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | infinity;
  const int lowest = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  // The significand as an integer, rounded to nearest, ties to even. Reaching the next power of two raises the
  // exponent.
  const uint64_t significand = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, format.fraction - exponent)));
  const uint64_t bits = (static_cast<uint64_t>(exponent - lowest) << format.fraction) + significand;
  return sign | std::min(bits, infinity);
}

bool is_nan(uint64_t bits, const Format& format) {
  const uint64_t magnitude = bits & ((uint64_t{1} << (format.bits - 1)) - 1);
  return magnitude > (((uint64_t{1} << (format.bits - 1 - format.fraction)) - 1) << format.fraction);
}

uint64_t convert_nan(uint64_t bits, const Format& from, const Format& to) {
  const uint64_t sign = (bits >> (from.bits - 1)) << (to.bits - 1);
  const uint64_t payload = bits & ((uint64_t{1} << from.fraction) - 1);
  const uint64_t moved = to.fraction >= from.fraction ? payload << (to.fraction - from.fraction)
                                                      : payload >> (from.fraction - to.fraction);
  const uint64_t exponent = ((uint64_t{1} << (to.bits - 1 - to.fraction)) - 1) << to.fraction;
  return sign | exponent | (uint64_t{1} << (to.fraction - 1)) | moved;
}

bool is_integer(gantry_dtype dtype) { return dtype.code == GANTRY_CODE_INT || dtype.code == GANTRY_CODE_UINT; }

bool same(gantry_dtype a, gantry_dtype b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

void add_element(char* to, const char* from, gantry_dtype dtype) {
  const int64_t bytes = dtype.bits / 8;
  const uint64_t a = load_bits(to, bytes);
  const uint64_t b = load_bits(from, bytes);
  uint64_t sum = a + b;
  if (!is_integer(dtype)) {
    const Format format = format_of(dtype);
    if (dtype.bits == 32) {
      const float rounded = static_cast<float>(decode(a, format)) + static_cast<float>(decode(b, format));
      sum = 0;
      std::memcpy(&sum, &rounded, sizeof(rounded));
    } else {
      sum = encode(decode(a, format) + decode(b, format), format);
    }
  }
  std::memcpy(to, &sum, static_cast<size_t>(bytes));
}

char* find_row(const Request& request, int64_t row) {
  for (uint32_t k = 0; k < request.chunk_count; ++k) {
    const Chunk& chunk = request.chunks[k];
    if (row < chunk.first_row + chunk.rows) return chunk.data + (row - chunk.first_row) * chunk.row_stride_bytes;
  }
  return nullptr;
}

__extension__ typedef __int128 Wide;

// 128 bits hold every index as the number that it is.
Wide index_at(const Request& request, int64_t position) {
  const char* from = request.indices + position * request.index_stride_bytes;
  const uint64_t bits = load_bits(from, request.index_bytes);
  if (request.index_unsigned != 0) return bits;
  return request.index_bytes == 4 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

}  // namespace

void convert_element(char* to, gantry_dtype to_dtype, const char* from, gantry_dtype from_dtype) {
  const uint64_t bits = load_bits(from, from_dtype.bits / 8);
  uint64_t result = bits;
  if (is_integer(to_dtype) && is_integer(from_dtype)) {
    if (from_dtype.code == GANTRY_CODE_INT && from_dtype.bits < 64 && (bits >> (from_dtype.bits - 1)) != 0) {
      result |= ~uint64_t{0} << from_dtype.bits;
    }
  } else if (is_integer(to_dtype)) {
    // Only for make_finite: values that fit.
    result = static_cast<uint64_t>(static_cast<int64_t>(decode(bits, format_of(from_dtype))));
  } else {
    const Format source = format_of(from_dtype);
    const Format target = format_of(to_dtype);
    result = is_nan(bits, source) ? convert_nan(bits, source, target) : encode(decode(bits, source), target);
  }
  std::memcpy(to, &result, to_dtype.bits / 8);
}

namespace {

// Rows of 16-bit floats that are added to: their sums as float32, rounded once at the end.
class WideSums {
 public:
  void add(char* to, const char* from, gantry_dtype dtype, int64_t elements) {
    const Format format = format_of(dtype);
    std::vector<float>& sums = sums_[to];
    if (sums.empty()) {
      for (int64_t k = 0; k < elements; ++k)
        sums.push_back(static_cast<float>(decode(load_bits(to + 2 * k, 2), format)));
    }
    for (int64_t k = 0; k < elements; ++k) {
      sums[static_cast<size_t>(k)] += static_cast<float>(decode(load_bits(from + 2 * k, 2), format));
    }
  }
  void round(gantry_dtype dtype) {
    for (const auto& [to, sums] : sums_) {
      for (size_t k = 0; k < sums.size(); ++k) {
        const uint16_t bits = static_cast<uint16_t>(encode(sums[k], format_of(dtype)));
        std::memcpy(to + 2 * k, &bits, sizeof(bits));
      }
    }
  }

 private:
  std::map<char*, std::vector<float>> sums_;
};

}  // namespace

gantry_status reference(const Request& request, gantry_stats* stats) {
  const bool is_wide =
      request.op == Op::scatter_add && !is_integer(request.table_dtype) && request.table_dtype.bits == 16;
  WideSums wide_sums;
  *stats = gantry_stats{};
  stats->first_bad_position = -1;
  const bool is_linear = request.op == Op::convert || request.op == Op::copy;
  const int64_t count = is_linear ? request.table_rows : request.index_count;
  const int64_t table_element = bytes_of(request.table_dtype);
  const int64_t side_element = bytes_of(request.side_dtype);
  if (!is_linear) stats->bytes_read += static_cast<uint64_t>(count) * request.index_bytes;
  for (int64_t position = 0; position < count; ++position) {
    char* side = request.side + position * request.side_row_stride_bytes;
    Wide row = is_linear ? position : index_at(request, position);
    if (request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE && row < 0 && row >= -request.table_rows)
      row += request.table_rows;
    if (row < 0 || row >= request.table_rows) {
      if (stats->bad_rows++ == 0) {
        stats->first_bad_position = position;
        stats->first_bad_value = static_cast<int64_t>(index_at(request, position));
      }
      if (request.bounds == GANTRY_BOUNDS_ZERO && request.op == Op::gather) {
        std::memset(side, 0, static_cast<size_t>(request.columns * side_element));
        stats->bytes_written += static_cast<uint64_t>(request.columns * side_element);
      }
      if (request.bounds != GANTRY_BOUNDS_CLAMP || request.table_rows == 0) continue;
      row = row < 0 ? 0 : request.table_rows - 1;
    }
    ++stats->rows;
    char* entry = find_row(request, static_cast<int64_t>(row));
    const bool to_side = request.op == Op::gather;
    char* to = to_side ? side : entry;
    const char* from = to_side ? entry : side;
    const gantry_dtype to_dtype = to_side ? request.side_dtype : request.table_dtype;
    const gantry_dtype from_dtype = to_side ? request.table_dtype : request.side_dtype;
    if (is_wide) wide_sums.add(to, from, to_dtype, request.columns * to_dtype.lanes);
    for (int64_t column = 0; column < request.columns && !is_wide; ++column) {
      char* to_at = to + column * bytes_of(to_dtype);
      const char* from_at = from + column * bytes_of(from_dtype);
      if (request.op == Op::scatter_add) {
        const int64_t lane_bytes = to_dtype.bits / 8;
        for (int64_t lane = 0; lane < to_dtype.lanes; ++lane) {
          add_element(to_at + lane * lane_bytes, from_at + lane * lane_bytes, to_dtype);
        }
      } else if (same(to_dtype, from_dtype)) {
        std::memcpy(to_at, from_at, static_cast<size_t>(bytes_of(to_dtype)));
      } else {
        convert_element(to_at, to_dtype, from_at, from_dtype);
      }
    }
    stats->bytes_read += static_cast<uint64_t>(request.columns * (to_side ? table_element : side_element));
    if (request.op == Op::scatter_add) stats->bytes_read += static_cast<uint64_t>(request.columns * table_element);
    stats->bytes_written += static_cast<uint64_t>(request.columns * (to_side ? side_element : table_element));
  }
  if (is_wide) wide_sums.round(request.table_dtype);
  const bool fails = request.bounds == GANTRY_BOUNDS_ERROR || request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE ||
                     (request.bounds == GANTRY_BOUNDS_CLAMP && request.table_rows == 0);
  return stats->bad_rows > 0 && fails ? GANTRY_ERROR_INDEX : GANTRY_OK;
}

}  // namespace gantry::test
