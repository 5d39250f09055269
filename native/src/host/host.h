// The host backend, as core sees it.
#ifndef GANTRY_HOST_HOST_H
#define GANTRY_HOST_HOST_H

#include <cstdint>
#include <memory>

#include "core/backend.h"

namespace gantry {

// Kernels of one ISA level, and the threads that run them. One op at a time uses the threads; an op that finds them
// busy runs on the caller alone, with the same result.
class HostBackend {
 public:
  virtual ~HostBackend() = default;
  // Checked arguments on host memory. Throws nothing. Bad indices: status GANTRY_ERROR_INDEX when the policy makes them
  // an error, reported with the lowest position, its value and the number of rows.
  virtual gantry_status execute(const Request& request) = 0;
  virtual uint32_t threads() const = 0;
  virtual const char* isa() const = 0;
};

// `threads` 0: GANTRY_NUM_THREADS, at most kMaxThreads, else what affinity mask and cgroup quota leave. Starts no thread yet.
std::unique_ptr<HostBackend> make_host_backend(uint32_t threads);

}  // namespace gantry

#endif
