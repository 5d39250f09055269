#include "cuda/architectures.h"

#include <cstdlib>
#include <cstring>

namespace gantry {
namespace cuda {
namespace {

struct Architecture {
  int major = 0;
  int minor = 0;
  char suffix = 0;
  bool has_sass = false;
  bool has_ptx = false;
};

// One item of the list; a major number of 0 where it is none.
Architecture parse(std::string item) {
  Architecture result;
  result.has_sass = item.compare(0, 3, "ptx") != 0;
  if (!result.has_sass) item.erase(0, 3);
  result.has_ptx = !result.has_sass;
  const size_t plus = item.find("+ptx");
  if (plus != std::string::npos) {
    result.has_ptx = true;
    item.erase(plus);
  }
  char* end = nullptr;
  const long number = std::strtol(item.c_str(), &end, 10);
  if (end == item.c_str() || number < 10 || number > 9999) return Architecture();
  result.suffix = *end;
  result.major = static_cast<int>(number / 10);
  result.minor = static_cast<int>(number % 10);
  return result;
}

bool sass_runs(const Architecture& code, int major, int minor) {
  if (!code.has_sass || code.major != major) return false;
  return code.suffix == 'a' ? code.minor == minor : code.minor <= minor;
}

bool ptx_runs(const Architecture& code, int major, int minor) {
  if (!code.has_ptx) return false;
  if (code.suffix == 'a') return code.major == major && code.minor == minor;
  if (code.suffix == 'f') return code.major == major && code.minor <= minor;
  return code.major < major || (code.major == major && code.minor <= minor);
}

}  // namespace

std::string stamp_value(const char* stamp, const char* key) {
  const size_t length = std::strlen(key);
  for (const char* line = stamp; *line != 0;) {
    const char* end = std::strchr(line, '\n');
    if (end == nullptr) end = line + std::strlen(line);
    if (static_cast<size_t>(end - line) > length && std::strncmp(line, key, length) == 0 && line[length] == '=') {
      return std::string(line + length + 1, end);
    }
    line = *end == 0 ? end : end + 1;
  }
  return std::string();
}

Code find_code(const std::string& list, int major, int minor, bool driver_reads_ptx) {
  Code best = Code::none;
  for (size_t begin = 0; begin < list.size();) {
    size_t end = list.find(',', begin);
    if (end == std::string::npos) end = list.size();
    const Architecture code = parse(list.substr(begin, end - begin));
    begin = end + 1;
    if (code.major == 0) continue;
    if (sass_runs(code, major, minor)) return Code::sass;
    if (ptx_runs(code, major, minor)) best = driver_reads_ptx ? Code::ptx : Code::ptx_too_new;
  }
  return best;
}

}  // namespace cuda
}  // namespace gantry
