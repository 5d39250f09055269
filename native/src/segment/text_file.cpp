#include "segment/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "segment/file.h"

namespace gantry {

bool read_text_file(const char* path, char* buffer, size_t size) {
  const FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return false;
  }
  size_t length = 0;
  while (length < size - 1) {
    const ssize_t got = read(file.get(), buffer + length, size - 1 - length);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return false;
    }
    if (got == 0) {
      break;
    }
    length += static_cast<size_t>(got);
  }
  buffer[length] = '\0';
  return true;
}

}  // namespace gantry
