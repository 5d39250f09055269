// How much of the machine this process may use.
#ifndef GANTRY_HOST_PROCESSORS_H
#define GANTRY_HOST_PROCESSORS_H

#include <stdint.h>

namespace gantry {

constexpr uint32_t kMaxThreads = 256;

// The number in `text`, such as GANTRY_NUM_THREADS has; kMaxThreads when it is larger, 0 when there is none.
uint32_t parse_threads(const char* text);

// What a cgroup allows, in processors, rounded up: from `root`, where cgroups are mounted, and `membership`, the lines
// of /proc/self/cgroup. Both versions are known; the strictest limit on the way to the root counts. 0: no limit.
uint32_t cgroup_processors(const char* root, const char* membership);

// Affinity mask and cgroup limit; at least 1, at most kMaxThreads.
uint32_t usable_processors();

// Of the last level, as one processor sees it; 32 MiB when it is not known.
uint64_t last_cache_bytes();

}  // namespace gantry

#endif
