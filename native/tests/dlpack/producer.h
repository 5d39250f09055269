// A producer of managed tensors that counts what its consumers do.
#ifndef GANTRY_TESTS_DLPACK_PRODUCER_H
#define GANTRY_TESTS_DLPACK_PRODUCER_H

#include <vector>

#include "dlpack/dlpack_abi.h"
#include "gantry/gantry.h"

namespace gantry_test {

constexpr DLDataType kFloat32{GANTRY_CODE_FLOAT, 32, 1};
constexpr DLDevice kHost{GANTRY_DEVICE_HOST, 0};

template <class Managed>
struct Producer {
  Managed managed{};
  std::vector<int64_t> shape{3, 4};
  std::vector<int64_t> strides{4, 1};
  float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int deletions = 0;

  Producer() {
    DLTensor& tensor = managed.dl_tensor;
    tensor.data = data;
    tensor.device = kHost;
    tensor.dtype = kFloat32;
    describe({3, 4}, {4, 1});
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deletions; };
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Empty strides become null.
  void describe(std::vector<int64_t> new_shape, std::vector<int64_t> new_strides) {
    shape = std::move(new_shape);
    strides = std::move(new_strides);
    managed.dl_tensor.ndim = static_cast<int32_t>(shape.size());
    managed.dl_tensor.shape = shape.empty() ? nullptr : shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
};

using LegacyProducer = Producer<DLManagedTensor>;

struct VersionedProducer : Producer<DLManagedTensorVersioned> {
  VersionedProducer() { managed.version = {1, 1}; }
};

inline gantry_tensor empty_view() {
  gantry_tensor view{};
  view.struct_size = sizeof view;
  return view;
}

}  // namespace gantry_test

#endif
