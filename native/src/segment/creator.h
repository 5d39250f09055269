// Which process made a segment, and whether it still runs.
#ifndef GANTRY_SEGMENT_CREATOR_H
#define GANTRY_SEGMENT_CREATOR_H

#include <cstdint>

namespace gantry {

// Numbers of processes are used again: the time of the start tells two of one number apart, and the namespace says
// where the number counts. 0: not known (no /proc). Stands in the header of segments.
struct Creator {
  int32_t pid;
  uint32_t reserved;
  uint64_t start_ticks;  // since boot, field 22 of /proc/PID/stat
  uint64_t pid_namespace;
};

Creator current_process();

// 1: runs. 0: has ended. -1: of another pid namespace (a container's), about which nothing can be said.
int32_t is_alive(const Creator& creator);

}  // namespace gantry

#endif
