// Counted memory: what segments, tables and exported tensors hold.
#ifndef GANTRY_CORE_STORAGE_H
#define GANTRY_CORE_STORAGE_H

#include <atomic>
#include <memory>

#include "gantry/gantry.h"

namespace gantry {

// Ends the memory's life at the last release.
class StorageOwner {
 public:
  virtual ~StorageOwner() = default;
};

}  // namespace gantry

struct gantry_storage {
  std::atomic<int64_t> references{1};
  void* data = nullptr;
  uint64_t bytes = 0;
  gantry_device device{GANTRY_DEVICE_HOST, 0};
  bool read_only = false;
  std::unique_ptr<gantry::StorageOwner> owner;
  // Of gantry_storage_pin; it ends before the memory does.
  std::unique_ptr<gantry::StorageOwner> registration;
};

#endif
