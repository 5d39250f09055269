#include "host/processors.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

namespace gantry {
namespace {

// Reads a small file as text. Returns whether there was one.
bool read_text(const char* path, char* text, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t length = 0;
  for (;;) {
    const ssize_t got = read(fd, text + length, size - 1 - length);
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  close(fd);
  text[length] = '\0';
  return length > 0;
}

uint32_t processors_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  const long long rounded_up = (quota + period - 1) / period;
  return static_cast<uint32_t>(std::min<long long>(rounded_up, kMaxThreads));
}

uint32_t stricter(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

// cpu.max of version 2: "200000 100000", or "max 100000".
uint32_t limit_v2(const char* folder) {
  char path[PATH_MAX];
  char text[128];
  if (snprintf(path, sizeof(path), "%s/cpu.max", folder) >= static_cast<int>(sizeof(path))) return 0;
  long long quota = 0;
  long long period = 0;
  if (!read_text(path, text, sizeof(text)) || sscanf(text, "%lld %lld", &quota, &period) != 2) return 0;
  return processors_of(quota, period);
}

// cpu.cfs_quota_us of version 1: -1 without a limit.
uint32_t limit_v1(const char* folder) {
  char path[PATH_MAX];
  char quota[64];
  char period[64];
  if (snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder) >= static_cast<int>(sizeof(path))) return 0;
  if (!read_text(path, quota, sizeof(quota))) return 0;
  if (snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder) >= static_cast<int>(sizeof(path))) return 0;
  if (!read_text(path, period, sizeof(period))) return 0;
  return processors_of(atoll(quota), atoll(period));
}

// The strictest limit from the group up to the mount point. Inside a container the group's own folder may not be
// visible: the mount point then is the group.
uint32_t limit_up_to_root(const char* root, const char* group, uint32_t (*limit)(const char*)) {
  char folder[PATH_MAX];
  if (snprintf(folder, sizeof(folder), "%s%s", root, group) >= static_cast<int>(sizeof(folder))) return 0;
  const size_t root_length = strlen(root);
  uint32_t found = 0;
  for (;;) {
    found = stricter(found, limit(folder));
    if (strlen(folder) <= root_length) return found;
    char* const slash = strrchr(folder + root_length, '/');
    if (slash == nullptr) return found;
    *slash = '\0';
  }
}

bool names_controller(const char* list, const char* end, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at < end;) {
    const char* const comma = std::find(at, end, ',');
    if (static_cast<size_t>(comma - at) == length && strncmp(at, name, length) == 0) return true;
    at = comma < end ? comma + 1 : end;
  }
  return false;
}

}  // namespace

uint32_t parse_threads(const char* text) {
  if (text == nullptr || *text < '0' || *text > '9') return 0;
  char* end = nullptr;
  const unsigned long number = strtoul(text, &end, 10);
  return *end == '\0' ? static_cast<uint32_t>(std::min<unsigned long>(number, kMaxThreads)) : 0;
}

uint32_t cgroup_processors(const char* root, const char* membership) {
  // "0::/group" is version 2, "4:cpu,cpuacct:/group" is version 1.
  uint32_t found = 0;
  for (const char* line = membership; *line != '\0';) {
    const char* const end = line + strcspn(line, "\n");
    const char* const first = std::find(line, end, ':');
    const char* const second = first < end ? std::find(first + 1, end, ':') : end;
    if (second < end) {
      char group[PATH_MAX];
      const size_t length = std::min<size_t>(static_cast<size_t>(end - second - 1), sizeof(group) - 1);
      memcpy(group, second + 1, length);
      group[length] = '\0';
      if (strcmp(group, "/") == 0) group[0] = '\0';
      char mount[PATH_MAX];
      if (second == first + 1) {
        found = stricter(found, limit_up_to_root(root, group, limit_v2));
      } else if (names_controller(first + 1, second, "cpu")) {
        for (const char* folder : {"cpu", "cpu,cpuacct"}) {
          if (snprintf(mount, sizeof(mount), "%s/%s", root, folder) < static_cast<int>(sizeof(mount))) {
            found = stricter(found, limit_up_to_root(mount, group, limit_v1));
          }
        }
      }
    }
    line = *end == '\n' ? end + 1 : end;
  }
  return found;
}

uint32_t usable_processors() {
  uint32_t count = 0;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    count = static_cast<uint32_t>(CPU_COUNT(&mask));
  } else {
    // More processors than cpu_set_t has bits.
    count = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  }
  char membership[8192];
  if (read_text("/proc/self/cgroup", membership, sizeof(membership))) {
    count = stricter(count, cgroup_processors("/sys/fs/cgroup", membership));
  }
  return std::clamp(count, 1u, kMaxThreads);
}

uint64_t last_cache_bytes() {
  long bytes = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return bytes > 0 ? static_cast<uint64_t>(bytes) : uint64_t{32} << 20;
}

}  // namespace gantry
