// The one function that the plug-in exports.
#include <new>

#include "cuda/backend.h"

namespace {

using gantry::Backend;
using gantry::PluginHost;
using gantry::Report;
using gantry::Request;
using gantry::cuda::CudaBackend;

CudaBackend& of(void* self) { return *static_cast<CudaBackend*>(self); }

gantry_status execute(void* self, const Request* request) {
  try {
    return of(self).execute(*request);
  } catch (const std::bad_alloc&) {
    return request->report(GANTRY_ERROR_OUT_OF_MEMORY, "the CUDA backend got no memory for its own records");
  } catch (...) {
    return request->report(GANTRY_ERROR_INTERNAL, "the CUDA backend failed in an unknown way");
  }
}

gantry_status check(void* self, int32_t device, gantry_stream stream, gantry_stats* stats, Report report) {
  return of(self).check(device, static_cast<cudaStream_t>(stream), stats, report);
}

gantry_status allocate_pinned(void* self, uint64_t bytes, void** out, Report report) {
  return of(self).allocate_pinned(bytes, out, report);
}

void free_pinned(void* self, void* data) { of(self).free_pinned(data); }

gantry_status pin(void* self, void* data, uint64_t bytes, bool read_only, Report report) {
  return of(self).pin(data, bytes, read_only, report);
}

void unpin(void* self, void* data) { of(self).unpin(data); }

void query(void* self, gantry_backend_info* info) {
  try {
    of(self).query(info);
  } catch (...) {
    gantry::cuda::explain(info, GANTRY_REASON_SELF_TEST_FAILED,
                          "The CUDA backend got no memory of the host for its first query.");
  }
}

void close(void* self) {
  CudaBackend* backend = static_cast<CudaBackend*>(self);
  backend->close();
  delete backend;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) gantry_status gantry_cuda_entry(const PluginHost* host,
                                                                                  Backend* out) {
  if (host->struct_size != sizeof(PluginHost) || out->struct_size != sizeof(Backend)) return GANTRY_ERROR_ABI;
  CudaBackend* backend = new (std::nothrow) CudaBackend;
  if (backend == nullptr) return GANTRY_ERROR_OUT_OF_MEMORY;
  *out =
      Backend{sizeof(Backend), backend, &execute, &check, &allocate_pinned, &free_pinned, &pin, &unpin, &query, &close};
  return GANTRY_OK;
}
