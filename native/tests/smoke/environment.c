/* All memory comes from the caller's environment, and all of it goes back, also when a callback fails. */
#include "check.h"

enum { kRows = 20000, kChunks = 10, kCount = 200000 };

typedef struct balance {
  int allocations;
  int held;
  int fail_at;
} balance;

static gantry_status allocate(void* user, const gantry_allocation* request, gantry_block* block) {
  balance* const self = user;
  if (self->allocations == self->fail_at) return GANTRY_ERROR_OUT_OF_MEMORY;
  if (posix_memalign(&block->data, request->alignment < 64 ? 64 : request->alignment, request->bytes) != 0) {
    return GANTRY_ERROR_OUT_OF_MEMORY;
  }
  block->bytes = request->bytes;
  ++self->allocations;
  ++self->held;
  return GANTRY_OK;
}

static void deallocate(void* user, const gantry_allocation* request, gantry_block* block) {
  balance* const self = user;
  (void)request;
  --self->held;
  free(block->data);
}

int main(void) {
  float* const rows = calloc((size_t)kRows * kChunks, sizeof *rows);
  float* const source = malloc(kCount * sizeof *source);
  int64_t* const numbers = malloc(kCount * sizeof *numbers);
  const int64_t chunk_shape[2] = {kRows, 1};
  const int64_t index_shape[1] = {kCount};
  gantry_tensor chunks[kChunks];
  gantry_tensor indices;
  gantry_tensor values;
  gantry_table table;
  gantry_environment environment;
  balance counters = {0, 0, -1};
  gantry_context* context = NULL;
  gantry_storage* storage = NULL;
  int needed;
  int i;
  CHECK(rows != NULL && source != NULL && numbers != NULL);
  for (i = 0; i < kCount; ++i) {
    source[i] = 1;
    numbers[i] = (int64_t)i * 7 % (kRows * kChunks);
  }
  for (i = 0; i < kChunks; ++i) chunks[i] = tensor_of(rows + (size_t)i * kRows, float32(), chunk_shape, 2);
  indices = tensor_of(numbers, int64(), index_shape, 1);
  values = tensor_of(source, float32(), index_shape, 1);
  table.struct_size = sizeof table;
  table.chunk_count = kChunks;
  table.chunks = chunks;
  memset(&environment, 0, sizeof environment);
  environment.struct_size = sizeof environment;
  environment.user = &counters;
  environment.allocate = allocate;
  environment.deallocate = deallocate;

  CHECK(gantry_open(GANTRY_ABI_VERSION, NULL, &context) == GANTRY_OK);
  CHECK(gantry_scatter_add(context, &values, &indices, &table, NULL, &environment, NULL) == GANTRY_OK);
  needed = counters.allocations;
  CHECK(needed > 0 && counters.held == 0);
  CHECK(rows[0] == 1 && rows[kRows * kChunks - 1] == 1);
  for (i = 0; i < needed; ++i) {
    counters.allocations = 0;
    counters.fail_at = i;
    CHECK(gantry_scatter_add(context, &values, &indices, &table, NULL, &environment, NULL) ==
          GANTRY_ERROR_OUT_OF_MEMORY);
    CHECK(counters.allocations == i && counters.held == 0);
  }
  CHECK(rows[0] == 1 && rows[kRows * kChunks - 1] == 1);

  counters.fail_at = -1;
  CHECK(gantry_storage_create(&environment, 100, 0, values.device, NULL, 1, &storage) == GANTRY_OK);
  CHECK(counters.held == 1);
  gantry_storage_release(storage);
  CHECK(counters.held == 0);
  CHECK(gantry_close(context) == GANTRY_OK);
  free(numbers);
  free(source);
  free(rows);
  return 0;
}
