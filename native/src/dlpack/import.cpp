// Tensors of others: taken over from a managed tensor, or borrowed for one call.
#include <cinttypes>
#include <memory>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/first_release.h"
#include "core/storage.h"
#include "core/struct_size.h"
#include "dlpack/dlpack_abi.h"
#include "dlpack/extent.h"

namespace gantry {
namespace {

// Owns a managed tensor of either form: calls its deleter once.
template <class Managed>
class Import final : public StorageOwner {
 public:
  explicit Import(Managed* managed) : managed_(managed) {}
  Import(Import&& other) noexcept : managed_(std::exchange(other.managed_, nullptr)) {}
  ~Import() override {
    if (managed_ != nullptr && managed_->deleter != nullptr) {
      managed_->deleter(managed_);
    }
  }
  Managed* managed() const { return managed_; }

 private:
  Managed* managed_;
};

struct Reading {
  gantry_tensor tensor;
  Extent extent;
};

gantry_status read_dltensor(const DLTensor& from, uint32_t flags, Reading* out) {
  gantry_tensor& tensor = out->tensor;
  tensor.struct_size = sizeof(gantry_tensor);
  tensor.flags = flags;
  tensor.data = from.data;
  tensor.byte_offset = from.byte_offset;
  tensor.shape = from.shape;
  tensor.strides = from.strides;
  tensor.ndim = from.ndim;
  tensor.dtype = {from.dtype.code, from.dtype.bits, from.dtype.lanes};
  // The id of host memory has no meaning; producers write 0 or -1.
  const bool host = from.device.device_type == GANTRY_DEVICE_HOST || from.device.device_type == GANTRY_DEVICE_CUDA_HOST;
  tensor.device = {from.device.device_type, host ? 0 : from.device.device_id};
  return measure_extent(tensor, "the DLPack tensor", &out->extent);
}

gantry_status check_view(const gantry_tensor* view) {
  gantry_tensor known{};
  return read_struct(view, &known, kFirstTensor, "view");
}

// What differs between the two forms of managed tensors.
gantry_status read_managed(const DLManagedTensor& managed, Reading* out) {
  return read_dltensor(managed.dl_tensor, 0, out);
}

gantry_status read_managed(const DLManagedTensorVersioned& managed, Reading* out) {
  if (managed.version.major != GANTRY_DLPACK_MAJOR) {
    return fail(GANTRY_ERROR_DLPACK_VERSION, "the tensor has DLPack version %u.%u; Gantry reads versions %d.x",
                managed.version.major, managed.version.minor, GANTRY_DLPACK_MAJOR);
  }
  constexpr uint64_t kKnown = GANTRY_DLPACK_READ_ONLY | GANTRY_DLPACK_IS_COPIED | GANTRY_DLPACK_SUBBYTE_PADDED;
  if ((managed.flags & ~kKnown) != 0) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the tensor (DLPack %u.%u) has flags 0x%" PRIx64 ", of which Gantry knows 0x%" PRIx64,
                managed.version.major, managed.version.minor, managed.flags, kKnown);
  }
  if ((managed.flags & GANTRY_DLPACK_SUBBYTE_PADDED) != 0 && managed.dl_tensor.dtype.bits % 8 != 0) {
    return fail(GANTRY_ERROR_UNSUPPORTED, "the tensor pads %u bits to whole bytes; Gantry takes elements without gaps",
                managed.dl_tensor.dtype.bits);
  }
  const bool read_only = (managed.flags & GANTRY_DLPACK_READ_ONLY) != 0;
  return read_dltensor(managed.dl_tensor, read_only ? uint32_t{GANTRY_TENSOR_READ_ONLY} : 0u, out);
}

template <class Managed>
gantry_status import_managed(Managed* managed, gantry_tensor* view, gantry_storage** out) {
  if (out != nullptr) {
    *out = nullptr;
  }
  if (managed == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "managed is null");
  }
  // From here on every path ends the tensor's life or hands it to the storage.
  Import<Managed> import(managed);
  if (out == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  if (gantry_status status = check_view(view); status != GANTRY_OK) {
    return status;
  }
  Reading reading{};
  if (gantry_status status = read_managed(*managed, &reading); status != GANTRY_OK) {
    return status;
  }
  std::unique_ptr<gantry_storage> storage(new (std::nothrow) gantry_storage);
  if (storage == nullptr) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "no memory for the storage of an imported tensor (%zu bytes)",
                sizeof(gantry_storage));
  }
  storage->owner.reset(new (std::nothrow) Import<Managed>(std::move(import)));
  if (storage->owner == nullptr) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "no memory for the storage of an imported tensor (%zu bytes)",
                sizeof(Import<Managed>));
  }
  // The bytes that the elements occupy are all that a DLTensor tells about the memory behind it.
  storage->data = reinterpret_cast<void*>(reading.extent.begin);
  storage->bytes = reading.extent.end - reading.extent.begin;
  storage->device = reading.tensor.device;
  storage->read_only = (reading.tensor.flags & GANTRY_TENSOR_READ_ONLY) != 0;
  write_struct(reading.tensor, view);
  *out = storage.release();
  return GANTRY_OK;
}

}  // namespace
}  // namespace gantry

extern "C" {

gantry_status gantry_import_dlpack(struct DLManagedTensor* managed, gantry_tensor* view, gantry_storage** out) {
  return gantry::import_managed(managed, view, out);
}

gantry_status gantry_import_dlpack_versioned(struct DLManagedTensorVersioned* managed, gantry_tensor* view,
                                             gantry_storage** out) {
  return gantry::import_managed(managed, view, out);
}

gantry_status gantry_view_dltensor(const void* dltensor, gantry_tensor* view) {
  if (dltensor == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "dltensor is null");
  }
  if (gantry_status status = gantry::check_view(view); status != GANTRY_OK) {
    return status;
  }
  gantry::Reading reading{};
  if (gantry_status status = gantry::read_dltensor(*static_cast<const DLTensor*>(dltensor), 0, &reading);
      status != GANTRY_OK) {
    return status;
  }
  gantry::write_struct(reading.tensor, view);
  return GANTRY_OK;
}

}  // extern "C"
