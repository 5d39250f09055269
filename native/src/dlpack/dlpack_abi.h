/* SPDX-License-Identifier: Apache-2.0
 *
 * The binary interface of DLPack 1.x, as far as Gantry reads and writes it; valid C11 and C++17. Declared here so that
 * the build needs no header of a framework. tests/dlpack/layout.cpp compares every size and offset with a dlpack.h that
 * is given to it.
 *
 * Source of the facts: dlpack.h 1.1 (dmlc/dlpack) and 1.3 (torch 2.14, ATen/dlpack.h).
 */
#ifndef GANTRY_DLPACK_DLPACK_ABI_H
#define GANTRY_DLPACK_DLPACK_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What Gantry writes into the tensors that it exports: strides are always given, as 1.2 began to ask. */
enum { GANTRY_DLPACK_MAJOR = 1, GANTRY_DLPACK_MINOR = 3 };

typedef struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct DLDevice {
  int32_t device_type; /* DLDeviceType, an enum of 32 bits */
  int32_t device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/* The first element is at data + byte_offset; strides count elements. Before 1.2 null strides meant row-major without
 * gaps. */
typedef struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

/* The form before 1.0; capsules named "dltensor". */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self); /* may be null */
} DLManagedTensor;

enum {
  GANTRY_DLPACK_READ_ONLY = 1u << 0,
  GANTRY_DLPACK_IS_COPIED = 1u << 1,
  GANTRY_DLPACK_SUBBYTE_PADDED = 1u << 2 /* elements of less than 8 bits take a byte each */
};

/* Capsules named "dltensor_versioned". Of another major version only the members up to `flags` may be touched. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self); /* may be null */
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* The exchange API (1.3): a capsule named "dlpack_exchange_api" in the attribute `__dlpack_c_exchange_api__` of a
 * tensor's type. A table of another major version may lead to one of ours by `prev_api`. The table lives as long as the
 * process. Functions return 0, or -1 with an error set: Python's, or by `set_error`. None of them synchronizes streams.
 */
typedef struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  struct DLPackExchangeAPIHeader* prev_api;
} DLPackExchangeAPIHeader;

typedef struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  /* A new tensor by the framework's allocator; of the prototype dtype, ndim, shape and device are read. */
  int (*managed_tensor_allocator)(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_context,
                                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*managed_tensor_from_py_object_no_sync)(void* py_object, DLManagedTensorVersioned** out);
  /* Takes the tensor over. */
  int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned* tensor, void** out_py_object);
  /* Borrows: `out` is valid while the object is alive and unchanged. May be null. */
  int (*dltensor_from_py_object_no_sync)(void* py_object, DLTensor* out);
  int (*current_work_stream)(int32_t device_type, int32_t device_id, void** out_stream);
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif

#endif /* GANTRY_DLPACK_DLPACK_ABI_H */
