// The temporary memory of one op, out of the caller's environment.
#ifndef GANTRY_CORE_SCRATCH_H
#define GANTRY_CORE_SCRATCH_H

#include "core/backend.h"
#include "core/environment.h"

namespace gantry {

// Records its blocks in itself, so that an op needs no other memory, and gives them back when it ends: the last one
// first.
class ScratchBlocks {
 public:
  ScratchBlocks(const gantry_environment& environment, gantry_stream stream)
      : environment_(environment), stream_(stream) {}
  ~ScratchBlocks();
  ScratchBlocks(const ScratchBlocks&) = delete;
  ScratchBlocks& operator=(const ScratchBlocks&) = delete;

  gantry_status allocate(uint64_t bytes, uint64_t alignment, gantry_device device, gantry_purpose purpose, void** out);

  // As the backend sees it.
  Scratch view();

  // What was asked for, all blocks together.
  uint64_t bytes() const { return bytes_; }

  static constexpr uint32_t kMost = 32;

 private:
  const gantry_environment& environment_;
  gantry_stream stream_;
  uint32_t count_ = 0;
  uint64_t bytes_ = 0;
  Allocation blocks_[kMost];
};

}  // namespace gantry

#endif
