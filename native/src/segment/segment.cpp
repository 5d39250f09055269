// Tables in shared memory: made, attached, looked at.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cinttypes>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/first_release.h"
#include "core/struct_size.h"
#include "segment/file.h"
#include "segment/header.h"
#include "segment/name.h"
#include "segment/owner.h"
#include "segment/space.h"

namespace gantry {
namespace {

constexpr size_t kFirstSegmentLayout = offsetof(gantry_segment_layout, row_stride) + sizeof(int64_t);

const SegmentOwner* segment_of(const gantry_storage* storage) {
  return storage == nullptr ? nullptr : dynamic_cast<const SegmentOwner*>(storage->owner.get());
}

gantry_status no_segment(const gantry_storage* storage) {
  return storage == nullptr ? fail(GANTRY_ERROR_INVALID_ARGUMENT, "storage is null")
                            : fail(GANTRY_ERROR_INVALID_ARGUMENT, "the storage is no shared segment");
}

gantry_status make_storage(FileDescriptor fd, Mapping mapping, const SegmentGeometry& geometry, bool read_only,
                           gantry_storage** out) {
  std::unique_ptr<gantry_storage> storage(new (std::nothrow) gantry_storage);
  if (storage == nullptr) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "no memory for the storage of a segment (%zu bytes)",
                sizeof(gantry_storage));
  }
  storage->data = mapping.data() + geometry.data_offset;
  storage->bytes = geometry.data_bytes;
  storage->read_only = read_only;
  storage->owner.reset(new (std::nothrow) SegmentOwner(std::move(fd), std::move(mapping), geometry));
  if (storage->owner == nullptr) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "no memory for the storage of a segment (%zu bytes)", sizeof(SegmentOwner));
  }
  *out = storage.release();
  return GANTRY_OK;
}

gantry_status create(const char* name, const gantry_segment_layout* given, uint32_t flags, gantry_storage** out) {
  if (name != nullptr) {
    if (gantry_status status = check_name(name); status != GANTRY_OK) {
      return status;
    }
  }
  if ((flags & ~uint32_t{GANTRY_SEGMENT_EXCLUSIVE}) != 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "flags are 0x%x; a segment is created with 0 or GANTRY_SEGMENT_EXCLUSIVE (0x%x)", flags,
                GANTRY_SEGMENT_EXCLUSIVE);
  }
  gantry_segment_layout layout{};
  if (gantry_status status = read_struct(given, &layout, kFirstSegmentLayout, "layout"); status != GANTRY_OK) {
    return status;
  }
  SegmentGeometry geometry{};
  if (gantry_status status = plan_geometry(layout, &geometry); status != GANTRY_OK) {
    return status;
  }
  NewFile file;
  if (gantry_status status = name == nullptr ? file.open_anonymous() : file.open_unnamed(); status != GANTRY_OK) {
    return status;
  }
  if (gantry_status status = reserve(file.get(), geometry.total_bytes); status != GANTRY_OK) {
    return status;
  }
  Mapping mapping;
  if (gantry_status status = Mapping::map(file.get(), geometry.total_bytes, false, &mapping); status != GANTRY_OK) {
    return status;
  }
  auto* header = reinterpret_cast<SegmentHeader*>(mapping.data());
  write_header(geometry, header);
  if (name == nullptr) {
    if (gantry_status status = file.seal_size(); status != GANTRY_OK) {
      return status;
    }
  }
  publish_header(header);
  // The name comes last: nothing can fail after it.
  gantry_storage* storage = nullptr;
  if (gantry_status status = make_storage(file.take(), std::move(mapping), geometry, false, &storage);
      status != GANTRY_OK) {
    return status;
  }
  if (name != nullptr) {
    if (gantry_status status =
            file.give_name(gantry_segment_fd(storage), name, (flags & GANTRY_SEGMENT_EXCLUSIVE) != 0);
        status != GANTRY_OK) {
      gantry_storage_release(storage);
      return status;
    }
  }
  *out = storage;
  return GANTRY_OK;
}

gantry_status open_name(const char* name, bool read_only, FileDescriptor* out) {
  if (gantry_status status = check_name(name); status != GANTRY_OK) {
    return status;
  }
  // Never follows a link and never waits for the other end of a pipe: anybody may put such a thing into the directory.
  const NamePath path(name);
  FileDescriptor fd(open(path.text, (read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) {
    switch (errno) {
      case ELOOP:
        return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "\"%s\" is a symbolic link and no segment", name);
      case EISDIR:
        return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "\"%s\" is a directory and no segment", name);
      case ENOENT:
        return fail_errno(GANTRY_ERROR_SYSTEM, "there is no segment named \"%s\": open", name);
      default:
        return fail_errno(GANTRY_ERROR_SYSTEM, "open of the segment \"%s\" for %s", name,
                          read_only ? "reading" : "reading and writing");
    }
  }
  *out = std::move(fd);
  return GANTRY_OK;
}

gantry_status open_descriptor(int given, bool read_only, FileDescriptor* out) {
  const int mode = fcntl(given, F_GETFL);
  if (mode < 0) {
    return fail_errno(GANTRY_ERROR_INVALID_ARGUMENT, "descriptor %d", given);
  }
  if ((mode & O_PATH) != 0 || (mode & O_ACCMODE) == O_WRONLY) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "descriptor %d is not open for reading", given);
  }
  if (!read_only && (mode & O_ACCMODE) == O_RDONLY) {
    return fail(GANTRY_ERROR_READ_ONLY, "descriptor %d is open for reading only; attach with GANTRY_SEGMENT_READ_ONLY",
                given);
  }
  FileDescriptor fd(fcntl(given, F_DUPFD_CLOEXEC, 0));
  if (fd.get() < 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "a second descriptor of %d", given);
  }
  *out = std::move(fd);
  return GANTRY_OK;
}

gantry_status file_bytes(int fd, uint64_t* out) {
  struct stat status {};
  if (fstat(fd, &status) != 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "fstat of the segment");
  }
  if (!S_ISREG(status.st_mode)) {
    const char* kind = S_ISDIR(status.st_mode)    ? "a directory"
                       : S_ISFIFO(status.st_mode) ? "a pipe"
                       : S_ISSOCK(status.st_mode) ? "a socket"
                       : S_ISCHR(status.st_mode)  ? "a character device"
                       : S_ISBLK(status.st_mode)  ? "a block device"
                                                  : "no file";
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "what was to be attached is %s and no segment", kind);
  }
  *out = static_cast<uint64_t>(status.st_size);
  return GANTRY_OK;
}

// By read, which a file that shrinks cannot turn into a signal; and into memory that nobody else changes.
gantry_status inspect(int fd, SegmentGeometry* out) {
  uint64_t bytes = 0;
  if (gantry_status status = file_bytes(fd, &bytes); status != GANTRY_OK) {
    return status;
  }
  alignas(SegmentHeader) char page[kHeaderBytes];
  ssize_t got = 0;
  do {
    got = pread(fd, page, sizeof page, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return fail_errno(GANTRY_ERROR_SYSTEM, "reading the segment's header");
  }
  return read_header(page, static_cast<size_t>(got), bytes, out);
}

gantry_status attach(const char* name, int given, const gantry_segment_layout* expected, uint32_t flags,
                     gantry_storage** out) {
  if ((name == nullptr) == (given < 0)) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "exactly one of name (%s) and fd (%d) has to be given",
                name == nullptr ? "null" : name, given);
  }
  if ((flags & ~uint32_t{GANTRY_SEGMENT_READ_ONLY}) != 0) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "flags are 0x%x; a segment is attached with 0 or GANTRY_SEGMENT_READ_ONLY (0x%x)", flags,
                GANTRY_SEGMENT_READ_ONLY);
  }
  gantry_segment_layout wanted{};
  if (expected != nullptr) {
    if (gantry_status status = read_struct(expected, &wanted, kFirstSegmentLayout, "expected"); status != GANTRY_OK) {
      return status;
    }
  }
  const bool read_only = (flags & GANTRY_SEGMENT_READ_ONLY) != 0;
  FileDescriptor fd;
  if (gantry_status status = name != nullptr ? open_name(name, read_only, &fd) : open_descriptor(given, read_only, &fd);
      status != GANTRY_OK) {
    return status;
  }
  SegmentGeometry geometry{};
  if (gantry_status status = inspect(fd.get(), &geometry); status != GANTRY_OK) {
    return status;
  }
  if (gantry_status status = check_expected(geometry, wanted); status != GANTRY_OK) {
    return status;
  }
  if (is_unsealed_memfd(fd.get())) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT,
                "the memory without a name (memfd) is not sealed against shrinking (F_SEAL_SHRINK): whoever has it "
                "could take its pages away while they are read; gantry_segment_create seals its own");
  }
  Mapping mapping;
  if (gantry_status status = Mapping::map(fd.get(), geometry.total_bytes, read_only, &mapping); status != GANTRY_OK) {
    return status;
  }
  // Once more behind the mapping: what shrank before is seen. What shrinks later (a named segment, by a process of the
  // same user; a memfd of Gantry's is sealed) is a SIGBUS for all that have it.
  uint64_t bytes = 0;
  if (gantry_status status = file_bytes(fd.get(), &bytes); status != GANTRY_OK) {
    return status;
  }
  if (bytes < geometry.total_bytes) {
    return fail(GANTRY_ERROR_SEGMENT_TRUNCATED,
                "the segment shrank to %" PRIu64 " bytes while it was attached; it had %" PRIu64, bytes,
                geometry.total_bytes);
  }
  return make_storage(std::move(fd), std::move(mapping), geometry, read_only, out);
}

}  // namespace
}  // namespace gantry

extern "C" {

gantry_status gantry_segment_create(const char* name, const gantry_segment_layout* layout, uint32_t flags,
                                    gantry_storage** out) {
  if (out == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  *out = nullptr;
  return gantry::create(name, layout, flags, out);
}

gantry_status gantry_segment_attach(const char* name, int fd, const gantry_segment_layout* expected, uint32_t flags,
                                    gantry_storage** out) {
  if (out == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  *out = nullptr;
  return gantry::attach(name, fd, expected, flags, out);
}

gantry_status gantry_segment_view(const gantry_storage* storage, gantry_tensor* view) {
  const gantry::SegmentOwner* segment = gantry::segment_of(storage);
  if (segment == nullptr) {
    return gantry::no_segment(storage);
  }
  gantry_tensor known{};
  if (gantry_status status = gantry::read_struct(view, &known, gantry::kFirstTensor, "view"); status != GANTRY_OK) {
    return status;
  }
  gantry_tensor tensor{};
  tensor.flags = storage->read_only ? uint32_t{GANTRY_TENSOR_READ_ONLY} : 0u;
  tensor.data = storage->data;
  tensor.shape = segment->shape();
  tensor.strides = segment->strides();
  tensor.ndim = 2;
  tensor.dtype = segment->dtype();
  tensor.device = storage->device;
  gantry::write_struct(tensor, view);
  return GANTRY_OK;
}

int gantry_segment_fd(const gantry_storage* storage) {
  const gantry::SegmentOwner* segment = gantry::segment_of(storage);
  return segment == nullptr ? -1 : segment->fd();
}

gantry_status gantry_segment_generation(const gantry_storage* storage, uint64_t* out) {
  const gantry::SegmentOwner* segment = gantry::segment_of(storage);
  if (segment == nullptr) {
    return gantry::no_segment(storage);
  }
  if (out == nullptr) {
    return gantry::fail(GANTRY_ERROR_INVALID_ARGUMENT, "out is null");
  }
  *out = __atomic_load_n(&segment->header()->generation, __ATOMIC_ACQUIRE);
  return GANTRY_OK;
}

gantry_status gantry_segment_publish(gantry_storage* storage) {
  const gantry::SegmentOwner* segment = gantry::segment_of(storage);
  if (segment == nullptr) {
    return gantry::no_segment(storage);
  }
  if (storage->read_only) {
    return gantry::fail(GANTRY_ERROR_READ_ONLY, "the segment is attached read-only; publishing writes into its header");
  }
  __atomic_fetch_add(&segment->header()->generation, 1, __ATOMIC_RELEASE);
  return GANTRY_OK;
}

}  // extern "C"
