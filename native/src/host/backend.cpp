#include <inttypes.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "host/host.h"
#include "host/numeric.h"

namespace gantry {
namespace {

uint64_t element_bytes(gantry_dtype dtype) { return static_cast<uint64_t>(dtype.bits) * dtype.lanes / 8; }

bool same(gantry_dtype a, gantry_dtype b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }
bool is_float(gantry_dtype dtype) { return dtype.code == GANTRY_CODE_FLOAT || dtype.code == GANTRY_CODE_BFLOAT; }
bool is_integer(gantry_dtype dtype) { return dtype.code == GANTRY_CODE_INT || dtype.code == GANTRY_CODE_UINT; }

template <class T>
T load(const char* from) {
  T value;
  memcpy(&value, from, sizeof(value));
  return value;
}

template <class T>
void store(char* to, T value) {
  memcpy(to, &value, sizeof(value));
}

uint64_t load_f64(const char* from, gantry_dtype dtype) {
  if (dtype.bits == 64) return load<uint64_t>(from);
  if (dtype.bits == 32) return f64_from_f32(load<uint32_t>(from));
  const uint16_t half = load<uint16_t>(from);
  return f64_from_f32(dtype.code == GANTRY_CODE_BFLOAT ? f32_from_bf16(half) : f32_from_f16(half));
}

void store_f64(char* to, gantry_dtype dtype, uint64_t value) {
  if (dtype.bits == 64) return store(to, value);
  if (dtype.bits == 32) return store(to, f32_from_f64(value));
  store(to, dtype.code == GANTRY_CODE_BFLOAT ? bf16_from_f64(value) : f16_from_f64(value));
}

uint64_t load_integer(const char* from, gantry_dtype dtype) {
  const bool has_sign = dtype.code == GANTRY_CODE_INT;
  switch (dtype.bits) {
    case 8:
      return has_sign ? static_cast<uint64_t>(load<int8_t>(from)) : load<uint8_t>(from);
    case 16:
      return has_sign ? static_cast<uint64_t>(load<int16_t>(from)) : load<uint16_t>(from);
    case 32:
      return has_sign ? static_cast<uint64_t>(load<int32_t>(from)) : load<uint32_t>(from);
    default:
      return load<uint64_t>(from);
  }
}

void store_integer(char* to, gantry_dtype dtype, uint64_t value) {
  switch (dtype.bits) {
    case 8:
      return store(to, static_cast<uint8_t>(value));
    case 16:
      return store(to, static_cast<uint16_t>(value));
    case 32:
      return store(to, static_cast<uint32_t>(value));
    default:
      return store(to, value);
  }
}

void move_row(char* to, gantry_dtype to_dtype, const char* from, gantry_dtype from_dtype, int64_t columns) {
  if (same(to_dtype, from_dtype)) {
    memcpy(to, from, static_cast<size_t>(columns) * element_bytes(to_dtype));
    return;
  }
  const uint64_t to_bytes = element_bytes(to_dtype);
  const uint64_t from_bytes = element_bytes(from_dtype);
  for (int64_t column = 0; column < columns; ++column, to += to_bytes, from += from_bytes) {
    if (is_float(to_dtype)) {
      store_f64(to, to_dtype, load_f64(from, from_dtype));
    } else {
      store_integer(to, to_dtype, load_integer(from, from_dtype));
    }
  }
}

void add_row(char* to, const char* from, gantry_dtype dtype, int64_t columns) {
  const uint64_t bytes = element_bytes(dtype);
  for (int64_t column = 0; column < columns; ++column, to += bytes, from += bytes) {
    if (is_integer(dtype)) {
      store_integer(to, dtype, load_integer(to, dtype) + load_integer(from, dtype));
    } else if (dtype.bits == 64) {
      store(to, load<double>(to) + load<double>(from));
    } else if (dtype.bits == 32) {
      store(to, load<float>(to) + load<float>(from));
    } else if (dtype.code == GANTRY_CODE_BFLOAT) {
      const float sum =
          bits_as<float>(f32_from_bf16(load<uint16_t>(to))) + bits_as<float>(f32_from_bf16(load<uint16_t>(from)));
      store(to, bf16_from_f32(bits_as<uint32_t>(sum)));
    } else {
      const float sum =
          bits_as<float>(f32_from_f16(load<uint16_t>(to))) + bits_as<float>(f32_from_f16(load<uint16_t>(from)));
      store(to, f16_from_f32(bits_as<uint32_t>(sum)));
    }
  }
}

char* row_of(const Request& request, int64_t row) {
  const Chunk* chunk = request.chunks;
  while (row >= chunk->first_row + chunk->rows) ++chunk;
  return chunk->data + (row - chunk->first_row) * chunk->row_stride_bytes;
}

class SimpleBackend final : public HostBackend {
 public:
  gantry_status execute(const Request& request) override {
    gantry_stats& stats = *request.stats;
    const bool by_index = request.op == Op::gather || request.op == Op::scatter || request.op == Op::scatter_add;
    const uint64_t table_bytes = static_cast<uint64_t>(request.columns) * element_bytes(request.table_dtype);
    const uint64_t side_bytes = static_cast<uint64_t>(request.columns) * element_bytes(request.side_dtype);
    const int64_t count = by_index ? request.index_count : request.table_rows;
    uint64_t zeroed = 0;
    for (int64_t i = 0; i < count; ++i) {
      char* side = request.side + i * request.side_row_stride_bytes;
      int64_t row = i;
      if (by_index) {
        bool is_bad = false;
        const bool usable = resolve(request, i, &row, &is_bad);
        if (is_bad && stats.bad_rows++ == 0) {
          stats.first_bad_position = i;
          stats.first_bad_value = row;
        }
        if (!usable) {
          if (request.op == Op::gather && request.bounds == GANTRY_BOUNDS_ZERO) {
            memset(side, 0, side_bytes);
            ++zeroed;
          }
          continue;
        }
        if (is_bad) {  // clamped
          const bool above = request.index_unsigned != 0 || row > 0;
          row = above ? request.table_rows - 1 : 0;
        }
      }
      ++stats.rows;
      char* entry = row_of(request, row);
      if (request.op == Op::gather) {
        move_row(side, request.side_dtype, entry, request.table_dtype, request.columns);
      } else if (request.op == Op::scatter_add) {
        add_row(entry, side, request.table_dtype, request.columns);
      } else {
        move_row(entry, request.table_dtype, side, request.side_dtype, request.columns);
      }
    }
    const uint64_t rows = static_cast<uint64_t>(stats.rows);
    const uint64_t index_bytes = by_index ? static_cast<uint64_t>(count) * request.index_bytes : 0;
    if (request.op == Op::gather) {
      stats.bytes_read = index_bytes + rows * table_bytes;
      stats.bytes_written = (rows + zeroed) * side_bytes;
    } else {
      stats.bytes_read = index_bytes + rows * (side_bytes + (request.op == Op::scatter_add ? table_bytes : 0));
      stats.bytes_written = rows * table_bytes;
    }
    const bool is_error =
        stats.bad_rows > 0 && (request.bounds == GANTRY_BOUNDS_ERROR || request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE ||
                               (request.bounds == GANTRY_BOUNDS_CLAMP && request.table_rows == 0));
    if (!is_error) return GANTRY_OK;
    return request.report(GANTRY_ERROR_INDEX,
                          "index %" PRId64 " at position %" PRId64 " is outside of the table of %" PRId64
                          " rows; %" PRId64 " of %" PRId64 " indices are outside",
                          stats.first_bad_value, stats.first_bad_position, request.table_rows, stats.bad_rows, count);
  }
  uint32_t threads() const override { return 1; }
  const char* isa() const override { return "generic"; }

 private:
  static bool resolve(const Request& request, int64_t i, int64_t* row, bool* is_bad) {
    const char* at = request.indices + i * request.index_stride_bytes;
    if (request.index_bytes == 4) {
      *row = request.index_unsigned != 0 ? static_cast<int64_t>(load<uint32_t>(at)) : load<int32_t>(at);
    } else {
      *row = load<int64_t>(at);
    }
    if (request.bounds == GANTRY_BOUNDS_TRUST || (*row >= 0 && *row < request.table_rows)) return true;
    if (request.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE && request.index_unsigned == 0 && *row < 0 &&
        *row >= -request.table_rows) {
      *row += request.table_rows;
      return true;
    }
    *is_bad = true;
    return request.bounds == GANTRY_BOUNDS_CLAMP && request.table_rows > 0;
  }
};

}  // namespace

std::unique_ptr<HostBackend> make_host_backend(uint32_t) {
  return std::unique_ptr<HostBackend>(new (std::nothrow) SimpleBackend);
}

}  // namespace gantry
