// The status and text of a failure, for all rooms.
#ifndef GANTRY_CORE_ERROR_H
#define GANTRY_CORE_ERROR_H

#include "gantry/gantry.h"

namespace gantry {

// Sets the text that gantry_last_error() gives to this thread, at most 1023 bytes. Returns `status`.
[[gnu::format(printf, 2, 3)]] gantry_status fail(gantry_status status, const char* format, ...);

// As fail, with errno's text after the sentence.
[[gnu::format(printf, 2, 3)]] gantry_status fail_errno(gantry_status status, const char* format, ...);

// How often this thread's text has been set: whether a callback has set one of its own.
uint64_t failure_count();

}  // namespace gantry

#endif
