/* A program in C: a tensor goes through the library and comes back with its rows; every deleter runs once. */
#include <stdio.h>

#include "dlpack/dlpack_abi.h"
#include "gantry/gantry.h"

#define CHECK(condition)                                                                                         \
  do {                                                                                                           \
    if (!(condition)) {                                                                                          \
      fprintf(stderr, "line %d: %s does not hold; last error: %s\n", __LINE__, #condition, gantry_last_error()); \
      return 1;                                                                                                  \
    }                                                                                                            \
  } while (0)

static int deletions = 0;

static void count_legacy(struct DLManagedTensor* self) {
  (void)self;
  ++deletions;
}

static void count_versioned(struct DLManagedTensorVersioned* self) {
  (void)self;
  ++deletions;
}

int main(void) {
  float rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  DLTensor tensor = {rows, {GANTRY_DEVICE_HOST, 0}, 2, {GANTRY_CODE_FLOAT, 32, 1}, shape, strides, 0};
  gantry_tensor view = {0};
  view.struct_size = sizeof view;
  CHECK(gantry_view_dltensor(&tensor, &view) == GANTRY_OK);
  CHECK(view.data == rows && view.ndim == 2);

  DLManagedTensor legacy = {tensor, NULL, count_legacy};
  gantry_storage* storage = NULL;
  CHECK(gantry_import_dlpack(&legacy, &view, &storage) == GANTRY_OK);
  CHECK(gantry_storage_bytes(storage) == sizeof rows);

  view.byte_offset = 3 * sizeof(float);
  int64_t one_row[2] = {1, 3};
  view.shape = one_row;
  struct DLManagedTensorVersioned* exported = NULL;
  CHECK(gantry_export_dlpack_versioned(storage, &view, 0, &exported) == GANTRY_OK);
  gantry_storage_release(storage);
  CHECK(deletions == 0);
  CHECK(exported->version.major == 1 && exported->flags == 0);
  const float* row = exported->dl_tensor.data;
  CHECK(row[0] == 4 && row[1] == 5 && row[2] == 6);
  exported->deleter(exported);
  CHECK(deletions == 1);

  DLManagedTensorVersioned foreign = {{2, 0}, NULL, count_versioned, 0, tensor};
  CHECK(gantry_import_dlpack_versioned(&foreign, &view, &storage) == GANTRY_ERROR_DLPACK_VERSION);
  CHECK(deletions == 2 && storage == NULL);
  return 0;
}
