// From an index to a row, by the bounds policy, and from a row to its address.
#ifndef GANTRY_HOST_LOOKUP_H
#define GANTRY_HOST_LOOKUP_H

#include <string.h>

#include "core/backend.h"
#include "host/kernels.h"

namespace gantry {

// What one lane saw. Without initial values: ops keep one for every lane that there could be.
struct alignas(64) Tally {
  int64_t bad_rows;
  int64_t first_bad_position;
  int64_t first_bad_value;
  int64_t left_out;  // of the bad rows: those that no row of the table was used for
  int64_t zeroed;    // of those left out

  void add(const Tally& other);
};
constexpr Tally kNothingSeen = {0, INT64_MAX, 0, 0, 0};

class Lookup {
 public:
  explicit Lookup(const Request& request);

  // The row for the index at `position`; negative: it is left out.
  int64_t row(int64_t position, Tally* tally) const {
    const int64_t index = load(position);
    return static_cast<uint64_t>(index) < limit_ ? index : outside(position, index, tally);
  }

  // The index at `position`: unsigned ones of 64 bits above the signed maximum are negative here.
  int64_t load(int64_t position) const {
    const char* const from = request_.indices + position * request_.index_stride_bytes;
    if (request_.index_bytes == 8) {
      int64_t index;
      memcpy(&index, from, sizeof(index));
      return index;
    }
    uint32_t index;
    memcpy(&index, from, sizeof(index));
    return request_.index_unsigned != 0 ? static_cast<int64_t>(index) : static_cast<int32_t>(index);
  }

  char* address(int64_t row) const {
    const Chunk& chunk = request_.chunk_count == 1 ? request_.chunks[0] : chunk_of(row);
    return chunk.data + (row - chunk.first_row) * chunk.row_stride_bytes;
  }

  // The first row that is outside: more than the table has when nothing is to be checked.
  uint64_t limit() const { return limit_; }

 private:
  int64_t outside(int64_t position, int64_t index, Tally* tally) const;
  const Chunk& chunk_of(int64_t row) const;

  const Request& request_;
  const uint64_t limit_;
};

// Whether bad rows make the op fail.
bool bad_rows_are_errors(const Request& request);

}  // namespace gantry

#endif
