// What the tests of segments share.
#ifndef GANTRY_TESTS_SEGMENT_SUPPORT_H
#define GANTRY_TESTS_SEGMENT_SUPPORT_H

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gantry/gantry.h"

namespace gantry_test {

constexpr gantry_dtype kFloat32{GANTRY_CODE_FLOAT, 32, 1};

inline gantry_segment_layout layout_of(int64_t rows, int64_t columns, int64_t row_stride = 0,
                                       gantry_dtype dtype = kFloat32) {
  gantry_segment_layout layout{};
  layout.struct_size = sizeof layout;
  layout.dtype = dtype;
  layout.rows = rows;
  layout.columns = columns;
  layout.row_stride = row_stride;
  return layout;
}

struct Release {
  void operator()(gantry_storage* storage) const { gantry_storage_release(storage); }
};
using Storage = std::unique_ptr<gantry_storage, Release>;

inline Storage create(const char* name, const gantry_segment_layout& layout, uint32_t flags = 0) {
  gantry_storage* storage = nullptr;
  gantry_segment_create(name, &layout, flags, &storage);
  return Storage(storage);
}

inline Storage attach(const char* name, uint32_t flags = 0) {
  gantry_storage* storage = nullptr;
  gantry_segment_attach(name, -1, nullptr, flags, &storage);
  return Storage(storage);
}

inline Storage attach(int fd, uint32_t flags = 0) {
  gantry_storage* storage = nullptr;
  gantry_segment_attach(nullptr, fd, nullptr, flags, &storage);
  return Storage(storage);
}

inline float* floats(const Storage& storage) { return static_cast<float*>(gantry_storage_data(storage.get())); }

// A name that no other test uses, whose file is removed in the end.
class TestName {
 public:
  TestName() {
    static std::atomic<int> counter{0};
    text_ = "/gantry-test." + std::to_string(getpid()) + "." + std::to_string(counter++);
  }
  TestName(const TestName&) = delete;
  TestName& operator=(const TestName&) = delete;
  ~TestName() { unlink(path().c_str()); }
  const char* get() const { return text_.c_str(); }
  std::string path() const { return "/dev/shm" + text_; }

 private:
  std::string text_;
};

// Files in /dev/shm that this process has made, finished or not.
inline std::vector<std::string> own_files() {
  const std::string pid = std::to_string(getpid());
  const std::string prefixes[] = {"gantry-test." + pid + ".", "gantry-unfinished." + pid + "."};
  std::vector<std::string> found;
  DIR* directory = opendir("/dev/shm");
  while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
    const std::string name = entry->d_name;
    for (const std::string& prefix : prefixes) {
      if (name.compare(0, prefix.size(), prefix) == 0) {
        found.push_back(name);
      }
    }
  }
  closedir(directory);
  return found;
}

// Runs `body` in a child and gives waitpid's status. What it returns is the exit code; 0 stands for "all as expected".
inline int run_in_child(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

constexpr int kSkipped = 77;

// In a child: the line that does not hold becomes visible.
#define CHILD_CHECK(condition)                                                                                       \
  do {                                                                                                               \
    if (!(condition)) {                                                                                              \
      std::fprintf(stderr, "%s:%d: %s does not hold in the child; last error: %s\n", __FILE__, __LINE__, #condition, \
                   gantry_last_error());                                                                             \
      return 1;                                                                                                      \
    }                                                                                                                \
  } while (0)

}  // namespace gantry_test

#endif
