// A stand-in for the CUDA runtime whose device is this process's own memory. It runs what is queued at once, or keeps
// it while a stream captures a graph, and refuses in a capture what CUDA refuses. It lets the whole backend but the
// compiled kernels, and the tests that are meant for a GPU, run where there is none. It shows nothing about a GPU.
#ifndef GANTRY_TESTS_CUDA_HOST_RUNTIME_H
#define GANTRY_TESTS_CUDA_HOST_RUNTIME_H

#include <cuda_runtime_api.h>

#include <functional>

namespace gantry::test {

struct HostRuntime {
  int multiprocessors = 3;
  int l2_bytes = 1 << 20;
  // The n-th call from now that can fail, fails; 0: none.
  int fail_at = 0;
  cudaError_t failure = cudaErrorUnknown;
  // Copies to the host have one wrong bit, in their last byte.
  bool corrupts = false;
};

// The calling thread's.
HostRuntime& host_runtime();

// Blocks of device memory and pinned memory, registered ranges, streams and graphs that have not been given back.
int host_runtime_live();

// Runs `work` as if it had been launched on the stream. Returns what the launch returns.
cudaError_t host_runtime_submit(cudaStream_t stream, std::function<void()> work);

}  // namespace gantry::test

#endif
