// Names of segments: "/gantry-..." in the directory of POSIX shared memory.
#ifndef GANTRY_SEGMENT_NAME_H
#define GANTRY_SEGMENT_NAME_H

#include <climits>

#include "gantry/gantry.h"

namespace gantry {

// Where shm_open of glibc and musl keeps its files. Gantry opens them there itself, because shm_open can neither make a
// file that gets its name when it is complete, nor list names.
constexpr char kSharedMemoryDirectory[] = "/dev/shm";
constexpr char kNamePrefix[] = "/gantry-";

gantry_status check_name(const char* name);

// The file of a checked name.
struct NamePath {
  explicit NamePath(const char* name);
  char text[sizeof(kSharedMemoryDirectory) + NAME_MAX + 2];
};

}  // namespace gantry

#endif
