// What gantry_open makes.
#ifndef GANTRY_CORE_CONTEXT_H
#define GANTRY_CORE_CONTEXT_H

#include <memory>

#include "core/plugin.h"
#include "host/host.h"

struct gantry_context {
  std::unique_ptr<gantry::HostBackend> host;
  // Shared with pinned storage, which may outlive the context.
  std::shared_ptr<gantry::Plugin> plugin;
  gantry_environment pinned{};
  void* log_user = nullptr;
  void (*log)(void* user, const char* line) = nullptr;
};

namespace gantry {

// What gantry_environment_pinned gives.
gantry_environment pinned_environment(gantry_context* context);

// A line for the caller's log, when there is one; printf's format.
[[gnu::format(printf, 2, 3)]] void write_log(const gantry_context& context, const char* format, ...);

// One op of the calling thread on a context, so that an op that a callback
// calls on it is seen.
class Activity {
 public:
  explicit Activity(const gantry_context* context);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  // GANTRY_ERROR_REENTRANT when the thread is inside another op of the context.
  static gantry_status check(const gantry_context* context);

 private:
  const gantry_context* context_;
  const Activity* outer_;
};

}  // namespace gantry

#endif
