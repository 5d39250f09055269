#include "cuda/backend.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

#include "cuda/architectures.h"

extern "C" const char* gantry_cuda_build_info(void);

namespace gantry {
namespace cuda {

bool CudaBackend::is_own_process() const { return process_ == getpid(); }

void CudaBackend::query(gantry_backend_info* info) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!queried_) {
    queried_ = true;
    process_ = getpid();
    info_ = gantry_backend_info{};
    info_.struct_size = sizeof info_;
    const std::string architectures = stamp_value(gantry_cuda_build_info(), "cuda.archs");
    std::snprintf(info_.architectures, sizeof info_.architectures, "%s", architectures.c_str());
    if (driver_.examine(architectures, &info_, &usable_) == GANTRY_REASON_AVAILABLE) {
      for (int i = 0; i < info_.device_count; ++i) devices_.push_back(std::make_unique<Device>());
      std::string wrong;
      {
        DeviceScope scope(driver_, usable_);
        wrong = scope.error() != cudaSuccess ? std::string(cudaGetErrorName(scope.error())) + " (" +
                                                   cudaGetErrorString(scope.error()) + ") when the GPU was made current"
                                             : self_test(devices_[static_cast<size_t>(usable_)].get());
      }
      if (!wrong.empty()) {
        explain(&info_, GANTRY_REASON_SELF_TEST_FAILED,
                "GPU %d did not pass the self-test, a gather of 64 rows that is compared bit by bit: %s. Look at "
                "nvidia-smi and at "
                "the kernel's log.",
                usable_, wrong.c_str());
      } else {
        explain(&info_, GANTRY_REASON_AVAILABLE,
                "The CUDA backend is available: %d GPU%s, a driver for CUDA %d.%d, the runtime of CUDA %d.%d.",
                info_.device_count, info_.device_count == 1 ? "" : "s", info_.driver_version / 1000,
                info_.driver_version % 1000 / 10, info_.runtime_version / 1000, info_.runtime_version % 1000 / 10);
      }
    }
  }
  *info = info_;
}

gantry_status CudaBackend::execute(const Request& request) {
  const int32_t id = request.device.id;
  if (id < 0 || static_cast<size_t>(id) >= devices_.size()) {
    return request.report(GANTRY_ERROR_INVALID_ARGUMENT, "the tensors are on GPU %d; this process sees %zu GPUs", id,
                          devices_.size());
  }
  if (request.table_on_host) {
    for (uint32_t i = 0; i < request.chunk_count; ++i) {
      cudaPointerAttributes attributes{};
      const cudaError_t error = cudaPointerGetAttributes(&attributes, request.chunks[i].data);
      if (error != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered) {
        cudaGetLastError();
        return request.report(
            GANTRY_ERROR_INVALID_ARGUMENT,
            "the table's memory at %p is declared pinned, and CUDA does not know it: gantry_storage_pin makes it "
            "readable by the GPU",
            static_cast<void*>(request.chunks[i].data));
      }
    }
  }
  Device* device = devices_[static_cast<size_t>(id)].get();
  DeviceScope scope(driver_, id);
  cudaError_t error = scope.error();
  if (error == cudaSuccess) error = device->prepare(id);
  if (error != cudaSuccess) return report_cuda(request.report, error, "making the GPU ready", id);
  return run_request(request, device);
}

gantry_status CudaBackend::check(int32_t id, cudaStream_t stream, gantry_stats* stats, Report report) {
  if (id < 0 || static_cast<size_t>(id) >= devices_.size()) {
    return report(GANTRY_ERROR_INVALID_ARGUMENT, "GPU %d is asked for; this process sees %zu GPUs", id,
                  devices_.size());
  }
  DeviceScope scope(driver_, id);
  if (scope.error() != cudaSuccess) return report_cuda(report, scope.error(), "making the GPU ready", id);
  bool capturing = false;
  if (const gantry_status status = is_capturing(report, stream, id, &capturing)) return status;
  if (capturing) {
    return report(GANTRY_ERROR_CAPTURE,
                  "gantry_check waits for the stream, which is capturing a graph: call it after the graph has run");
  }
  Record record{};
  Record* known = devices_[static_cast<size_t>(id)]->known_record(stream);
  cudaError_t error = cudaSuccess;
  if (known != nullptr) {
    error = cudaMemcpyAsync(&record, known, sizeof record, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaMemsetAsync(known, 0, sizeof record, stream);
  }
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return report_cuda(report, error, "reading the stream's record of bad indices", id);
  stats->bad_rows = static_cast<int64_t>(record.count);
  stats->first_bad_position = record.count != 0 ? static_cast<int64_t>(~record.position_complement) : -1;
  stats->first_bad_value = record.value;
  if (record.count == 0) return GANTRY_OK;
  return report(GANTRY_ERROR_INDEX,
                "index %" PRId64 " at position %" PRId64 " was outside of its table; %" PRId64
                " such indices since the last check of this stream",
                stats->first_bad_value, stats->first_bad_position, stats->bad_rows);
}

gantry_status CudaBackend::allocate_pinned(uint64_t bytes, void** out, Report report) {
  DeviceScope scope(driver_, usable_);
  UncapturedScope uncaptured;
  cudaError_t error = scope.error();
  if (error == cudaSuccess) error = cudaHostAlloc(out, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  return report_cuda(report, error, "allocating page-locked memory", usable_);
}

void CudaBackend::free_pinned(void* data) {
  if (!is_own_process()) return;
  DeviceScope scope(driver_, usable_);
  UncapturedScope uncaptured;
  cudaFreeHost(data);
}

gantry_status CudaBackend::pin(void* data, uint64_t bytes, bool read_only, Report report) {
  DeviceScope scope(driver_, usable_);
  UncapturedScope uncaptured;
  if (scope.error() != cudaSuccess) return report_cuda(report, scope.error(), "making the GPU ready", usable_);
  unsigned int flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
  if (read_only) {
    int supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterReadOnlySupported, usable_);
    if (supported == 0) {
      return report(GANTRY_ERROR_UNSUPPORTED, "GPU %d and its driver cannot page-lock memory that is mapped read-only",
                    usable_);
    }
    flags |= cudaHostRegisterReadOnly;
  }
  if (const gantry_status status =
          report_cuda(report, cudaHostRegister(data, bytes, flags), "page-locking memory", usable_)) {
    return status;
  }
  void* seen = nullptr;
  const cudaError_t error = cudaHostGetDevicePointer(&seen, data, 0);
  if (error == cudaSuccess && seen == data) return GANTRY_OK;
  cudaHostUnregister(data);
  if (error != cudaSuccess)
    return report_cuda(report, error, "asking for the GPU's address of page-locked memory", usable_);
  return report(GANTRY_ERROR_UNSUPPORTED, "the GPU sees the memory at %p at another address, %p", data, seen);
}

void CudaBackend::unpin(void* data) {
  if (!is_own_process()) return;
  DeviceScope scope(driver_, usable_);
  UncapturedScope uncaptured;
  cudaHostUnregister(data);
}

void CudaBackend::close() {
  if (!is_own_process()) return;
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (!devices_[i]->has_records()) continue;
    DeviceScope scope(driver_, static_cast<int>(i));
    if (scope.error() == cudaSuccess) devices_[i]->release();
  }
}

}  // namespace cuda
}  // namespace gantry
