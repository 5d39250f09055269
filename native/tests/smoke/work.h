/* Work for several threads, with its result checked. */
#ifndef GANTRY_TESTS_SMOKE_WORK_H
#define GANTRY_TESTS_SMOKE_WORK_H

#include "check.h"

static inline gantry_context* open_with_threads(void) {
  gantry_context* context = NULL;
  gantry_open_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.threads = 4;
  CHECK(gantry_open(GANTRY_ABI_VERSION, &options, &context) == GANTRY_OK);
  CHECK(gantry_threads(context) == 4);
  return context;
}

static inline int gather_many(gantry_context* context) {
  enum { kRows = 1000, kColumns = 64, kCount = 40000 };
  static float rows[kRows][kColumns];
  static float result[kCount][kColumns];
  static int64_t numbers[kCount];
  const int64_t table_shape[2] = {kRows, kColumns};
  const int64_t index_shape[1] = {kCount};
  const int64_t result_shape[2] = {kCount, kColumns};
  gantry_tensor chunk = tensor_of(rows, float32(), table_shape, 2);
  gantry_tensor indices = tensor_of(numbers, int64(), index_shape, 1);
  gantry_tensor output = tensor_of(result, float32(), result_shape, 2);
  const gantry_table table = {sizeof table, 1, &chunk};
  int i;
  for (i = 0; i < kRows; ++i) rows[i][0] = rows[i][kColumns - 1] = (float)i;
  for (i = 0; i < kCount; ++i) numbers[i] = (int64_t)i * 17 % kRows;
  memset(result, 0xff, sizeof result);
  if (gantry_gather(context, &table, &indices, &output, NULL, NULL, NULL) != GANTRY_OK) return 0;
  for (i = 0; i < kCount; ++i) {
    if (result[i][0] != (float)numbers[i] || result[i][kColumns - 1] != (float)numbers[i]) return 0;
  }
  return 1;
}

#endif
