/* Two rows of a known table of four rows and three columns. */
#include "check.h"

int main(void) {
  float rows[4][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}};
  int64_t numbers[2] = {3, 1};
  float result[2][3] = {{-1, -1, -1}, {-1, -1, -1}};
  const float expected[2][3] = {{30, 31, 32}, {10, 11, 12}};
  const int64_t table_shape[2] = {4, 3};
  const int64_t index_shape[1] = {2};
  const int64_t result_shape[2] = {2, 3};
  gantry_tensor chunk = tensor_of(rows, float32(), table_shape, 2);
  gantry_tensor indices = tensor_of(numbers, int64(), index_shape, 1);
  gantry_tensor output = tensor_of(result, float32(), result_shape, 2);
  const gantry_table table = {sizeof table, 1, &chunk};
  gantry_context* context = NULL;

  CHECK(gantry_open(GANTRY_ABI_VERSION, NULL, &context) == GANTRY_OK);
  CHECK(gantry_gather(context, &table, &indices, &output, NULL, NULL, NULL) == GANTRY_OK);
  CHECK(memcmp(result, expected, sizeof expected) == 0);
  CHECK(gantry_scatter_add(context, &output, &indices, &table, NULL, NULL, NULL) == GANTRY_OK);
  CHECK(rows[0][2] == 2 && rows[1][0] == 20 && rows[2][1] == 21 && rows[3][2] == 64);
  CHECK(gantry_close(context) == GANTRY_OK);
  return 0;
}
