// Names of segments: taken away, and enumerated.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "segment/creator.h"
#include "segment/file.h"
#include "segment/header.h"
#include "segment/name.h"

namespace gantry {
namespace {

// Finished segments and unfinished ones, of every layout; false for other files.
bool describe(const char* name, gantry_segment_info* info) {
  const NamePath path(name);
  const FileDescriptor fd(open(path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return false;
  }
  SegmentHeader header{};
  constexpr size_t kKept = offsetof(SegmentHeader, creator) + sizeof(Creator);
  if (pread(fd.get(), &header, kKept, 0) != static_cast<ssize_t>(kKept) ||
      (header.magic != kMagicSegment && header.magic != kMagicUnfinished)) {
    return false;
  }
  info->struct_size = sizeof *info;
  info->creator = header.creator.pid;
  info->creator_alive = is_alive(header.creator);
  info->bytes = static_cast<uint64_t>(status.st_size);
  static_assert(sizeof info->name > NAME_MAX, "room for every checked name");
  std::memcpy(info->name, name, std::strlen(name));
  return true;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace
}  // namespace gantry

extern "C" {

gantry_status gantry_segment_unlink(const char* name) {
  if (gantry_status status = gantry::check_name(name); status != GANTRY_OK) {
    return status;
  }
  if (unlink(gantry::NamePath(name).text) != 0) {
    return gantry::fail_errno(GANTRY_ERROR_SYSTEM, "unlink of the segment \"%s\"", name);
  }
  return GANTRY_OK;
}

gantry_status gantry_segment_list(int (*visit)(void* user, const gantry_segment_info* info), void* user) {
  if (visit == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "visit is null");
  }
  const std::unique_ptr<DIR, gantry::CloseDirectory> directory(opendir(gantry::kSharedMemoryDirectory));
  if (directory == nullptr) {
    return gantry::fail_errno(GANTRY_ERROR_SYSTEM, "opendir of %s", gantry::kSharedMemoryDirectory);
  }
  while (true) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) {
      return errno == 0 ? GANTRY_OK
                        : gantry::fail_errno(GANTRY_ERROR_SYSTEM, "readdir of %s", gantry::kSharedMemoryDirectory);
    }
    char name[sizeof entry->d_name + 1];
    std::snprintf(name, sizeof name, "/%s", entry->d_name);
    gantry_segment_info info{};
    if (gantry::check_name(name) == GANTRY_OK && gantry::describe(name, &info) && visit(user, &info) != 0) {
      return GANTRY_OK;
    }
  }
}

}  // extern "C"
