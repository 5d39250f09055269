#include "allocations.h"

#include <chrono>

double gantry_time_allocations(const gantry_environment* environment, uint64_t bytes, uint64_t count) {
  gantry_allocation request{};
  request.struct_size = sizeof request;
  request.bytes = bytes;
  request.alignment = 64;
  request.device = {GANTRY_DEVICE_HOST, 0};
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < count; ++i) {
    gantry_block block{};
    block.struct_size = sizeof block;
    if (environment->allocate(environment->user, &request, &block) != GANTRY_OK) return -1;
    environment->deallocate(environment->user, &request, &block);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
