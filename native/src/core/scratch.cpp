#include "core/scratch.h"

#include "core/error.h"

namespace gantry {

ScratchBlocks::~ScratchBlocks() {
  while (count_ > 0) deallocate(environment_, blocks_[--count_]);
}

gantry_status ScratchBlocks::allocate(uint64_t bytes, uint64_t alignment, gantry_device device, gantry_purpose purpose,
                                      void** out) {
  if (count_ == kMost) {
    return fail(GANTRY_ERROR_INTERNAL, "an op asked for more than %u blocks of scratch", kMost);
  }
  gantry_allocation request{};
  request.struct_size = sizeof request;
  request.purpose = purpose;
  request.bytes = bytes;
  request.alignment = alignment;
  request.device = device;
  request.stream = stream_;
  if (const gantry_status status = gantry::allocate(environment_, request, &blocks_[count_])) return status;
  *out = blocks_[count_++].block.data;
  bytes_ += bytes;
  return GANTRY_OK;
}

Scratch ScratchBlocks::view() {
  return {this,
          [](void* self, uint64_t bytes, uint64_t alignment, gantry_device device, gantry_purpose purpose, void** out) {
            return static_cast<ScratchBlocks*>(self)->allocate(bytes, alignment, device, purpose, out);
          }};
}

}  // namespace gantry
