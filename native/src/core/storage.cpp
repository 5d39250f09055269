#include "core/storage.h"

#include <cinttypes>
#include <cstring>

#include "core/device.h"
#include "core/entry.h"
#include "core/environment.h"

namespace gantry {
namespace {

class EnvironmentOwner final : public StorageOwner {
 public:
  explicit EnvironmentOwner(const gantry_environment& environment) : environment_(environment) {}
  ~EnvironmentOwner() override {
    if (is_held_) deallocate(environment_, allocation_);
  }
  gantry_status hold(const gantry_allocation& request) {
    const gantry_status status = allocate(environment_, request, &allocation_);
    is_held_ = status == GANTRY_OK;
    return status;
  }
  void* data() const { return allocation_.block.data; }

 private:
  gantry_environment environment_;
  Allocation allocation_{};
  bool is_held_ = false;
};

class ForeignOwner final : public StorageOwner {
 public:
  ForeignOwner(void* user, void (*release)(void*)) : user_(user), release_(release) {}
  ~ForeignOwner() override { release_(user_); }

 private:
  void* user_;
  void (*release_)(void*);
};

}  // namespace
}  // namespace gantry

using gantry::fail;

extern "C" {

gantry_status gantry_storage_create(const gantry_environment* environment, uint64_t bytes, uint64_t alignment,
                                    gantry_device device, gantry_stream stream, int32_t zero, gantry_storage** out) {
  return gantry::guarded([&]() -> gantry_status {
    if (out == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the place for the storage is null");
    *out = nullptr;
    gantry_environment own;
    if (const gantry_status status = gantry::read_environment(environment, &own)) return status;
    if (const gantry_status status = gantry::check_device(device, "the storage")) return status;
    if (alignment != 0 && (alignment & (alignment - 1)) != 0) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the alignment %" PRIu64 " is no power of two", alignment);
    }
    if (bytes > INT64_MAX) {
      return fail(GANTRY_ERROR_OVERFLOW, "%" PRIu64 " bytes are more than 63 bits hold", bytes);
    }
    if (gantry::is_device_memory(device)) {
      if (zero != 0) {
        return fail(GANTRY_ERROR_UNSUPPORTED, "only host memory is zeroed here; device type %d was asked for",
                    device.type);
      }
      if (const gantry_status status = gantry::check_stream(stream, device)) return status;
    }
    auto storage = std::make_unique<gantry_storage>();
    storage->bytes = bytes;
    storage->device = device;
    if (bytes > 0) {
      gantry_allocation request{};
      request.struct_size = sizeof request;
      request.purpose = GANTRY_PURPOSE_OUTPUT;
      request.bytes = bytes;
      request.alignment = alignment != 0 ? alignment : gantry::kDefaultAlignment;
      request.device = device;
      request.stream = stream;
      auto owner = std::make_unique<gantry::EnvironmentOwner>(own);
      if (const gantry_status status = owner->hold(request)) return status;
      storage->data = owner->data();
      storage->owner = std::move(owner);
      if (zero != 0) std::memset(storage->data, 0, bytes);
    }
    *out = storage.release();
    return GANTRY_OK;
  });
}

gantry_status gantry_storage_wrap(void* data, uint64_t bytes, gantry_device device, int32_t read_only, void* user,
                                  void (*release)(void* user), gantry_storage** out) {
  return gantry::guarded([&]() -> gantry_status {
    if (out == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the place for the storage is null");
    *out = nullptr;
    if (const gantry_status status = gantry::check_device(device, "the storage")) return status;
    if (data == nullptr && bytes > 0) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the data of the storage is null with %" PRIu64 " bytes", bytes);
    }
    uint64_t end = 0;
    if (bytes > INT64_MAX || __builtin_add_overflow(reinterpret_cast<uint64_t>(data), bytes, &end)) {
      return fail(GANTRY_ERROR_OVERFLOW, "%" PRIu64 " bytes at %p are outside of the address space", bytes, data);
    }
    auto storage = std::make_unique<gantry_storage>();
    storage->data = data;
    storage->bytes = bytes;
    storage->device = device;
    storage->read_only = read_only != 0;
    if (release != nullptr) storage->owner = std::make_unique<gantry::ForeignOwner>(user, release);
    *out = storage.release();
    return GANTRY_OK;
  });
}

void gantry_storage_retain(gantry_storage* storage) {
  if (storage != nullptr) storage->references.fetch_add(1, std::memory_order_relaxed);
}

void gantry_storage_release(gantry_storage* storage) {
  if (storage != nullptr && storage->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete storage;
}

void* gantry_storage_data(const gantry_storage* storage) { return storage != nullptr ? storage->data : nullptr; }

uint64_t gantry_storage_bytes(const gantry_storage* storage) { return storage != nullptr ? storage->bytes : 0; }

gantry_device gantry_storage_device(const gantry_storage* storage) {
  return storage != nullptr ? storage->device : gantry_device{0, 0};
}

int32_t gantry_storage_read_only(const gantry_storage* storage) {
  return storage != nullptr && storage->read_only ? 1 : 0;
}

}  // extern "C"
