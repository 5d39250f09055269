/* What the smoke programs share: a check that says what it saw and ends the program. */
#ifndef GANTRY_TESTS_SMOKE_CHECK_H
#define GANTRY_TESTS_SMOKE_CHECK_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <gantry/gantry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s does not hold; last error: %s\n", __FILE__, __LINE__, #condition, \
              gantry_last_error());                                                                \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* The thread sanitizer waits a second at exit when it is not told otherwise. */
#if defined(__SANITIZE_THREAD__)
__attribute__((visibility("default"))) const char* __tsan_default_options(void);
__attribute__((visibility("default"))) const char* __tsan_default_options(void) { return "atexit_sleep_ms=0"; }
#endif

static inline gantry_tensor tensor_of(void* data, gantry_dtype dtype, const int64_t* shape, int32_t ndim) {
  gantry_tensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.struct_size = sizeof tensor;
  tensor.data = data;
  tensor.shape = shape;
  tensor.ndim = ndim;
  tensor.dtype = dtype;
  tensor.device.type = GANTRY_DEVICE_HOST;
  return tensor;
}

static inline gantry_dtype float32(void) {
  const gantry_dtype dtype = {GANTRY_CODE_FLOAT, 32, 1};
  return dtype;
}

static inline gantry_dtype int64(void) {
  const gantry_dtype dtype = {GANTRY_CODE_INT, 64, 1};
  return dtype;
}

#endif
