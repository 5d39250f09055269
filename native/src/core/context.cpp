#include "core/context.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/entry.h"
#include "core/first_release.h"
#include "core/struct_size.h"
#include "host/processors.h"

namespace gantry {
namespace {

thread_local const Activity* innermost = nullptr;

#define GANTRY_STRING_OF(x) #x
#define GANTRY_STRING(x) GANTRY_STRING_OF(x)
constexpr char kVersion[] =
    GANTRY_STRING(GANTRY_VERSION_MAJOR) "." GANTRY_STRING(GANTRY_VERSION_MINOR) "." GANTRY_STRING(GANTRY_VERSION_PATCH);

gantry_status check_abi(uint32_t wanted) {
  const uint32_t major = wanted >> 16;
  const uint32_t minor = wanted & 0xffff;
  if (major == GANTRY_ABI_MAJOR && minor <= GANTRY_ABI_MINOR) return GANTRY_OK;
  return fail(GANTRY_ERROR_ABI,
              "the caller was compiled for Gantry's binary interface %u.%u and "
              "the library has %u.%u; %s",
              major, minor, GANTRY_ABI_MAJOR, GANTRY_ABI_MINOR,
              major == GANTRY_ABI_MAJOR ? "a newer library is needed" : "one of them has to be built anew");
}

// Says which of the environment's variables are not in force as they stand, and what is used instead.
void log_variables(const gantry_context& context, uint32_t threads_asked) {
  const char* const threads = std::getenv("GANTRY_NUM_THREADS");
  if (threads_asked == 0 && threads != nullptr && threads[0] != '\0') {
    const bool is_number = parse_threads(threads) != 0;
    if (!is_number || std::strtoul(threads, nullptr, 10) > kMaxThreads) {
      write_log(context, "gantry %s: GANTRY_NUM_THREADS is \"%.64s\", which is %s; %u threads are used instead",
                kVersion, threads, is_number ? "more than the 256 that are possible" : "no number from 1 to 256",
                context.host->threads());
    }
  }
  const char* const isa = std::getenv("GANTRY_ISA");
  if (isa != nullptr && isa[0] != '\0' && std::strcmp(isa, context.host->isa()) != 0) {
    write_log(context,
              "gantry %s: GANTRY_ISA is \"%.64s\", which is no level that the library has and the processor can run; "
              "%s is used instead",
              kVersion, isa, context.host->isa());
  }
}
static_assert(kMaxThreads == 256, "the texts name it");

}  // namespace

void write_log(const gantry_context& context, const char* format, ...) {
  if (context.log == nullptr) return;
  char line[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  context.log(context.log_user, line);
}

Activity::Activity(const gantry_context* context) : context_(context), outer_(innermost) { innermost = this; }

Activity::~Activity() { innermost = outer_; }

gantry_status Activity::check(const gantry_context* context) {
  for (const Activity* activity = innermost; activity != nullptr; activity = activity->outer_) {
    if (activity->context_ == context) {
      return fail(GANTRY_ERROR_REENTRANT, "a callback called an op on the context %p, which is running it",
                  static_cast<const void*>(context));
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry

using gantry::fail;

extern "C" {

uint32_t gantry_abi_version(void) { return GANTRY_ABI_VERSION; }

const char* gantry_version(void) { return gantry::kVersion; }

gantry_status gantry_open(uint32_t abi_wanted, const gantry_open_options* options, gantry_context** out) {
  return gantry::guarded([&]() -> gantry_status {
    if (out == nullptr) return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the place for the context is null");
    *out = nullptr;
    if (const gantry_status status = gantry::check_abi(abi_wanted)) return status;
    gantry_open_options own{};
    if (options != nullptr) {
      if (const gantry_status status =
              gantry::read_struct(options, &own, gantry::kFirstOpenOptions, "the options of gantry_open")) {
        return status;
      }
    }
    if (own.threads > gantry::kMaxThreads) {
      return fail(GANTRY_ERROR_INVALID_ARGUMENT, "%u threads are asked for; at most %u are possible", own.threads,
                  gantry::kMaxThreads);
    }
    auto context = std::make_unique<gantry_context>();
    context->host = gantry::make_host_backend(own.threads);
    if (context->host == nullptr) {
      return fail(GANTRY_ERROR_OUT_OF_MEMORY, "memory for the host backend could not be allocated");
    }
    context->plugin = std::make_shared<gantry::Plugin>(own.cuda_plugin);
    context->pinned = gantry::pinned_environment(context.get());
    context->log_user = own.log_user;
    context->log = own.log;
    gantry::log_variables(*context, own.threads);
    gantry::write_log(*context, "gantry %s: host kernels %s, %u threads", gantry::kVersion, context->host->isa(),
                      context->host->threads());
    *out = context.release();
    return GANTRY_OK;
  });
}

gantry_status gantry_close(gantry_context* context) {
  return gantry::guarded([&]() -> gantry_status {
    if (context == nullptr) return GANTRY_OK;
    if (const gantry_status status = gantry::Activity::check(context)) return status;
    delete context;
    return GANTRY_OK;
  });
}

uint32_t gantry_threads(const gantry_context* context) { return context != nullptr ? context->host->threads() : 0; }

const char* gantry_isa(const gantry_context* context) { return context != nullptr ? context->host->isa() : "none"; }

}  // extern "C"
