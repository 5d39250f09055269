// Which sanitizer the tests are compiled with.
#ifndef GANTRY_TESTS_SANITIZERS_H
#define GANTRY_TESTS_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

namespace gantry::test {

// It is slow, and looks at nothing but threads: what varies only values, widths and places is tried less often under it. The
// other builds try all of it.
#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

}  // namespace gantry::test

#endif  // GANTRY_TESTS_SANITIZERS_H
