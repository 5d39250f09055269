#include "segment/space.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "segment/name.h"
#include "segment/text_file.h"

namespace gantry {
namespace {

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

uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// The number after `key` at the begin of a line.
uint64_t number_after(const char* text, const char* key, uint64_t otherwise) {
  const size_t length = std::strlen(key);
  for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
    line += *line == '\n' ? 1 : 0;
    if (std::strncmp(line, key, length) == 0) {
      return std::strtoull(line + length, nullptr, 10);
    }
  }
  return otherwise;
}

// A file of a control group that holds one number, or "max".
uint64_t group_number(const char* group, const char* file, uint64_t otherwise) {
  char path[1152];
  char text[64];
  std::snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, file);
  if (!read_text_file(path, text, sizeof text)) {
    return otherwise;
  }
  return std::strncmp(text, "max", 3) == 0 ? UINT64_MAX : std::strtoull(text, nullptr, 10);
}

// Shared memory is charged to the control group (v2): beyond its limit the kernel ends processes instead of refusing.
void narrow_by_groups(uint64_t swap_free, Room* room) {
  char groups[1024];
  if (!read_text_file("/proc/self/cgroup", groups, sizeof groups) || std::strncmp(groups, "0::/", 4) != 0) {
    return;
  }
  char* group = groups + 3;
  group[std::strcspn(group, "\n")] = '\0';
  while (true) {
    const char* path = std::strcmp(group, "/") == 0 ? "" : group;
    const uint64_t most = group_number(path, "memory.max", UINT64_MAX);
    if (most != UINT64_MAX) {
      char file[1152];
      char statistics[8192] = "";
      std::snprintf(file, sizeof file, "/sys/fs/cgroup%s/memory.stat", path);
      read_text_file(file, statistics, sizeof statistics);
      const uint64_t reclaimable = number_after(statistics, "inactive_file ", 0);
      const uint64_t used = minus(group_number(path, "memory.current", 0), reclaimable);
      const uint64_t swap =
          minus(group_number(path, "memory.swap.max", 0), group_number(path, "memory.swap.current", 0));
      room->narrow(plus(minus(most, used), std::min(swap, swap_free)), "in the memory limit of the control group");
    }
    char* slash = std::strrchr(group, '/');
    if (path[0] == '\0' || slash == nullptr) {
      return;
    }
    slash[slash == group ? 1 : 0] = '\0';
  }
}

// What can be had at most; less when others are faster.
Room find_room(int fd) {
  Room room;
  rlimit files{};
  if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    room.narrow(files.rlim_cur, "under the process's limit on file sizes (ulimit -f)");
  }
  struct statvfs file_system {};
  // The kernel's own file system, of memfd, has no size and counts no blocks.
  if (fstatvfs(fd, &file_system) == 0 && file_system.f_blocks > 0) {
    room.narrow(uint64_t{file_system.f_bavail} * file_system.f_frsize,
                "in /dev/shm (a container's grows with --shm-size)");
  }
  char memory[4096];
  if (read_text_file("/proc/meminfo", memory, sizeof memory)) {
    constexpr uint64_t kKibibyte = 1024;
    const uint64_t swap_free = number_after(memory, "SwapFree:", 0) * kKibibyte;
    const uint64_t available = number_after(memory, "MemAvailable:", UINT64_MAX / kKibibyte) * kKibibyte;
    room.narrow(plus(available, swap_free), "in the machine's memory");
    narrow_by_groups(swap_free, &room);
  }
  return room;
}

gantry_status no_space(uint64_t bytes, const Room& room) {
  return fail(GANTRY_ERROR_SEGMENT_SPACE,
              "the segment needs %" PRIu64 " bytes of shared memory, %" PRIu64 " are left %s", bytes, room.bytes,
              room.limit);
}

// Others were faster than the reservation.
gantry_status refused(int fd, uint64_t bytes, int error) {
  const Room room = ftruncate(fd, 0) == 0 ? find_room(fd) : Room{};
  if (bytes > room.bytes) {
    return no_space(bytes, room);
  }
  errno = error;
  return fail_errno(GANTRY_ERROR_SEGMENT_SPACE, "the segment needs %" PRIu64 " bytes of shared memory: posix_fallocate",
                    bytes);
}

}  // namespace

gantry_status reserve(int fd, uint64_t bytes) {
  // Asked first, because the kernel answers a reservation beyond these limits by a signal: SIGXFSZ, or SIGKILL when
  // memory runs out.
  const Room room = find_room(fd);
  if (bytes > room.bytes) {
    return no_space(bytes, room);
  }
  // Some kernels give back what tmpfs has reserved when a signal comes in between (not 6.18); in steps, a process with
  // a timer gets on.
  constexpr uint64_t kStep = uint64_t{64} << 20;
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t step = std::min(kStep, bytes - at);
    const int error = posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(step));
    if (error == 0) {
      at += step;
    } else if (error == ENOSPC || error == ENOMEM || error == EFBIG) {
      return refused(fd, bytes, error);
    } else if (error != EINTR) {
      errno = error;
      return fail_errno(GANTRY_ERROR_SYSTEM, "posix_fallocate of %" PRIu64 " bytes for the segment", bytes);
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry
