#include "core/device.h"

namespace gantry {

gantry_status check_device(gantry_device device, const char* name) {
  switch (device.type) {
    case GANTRY_DEVICE_HOST:
    case GANTRY_DEVICE_CUDA:
    case GANTRY_DEVICE_CUDA_HOST:
    case GANTRY_DEVICE_CUDA_MANAGED:
      break;
    default:
      return fail(GANTRY_ERROR_UNSUPPORTED,
                  "the device type of %s is %d; host (1), CUDA (2), CUDA host (3) and CUDA managed (13) are known",
                  name, device.type);
  }
  if (device.id < 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the device id of %s is %d; it may not be negative", name, device.id);
  }
  return GANTRY_OK;
}

gantry_status check_stream(gantry_stream stream, gantry_device device) {
  if (stream != nullptr) return GANTRY_OK;
  return fail(GANTRY_ERROR_INVALID_ARGUMENT,
              "the stream is null for memory of CUDA device %d; GANTRY_STREAM_LEGACY names the legacy default stream",
              device.id);
}

gantry_status Placement::add(const Tensor& tensor, const Name& name) {
  const gantry_device device = tensor.given.device;
  if (device.type == GANTRY_DEVICE_HOST && device.id >= 0) {
    has_pageable_ = true;
  } else {
    if (const gantry_status status = check_device(device, name.text())) return status;
    if (is_device_memory(device)) {
      if (on_device() && device_.id != device.id) {
        return fail(GANTRY_ERROR_UNSUPPORTED,
                    "the memory of %s is on CUDA device %d and that of another argument on CUDA device %d", name.text(),
                    device.id, device_.id);
      }
      device_ = {GANTRY_DEVICE_CUDA, device.id};
    }
  }
  if (has_pageable_ && on_device()) {
    return fail(GANTRY_ERROR_UNSUPPORTED,
                "arguments of one op are in pageable host memory and on CUDA device %d (seen at %s); pin the host "
                "memory or copy it",
                device_.id, name.text());
  }
  return GANTRY_OK;
}

}  // namespace gantry
