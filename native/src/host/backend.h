// The host backend with everything that it otherwise finds out by itself, for tests.
#ifndef GANTRY_HOST_BACKEND_H
#define GANTRY_HOST_BACKEND_H

#include "host/host.h"

namespace gantry {

struct HostSettings {
  uint32_t threads;           // at least 1
  const char* isa;            // as GANTRY_ISA
  uint64_t cache_bytes;       // of the last level: outputs that are larger than half of it are stored past the caches
  uint64_t lane_nanoseconds;  // the least work, as estimated, that is worth waking a thread for
};

std::unique_ptr<HostBackend> make_host_backend(const HostSettings& settings);

}  // namespace gantry

#endif
