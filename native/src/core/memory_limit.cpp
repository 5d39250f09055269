#include "core/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gantry {
namespace {

std::string read_file(const std::string& path) {
  std::string text;
  if (std::FILE* const file = std::fopen(path.c_str(), "re")) {
    char buffer[512];
    size_t length = 0;
    while ((length = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, length);
    std::fclose(file);
  }
  return text;
}

// "max" in version 2; version 1 writes a number near 2^63 instead.
uint64_t limit_in(const std::string& path) {
  const std::string text = read_file(path);
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  return end == text.c_str() ? UINT64_MAX : value;
}

// The group's own limit and those of the groups above it. In a container the path may be the host's, of which only the
// root is there.
uint64_t limit_along(const std::string& mount, std::string group, const char* file) {
  uint64_t limit = limit_in(mount + "/" + file);
  while (group.size() > 1) {
    limit = std::min(limit, limit_in(mount + group + "/" + file));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) break;
    group.resize(slash);
  }
  return limit;
}

uint64_t cgroup_limit(const std::string& root) {
  uint64_t limit = UINT64_MAX;
  const std::string groups = read_file(root + "/proc/self/cgroup");
  for (size_t begin = 0; begin < groups.size();) {
    size_t end = groups.find('\n', begin);
    if (end == std::string::npos) end = groups.size();
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    // "0::/path" in version 2, "7:memory,hugetlb:/path" in version 1.
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      limit = std::min(limit, limit_along(root + "/sys/fs/cgroup", group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, limit_along(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

}  // namespace

uint64_t memory_limit(const std::string& root) {
  uint64_t limit = cgroup_limit(root);
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    limit = std::min(limit, static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes));
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    limit = std::min<uint64_t>(limit, addresses.rlim_cur);
  }
  return limit;
}

}  // namespace gantry
