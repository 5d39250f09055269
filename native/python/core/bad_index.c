/* Which index was outside of a table. The library would tell it in statistics, but these cost each call two readings of the clock,
 * which is noticeable beside an op of a few rows: so it is looked for only when an op has failed. */
#include <string.h>

#include "binding.h"

static int64_t index_at(const gantry_tensor* indices, int64_t position) {
  const int64_t stride = indices->ndim == 1 && indices->strides != NULL ? indices->strides[0] : 1;
  const char* place = (const char*)indices->data + indices->byte_offset + position * stride * (indices->dtype.bits / 8);
  if (indices->dtype.bits == 64) {
    int64_t value;
    memcpy(&value, place, sizeof value);
    return value;
  }
  if (indices->dtype.code == GANTRY_CODE_UINT) {
    uint32_t value;
    memcpy(&value, place, sizeof value);
    return value;
  }
  int32_t value;
  memcpy(&value, place, sizeof value);
  return value;
}

int find_bad_index(const gantry_table* table, const gantry_tensor* indices, gantry_bounds bounds, int64_t* position,
                   int64_t* value) {
  int64_t rows = 0;
  int64_t count = 1;
  for (uint32_t i = 0; i < table->chunk_count; ++i) {
    rows += table->chunks[i].shape[0];
  }
  for (int32_t i = 0; i < indices->ndim; ++i) {
    count *= indices->shape[i];
  }
  /* Unsigned values above the signed maximum are outside of every table; as signed ones they are negative. */
  const int64_t lowest = bounds == GANTRY_BOUNDS_WRAP_NEGATIVE && indices->dtype.code == GANTRY_CODE_INT ? -rows : 0;
  for (*position = 0; *position < count; ++*position) {
    *value = index_at(indices, *position);
    if (*value < lowest || *value >= rows) {
      return 1;
    }
  }
  return 0;
}
