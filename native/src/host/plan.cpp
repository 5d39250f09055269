#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// Of a row that is read ahead at most, as far as the processor's own prefetcher needs to take over.
constexpr uint64_t kPrefetchBytes = 2048;

int float_kind(gantry_dtype dtype) {
  if (dtype.lanes == 0) return -1;
  if (dtype.code == GANTRY_CODE_BFLOAT) return dtype.bits == 16 ? kBF16 : -1;
  if (dtype.code != GANTRY_CODE_FLOAT) return -1;
  return dtype.bits == 16 ? kF16 : dtype.bits == 32 ? kF32 : dtype.bits == 64 ? kF64 : -1;
}

int integer_kind(gantry_dtype dtype) {
  if (dtype.code != GANTRY_CODE_INT && dtype.code != GANTRY_CODE_UINT) return -1;
  const int is_unsigned = dtype.code == GANTRY_CODE_UINT ? 1 : 0;
  switch (dtype.bits) {
    case 8:
      return kI8 + is_unsigned;
    case 16:
      return kI16 + is_unsigned;
    case 32:
      return kI32 + is_unsigned;
    case 64:
      return kI64;
    default:
      return -1;
  }
}

// As many as keep the memory busy, within the first-level cache. Measured on an EPYC (Zen 5), table of 2 GiB: 64 rows
// of 64 bytes give 1.6 times what 8 give, 64 rows of 256 bytes 1.3 times what 16 give.
int rows_ahead(uint64_t width) {
  if (width <= 256) return 64;
  if (width <= 512) return 32;
  return width <= 1024 ? 16 : 8;
}

}  // namespace

uint64_t element_bytes(gantry_dtype dtype) { return static_cast<uint64_t>(dtype.bits) * dtype.lanes / 8; }

bool same_dtype(gantry_dtype a, gantry_dtype b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

bool find_conversion(const Kernels& kernels, gantry_dtype from, gantry_dtype to, ConvertFn* convert) {
  *convert = nullptr;
  if (same_dtype(from, to)) return true;
  if (from.lanes != to.lanes) return false;
  if (float_kind(from) >= 0 && float_kind(to) >= 0) {
    *convert = kernels.convert_float[float_kind(from)][float_kind(to)];
    return true;
  }
  if (integer_kind(from) >= 0 && integer_kind(to) >= 0) {
    *convert = kernels.convert_integer[integer_kind(from)][integer_kind(to)];
    return true;
  }
  return false;
}

bool plan_move(const Kernels& kernels, gantry_dtype from, gantry_dtype to, int64_t columns, uint64_t addresses,
               Move* out) {
  Move move = {};
  if (!find_conversion(kernels, from, to, &move.convert)) return false;
  move.elements = columns * from.lanes;
  move.from_bytes = static_cast<uint64_t>(columns) * element_bytes(from);
  move.to_bytes = static_cast<uint64_t>(columns) * element_bytes(to);
  move.ahead = rows_ahead(move.from_bytes);
  move.prefetch = std::min(move.from_bytes, kPrefetchBytes);
  const bool is_power = move.from_bytes != 0 && (move.from_bytes & (move.from_bytes - 1)) == 0;
  const uint64_t unit = is_power ? std::min<uint64_t>(move.from_bytes, 64) : 64;
  move.straddles = move.from_bytes > 1 && move.from_bytes <= kPrefetchBytes && addresses % unit != 0;
  *out = move;
  return true;
}

int way_of(const Move& move) {
  if (move.convert != nullptr) return kWayConvert;
  int way = 0;
  while (way < kWayAny && static_cast<uint64_t>(kWidths[way]) != move.from_bytes) ++way;
  return way;
}

uint32_t share(const Host& host, const Request& request, int64_t rows, uint64_t bytes) {
  // About 5 ns for a row and 8 bytes each ns, from memory.
  const uint64_t lanes = (static_cast<uint64_t>(rows) * 5 + bytes / 8) / host.lane_nanoseconds;
  uint32_t most = host.pool->threads();
  if (request.threads != 0) most = std::min(most, request.threads);
  return static_cast<uint32_t>(std::clamp<uint64_t>(lanes, 1, most));
}

}  // namespace gantry
