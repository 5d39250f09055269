// The CUDA backend of one context.
#ifndef GANTRY_CUDA_BACKEND_H
#define GANTRY_CUDA_BACKEND_H

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <vector>

#include "cuda/device.h"
#include "cuda/kernels.h"

namespace gantry {
namespace cuda {

class CudaBackend {
 public:
  // Nothing of CUDA is called before the first query. In a child that was forked after it, what gives something back
  // does nothing: the parent's CUDA cannot be called there, and the memory is the parent's.
  void query(gantry_backend_info* info);
  gantry_status execute(const Request& request);
  gantry_status check(int32_t device, cudaStream_t stream, gantry_stats* stats, Report report);
  gantry_status allocate_pinned(uint64_t bytes, void** out, Report report);
  void free_pinned(void* data);
  gantry_status pin(void* data, uint64_t bytes, bool read_only, Report report);
  void unpin(void* data);
  void close();

 private:
  bool is_own_process() const;

  std::mutex mutex_;
  pid_t process_ = 0;
  bool queried_ = false;
  int usable_ = -1;
  gantry_backend_info info_{};
  Driver driver_;
  std::vector<std::unique_ptr<Device>> devices_;
};

// GANTRY_ERROR_DEVICE, or GANTRY_ERROR_OUT_OF_MEMORY, with the error's name; GANTRY_OK for cudaSuccess.
gantry_status report_cuda(Report report, cudaError_t error, const char* what, int32_t device);

// One op: queues everything on the request's stream.
gantry_status run_request(const Request& request, Device* device);

// Whether the stream is capturing a graph.
gantry_status is_capturing(Report report, cudaStream_t stream, int32_t device, bool* out);

// Gathers 64 rows on the current device and compares every bit; empty when it is right, else what is wrong.
std::string self_test(Device* device);

}  // namespace cuda
}  // namespace gantry

#endif
