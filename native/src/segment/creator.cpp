#include "segment/creator.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "segment/text_file.h"

namespace gantry {
namespace {

struct ProcessState {
  char state;  // 'R', 'S', 'Z'...
  uint64_t start_ticks;
};

bool read_state(int32_t pid, ProcessState* out) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  char text[1024];
  if (!read_text_file(path, text, sizeof text)) {
    return false;
  }
  // The name of the command stands in parentheses and may hold anything, parentheses and blanks too.
  const char* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ') {
    return false;
  }
  at += 2;
  out->state = *at;
  constexpr int kStateField = 3;
  constexpr int kStartField = 22;
  for (int field = kStateField; field < kStartField; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr) {
      return false;
    }
    ++at;
  }
  out->start_ticks = std::strtoull(at, nullptr, 10);
  return true;
}

uint64_t pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<uint64_t>(status.st_ino) : 0;
}

}  // namespace

Creator current_process() {
  Creator creator{};
  creator.pid = static_cast<int32_t>(getpid());
  ProcessState state{};
  if (read_state(creator.pid, &state)) {
    creator.start_ticks = state.start_ticks;
  }
  creator.pid_namespace = pid_namespace();
  return creator;
}

int32_t is_alive(const Creator& creator) {
  if (creator.pid <= 0) {
    return 0;
  }
  const uint64_t here = pid_namespace();
  if (creator.pid_namespace != 0 && here != 0 && creator.pid_namespace != here) {
    return -1;
  }
  ProcessState state{};
  if (read_state(creator.pid, &state)) {
    const bool ended = state.state == 'Z' || state.state == 'X';
    const bool same = creator.start_ticks == 0 || creator.start_ticks == state.start_ticks;
    return !ended && same ? 1 : 0;
  }
  // Without an entry in /proc, which may be hidden: only the number can be asked.
  return kill(creator.pid, 0) == 0 || errno == EPERM ? 1 : 0;
}

}  // namespace gantry
