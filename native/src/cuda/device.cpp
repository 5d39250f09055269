#include "cuda/device.h"

#include <pthread.h>

namespace gantry {
namespace cuda {
namespace {

constexpr size_t kRecordsOfBlock = 64;
static_assert(kRecordsOfBlock * sizeof(Record) == 2048, "gantry.h says how much gantry_check's records take");

}  // namespace

DeviceScope::DeviceScope(const Driver& driver, int device) : driver_(driver), before_(driver.context()) {
  int current = -1;
  if (before_ != nullptr) error_ = cudaGetDevice(&current);
  if (error_ != cudaSuccess || current == device) return;
  error_ = cudaSetDevice(device);
  changed_ = true;
}

DeviceScope::~DeviceScope() {
  if (changed_) driver_.set_context(before_);
}

cudaError_t Device::prepare(int device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (prepared_) return cudaSuccess;
  int multiprocessors = 0;
  int l2_bytes = 0;
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
  if (error != cudaSuccess) return error;
  multiprocessors_ = static_cast<uint32_t>(multiprocessors);
  l2_bytes_ = static_cast<uint64_t>(l2_bytes);
  prepared_ = true;
  return cudaSuccess;
}

Device::Key Device::key_of(cudaStream_t stream) {
  return Key{stream, stream == cudaStreamPerThread ? static_cast<uint64_t>(pthread_self()) : 0};
}

cudaError_t Device::add_block() {
  UncapturedScope uncaptured;
  cudaStream_t stream = nullptr;
  void* block = nullptr;
  constexpr size_t kBytes = kRecordsOfBlock * sizeof(Record);
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return error;
  error = cudaMalloc(&block, kBytes);
  if (error == cudaSuccess) error = cudaMemsetAsync(block, 0, kBytes, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  if (error == cudaSuccess) {
    blocks_.push_back(static_cast<Record*>(block));
    used_ = 0;
  } else if (block != nullptr) {
    cudaFree(block);
  }
  return error;
}

cudaError_t Device::record_of(cudaStream_t stream, Record** out) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Key key = key_of(stream);
  const auto found = records_.find(key);
  if (found != records_.end()) {
    *out = found->second;
    return cudaSuccess;
  }
  if (blocks_.empty() || used_ == kRecordsOfBlock) {
    blocks_.reserve(blocks_.size() + 1);
    const cudaError_t error = add_block();
    if (error != cudaSuccess) return error;
  }
  *out = blocks_.back() + used_;
  records_.emplace(key, *out);
  ++used_;
  return cudaSuccess;
}

Record* Device::known_record(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = records_.find(key_of(stream));
  return found != records_.end() ? found->second : nullptr;
}

void Device::release() {
  UncapturedScope uncaptured;
  for (Record* block : blocks_) cudaFree(block);
  blocks_.clear();
  records_.clear();
}

}  // namespace cuda
}  // namespace gantry
