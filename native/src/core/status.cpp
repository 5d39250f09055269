#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace gantry {
namespace {

constexpr size_t kTextBytes = 1024;
thread_local char last_error[kTextBytes] = "";
thread_local uint64_t failures = 0;

}  // namespace

gantry_status fail(gantry_status status, const char* format, ...) {
  ++failures;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last_error, kTextBytes, format, arguments);
  va_end(arguments);
  return status;
}

gantry_status fail_errno(gantry_status status, const char* format, ...) {
  const int code = errno;
  ++failures;
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(last_error, kTextBytes, format, arguments);
  va_end(arguments);
  if (length >= 0 && static_cast<size_t>(length) < kTextBytes) {
    char text[128] = "";
    // GNU's strerror_r: the text that it returns is not always the buffer.
    const char* reason = strerror_r(code, text, sizeof text);
    std::snprintf(last_error + length, kTextBytes - static_cast<size_t>(length), ": %s", reason);
  }
  return status;
}

uint64_t failure_count() { return failures; }

}  // namespace gantry

extern "C" {

const char* gantry_last_error(void) { return gantry::last_error; }

const char* gantry_status_name(gantry_status status) {
  switch (status) {
#define GANTRY_NAME(name) \
  case name:              \
    return #name
    GANTRY_NAME(GANTRY_OK);
    GANTRY_NAME(GANTRY_ERROR_INVALID_ARGUMENT);
    GANTRY_NAME(GANTRY_ERROR_ABI);
    GANTRY_NAME(GANTRY_ERROR_INDEX);
    GANTRY_NAME(GANTRY_ERROR_OVERLAP);
    GANTRY_NAME(GANTRY_ERROR_MISALIGNED);
    GANTRY_NAME(GANTRY_ERROR_OVERFLOW);
    GANTRY_NAME(GANTRY_ERROR_UNSUPPORTED);
    GANTRY_NAME(GANTRY_ERROR_OUT_OF_MEMORY);
    GANTRY_NAME(GANTRY_ERROR_ENVIRONMENT);
    GANTRY_NAME(GANTRY_ERROR_REENTRANT);
    GANTRY_NAME(GANTRY_ERROR_BACKEND_UNAVAILABLE);
    GANTRY_NAME(GANTRY_ERROR_DEVICE);
    GANTRY_NAME(GANTRY_ERROR_CAPTURE);
    GANTRY_NAME(GANTRY_ERROR_SEGMENT_LAYOUT);
    GANTRY_NAME(GANTRY_ERROR_SEGMENT_TRUNCATED);
    GANTRY_NAME(GANTRY_ERROR_SEGMENT_SPACE);
    GANTRY_NAME(GANTRY_ERROR_SYSTEM);
    GANTRY_NAME(GANTRY_ERROR_READ_ONLY);
    GANTRY_NAME(GANTRY_ERROR_DLPACK_VERSION);
    GANTRY_NAME(GANTRY_ERROR_INTERNAL);
#undef GANTRY_NAME
    default:
      return "unknown status";
  }
}

}  // extern "C"
