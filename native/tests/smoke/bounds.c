/* The six policies for indices that are outside of the table. */
#include "check.h"

enum { kCount = 4 };

static gantry_context* context;
static float result[kCount];
static gantry_stats stats;

static gantry_status gather(gantry_bounds bounds, int64_t a, int64_t b, int64_t c, int64_t d) {
  float rows[4] = {10, 11, 12, 13};
  int64_t numbers[kCount] = {a, b, c, d};
  const int64_t table_shape[2] = {4, 1};
  const int64_t index_shape[1] = {kCount};
  gantry_tensor chunk = tensor_of(rows, float32(), table_shape, 2);
  gantry_tensor indices = tensor_of(numbers, int64(), index_shape, 1);
  gantry_tensor output = tensor_of(result, float32(), index_shape, 1);
  const gantry_table table = {sizeof table, 1, &chunk};
  gantry_options options;
  int i;
  memset(&options, 0, sizeof options);
  memset(&stats, 0, sizeof stats);
  options.struct_size = sizeof options;
  options.bounds = bounds;
  options.stats = &stats;
  stats.struct_size = sizeof stats;
  for (i = 0; i < kCount; ++i) result[i] = -1;
  return gantry_gather(context, &table, &indices, &output, &options, NULL, NULL);
}

static int is(float a, float b, float c, float d) {
  return result[0] == a && result[1] == b && result[2] == c && result[3] == d;
}

int main(void) {
  CHECK(gantry_open(GANTRY_ABI_VERSION, NULL, &context) == GANTRY_OK);

  CHECK(gather(GANTRY_BOUNDS_ERROR, 3, 0, 4, -1) == GANTRY_ERROR_INDEX);
  CHECK(result[0] == 13 && result[1] == 10);
  CHECK(stats.bad_rows == 2 && stats.first_bad_position == 2 && stats.first_bad_value == 4);
  CHECK(strstr(gantry_last_error(), "index 4 at position 2") != NULL);

  CHECK(gather(GANTRY_BOUNDS_SKIP, 3, 4, -1, 1) == GANTRY_OK);
  CHECK(is(13, -1, -1, 11) && stats.rows == 2 && stats.bad_rows == 2);

  CHECK(gather(GANTRY_BOUNDS_ZERO, 3, 4, -1, 1) == GANTRY_OK);
  CHECK(is(13, 0, 0, 11) && stats.bad_rows == 2);

  CHECK(gather(GANTRY_BOUNDS_CLAMP, 3, 400, -400, 1) == GANTRY_OK);
  CHECK(is(13, 13, 10, 11) && stats.rows == 4);

  CHECK(gather(GANTRY_BOUNDS_WRAP_NEGATIVE, -1, -4, 0, 2) == GANTRY_OK);
  CHECK(is(13, 10, 10, 12) && stats.bad_rows == 0);
  CHECK(gather(GANTRY_BOUNDS_WRAP_NEGATIVE, 0, -5, 0, 0) == GANTRY_ERROR_INDEX);
  CHECK(stats.first_bad_position == 1 && stats.first_bad_value == -5);

  CHECK(gather(GANTRY_BOUNDS_TRUST, 2, 1, 0, 3) == GANTRY_OK);
  CHECK(is(12, 11, 10, 13));

  CHECK(gantry_close(context) == GANTRY_OK);
  return 0;
}
