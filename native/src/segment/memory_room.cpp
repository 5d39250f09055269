#include "segment/memory_room.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "segment/text_file.h"

namespace gantry {
namespace {

constexpr size_t kPathBytes = 1024;

struct GroupVersion {
  const char* root;
  const char* limit;
  const char* usage;
  const char* reclaimable;  // key in memory.stat: cached files
  const char* swap_limit;   // null: swap is not counted by itself
  const char* swap_usage;
};

constexpr GroupVersion kVersion1 = {"/sys/fs/cgroup/memory",
                                    "memory.limit_in_bytes",
                                    "memory.usage_in_bytes",
                                    "total_inactive_file ",
                                    nullptr,
                                    nullptr};
constexpr GroupVersion kVersion2 = {"/sys/fs/cgroup", "memory.max",      "memory.current",
                                    "inactive_file ", "memory.swap.max", "memory.swap.current"};

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

bool read_group_file(const GroupVersion& version, const char* group, const char* file, char* text, size_t size) {
  char path[kPathBytes + 128];
  std::snprintf(path, sizeof path, "%s%s/%s", version.root, group, file);
  return read_text_file(path, text, size);
}

// A file that holds one number, or "max".
uint64_t group_number(const GroupVersion& version, const char* group, const char* file, uint64_t otherwise) {
  char text[64];
  if (file == nullptr || !read_group_file(version, group, file, text, sizeof text)) {
    return otherwise;
  }
  return std::strncmp(text, "max", 3) == 0 ? UINT64_MAX : std::strtoull(text, nullptr, 10);
}

void narrow_by_group(const GroupVersion& version, const char* group, uint64_t swap_free, Room* room) {
  const uint64_t most = group_number(version, group, version.limit, UINT64_MAX);
  if (most == UINT64_MAX) {
    return;
  }
  char statistics[8192] = "";
  read_group_file(version, group, "memory.stat", statistics, sizeof statistics);
  const uint64_t cached = number_after(statistics, version.reclaimable, 0);
  const uint64_t used = minus(group_number(version, group, version.usage, 0), cached);
  const uint64_t swap =
      minus(group_number(version, group, version.swap_limit, 0), group_number(version, group, version.swap_usage, 0));
  room->narrow(plus(minus(most, used), std::min(swap, swap_free)), "in the memory limit of the control group");
}

// The group and all that it is in. In a container the first ones may not be visible; the root then is the container's
// own.
void narrow_by_groups(const GroupVersion& version, const char* group, size_t length, uint64_t swap_free, Room* room) {
  char path[kPathBytes];
  std::snprintf(path, sizeof path, "%.*s", static_cast<int>(length), group);
  while (true) {
    char* slash = std::strrchr(path, '/');
    const bool is_root = slash == nullptr || path[1] == '\0';
    narrow_by_group(version, is_root ? "" : path, swap_free, room);
    if (is_root) {
      return;
    }
    slash[slash == path ? 1 : 0] = '\0';
  }
}

bool names_memory(const char* controllers, const char* end) {
  constexpr char kMemory[] = "memory";
  while (controllers < end) {
    const char* comma = std::find(controllers, end, ',');
    if (static_cast<size_t>(comma - controllers) == sizeof kMemory - 1 &&
        std::strncmp(controllers, kMemory, sizeof kMemory - 1) == 0) {
      return true;
    }
    controllers = comma == end ? end : comma + 1;
  }
  return false;
}

}  // namespace

void narrow_by_memory(Room* room) {
  char text[4096];
  if (!read_text_file("/proc/meminfo", text, sizeof text)) {
    return;
  }
  constexpr uint64_t kKibibyte = 1024;
  const uint64_t swap_free = number_after(text, "SwapFree:", 0) * kKibibyte;
  const uint64_t available = number_after(text, "MemAvailable:", UINT64_MAX / kKibibyte) * kKibibyte;
  room->narrow(plus(available, swap_free), "in the machine's memory");
  if (!read_text_file("/proc/self/cgroup", text, sizeof text)) {
    return;
  }
  // Lines of "number:controllers:/path"; version 2 has number 0 and no controllers.
  for (const char* line = text; *line != '\0';) {
    const char* end = line + std::strcspn(line, "\n");
    const char* controllers = std::find(line, end, ':');
    const char* group = controllers == end ? end : std::find(controllers + 1, end, ':');
    if (group != end) {
      const size_t length = static_cast<size_t>(end - group - 1);
      if (group == controllers + 1) {
        narrow_by_groups(kVersion2, group + 1, length, swap_free, room);
      } else if (names_memory(controllers + 1, group)) {
        narrow_by_groups(kVersion1, group + 1, length, swap_free, room);
      }
    }
    line = *end == '\n' ? end + 1 : end;
  }
}

}  // namespace gantry
