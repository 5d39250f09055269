// The caller's environment, and how its callbacks are called: nothing that they return gets through unchecked.
#ifndef GANTRY_CORE_ENVIRONMENT_H
#define GANTRY_CORE_ENVIRONMENT_H

#include "gantry/gantry.h"

namespace gantry {

// What every block of the library's own environments is a multiple of.
constexpr uint64_t kDefaultAlignment = 64;

// Copies the environment; null: malloc.
gantry_status read_environment(const gantry_environment* from, gantry_environment* to);

// A block as it was asked for.
struct Allocation {
  gantry_allocation request;
  gantry_block block;
};

// Asks the environment, and checks what comes back. A block that breaks the contract is given back at once.
gantry_status allocate(const gantry_environment& environment, const gantry_allocation& request, Allocation* out);

void deallocate(const gantry_environment& environment, const Allocation& allocation);

// Asks for the memory of `output`, whose data is null. Fills data, byte_offset, strides and flags.
gantry_status allocate_output(const gantry_environment& environment, const gantry_allocation& request, void* slot,
                              gantry_tensor* output);

// The rule of the library's own environments for outputs: `slot` is a gantry_storage** that receives the memory.
gantry_status allocate_storage(const gantry_environment& environment, const gantry_allocation& request, void* slot,
                               gantry_tensor* output);

}  // namespace gantry

#endif
