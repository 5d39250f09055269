// The driver's library, opened at run time: where there is no driver, the plug-in still loads and says so.
#ifndef GANTRY_CUDA_DRIVER_H
#define GANTRY_CUDA_DRIVER_H

#include <cstdint>
#include <string>

#include "gantry/gantry.h"

namespace gantry {
namespace cuda {

class Driver {
 public:
  // Finds the first reason why CUDA cannot be used, up to NO_CODE_FOR_DEVICE, and fills everything but what a self-test
  // says. `architectures`: the stamp's cuda.archs. `usable` is the first device that the plug-in has code for. Calls
  // cuInit.
  gantry_reason examine(const std::string& architectures, gantry_backend_info* info, int* usable);

  // The calling thread's context, to be made current again by `set_context`: going back by cudaSetDevice would create a
  // context on the device that the thread had never used.
  void* context() const;
  void set_context(void* context) const;

 private:
  bool open(std::string* why);
  gantry_reason examine_devices(const std::string& architectures, gantry_backend_info* info, int* usable);

  void* library_ = nullptr;
  int (*driver_get_version_)(int*) = nullptr;
  int (*init_)(unsigned int) = nullptr;
  int (*get_error_name_)(int, const char**) = nullptr;
  int (*device_get_count_)(int*) = nullptr;
  int (*device_get_)(int*, int) = nullptr;
  int (*device_get_name_)(char*, int, int) = nullptr;
  int (*device_get_attribute_)(int*, int, int) = nullptr;
  int (*device_total_memory_)(size_t*, int) = nullptr;
  int (*context_get_current_)(void**) = nullptr;
  int (*context_set_current_)(void*) = nullptr;
};

// Writes the sentence and returns `reason`.
gantry_reason explain(gantry_backend_info* info, gantry_reason reason, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

}  // namespace cuda
}  // namespace gantry

#endif
