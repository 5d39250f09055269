// The border of the C interface: no exception passes it.
#ifndef GANTRY_CORE_ENTRY_H
#define GANTRY_CORE_ENTRY_H

#include <exception>
#include <new>

#include "core/error.h"

namespace gantry {

template <class Body>
gantry_status guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(GANTRY_ERROR_OUT_OF_MEMORY, "memory for the library's own records could not be allocated");
  } catch (const std::exception& error) {
    return fail(GANTRY_ERROR_INTERNAL, "an unexpected error inside the library: %s", error.what());
  } catch (...) {
    return fail(GANTRY_ERROR_INTERNAL, "an unexpected error of unknown kind inside the library");
  }
}

}  // namespace gantry

#endif
