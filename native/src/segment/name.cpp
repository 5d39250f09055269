#include "segment/name.h"

#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace gantry {
namespace {

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

}  // namespace

gantry_status check_name(const char* name) {
  if (name == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the segment's name is null");
  }
  const size_t length = strnlen(name, NAME_MAX + 2);
  if (length > NAME_MAX) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the segment's name \"%.64s...\" is longer than %d bytes", name,
                NAME_MAX);
  }
  constexpr size_t kPrefixLength = sizeof(kNamePrefix) - 1;
  if (std::strncmp(name, kNamePrefix, kPrefixLength) != 0 || length == kPrefixLength) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the segment's name \"%s\" has to be \"%s\" and at least one character",
                name, kNamePrefix);
  }
  for (const char* c = name + kPrefixLength; *c != '\0'; ++c) {
    if (!is_allowed(*c)) {
      return fail(
          GANTRY_ERROR_INVALID_ARGUMENT,
          "the segment's name has byte 0x%02x at position %zu; letters, digits, '-', '_' and '.' are allowed after "
          "\"%s\"",
          static_cast<unsigned char>(*c), static_cast<size_t>(c - name), kNamePrefix);
    }
  }
  return GANTRY_OK;
}

NamePath::NamePath(const char* name) { std::snprintf(text, sizeof text, "%s%s", kSharedMemoryDirectory, name); }

}  // namespace gantry
