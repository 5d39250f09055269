/* unload_test LIBRARY: the library is loaded, used by several threads, and closed with dlclose, in every other round
 * with its context still open. The threads that then sleep in its code, the handler of fork and what the caller still
 * holds must not be pulled away from under the process. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gantry/gantry.h"

#define ROWS 65536
#define COLUMNS 16

#define CHECK(condition)                                                  \
  if (!(condition)) {                                                     \
    fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
    return 1;                                                             \
  }

/* Lines of a file of /proc that contain `text`. */
static int count_lines(const char* path, const char* text) {
  char line[4096];
  int count = 0;
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof(line), file) != NULL) count += strstr(line, text) != NULL;
  fclose(file);
  return count;
}

/* A thread that has been joined is still counted for a moment. */
static int has_one_thread(void) {
  for (int k = 0; k < 2000; ++k) {
    if (count_lines("/proc/self/status", "Threads:\t1\n") == 1) return 1;
    usleep(1000);
  }
  return 0;
}

static gantry_tensor tensor_of(void* data, const int64_t* shape, int32_t dimensions, uint8_t code, uint8_t bits) {
  gantry_tensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.struct_size = sizeof(tensor);
  tensor.data = data;
  tensor.shape = shape;
  tensor.ndim = dimensions;
  tensor.dtype.code = code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.device.type = GANTRY_DEVICE_HOST;
  return tensor;
}

/* A function of the library; C has no cast from an object's address to a function's. */
#define FIND(type, name)                    \
  type name;                                \
  *(void**)(&name) = dlsym(library, #name); \
  CHECK(name != NULL)

typedef gantry_status (*open_function)(uint32_t, const gantry_open_options*, gantry_context**);
typedef gantry_status (*close_function)(gantry_context*);
typedef gantry_status (*gather_function)(gantry_context*, const gantry_table*, const gantry_tensor*, gantry_tensor*,
                                         const gantry_options*, const gantry_environment*, gantry_stream);

static int use(const char* path, int is_context_left_open) {
  static float rows[ROWS * COLUMNS];
  static float gathered[ROWS * COLUMNS];
  static int64_t indices[ROWS];
  const int64_t shape[2] = {ROWS, COLUMNS};
  for (int k = 0; k < ROWS; ++k) {
    rows[k * COLUMNS] = (float)k;
    indices[k] = ROWS - 1 - k;
  }
  memset(gathered, 0, sizeof(gathered));

  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  FIND(open_function, gantry_open)
  FIND(close_function, gantry_close)
  FIND(gather_function, gantry_gather)

  gantry_open_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.threads = 4;
  gantry_context* context = NULL;
  CHECK(gantry_open(GANTRY_ABI_VERSION, &options, &context) == GANTRY_OK);
  const gantry_tensor chunk = tensor_of(rows, shape, 2, GANTRY_CODE_FLOAT, 32);
  const gantry_tensor index = tensor_of(indices, shape, 1, GANTRY_CODE_INT, 64);
  gantry_tensor output = tensor_of(gathered, shape, 2, GANTRY_CODE_FLOAT, 32);
  gantry_table table;
  memset(&table, 0, sizeof(table));
  table.struct_size = sizeof(table);
  table.chunk_count = 1;
  table.chunks = &chunk;
  CHECK(gantry_gather(context, &table, &index, &output, NULL, NULL, NULL) == GANTRY_OK);
  CHECK(gathered[0] == (float)(ROWS - 1) && gathered[(ROWS - 1) * COLUMNS] == 0.0f);
  CHECK(count_lines("/proc/self/status", "Threads:\t4\n") == 1);
  if (!is_context_left_open) {
    CHECK(gantry_close(context) == GANTRY_OK);
    CHECK(has_one_thread());
  }
  CHECK(dlclose(library) == 0);
  CHECK(count_lines("/proc/self/maps", "libgantry.so") > 0);
  if (is_context_left_open) {
    memset(gathered, 0, sizeof(gathered));
    CHECK(gantry_gather(context, &table, &index, &output, NULL, NULL, NULL) == GANTRY_OK);
    CHECK(gathered[0] == (float)(ROWS - 1));
    CHECK(gantry_close(context) == GANTRY_OK);
    CHECK(has_one_thread());
  }
  return 0;
}

int main(int count, char** arguments) {
  CHECK(count == 2);
  alarm(60);
  for (int round = 0; round < 5; ++round) {
    if (use(arguments[1], round % 2) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  return 0;
}
