#include <cinttypes>
#include <cstdlib>

#include "core/environment.h"
#include "core/error.h"

namespace gantry {
namespace {

gantry_status malloc_allocate(void*, const gantry_allocation* request, gantry_block* block) {
  if (request->device.type != GANTRY_DEVICE_HOST) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "the malloc environment has host memory only; %" PRIu64
                " bytes were asked for on device type %d, id %d",
                request->bytes, request->device.type, request->device.id);
  }
  const uint64_t alignment = request->alignment > kDefaultAlignment ? request->alignment : kDefaultAlignment;
  void* data = nullptr;
  if (posix_memalign(&data, alignment, request->bytes) != 0) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "malloc has no %" PRIu64 " bytes with an alignment of %" PRIu64,
                request->bytes, alignment);
  }
  block->data = data;
  block->bytes = request->bytes;
  return GANTRY_OK;
}

void malloc_deallocate(void*, const gantry_allocation*, gantry_block* block) { std::free(block->data); }

gantry_status malloc_allocate_output(void*, const gantry_allocation* request, void* slot, gantry_tensor* output) {
  return allocate_storage(*gantry_environment_malloc(), *request, slot, output);
}

}  // namespace
}  // namespace gantry

extern "C" const gantry_environment* gantry_environment_malloc(void) {
  static const gantry_environment kEnvironment = {
      sizeof(gantry_environment),     0,      nullptr, gantry::malloc_allocate, gantry::malloc_deallocate,
      gantry::malloc_allocate_output, nullptr};
  return &kEnvironment;
}
