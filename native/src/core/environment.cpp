#include "core/environment.h"

#include <cinttypes>

#include "core/error.h"
#include "core/first_release.h"
#include "core/struct_size.h"

namespace gantry {
namespace {

bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// The status of a callback as the op may return it. `failures`: of the thread, before the callback.
gantry_status checked(gantry_status status, const char* callback, const gantry_allocation& request, uint64_t failures) {
  if (status == GANTRY_OK) return GANTRY_OK;
  if (status < GANTRY_OK || status > GANTRY_ERROR_INTERNAL) {
    return fail(GANTRY_ERROR_ENVIRONMENT, "the environment's %s returned %d, which is no gantry_status", callback,
                status);
  }
  if (status == GANTRY_ERROR_INDEX) {
    return fail(GANTRY_ERROR_ENVIRONMENT,
                "the environment's %s returned GANTRY_ERROR_INDEX when asked for %" PRIu64
                " bytes; only an op says that of its own indices",
                callback, request.bytes);
  }
  if (failure_count() == failures) {
    return fail(status, "the environment's %s returned %s when asked for %" PRIu64 " bytes", callback,
                gantry_status_name(status), request.bytes);
  }
  return status;
}

}  // namespace

gantry_status read_environment(const gantry_environment* from, gantry_environment* to) {
  if (from == nullptr) {
    *to = *gantry_environment_malloc();
    return GANTRY_OK;
  }
  if (const gantry_status status = read_struct(from, to, kFirstEnvironment, "the environment")) return status;
  if (to->allocate == nullptr || to->deallocate == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT, "the environment's %s is null",
                to->allocate == nullptr ? "allocate" : "deallocate");
  }
  return GANTRY_OK;
}

gantry_status allocate(const gantry_environment& environment, const gantry_allocation& request, Allocation* out) {
  if (request.bytes == 0 || request.bytes > INT64_MAX || !is_power_of_two(request.alignment)) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "%" PRIu64 " bytes with an alignment of %" PRIu64
                " cannot be asked for: the size lies between 1 and 2^63-1, the alignment is a power of two",
                request.bytes, request.alignment);
  }
  out->request = request;
  out->block = gantry_block{};
  out->block.struct_size = sizeof(gantry_block);
  const uint64_t failures = failure_count();
  gantry_status status = environment.allocate(environment.user, &out->request, &out->block);
  out->request = request;
  if (status != GANTRY_OK) return checked(status, "allocate", request, failures);
  const gantry_block& block = out->block;
  const uint64_t address = reinterpret_cast<uint64_t>(block.data);
  uint64_t end = 0;
  if (block.data == nullptr) {
    status =
        fail(GANTRY_ERROR_ENVIRONMENT,
             "the environment's allocate returned GANTRY_OK and a null block for %" PRIu64 " bytes", request.bytes);
  } else if (block.bytes < request.bytes) {
    status = fail(GANTRY_ERROR_ENVIRONMENT,
                  "the environment's allocate returned a block of %" PRIu64 " bytes when asked for %" PRIu64,
                  block.bytes, request.bytes);
  } else if (address % request.alignment != 0) {
    status = fail(GANTRY_ERROR_ENVIRONMENT,
                  "the environment's allocate returned a block at %p when asked for an alignment of %" PRIu64,
                  block.data, request.alignment);
  } else if (__builtin_add_overflow(address, block.bytes, &end)) {
    status = fail(GANTRY_ERROR_ENVIRONMENT,
                  "the environment's allocate returned a block of %" PRIu64
                  " bytes at %p, which ends outside of the address space",
                  block.bytes, block.data);
  }
  if (status != GANTRY_OK) deallocate(environment, *out);
  return status;
}

void deallocate(const gantry_environment& environment, const Allocation& allocation) {
  // Copies: what a callback writes into them cannot reach the next call.
  Allocation given = allocation;
  environment.deallocate(environment.user, &given.request, &given.block);
}

gantry_status allocate_output(const gantry_environment& environment, const gantry_allocation& request, void* slot,
                              gantry_tensor* output) {
  if (environment.allocate_output == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "the data of the output is null and the environment has no allocate_output");
  }
  const gantry_allocation asked = request;
  gantry_tensor filled = *output;
  filled.data = nullptr;
  filled.byte_offset = 0;
  filled.strides = nullptr;
  filled.flags = 0;
  const uint64_t failures = failure_count();
  const gantry_status status = environment.allocate_output(environment.user, &asked, slot, &filled);
  if (status != GANTRY_OK) return checked(status, "allocate_output", request, failures);
  if (filled.data == nullptr) {
    return fail(GANTRY_ERROR_ENVIRONMENT,
                "the environment's allocate_output returned GANTRY_OK and left data null for %" PRIu64 " bytes",
                request.bytes);
  }
  if ((reinterpret_cast<uint64_t>(filled.data) + filled.byte_offset) % request.alignment != 0) {
    return fail(GANTRY_ERROR_ENVIRONMENT,
                "the environment's allocate_output gave data at %p with byte_offset %" PRIu64
                " when asked for an alignment of %" PRIu64,
                filled.data, filled.byte_offset, request.alignment);
  }
  output->data = filled.data;
  output->byte_offset = filled.byte_offset;
  output->strides = filled.strides;
  output->flags = filled.flags;
  return GANTRY_OK;
}

gantry_status allocate_storage(const gantry_environment& environment, const gantry_allocation& request, void* slot,
                               gantry_tensor* output) {
  gantry_storage** const storage = static_cast<gantry_storage**>(slot);
  if (storage == nullptr) {
    return fail(GANTRY_ERROR_INVALID_ARGUMENT,
                "options.slot is null: the library's own environments put a gantry_storage* for the output there");
  }
  if (const gantry_status status = gantry_storage_create(&environment, request.bytes, request.alignment, request.device,
                                                         request.stream, 0, storage)) {
    return status;
  }
  output->data = gantry_storage_data(*storage);
  return GANTRY_OK;
}

}  // namespace gantry
