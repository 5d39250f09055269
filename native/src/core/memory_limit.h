// How much memory the process may use.
#ifndef GANTRY_CORE_MEMORY_LIMIT_H
#define GANTRY_CORE_MEMORY_LIMIT_H

#include <cstdint>
#include <string>

namespace gantry {

// The least of the machine's memory, the limits of the process's cgroup and of those above it (v1 and v2), and
// RLIMIT_AS. `root` stands before /proc and /sys.
uint64_t memory_limit(const std::string& root = "");

}  // namespace gantry

#endif
