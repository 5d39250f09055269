#include "host/lookup.h"

#include <algorithm>

namespace gantry {

void Tally::add(const Tally& other) {
  if (other.first_bad_position < first_bad_position) {
    first_bad_position = other.first_bad_position;
    first_bad_value = other.first_bad_value;
  }
  bad_rows += other.bad_rows;
  left_out += other.left_out;
  zeroed += other.zeroed;
}

Lookup::Lookup(const Request& request)
    : request_(request),
      limit_(request.bounds == GANTRY_BOUNDS_TRUST ? UINT64_MAX : static_cast<uint64_t>(request.table_rows)) {}

int64_t Lookup::outside(int64_t position, int64_t index, Tally* tally) const {
  const bool is_signed = request_.index_unsigned == 0;
  if (request_.bounds == GANTRY_BOUNDS_WRAP_NEGATIVE && is_signed && index < 0 && index >= -request_.table_rows) {
    return index + request_.table_rows;
  }
  ++tally->bad_rows;
  if (position < tally->first_bad_position) {
    tally->first_bad_position = position;
    tally->first_bad_value = index;
  }
  if (request_.bounds == GANTRY_BOUNDS_CLAMP && request_.table_rows > 0) {
    return is_signed && index < 0 ? 0 : request_.table_rows - 1;
  }
  ++tally->left_out;
  return -1;
}

const Chunk& Lookup::chunk_of(int64_t row) const {
  // The last chunk that begins at or before the row: chunks without rows begin where the next one does.
  const Chunk* const end = request_.chunks + request_.chunk_count;
  const Chunk* const after = std::upper_bound(
      request_.chunks, end, row, [](int64_t wanted, const Chunk& chunk) { return wanted < chunk.first_row; });
  return after == request_.chunks ? *after : *(after - 1);
}

bool bad_rows_are_errors(const Request& request) {
  switch (request.bounds) {
    case GANTRY_BOUNDS_ERROR:
    case GANTRY_BOUNDS_WRAP_NEGATIVE:
      return true;
    case GANTRY_BOUNDS_CLAMP:
      return request.table_rows == 0;
    default:
      return false;
  }
}

}  // namespace gantry
