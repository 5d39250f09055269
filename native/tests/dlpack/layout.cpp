// Compares the library's declaration of DLPack with a real dlpack.h, at compile time. The test is skipped where none
// was given.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "dlpack/dlpack_abi.h"
#include "gantry/gantry.h"

#ifdef GANTRY_TEST_DLPACK_HEADER

namespace reference {
#include GANTRY_TEST_DLPACK_HEADER
}

#define SAME_SIZE(type) static_assert(sizeof(::type) == sizeof(reference::type), "size of " #type)
#define SAME_PLACE(type, member)                                                                                   \
  static_assert(                                                                                                   \
      offsetof(::type, member) == offsetof(reference::type, member) &&                                             \
          sizeof(static_cast<::type*>(nullptr)->member) == sizeof(static_cast<reference::type*>(nullptr)->member), \
      #type "." #member)

SAME_SIZE(DLDevice);
SAME_PLACE(DLDevice, device_type);
SAME_PLACE(DLDevice, device_id);
SAME_SIZE(DLDataType);
SAME_PLACE(DLDataType, code);
SAME_PLACE(DLDataType, bits);
SAME_PLACE(DLDataType, lanes);
SAME_SIZE(DLTensor);
SAME_PLACE(DLTensor, data);
SAME_PLACE(DLTensor, device);
SAME_PLACE(DLTensor, ndim);
SAME_PLACE(DLTensor, dtype);
SAME_PLACE(DLTensor, shape);
SAME_PLACE(DLTensor, strides);
SAME_PLACE(DLTensor, byte_offset);
SAME_SIZE(DLManagedTensor);
SAME_PLACE(DLManagedTensor, dl_tensor);
SAME_PLACE(DLManagedTensor, manager_ctx);
SAME_PLACE(DLManagedTensor, deleter);

#ifdef DLPACK_FLAG_BITMASK_READ_ONLY
SAME_SIZE(DLPackVersion);
SAME_PLACE(DLPackVersion, major);
SAME_PLACE(DLPackVersion, minor);
SAME_SIZE(DLManagedTensorVersioned);
SAME_PLACE(DLManagedTensorVersioned, version);
SAME_PLACE(DLManagedTensorVersioned, manager_ctx);
SAME_PLACE(DLManagedTensorVersioned, deleter);
SAME_PLACE(DLManagedTensorVersioned, flags);
SAME_PLACE(DLManagedTensorVersioned, dl_tensor);
static_assert(GANTRY_DLPACK_MAJOR == DLPACK_MAJOR_VERSION, "major version");
static_assert(GANTRY_DLPACK_READ_ONLY == DLPACK_FLAG_BITMASK_READ_ONLY, "read-only");
static_assert(GANTRY_DLPACK_IS_COPIED == DLPACK_FLAG_BITMASK_IS_COPIED, "is copied");
#endif

#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MINOR_VERSION >= 1
static_assert(int{GANTRY_CODE_BOOL} == int{reference::kDLBool}, "kDLBool");
static_assert(GANTRY_DLPACK_SUBBYTE_PADDED == DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, "padded");
#endif

#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MINOR_VERSION >= 3
SAME_SIZE(DLPackExchangeAPIHeader);
SAME_PLACE(DLPackExchangeAPIHeader, version);
SAME_PLACE(DLPackExchangeAPIHeader, prev_api);
SAME_SIZE(DLPackExchangeAPI);
SAME_PLACE(DLPackExchangeAPI, header);
SAME_PLACE(DLPackExchangeAPI, managed_tensor_allocator);
SAME_PLACE(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync);
SAME_PLACE(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync);
SAME_PLACE(DLPackExchangeAPI, dltensor_from_py_object_no_sync);
SAME_PLACE(DLPackExchangeAPI, current_work_stream);
#endif

#define SAME_VALUE(ours, theirs) static_assert(int{ours} == int{reference::theirs}, #theirs)
SAME_VALUE(GANTRY_CODE_INT, kDLInt);
SAME_VALUE(GANTRY_CODE_UINT, kDLUInt);
SAME_VALUE(GANTRY_CODE_FLOAT, kDLFloat);
SAME_VALUE(GANTRY_CODE_RAW, kDLOpaqueHandle);
SAME_VALUE(GANTRY_CODE_BFLOAT, kDLBfloat);
SAME_VALUE(GANTRY_CODE_COMPLEX, kDLComplex);
SAME_VALUE(GANTRY_DEVICE_HOST, kDLCPU);
SAME_VALUE(GANTRY_DEVICE_CUDA, kDLCUDA);
SAME_VALUE(GANTRY_DEVICE_CUDA_HOST, kDLCUDAHost);
SAME_VALUE(GANTRY_DEVICE_CUDA_MANAGED, kDLCUDAManaged);

int main() {
  std::printf("every size and offset agrees with " GANTRY_TEST_DLPACK_HEADER "\n");
  return 0;
}

#else

int main() {
  std::printf("skipped: configure with GANTRY_TEST_DLPACK_HEADER=<a dlpack.h> to compare with it\n");
  return 77;
}

#endif
