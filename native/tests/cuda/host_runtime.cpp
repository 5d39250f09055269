#include "host_runtime.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using Work = std::function<void()>;

// CUDA's own opaque types.
struct CUstream_st {
  bool captures = false;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::vector<Work> graph;
};
struct CUgraph_st {
  std::vector<Work> work;
};
struct CUgraphExec_st {
  std::vector<Work> work;
};
struct CUevent_st {};

namespace gantry::test {
namespace {

enum class Memory { device, pinned, registered };
struct Range {
  size_t bytes;
  Memory memory;
};

std::mutex mutex;
std::map<const char*, Range> ranges;
std::atomic<int> live_handles{0};
std::atomic<int> capturing{0};
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

// Counts down to the call that is to fail.
cudaError_t planned() {
  HostRuntime& runtime = host_runtime();
  return runtime.fail_at > 0 && --runtime.fail_at == 0 ? runtime.failure : cudaSuccess;
}

bool is_named(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}
bool is_capturing(cudaStream_t stream) { return !is_named(stream) && stream->captures; }

// As in CUDA, an unsafe call breaks a capture unless the thread has said that it may be made.
bool forbidden() { return capturing > 0 && thread_mode != cudaStreamCaptureModeRelaxed; }

const std::pair<const char* const, Range>* find(const void* address) {
  auto after = ranges.upper_bound(static_cast<const char*>(address));
  if (after == ranges.begin()) return nullptr;
  --after;
  return static_cast<const char*>(address) < after->first + after->second.bytes ? &*after : nullptr;
}

cudaError_t allocate(void** out, size_t bytes, Memory memory) {
  if (const cudaError_t error = planned()) return result(error);
  if (forbidden()) return result(cudaErrorStreamCaptureUnsupported);
  // Exactly as many bytes as asked for, so that a sanitizer sees an access beyond them.
  void* block = nullptr;
  if (posix_memalign(&block, memory == Memory::pinned ? 4096 : 256, bytes) != 0)
    return result(cudaErrorMemoryAllocation);
  std::memset(block, 0xcd, bytes);
  const std::lock_guard<std::mutex> lock(mutex);
  ranges[static_cast<const char*>(block)] = {bytes, memory};
  *out = block;
  return cudaSuccess;
}

cudaError_t give_back(void* block, Memory memory) {
  if (block == nullptr) return cudaSuccess;
  if (forbidden()) return result(cudaErrorStreamCaptureUnsupported);
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = ranges.find(static_cast<const char*>(block));
  if (found == ranges.end() || found->second.memory != memory) return result(cudaErrorInvalidValue);
  ranges.erase(found);
  if (memory != Memory::registered) std::free(block);
  return cudaSuccess;
}

}  // namespace

HostRuntime& host_runtime() {
  thread_local HostRuntime runtime;
  return runtime;
}

int host_runtime_live() {
  const std::lock_guard<std::mutex> lock(mutex);
  return static_cast<int>(ranges.size()) + live_handles;
}

cudaError_t host_runtime_submit(cudaStream_t stream, Work work) {
  if (const cudaError_t error = planned()) return result(error);
  if (is_capturing(stream)) {
    stream->graph.push_back(std::move(work));
  } else if (capturing > 0 && (stream == nullptr || stream == cudaStreamLegacy)) {
    return result(cudaErrorStreamCaptureImplicit);
  } else {
    work();
  }
  return cudaSuccess;
}

}  // namespace gantry::test

using namespace gantry::test;

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorUnknown:
      return "cudaErrorUnknown";
    default:
      return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t) { return "by the stand-in"; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = planned()) return result(error);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const cudaError_t error = planned()) return result(error);
  *value = attribute == cudaDevAttrMultiProcessorCount             ? host_runtime().multiprocessors
           : attribute == cudaDevAttrL2CacheSize                   ? host_runtime().l2_bytes
           : attribute == cudaDevAttrHostRegisterReadOnlySupported ? 1
                                                                   : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return forbidden() ? result(cudaErrorStreamCaptureUnsupported) : cudaSuccess; }

cudaError_t cudaMalloc(void** out, size_t bytes) { return allocate(out, bytes, Memory::device); }
cudaError_t cudaFree(void* block) { return give_back(block, Memory::device); }
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned int) { return allocate(out, bytes, Memory::pinned); }
cudaError_t cudaFreeHost(void* block) { return give_back(block, Memory::pinned); }
cudaError_t cudaHostRegister(void* block, size_t bytes, unsigned int) {
  if (const cudaError_t error = planned()) return result(error);
  const std::lock_guard<std::mutex> lock(mutex);
  if (find(block) != nullptr) return result(cudaErrorHostMemoryAlreadyRegistered);
  ranges[static_cast<const char*>(block)] = {bytes, Memory::registered};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* block) { return give_back(block, Memory::registered); }
cudaError_t cudaHostGetDevicePointer(void** out, void* block, unsigned int) {
  if (const cudaError_t error = planned()) return result(error);
  *out = block;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto* range = find(address);
  *attributes = cudaPointerAttributes{};
  if (range == nullptr) {
    attributes->type = cudaMemoryTypeUnregistered;
    return cudaSuccess;
  }
  attributes->type = range->second.memory == Memory::device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  attributes->devicePointer = const_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool corrupts = host_runtime().corrupts && kind == cudaMemcpyDeviceToHost;
  return host_runtime_submit(stream, [=] {
    std::memcpy(to, from, bytes);
    if (corrupts) static_cast<char*>(to)[bytes - 1] ^= 1;
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (forbidden()) return result(cudaErrorStreamCaptureUnsupported);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return host_runtime_submit(stream, [=] { std::memset(to, value, bytes); });
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  if (forbidden()) return result(cudaErrorStreamCaptureUnsupported);
  std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  if (const cudaError_t error = planned()) return result(error);
  *stream = new CUstream_st;
  ++live_handles;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --live_handles;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = planned()) return result(error);
  return is_capturing(stream) ? result(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (const cudaError_t error = planned()) return result(error);
  *status = is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  if (capturing > 0 && (stream == nullptr || stream == cudaStreamLegacy)) return result(cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  stream->captures = true;
  stream->mode = mode;
  stream->graph.clear();
  ++capturing;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = new CUgraph_st{std::move(stream->graph)};
  stream->graph.clear();
  stream->captures = false;
  --capturing;
  ++live_handles;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  ++live_handles;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const Work& work : executable->work) work();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --live_handles;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  --live_handles;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  *event = new CUevent_st;
  ++live_handles;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --live_handles;
  return cudaSuccess;
}

}  // extern "C"
