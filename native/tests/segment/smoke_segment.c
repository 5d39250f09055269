/* A program in C: a table in shared memory, seen by a child that got its descriptor and by one that knows its name. */
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gantry/gantry.h"

#define CHECK(condition)                                                                                         \
  do {                                                                                                           \
    if (!(condition)) {                                                                                          \
      fprintf(stderr, "line %d: %s does not hold; last error: %s\n", __LINE__, #condition, gantry_last_error()); \
      return 1;                                                                                                  \
    }                                                                                                            \
  } while (0)

static int find(void* user, const gantry_segment_info* info) {
  if (strcmp(info->name, user) == 0) {
    *(char*)user = info->creator_alive == 1 && info->creator == (int32_t)getpid() ? '+' : '-';
    return 1;
  }
  return 0;
}

/* Adds the rows of what it attaches; 0 when they are 0 + 1 + ... + 11. */
static int read_in_child(const char* name, int fd) {
  gantry_segment_layout expected = {0};
  expected.struct_size = sizeof expected;
  expected.columns = 4;
  gantry_storage* storage = NULL;
  CHECK(gantry_segment_attach(name, fd, &expected, GANTRY_SEGMENT_READ_ONLY, &storage) == GANTRY_OK);
  gantry_tensor view = {0};
  view.struct_size = sizeof view;
  CHECK(gantry_segment_view(storage, &view) == GANTRY_OK);
  CHECK((view.flags & GANTRY_TENSOR_READ_ONLY) != 0);
  double sum = 0;
  for (int64_t row = 0; row < view.shape[0]; ++row) {
    for (int64_t column = 0; column < view.shape[1]; ++column) {
      sum += ((const float*)view.data)[row * view.strides[0] + column];
    }
  }
  uint64_t generation = 0;
  CHECK(gantry_segment_generation(storage, &generation) == GANTRY_OK);
  CHECK(generation == 1);
  CHECK(sum == 66);
  gantry_storage_release(storage);
  return 0;
}

static int check_child(const char* name, int fd) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(read_in_child(name, fd));
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int run(const char* name) {
  gantry_segment_layout layout = {0};
  layout.struct_size = sizeof layout;
  layout.dtype.code = GANTRY_CODE_FLOAT;
  layout.dtype.bits = 32;
  layout.dtype.lanes = 1;
  layout.rows = 3;
  layout.columns = 4;
  gantry_storage* storage = NULL;
  CHECK(gantry_segment_create(name, &layout, GANTRY_SEGMENT_EXCLUSIVE, &storage) == GANTRY_OK);
  float* rows = gantry_storage_data(storage);
  for (int i = 0; i < 12; ++i) {
    rows[i] = (float)i;
  }
  CHECK(gantry_segment_publish(storage) == GANTRY_OK);
  CHECK(check_child(NULL, gantry_segment_fd(storage)));
  if (name != NULL) {
    CHECK(check_child(name, -1));
    char found[256];
    snprintf(found, sizeof found, "%s", name);
    CHECK(gantry_segment_list(find, found) == GANTRY_OK);
    CHECK(found[0] == '+');
    CHECK(gantry_segment_unlink(name) == GANTRY_OK);
  }
  gantry_storage_release(storage);
  return 0;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/gantry-smoke.%ld", (long)getpid());
  if (run(NULL) != 0) {
    return 1;
  }
  const int failed = run(name);
  if (failed) {
    gantry_segment_unlink(name);
  }
  return failed;
}
