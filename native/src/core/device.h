// Where memory is, and where an op runs because of it.
#ifndef GANTRY_CORE_DEVICE_H
#define GANTRY_CORE_DEVICE_H

#include "core/tensor.h"

namespace gantry {

// Memory that kernels of the GPU write and that host ops do not touch.
inline bool is_device_memory(gantry_device device) {
  return device.type == GANTRY_DEVICE_CUDA || device.type == GANTRY_DEVICE_CUDA_MANAGED;
}

gantry_status check_device(gantry_device device, const char* name);

// A null stream is refused; `device` is for the text.
gantry_status check_stream(gantry_stream stream, gantry_device device);

// Where an op runs: on the host until device memory is seen, then on its device. Pageable host memory and device
// memory, or two devices, do not go together.
class Placement {
 public:
  gantry_status add(const Tensor& tensor, const Name& name);
  bool on_device() const { return device_.type == GANTRY_DEVICE_CUDA; }
  gantry_device device() const { return device_; }

 private:
  gantry_device device_{GANTRY_DEVICE_HOST, 0};
  bool has_pageable_ = false;
};

}  // namespace gantry

#endif
