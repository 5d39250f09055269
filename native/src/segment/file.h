// Files of shared memory, and what owns descriptors and mappings.
#ifndef GANTRY_SEGMENT_FILE_H
#define GANTRY_SEGMENT_FILE_H

#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <utility>

#include "gantry/gantry.h"

namespace gantry {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, size_t{0})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (data_ != nullptr) {
      munmap(data_, bytes_);
    }
  }
  char* data() const { return static_cast<char*>(data_); }

  // The first `bytes` of a file, shared.
  static gantry_status map(int fd, uint64_t bytes, bool read_only, Mapping* out);

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Whether `fd` is a memfd whose pages can be taken away under a mapping, because its size is not sealed. A file in
// /dev/shm is none: it answers F_GET_SEALS as a memfd does and can never be sealed against shrinking.
bool is_unsealed_memfd(int fd);

// A file that nobody finds yet. Unless it gets a name it is gone with the object, and, where the file system can do
// that, with the process too, however that ends.
class NewFile {
 public:
  NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  // memfd: a file without a name for good.
  gantry_status open_anonymous();
  // Its size can no longer be changed by anybody, so that no mapping of it can lose its pages.
  gantry_status seal_size();

  // A file in shared memory that will get a name.
  gantry_status open_unnamed();
  int get() const { return fd_.get(); }
  FileDescriptor take() { return std::move(fd_); }
  // At once and whole: whoever opens the name sees the file as it is now. `fd` is the one that was taken. `exclusive`:
  // the name must be free; otherwise the name's former file lives on in the processes that have it.
  gantry_status give_name(int fd, const char* name, bool exclusive);

 private:
  FileDescriptor fd_;
  char temporary_[NAME_MAX + 16] = "";  // path; empty: none
};

}  // namespace gantry

#endif
