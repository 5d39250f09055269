#include "segment/space.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>

#include "core/error.h"
#include "segment/memory_room.h"

namespace gantry {
namespace {

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
  narrow_by_memory(&room);
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
