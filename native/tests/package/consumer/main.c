/* A program of somebody else's: gathers three rows and prints them, with the library's interface and name. */
#include <gantry/gantry.h>
#include <stdio.h>

static gantry_tensor tensor(void* data, const int64_t* shape, int32_t ndim, gantry_dtype dtype) {
  gantry_tensor made = {0};
  made.struct_size = sizeof made;
  made.data = data;
  made.shape = shape;
  made.ndim = ndim;
  made.dtype = dtype;
  made.device.type = GANTRY_DEVICE_HOST;
  return made;
}

int main(void) {
  static float rows[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  static int64_t numbers[3] = {3, 0, 2};
  static float gathered[3][2];
  const int64_t table_shape[2] = {4, 2}, index_shape[1] = {3}, output_shape[2] = {3, 2};
  const gantry_dtype float32 = {GANTRY_CODE_FLOAT, 32, 1}, int64 = {GANTRY_CODE_INT, 64, 1};
  gantry_tensor chunk = tensor(rows, table_shape, 2, float32);
  gantry_tensor indices = tensor(numbers, index_shape, 1, int64);
  gantry_tensor output = tensor(gathered, output_shape, 2, float32);
  gantry_table table = {0};
  gantry_context* context = NULL;
  table.struct_size = sizeof table;
  table.chunk_count = 1;
  table.chunks = &chunk;
  if (gantry_open(GANTRY_ABI_VERSION, NULL, &context) != GANTRY_OK ||
      gantry_gather(context, &table, &indices, &output, NULL, NULL, NULL) != GANTRY_OK) {
    fprintf(stderr, "%s\n", gantry_last_error());
    return 1;
  }
  printf("%s %u:", gantry_version(), (unsigned)(gantry_abi_version() >> 16));
  for (int i = 0; i < 3; ++i) printf(" %g %g", (double)gathered[i][0], (double)gathered[i][1]);
  printf("\n");
  return gantry_close(context) == GANTRY_OK ? 0 : 1;
}
