#include "segment/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "segment/name.h"

// Linux 6.3; also what vm.memfd_noexec=2 demands.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace gantry {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

// Offers `take` one path after the other until one is free; false when it fails otherwise, with errno.
template <class Take>
bool with_temporary_path(char* path, size_t size, const Take& take) {
  static std::atomic<uint32_t> counter{0};
  do {
    std::snprintf(path, size, "%s%sunfinished.%d.%u", kSharedMemoryDirectory, kNamePrefix, static_cast<int>(getpid()),
                  counter.fetch_add(1, std::memory_order_relaxed));
    if (take(path)) {
      return true;
    }
  } while (errno == EEXIST);
  path[0] = '\0';
  return false;
}

}  // namespace

gantry_status Mapping::map(int fd, uint64_t bytes, bool read_only, Mapping* out) {
  if (bytes > SIZE_MAX) {
    return fail(GANTRY_ERROR_OVERFLOW, "the segment's %llu bytes exceed the address space",
                static_cast<unsigned long long>(bytes));
  }
  const int protection = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
  void* data = mmap(nullptr, static_cast<size_t>(bytes), protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) {
    return fail_errno(errno == ENOMEM ? GANTRY_ERROR_OUT_OF_MEMORY : GANTRY_ERROR_SYSTEM,
                      "mmap of %llu bytes of the segment", static_cast<unsigned long long>(bytes));
  }
  Mapping mapping;
  mapping.data_ = data;
  mapping.bytes_ = static_cast<size_t>(bytes);
  *out = std::move(mapping);
  return GANTRY_OK;
}

bool is_unsealed_memfd(int fd) {
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) != 0) {
    return false;
  }
  char descriptor[40];
  std::snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fd);
  // The kernel's own name of the file; nothing else tells it from a file of tmpfs whose name was removed.
  constexpr char kMemfd[] = "/memfd:";
  char target[sizeof kMemfd - 1];
  return readlink(descriptor, target, sizeof target) == static_cast<ssize_t>(sizeof target) &&
         std::memcmp(target, kMemfd, sizeof target) == 0;
}

NewFile::~NewFile() {
  if (temporary_[0] != '\0') {
    unlink(temporary_);
  }
}

gantry_status NewFile::open_anonymous() {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int fd = memfd_create("gantry", kFlags | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) {
    fd = memfd_create("gantry", kFlags);
  }
  if (fd < 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "memfd_create");
  }
  fd_ = FileDescriptor(fd);
  return GANTRY_OK;
}

gantry_status NewFile::seal_size() {
  if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "sealing the size of the segment (F_ADD_SEALS)");
  }
  return GANTRY_OK;
}

gantry_status NewFile::open_unnamed() {
  int fd = open(kSharedMemoryDirectory, O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  // File systems and sandboxes that know no O_TMPFILE take it for an attempt to open the directory.
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    with_temporary_path(temporary_, sizeof temporary_, [&fd](const char* path) {
      fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
      return fd >= 0;
    });
  }
  if (fd < 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "making a file in %s", kSharedMemoryDirectory);
  }
  fd_ = FileDescriptor(fd);
  return GANTRY_OK;
}

gantry_status NewFile::give_name(int fd, const char* name, bool exclusive) {
  const NamePath path(name);
  char descriptor[40];
  std::snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fd);
  const auto link_to = [&](const char* target) {
    const char* source = temporary_[0] != '\0' && target != temporary_ ? temporary_ : descriptor;
    return linkat(AT_FDCWD, source, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0;
  };
  if (exclusive) {
    if (!link_to(path.text)) {
      return errno == EEXIST ? fail_errno(GANTRY_ERROR_SYSTEM, "there is a segment named \"%s\" already: link", name)
                             : fail_errno(GANTRY_ERROR_SYSTEM, "link of the new segment to \"%s\"", name);
    }
    return GANTRY_OK;
  }
  // link replaces nothing, rename does, but needs a name to begin with.
  if (temporary_[0] == '\0' && !with_temporary_path(temporary_, sizeof temporary_, link_to)) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "link of the new segment to a temporary name in %s", kSharedMemoryDirectory);
  }
  if (rename(temporary_, path.text) != 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "rename of the new segment to \"%s\"", name);
  }
  temporary_[0] = '\0';
  return GANTRY_OK;
}

}  // namespace gantry
