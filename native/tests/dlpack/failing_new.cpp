#include "failing_new.h"

#include <new>

namespace {

thread_local int calls_until_failure = -1;
thread_local bool has_failed = false;

}  // namespace

namespace gantry_test {

void fail_nothrow_new(int k) {
  calls_until_failure = k;
  has_failed = false;
}

bool stop_failing_nothrow_new() {
  calls_until_failure = -1;
  return has_failed;
}

}  // namespace gantry_test

// The program's replacement, as the C++ standard allows it.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (calls_until_failure == 0) {
    has_failed = true;
    calls_until_failure = -1;
    return nullptr;
  }
  if (calls_until_failure > 0) {
    --calls_until_failure;
  }
  try {
    return ::operator new(bytes);
  } catch (...) {
    return nullptr;
  }
}
