// What a context keeps for each GPU, and the scope in which a thread works on it.
#ifndef GANTRY_CUDA_DEVICE_H
#define GANTRY_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cuda/driver.h"
#include "cuda/rows.h"

namespace gantry {
namespace cuda {

// Makes the device current for the calling thread, and what was current before current again.
class DeviceScope {
 public:
  DeviceScope(const Driver& driver, int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  cudaError_t error() const { return error_; }

 private:
  const Driver& driver_;
  void* before_ = nullptr;
  bool changed_ = false;
  cudaError_t error_ = cudaSuccess;
};

// Calls that allocate are allowed in it while another stream, or this thread, captures a graph: they are not part of
// it.
class UncapturedScope {
 public:
  UncapturedScope() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~UncapturedScope() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  UncapturedScope(const UncapturedScope&) = delete;
  UncapturedScope& operator=(const UncapturedScope&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class Device {
 public:
  // Asks once for what the grids depend on. The device is current, as in all functions here.
  cudaError_t prepare(int device);
  uint32_t multiprocessors() const { return multiprocessors_; }
  uint64_t l2_bytes() const { return l2_bytes_; }

  // The stream's own record of bad indices, made at its first op. It stays until the context ends, so that graphs may
  // write to it.
  cudaError_t record_of(cudaStream_t stream, Record** out);
  // Null when no op on the stream has had one.
  Record* known_record(cudaStream_t stream);

  bool has_records() const { return !blocks_.empty(); }
  void release();

 private:
  // Of the per-thread default stream each thread has its own.
  struct Key {
    cudaStream_t stream;
    uint64_t thread;
    bool operator==(const Key& other) const { return stream == other.stream && thread == other.thread; }
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.stream) ^ std::hash<uint64_t>()(key.thread);
    }
  };
  static Key key_of(cudaStream_t stream);
  cudaError_t add_block();

  std::mutex mutex_;
  bool prepared_ = false;
  uint32_t multiprocessors_ = 0;
  uint64_t l2_bytes_ = 0;
  std::unordered_map<Key, Record*, Hash> records_;
  std::vector<Record*> blocks_;
  size_t used_ = 0;  // of the last block
};

}  // namespace cuda
}  // namespace gantry

#endif
