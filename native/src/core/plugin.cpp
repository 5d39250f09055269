#include "core/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/note.h"

namespace gantry {
namespace {

constexpr char kFile[] = "libgantry_cuda.so";
constexpr char kVariable[] = "GANTRY_CUDA_PLUGIN";
constexpr int kNotInitialized = 3;  // CUDA_ERROR_NOT_INITIALIZED: what cuInit returns in such a child

// An address inside this library.
const char kAnchor = 0;

std::string own_folder() {
  Dl_info info{};
  if (dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) return std::string(".");
  const char* slash = std::strrchr(info.dli_fname, '/');
  return slash == nullptr ? std::string(".") : std::string(info.dli_fname, slash);
}

// A name without a slash is a file of the working folder here, and not something that dlopen looks for elsewhere.
std::string as_path(const std::string& name) { return name.find('/') == std::string::npos ? "./" + name : name; }

bool is_absent(const std::string& file) {
  return access(file.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

Plugin::Plugin(const char* path) : path_(path != nullptr ? path : "") {}

Plugin::~Plugin() {
  // In a forked child the parent's CUDA cannot be called, not even to end it.
  if (backend_.close != nullptr && process_.load() == getpid()) backend_.close(backend_.self);
}

void Plugin::unavailable(gantry_reason reason, const char* format, ...) {
  info_.reason = reason;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(info_.text, sizeof info_.text, format, arguments);
  va_end(arguments);
}

std::vector<std::string> Plugin::places() const {
  if (!path_.empty()) return {as_path(path_)};
  const char* named = std::getenv(kVariable);
  if (named != nullptr && named[0] != 0) return {as_path(named)};
  const std::string folder = own_folder();
  return {folder + "/" + kFile, folder + "/gantry/" + kFile};
}

void Plugin::select() {
  info_ = gantry_backend_info{};
  info_.struct_size = sizeof info_;
  const std::vector<std::string> files = places();
  for (const std::string& file : files) {
    if (is_absent(file)) continue;
    if (load(file)) backend_.query(backend_.self, &info_);
    return;
  }
  if (files.size() == 1) {
    unavailable(GANTRY_REASON_PLUGIN_ABSENT, "There is no CUDA plug-in at %s, which %s names.", files[0].c_str(),
                path_.empty() ? kVariable : "gantry_open_options.cuda_plugin");
  } else {
    unavailable(GANTRY_REASON_PLUGIN_ABSENT,
                "There is no CUDA plug-in: neither %s nor %s exists. Build Gantry where nvcc is, or name a plug-in of "
                "this very build "
                "by %s.",
                files[0].c_str(), files[1].c_str(), kVariable);
  }
}

bool Plugin::load(const std::string& file) {
  const char* path = file.c_str();
  if (access(path, R_OK) != 0) {
    char text[128] = "";
    unavailable(GANTRY_REASON_PLUGIN_UNLOADABLE, "The CUDA plug-in %s cannot be read: %s.", path,
                strerror_r(errno, text, sizeof text));
    return false;
  }
  std::string stamp;
  std::string why;
  if (!read_stamp(path, &stamp, &why)) {
    unavailable(GANTRY_REASON_PLUGIN_FOREIGN, "The file %s is no CUDA plug-in of this build of Gantry: it %s.", path,
                why.c_str());
    return false;
  }
  const std::string own = gantry_build_info();
  for (const char* key : {"schema", "build.id"}) {
    const std::string here = stamp_line(own, key);
    const std::string there = stamp_line(stamp, key);
    if (!here.empty() && here == there) continue;
    unavailable(
        GANTRY_REASON_PLUGIN_FOREIGN,
        "The CUDA plug-in %s is of another build than libgantry and is not loaded: its stamp has %s=%s (version %s), "
        "libgantry's has %s=%s (version %s). Build and install both together.",
        path, key, there.empty() ? "nothing" : there.c_str(), stamp_line(stamp, "version").c_str(), key,
        here.empty() ? "nothing" : here.c_str(), gantry_version());
    return false;
  }
  if (!is_whole(path, &why)) {
    unavailable(GANTRY_REASON_PLUGIN_UNLOADABLE, "The CUDA plug-in %s %s. Copy or install it again.", path,
                why.c_str());
    return false;
  }
  // Never closed again: the CUDA runtime in it has registered functions for the end of the process.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* text = dlerror();
    unavailable(GANTRY_REASON_PLUGIN_UNLOADABLE, "The CUDA plug-in %s is there, and the loader refuses it: %s.", path,
                text != nullptr ? text : "no reason given");
    return false;
  }
  gantry_status (*entry)(const PluginHost*, Backend*) = nullptr;
  void* symbol = dlsym(library, "gantry_cuda_entry");
  std::memcpy(&entry, &symbol, sizeof symbol);
  const PluginHost host{sizeof(PluginHost), &fail};
  backend_ = Backend{};
  backend_.struct_size = sizeof backend_;
  const gantry_status status = entry != nullptr ? entry(&host, &backend_) : GANTRY_ERROR_ABI;
  if (status == GANTRY_OK) return true;
  backend_ = Backend{};
  unavailable(GANTRY_REASON_PLUGIN_UNLOADABLE, "The CUDA plug-in %s was loaded and does not start: %s.", path,
              entry != nullptr ? gantry_status_name(status) : "it has no function gantry_cuda_entry");
  return false;
}

bool Plugin::prepare() {
  const pid_t self = getpid();
  pid_t process = 0;
  if (!process_.compare_exchange_strong(process, self) && process != self) {
    // The lock may be held by a thread that exists in the parent only.
    return selected_.load() && info_.reason != GANTRY_REASON_AVAILABLE;
  }
  if (selected_.load()) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!selected_.load()) {
    select();
    selected_.store(true);
  }
  return true;
}

void Plugin::describe_fork(gantry_backend_info* info) const {
  *info = gantry_backend_info{};
  info->struct_size = sizeof *info;
  info->reason = GANTRY_REASON_DRIVER_ERROR;
  info->driver_code = kNotInitialized;
  std::snprintf(info->text, sizeof info->text,
                "Process %d was forked from process %d, in which this context had begun to use CUDA: CUDA does not "
                "survive fork. Start "
                "the process that uses the GPU by exec (in Python: multiprocessing's start method \"spawn\").",
                static_cast<int>(getpid()), static_cast<int>(process_.load()));
}

void Plugin::query(gantry_backend_info* info) {
  if (prepare()) {
    *info = info_;
  } else {
    describe_fork(info);
  }
}

gantry_status Plugin::backend(const Backend** out) {
  *out = nullptr;
  const bool prepared = prepare();
  if (prepared && info_.reason == GANTRY_REASON_AVAILABLE) {
    *out = &backend_;
    return GANTRY_OK;
  }
  gantry_backend_info info{};
  query(&info);
  return fail(GANTRY_ERROR_BACKEND_UNAVAILABLE, "%s", info.text);
}

}  // namespace gantry
