// How much memory there is to be had.
#ifndef GANTRY_SEGMENT_MEMORY_ROOM_H
#define GANTRY_SEGMENT_MEMORY_ROOM_H

#include <cstdint>

namespace gantry {

// The least of several limits, and its name for texts.
struct Room {
  uint64_t bytes = UINT64_MAX;
  const char* limit = "";

  void narrow(uint64_t other_bytes, const char* other_limit) {
    if (other_bytes < bytes) {
      bytes = other_bytes;
      limit = other_limit;
    }
  }
};

// The machine's memory and the limits of the process's control groups, versions 1 and 2. The kernel ends processes
// beyond them instead of refusing.
void narrow_by_memory(Room* room);

}  // namespace gantry

#endif
