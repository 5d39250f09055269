/* A libcuda.so.1 that answers as the environment says, so that every state of a driver can be had on a machine without
 * a GPU: FAKE_CU_VERSION        cuDriverGetVersion, default 13000 FAKE_CU_VERSION_CODE   what that function returns,
 * default 0 FAKE_CU_INIT           what cuInit returns, default 0 FAKE_CU_COUNT          the number of devices, default
 * 0 FAKE_CU_CAPABILITY     their compute capabilities, "7.0,9.0": device n has the n-th, or the last Its devices have a
 * description and nothing else: whatever needs a context returns CUDA_ERROR_UNKNOWN (999). */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_DEVICE = 101, UNKNOWN = 999 };

static int number(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text != NULL && text[0] != 0 ? atoi(text) : otherwise;
}

EXPORT int cuDriverGetVersion(int* version) {
  *version = number("FAKE_CU_VERSION", 13000);
  return number("FAKE_CU_VERSION_CODE", SUCCESS);
}

EXPORT int cuInit(unsigned int flags) {
  (void)flags;
  return number("FAKE_CU_INIT", SUCCESS);
}

EXPORT int cuDeviceGetCount(int* count) {
  *count = number("FAKE_CU_COUNT", 0);
  return SUCCESS;
}

EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < number("FAKE_CU_COUNT", 0) ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuDeviceGetName(char* name, int size, int device) {
  snprintf(name, (size_t)size, "Fake GPU %d", device);
  return SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const char* at = getenv("FAKE_CU_CAPABILITY");
  int major = 9;
  int minor = 0;
  if (at != NULL) {
    for (; device > 0 && strchr(at, ',') != NULL; --device) at = strchr(at, ',') + 1;
    sscanf(at, "%d.%d", &major, &minor);
  }
  *value = attribute == 75 ? major : attribute == 76 ? minor : 0;
  return SUCCESS;
}

EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = (size_t)(device + 1) << 30;
  return SUCCESS;
}

EXPORT int cuGetErrorName(int code, const char** name) {
  switch (code) {
    case 100:
      *name = "CUDA_ERROR_NO_DEVICE";
      return SUCCESS;
    case 802:
      *name = "CUDA_ERROR_SYSTEM_NOT_READY";
      return SUCCESS;
    case 803:
      *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
      return SUCCESS;
    case 999:
      *name = "CUDA_ERROR_UNKNOWN";
      return SUCCESS;
    default:
      *name = NULL;
      return INVALID_VALUE;
  }
}

EXPORT int cuCtxGetCurrent(void** context) {
  *context = NULL;
  return SUCCESS;
}

EXPORT int cuCtxSetCurrent(void* context) { return context == NULL ? SUCCESS : UNKNOWN; }

/* What the CUDA runtime asks for by name when it starts. */
static int unavailable(void) { return UNKNOWN; }

EXPORT int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, int* status) {
  int (*const get_version)(int*) = cuDriverGetVersion;
  int (*const init)(unsigned int) = cuInit;
  int (*const get_count)(int*) = cuDeviceGetCount;
  int (*const get_address)(const char*, void**, int, unsigned long long, int*) = cuGetProcAddress_v2;
  int (*const otherwise)(void) = unavailable;
  (void)version;
  (void)flags;
  if (strcmp(name, "cuDriverGetVersion") == 0) {
    memcpy(function, &get_version, sizeof get_version);
  } else if (strcmp(name, "cuInit") == 0) {
    memcpy(function, &init, sizeof init);
  } else if (strcmp(name, "cuDeviceGetCount") == 0) {
    memcpy(function, &get_count, sizeof get_count);
  } else if (strcmp(name, "cuGetProcAddress") == 0) {
    memcpy(function, &get_address, sizeof get_address);
  } else {
    memcpy(function, &otherwise, sizeof otherwise);
  }
  if (status != NULL) *status = 0;
  return SUCCESS;
}
