// The CUDA backend's library: found, compared, loaded and asked at the first need, never before.
#ifndef GANTRY_CORE_PLUGIN_H
#define GANTRY_CORE_PLUGIN_H

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/backend.h"

namespace gantry {

// One context's plug-in. The outcome of the first call is kept; CUDA is not touched before it. Every member may be
// called by several threads at once, and in a forked child, where an outcome that was "available" no longer is: CUDA
// does not survive fork.
class Plugin {
 public:
  // `path`: gantry_open_options.cuda_plugin, copied; null or empty: GANTRY_CUDA_PLUGIN, else beside the library, else
  // in its folder gantry/.
  explicit Plugin(const char* path);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // What gantry_backend_query gives; `info` is a whole struct of this library's own, which is overwritten.
  void query(gantry_backend_info* info);

  // The backend when it is available. Otherwise GANTRY_ERROR_BACKEND_UNAVAILABLE, with the text that query gives, and
  // `out` is null.
  gantry_status backend(const Backend** out);

 private:
  // False in a forked child that may not use what its parent found.
  bool prepare();
  void select();
  std::vector<std::string> places() const;
  bool load(const std::string& file);
  void describe_fork(gantry_backend_info* info) const;
  void unavailable(gantry_reason reason, const char* format, ...) __attribute__((format(printf, 3, 4)));

  std::mutex mutex_;
  std::string path_;
  std::atomic<pid_t> process_{0};  // that selects; of 0, none has begun
  std::atomic<bool> selected_{false};
  Backend backend_{};
  gantry_backend_info info_{};
};

}  // namespace gantry

#endif
