// Structs that grow: read and written only as far as the caller's own declaration goes.
#ifndef GANTRY_CORE_STRUCT_SIZE_H
#define GANTRY_CORE_STRUCT_SIZE_H

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace gantry {

// Copies a caller's struct; members that the caller does not know are zero. `first_release` is the size that the struct
// had in the first release: less is refused.
template <class T>
gantry_status read_struct(const T* from, T* to, size_t first_release, const char* name) {
  if (from == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "%s is null", name);
  }
  if (from->struct_size < first_release) {
    return fail(GANTRY_ERROR_ABI, "%s has struct_size %u, %zu is the least that this library accepts", name,
                from->struct_size, first_release);
  }
  if (from->struct_size >= sizeof(T)) {
    *to = *from;
  } else {
    *to = T{};
    std::memcpy(static_cast<void*>(to), from, from->struct_size);
  }
  to->struct_size = sizeof(T);
  return GANTRY_OK;
}

// Writes into a caller's struct as much as it has room for, and leaves its struct_size alone.
template <class T>
void write_struct(const T& from, T* to) {
  const uint32_t size = to->struct_size;
  std::memcpy(static_cast<void*>(to), &from, std::min<size_t>(size, sizeof(T)));
  to->struct_size = size;
}

}  // namespace gantry

#endif
