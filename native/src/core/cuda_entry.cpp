// The parts of the C interface that only the CUDA backend answers.
#include <cinttypes>
#include <cstdio>
#include <mutex>

#include "core/context.h"
#include "core/device.h"
#include "core/entry.h"
#include "core/environment.h"
#include "core/first_release.h"
#include "core/storage.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

// Page-locked memory begins at a page.
constexpr uint64_t kPinnedAlignment = 4096;

gantry_status pinned_allocate(void* user, const gantry_allocation* request, gantry_block* block) {
  auto* const context = static_cast<gantry_context*>(user);
  if (request->device.type != GANTRY_DEVICE_HOST && request->device.type != GANTRY_DEVICE_CUDA_HOST) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the pinned environment has page-locked host memory only; %" PRIu64
                " bytes were asked for on device type %d, id %d",
                request->bytes, request->device.type, request->device.id);
  }
  if (request->alignment > kPinnedAlignment) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "page-locked memory is aligned to %" PRIu64 " bytes; %" PRIu64 " were asked for", kPinnedAlignment,
                request->alignment);
  }
  const Backend* backend = nullptr;
  if (const gantry_status status = context->plugin->backend(&backend)) return status;
  if (const gantry_status status = backend->allocate_pinned(backend->self, request->bytes, &block->data, &fail))
    return status;
  block->bytes = request->bytes;
  return GANTRY_OK;
}

void pinned_deallocate(void* user, const gantry_allocation*, gantry_block* block) {
  auto* const context = static_cast<gantry_context*>(user);
  const Backend* backend = nullptr;
  if (context->plugin->backend(&backend) == GANTRY_OK) backend->free_pinned(backend->self, block->data);
}

gantry_status pinned_allocate_output(void* user, const gantry_allocation* request, void* slot, gantry_tensor* output) {
  return allocate_storage(static_cast<gantry_context*>(user)->pinned, *request, slot, output);
}

class Registration final : public StorageOwner {
 public:
  Registration(std::shared_ptr<Plugin> plugin, void* data) : plugin_(std::move(plugin)), data_(data) {}
  ~Registration() override {
    // Asked anew: in the child of a fork the backend is no longer to be called.
    const Backend* backend = nullptr;
    if (is_held_ && plugin_->backend(&backend) == GANTRY_OK) backend->unpin(backend->self, data_);
  }
  gantry_status hold(const Backend& backend, uint64_t bytes, bool read_only) {
    const gantry_status status = backend.pin(backend.self, data_, bytes, read_only, &fail);
    is_held_ = status == GANTRY_OK;
    return status;
  }

 private:
  // The backend is there as long as the plug-in is.
  std::shared_ptr<Plugin> plugin_;
  void* data_;
  bool is_held_ = false;
};

gantry_status check_context(const gantry_context* context) {
  if (context != nullptr) return GANTRY_OK;
  return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the context is null");
}

void describe_host(const gantry_context& context, gantry_backend_info* info) {
  const char* const isa = context.host->isa();
  std::snprintf(info->text, sizeof info->text, "The host backend is available: %s kernels on %u threads.", isa,
                context.host->threads());
  std::snprintf(info->architectures, sizeof info->architectures, "%s", isa);
}

}  // namespace

gantry_environment pinned_environment(gantry_context* context) {
  return {sizeof(gantry_environment), 0, context, pinned_allocate, pinned_deallocate, pinned_allocate_output, nullptr};
}

}  // namespace gantry

using gantry::fail;

extern "C" {

const char* gantry_reason_name(gantry_reason reason) {
  switch (reason) {
#define GANTRY_NAME(name) \
  case name:              \
    return #name
    GANTRY_NAME(GANTRY_REASON_AVAILABLE);
    GANTRY_NAME(GANTRY_REASON_PLUGIN_ABSENT);
    GANTRY_NAME(GANTRY_REASON_PLUGIN_FOREIGN);
    GANTRY_NAME(GANTRY_REASON_PLUGIN_UNLOADABLE);
    GANTRY_NAME(GANTRY_REASON_DRIVER_ABSENT);
    GANTRY_NAME(GANTRY_REASON_DRIVER_UNUSABLE);
    GANTRY_NAME(GANTRY_REASON_DRIVER_TOO_OLD);
    GANTRY_NAME(GANTRY_REASON_DRIVER_ERROR);
    GANTRY_NAME(GANTRY_REASON_NO_DEVICE);
    GANTRY_NAME(GANTRY_REASON_NO_CODE_FOR_DEVICE);
    GANTRY_NAME(GANTRY_REASON_SELF_TEST_FAILED);
#undef GANTRY_NAME
    default:
      return "unknown reason";
  }
}

gantry_status gantry_backend_query(gantry_context* context, gantry_backend backend, gantry_backend_info* out) {
  return gantry::guarded([&]() -> gantry_status {
    if (const gantry_status status = gantry::check_context(context)) return status;
    gantry_backend_info info;
    if (const gantry_status status =
            gantry::read_struct(out, &info, gantry::kFirstBackendInfo, "the place for the backend's info")) {
      return status;
    }
    info = gantry_backend_info{};
    info.struct_size = sizeof info;
    switch (backend) {
      case GANTRY_BACKEND_HOST:
        gantry::describe_host(*context, &info);
        break;
      case GANTRY_BACKEND_CUDA:
        context->plugin->query(&info);
        gantry::write_log(*context, "gantry %s: CUDA backend, %s: %s", gantry_version(),
                          gantry_reason_name(info.reason), info.text);
        break;
      default:
        return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                    "the backend %u is none of GANTRY_BACKEND_HOST (0) and "
                    "GANTRY_BACKEND_CUDA (1)",
                    backend);
    }
    gantry::write_struct(info, out);
    return GANTRY_OK;
  });
}

gantry_status gantry_environment_pinned(gantry_context* context, const gantry_environment** out) {
  return gantry::guarded([&]() -> gantry_status {
    if (out == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the place for the environment is null");
    *out = nullptr;
    if (const gantry_status status = gantry::check_context(context)) return status;
    const gantry::Backend* backend = nullptr;
    if (const gantry_status status = context->plugin->backend(&backend)) return status;
    *out = &context->pinned;
    return GANTRY_OK;
  });
}

gantry_status gantry_check(gantry_context* context, int32_t device, gantry_stream stream, gantry_stats* stats) {
  return gantry::guarded([&]() -> gantry_status {
    if (const gantry_status status = gantry::check_context(context)) return status;
    if (const gantry_status status = gantry::Activity::check(context)) return status;
    if (device < 0) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the device id is %d; it may not be negative", device);
    if (const gantry_status status = gantry::check_stream(stream, {GANTRY_DEVICE_CUDA, device})) return status;
    gantry_stats own{};
    if (stats != nullptr) {
      if (const gantry_status status =
              gantry::read_struct(stats, &own, gantry::kFirstStats, "the place for the statistics")) {
        return status;
      }
    }
    const gantry::Backend* backend = nullptr;
    if (const gantry_status status = context->plugin->backend(&backend)) return status;
    own = gantry_stats{};
    own.struct_size = sizeof own;
    own.first_bad_position = -1;
    const gantry_status status = backend->check(backend->self, device, stream, &own, &fail);
    if (stats != nullptr && (status == GANTRY_OK || status == GANTRY_ERROR_INDEX)) gantry::write_struct(own, stats);
    return status;
  });
}

gantry_status gantry_storage_pin(gantry_context* context, gantry_storage* storage) {
  return gantry::guarded([&]() -> gantry_status {
    if (const gantry_status status = gantry::check_context(context)) return status;
    if (storage == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the storage is null");
    if (storage->device.type == GANTRY_DEVICE_CUDA_HOST) return GANTRY_OK;
    if (storage->device.type != GANTRY_DEVICE_HOST) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the storage is on device type %d, id %d; only host memory is pinned",
                  storage->device.type, storage->device.id);
    }
    if (storage->bytes == 0)
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the storage has no bytes that could be pinned");
    const gantry::Backend* backend = nullptr;
    if (const gantry_status status = context->plugin->backend(&backend)) return status;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    if (storage->registration != nullptr) return GANTRY_OK;
    auto registration = std::make_unique<gantry::Registration>(context->plugin, storage->data);
    if (const gantry_status status = registration->hold(*backend, storage->bytes, storage->read_only)) return status;
    storage->registration = std::move(registration);
    // Views and exports made from now on say that the GPU reads it.
    storage->device = {GANTRY_DEVICE_CUDA_HOST, 0};
    return GANTRY_OK;
  });
}

}  // extern "C"
