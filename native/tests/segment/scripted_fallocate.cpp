#include "scripted_fallocate.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <deque>

namespace {

std::deque<int> script;

}  // namespace

namespace gantry_test {

void script_fallocate(std::initializer_list<int> results) { script = results; }

size_t fallocate_script_left() { return script.size(); }

}  // namespace gantry_test

// Stands before libc's, because the library's objects are linked into this program.
extern "C" int posix_fallocate(int fd, off_t offset, off_t length) {
  if (!script.empty()) {
    const int result = script.front();
    script.pop_front();
    if (result != 0) {
      return result;
    }
  }
  return syscall(SYS_fallocate, fd, 0, offset, length) == 0 ? 0 : errno;
}
