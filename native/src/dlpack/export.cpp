// Storage handed to others as managed tensors that hold a reference to it.
#include <cinttypes>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/first_release.h"
#include "core/storage.h"
#include "core/struct_size.h"
#include "dlpack/dlpack_abi.h"
#include "dlpack/extent.h"

namespace gantry {
namespace {

// A managed tensor with room for all that it points to.
template <class Managed>
struct Export {
  Managed managed;
  gantry_storage* storage;
  int64_t shape[GANTRY_MAX_DIMENSIONS];
  int64_t strides[GANTRY_MAX_DIMENSIONS];
};

template <class Managed>
void delete_export(Managed* managed) {
  if (managed == nullptr) {
    return;
  }
  auto* exported = static_cast<Export<Managed>*>(managed->manager_ctx);
  gantry_storage* storage = exported->storage;
  delete exported;
  gantry_storage_release(storage);
}

gantry_status check_inside(const gantry_storage& storage, const Extent& extent) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(storage.data);
  if (extent.elements > 0 && (extent.begin < begin || extent.end - begin > storage.bytes)) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "the view's elements occupy 0x%" PRIxPTR " to 0x%" PRIxPTR ", the storage 0x%" PRIxPTR " and %" PRIu64
                " bytes from there",
                extent.begin, extent.end, begin, storage.bytes);
  }
  return GANTRY_OK;
}

gantry_status check_same_device(const gantry_storage& storage, const gantry_tensor& view) {
  if (view.device.type != storage.device.type || view.device.id != storage.device.id) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the view is on device (%d, %d), the storage on (%d, %d)",
                view.device.type, view.device.id, storage.device.type, storage.device.id);
  }
  return GANTRY_OK;
}

void fill_row_major(const gantry_tensor& view, int64_t* strides) {
  int64_t step = 1;
  for (int32_t i = view.ndim - 1; i >= 0; --i) {
    strides[i] = step;
    // An empty dimension leaves sizes unchecked whose product may not fit; its strides are never used.
    if (__builtin_mul_overflow(step, view.shape[i], &step)) {
      step = 0;
    }
  }
}

// `read_only` tells what the tensor has to say; null for the form that cannot say it.
template <class Managed>
gantry_status export_managed(gantry_storage* storage, const gantry_tensor* view, bool* read_only,
                             Export<Managed>** out) {
  if (storage == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "storage is null");
  }
  gantry_tensor tensor{};
  if (gantry_status status = read_struct(view, &tensor, kFirstTensor, "view"); status != GANTRY_OK) {
    return status;
  }
  const bool protect = storage->read_only || (tensor.flags & GANTRY_TENSOR_READ_ONLY) != 0;
  if (protect && read_only == nullptr) {
    return fail(GANTRY_ERROR_READ_ONLY,
                "the %s is read-only, which DLPack before 1.0 cannot say; ask for a versioned tensor",
                storage->read_only ? "storage" : "view");
  }
  Extent extent{};
  if (gantry_status status = measure_extent(tensor, "the view", &extent); status != GANTRY_OK) {
    return status;
  }
  if (gantry_status status = check_same_device(*storage, tensor); status != GANTRY_OK) {
    return status;
  }
  if (gantry_status status = check_inside(*storage, extent); status != GANTRY_OK) {
    return status;
  }
  std::unique_ptr<Export<Managed>> exported(new (std::nothrow) Export<Managed>{});
  if (exported == nullptr) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "no memory for an exported tensor (%zu bytes)", sizeof(Export<Managed>));
  }
  DLTensor& target = exported->managed.dl_tensor;
  // The offset is added here: the producers that exist write 0 into byte_offset (dlpack.h notes it), so that a consumer
  // which forgets to read it goes unnoticed. DLPack asks for null where there are no elements.
  target.data = extent.elements == 0
                    ? nullptr
                    : reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset);
  target.byte_offset = 0;
  target.device = {tensor.device.type, tensor.device.id};
  target.ndim = tensor.ndim;
  target.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    exported->shape[i] = tensor.shape[i];
    exported->strides[i] = tensor.strides == nullptr ? 0 : tensor.strides[i];
  }
  if (tensor.strides == nullptr) {
    fill_row_major(tensor, exported->strides);
  }
  target.shape = exported->shape;
  target.strides = exported->strides;
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = delete_export<Managed>;
  gantry_storage_retain(storage);
  exported->storage = storage;
  if (read_only != nullptr) {
    *read_only = protect;
  }
  *out = exported.release();
  return GANTRY_OK;
}

}  // namespace
}  // namespace gantry

extern "C" {

gantry_status gantry_export_dlpack(gantry_storage* storage, const gantry_tensor* view, struct DLManagedTensor** out) {
  if (out == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  *out = nullptr;
  gantry::Export<DLManagedTensor>* exported = nullptr;
  if (gantry_status status = gantry::export_managed(storage, view, nullptr, &exported); status != GANTRY_OK) {
    return status;
  }
  *out = &exported->managed;
  return GANTRY_OK;
}

gantry_status gantry_export_dlpack_versioned(gantry_storage* storage, const gantry_tensor* view, int32_t is_copy,
                                             struct DLManagedTensorVersioned** out) {
  if (out == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  *out = nullptr;
  gantry::Export<DLManagedTensorVersioned>* exported = nullptr;
  bool read_only = false;
  if (gantry_status status = gantry::export_managed(storage, view, &read_only, &exported); status != GANTRY_OK) {
    return status;
  }
  exported->managed.version = {GANTRY_DLPACK_MAJOR, GANTRY_DLPACK_MINOR};
  exported->managed.flags =
      (read_only ? uint64_t{GANTRY_DLPACK_READ_ONLY} : 0u) | (is_copy != 0 ? uint64_t{GANTRY_DLPACK_IS_COPIED} : 0u);
  *out = &exported->managed;
  return GANTRY_OK;
}

}  // extern "C"
