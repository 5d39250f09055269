#include "cuda/driver.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "cuda/architectures.h"

namespace gantry {
namespace cuda {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";
constexpr int kAttributeMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kAttributeMinor = 76;

// cuda.h's numbers do not change. The names are here for drivers that cannot be asked for them.
struct InitError {
  int code;
  const char* name;
  const char* remedy;
};
constexpr InitError kInitErrors[] = {
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "Free memory of the host or of the GPU and start the process again."},
    {3, "CUDA_ERROR_NOT_INITIALIZED",
     "CUDA does not survive fork: where the parent process used CUDA before it forked, start the child by exec (in "
     "Python: "
     "multiprocessing's start method \"spawn\")."},
    {34, "CUDA_ERROR_STUB_LIBRARY",
     "The toolkit's stub was found in place of the driver: take its folder off the library path."},
    {100, "CUDA_ERROR_NO_DEVICE",
     "No GPU is visible: look at CUDA_VISIBLE_DEVICES, at nvidia-smi, and in a container at whether a GPU was passed "
     "in."},
    {101, "CUDA_ERROR_INVALID_DEVICE", "Look at CUDA_VISIBLE_DEVICES and at nvidia-smi."},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "Look at the device nodes /dev/nvidia* and at their permissions."},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY",
     "The GPUs wait for a service: on machines with NVSwitch start nvidia-fabricmanager, of the driver's very "
     "version."},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "The kernel module and libcuda.so.1 are of different driver versions: restart the machine after a driver update, "
     "or start the "
     "container again."},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "A libcuda.so.1 of the package cuda-compat was found, which this GPU does not support: take it off the library "
     "path."},
    {999, "CUDA_ERROR_UNKNOWN",
     "Usually the kernel module nvidia_uvm is not loaded or /dev/nvidia-uvm is not accessible: run nvidia-modprobe -u, "
     "or restart "
     "the machine."},
};

template <class Function>
bool find(void* library, const char* name, Function* out) {
  void* symbol = dlsym(library, name);
  static_assert(sizeof symbol == sizeof *out, "a pointer to a function");
  std::memcpy(out, &symbol, sizeof symbol);
  return symbol != nullptr;
}

void append(char* text, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));
void append(char* text, size_t size, const char* format, ...) {
  const size_t length = std::strlen(text);
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + length, size - length, format, arguments);
  va_end(arguments);
}

}  // namespace

gantry_reason explain(gantry_backend_info* info, gantry_reason reason, const char* format, ...) {
  info->reason = reason;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(info->text, sizeof info->text, format, arguments);
  va_end(arguments);
  return reason;
}

bool Driver::open(std::string* why) {
  if (library_ != nullptr) return true;
  library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* text = dlerror();
    *why = text != nullptr ? text : "no reason given";
    return false;
  }
  const bool found = find(library_, "cuDriverGetVersion", &driver_get_version_) && find(library_, "cuInit", &init_) &&
                     find(library_, "cuDeviceGetCount", &device_get_count_) &&
                     find(library_, "cuDeviceGet", &device_get_) &&
                     find(library_, "cuDeviceGetName", &device_get_name_) &&
                     find(library_, "cuDeviceGetAttribute", &device_get_attribute_) &&
                     find(library_, "cuDeviceTotalMem_v2", &device_total_memory_) &&
                     find(library_, "cuCtxGetCurrent", &context_get_current_) &&
                     find(library_, "cuCtxSetCurrent", &context_set_current_);
  find(library_, "cuGetErrorName", &get_error_name_);
  if (!found) *why = "it lacks functions that every driver has";
  return found;
}

gantry_reason Driver::examine(const std::string& architectures, gantry_backend_info* info, int* usable) {
  info->runtime_version = CUDART_VERSION;
  std::string why;
  const bool opened = open(&why);
  if (library_ == nullptr) {
    return explain(
        info, GANTRY_REASON_DRIVER_ABSENT,
        "The CUDA driver's library %s cannot be opened (%s). Install the NVIDIA driver, or in a container pass the GPU "
        "in with the driver's libraries.",
        kLibrary, why.c_str());
  }
  if (!opened) {
    return explain(info, GANTRY_REASON_DRIVER_UNUSABLE, "A library %s was found, but it is no usable CUDA driver: %s.",
                   kLibrary, why.c_str());
  }
  const int code = driver_get_version_(&info->driver_version);
  if (code != 0 || info->driver_version == 0) {
    return explain(
        info, GANTRY_REASON_DRIVER_UNUSABLE,
        "The library %s is there, but there is no driver behind it: cuDriverGetVersion returned %d and the version %d. "
        "Install the NVIDIA driver, or take a stub or an emulation of it off the library path.",
        kLibrary, code, info->driver_version);
  }
  // Since CUDA 11, a driver runs every runtime of its own major version.
  if (info->driver_version / 1000 < CUDART_VERSION / 1000) {
    return explain(info, GANTRY_REASON_DRIVER_TOO_OLD,
                   "The driver is for CUDA %d.%d, and this plug-in has the runtime of CUDA %d.%d, which needs a driver "
                   "for CUDA %d.0 "
                   "or later. Update the driver, or build Gantry with a toolkit of CUDA %d.",
                   info->driver_version / 1000, info->driver_version % 1000 / 10, CUDART_VERSION / 1000,
                   CUDART_VERSION % 1000 / 10, CUDART_VERSION / 1000, info->driver_version / 1000);
  }
  info->driver_code = init_(0);
  if (info->driver_code != 0) {
    const char* name = nullptr;
    const char* remedy = "Look at nvidia-smi and at the kernel's log.";
    if (get_error_name_ != nullptr && get_error_name_(info->driver_code, &name) != 0) name = nullptr;
    for (const InitError& error : kInitErrors) {
      if (error.code != info->driver_code) continue;
      if (name == nullptr) name = error.name;
      remedy = error.remedy;
    }
    return explain(info, GANTRY_REASON_DRIVER_ERROR,
                   "The CUDA driver (for CUDA %d.%d) does not start: cuInit returned %d (%s). %s",
                   info->driver_version / 1000, info->driver_version % 1000 / 10, info->driver_code,
                   name != nullptr ? name : "an unknown error", remedy);
  }
  return examine_devices(architectures, info, usable);
}

gantry_reason Driver::examine_devices(const std::string& architectures, gantry_backend_info* info, int* usable) {
  *usable = -1;
  const int code = device_get_count_(&info->device_count);
  if (code != 0 || info->device_count == 0) {
    return explain(info, GANTRY_REASON_NO_DEVICE,
                   "The CUDA driver (for CUDA %d.%d) starts and shows no GPU: cuDeviceGetCount returned %d and the "
                   "count %d. Look at "
                   "CUDA_VISIBLE_DEVICES and at nvidia-smi.",
                   info->driver_version / 1000, info->driver_version % 1000 / 10, code, info->device_count);
  }
  std::string first;  // of those without code
  for (int ordinal = 0; ordinal < info->device_count; ++ordinal) {
    int device = 0;
    char name[96] = "unknown";
    int major = 0;
    int minor = 0;
    size_t bytes = 0;
    if (device_get_(&device, ordinal) != 0) continue;
    device_get_name_(name, sizeof name, device);
    device_get_attribute_(&major, kAttributeMajor, device);
    device_get_attribute_(&minor, kAttributeMinor, device);
    device_total_memory_(&bytes, device);
    const Code found = find_code(architectures, major, minor, info->driver_version >= CUDART_VERSION);
    const bool runs = found == Code::sass || found == Code::ptx;
    append(info->devices, sizeof info->devices, "%s%d: %s, compute capability %d.%d, %zu bytes%s",
           ordinal > 0 ? "\n" : "", ordinal, name, major, minor, bytes, runs ? "" : ", no code for it");
    if (runs) {
      if (*usable < 0) *usable = ordinal;
    } else if (first.empty()) {
      char text[256];
      std::snprintf(text, sizeof text, "GPU %d (%s) has compute capability %d.%d%s", ordinal, name, major, minor,
                    found == Code::ptx_too_new ? ", and the driver is older than the toolkit that wrote the PTX" : "");
      first = text;
    }
  }
  if (*usable >= 0) return GANTRY_REASON_AVAILABLE;
  return explain(info, GANTRY_REASON_NO_CODE_FOR_DEVICE,
                 "%s: it can run none of the code in this plug-in, which was compiled for %s. Build Gantry with this "
                 "compute capability in GANTRY_CUDA_ARCHITECTURES.",
                 first.empty() ? "The driver does not describe its GPUs" : first.c_str(), architectures.c_str());
}

void* Driver::context() const {
  void* current = nullptr;
  return context_get_current_(&current) == 0 ? current : nullptr;
}

void Driver::set_context(void* context) const { context_set_current_(context); }

}  // namespace cuda
}  // namespace gantry
