// Storage given to others: what they see, what is refused, and how long the memory stays.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "failing_new.h"
#include "producer.h"

namespace {

using gantry_test::empty_view;
using gantry_test::VersionedProducer;

// Memory whose release is counted.
class Export : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(GANTRY_OK, wrap(0, &storage_)); }
  void TearDown() override {
    gantry_storage_release(storage_);
    EXPECT_EQ(wraps_, releases_);
  }

  gantry_status wrap(int32_t read_only, gantry_storage** out) {
    ++wraps_;
    return gantry_storage_wrap(
        data_, sizeof data_, {GANTRY_DEVICE_HOST, 0}, read_only, &releases_,
        [](void* user) { ++*static_cast<int*>(user); }, out);
  }

  // The whole memory as 3 rows of 4.
  gantry_tensor view() {
    gantry_tensor view = empty_view();
    view.data = data_;
    view.shape = shape_;
    view.strides = strides_;
    view.ndim = 2;
    view.dtype = {GANTRY_CODE_FLOAT, 32, 1};
    view.device = {GANTRY_DEVICE_HOST, 0};
    return view;
  }

  float data_[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape_[2] = {3, 4};
  int64_t strides_[2] = {4, 1};
  gantry_storage* storage_ = nullptr;
  int wraps_ = 0;
  int releases_ = 0;
};

TEST_F(Export, LegacyDescribesTheViewWithStorageOfItsOwn) {
  gantry_tensor view = this->view();
  view.byte_offset = 16;
  shape_[0] = 2;
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage_, &view, &managed)) << gantry_last_error();
  const DLTensor& tensor = managed->dl_tensor;
  // The offset is added: consumers that do not read byte_offset see the right rows.
  EXPECT_EQ(data_ + 4, tensor.data);
  EXPECT_EQ(0u, tensor.byte_offset);
  EXPECT_EQ(GANTRY_DEVICE_HOST, tensor.device.device_type);
  EXPECT_EQ(0, tensor.device.device_id);
  EXPECT_EQ(2, tensor.ndim);
  EXPECT_EQ(GANTRY_CODE_FLOAT, tensor.dtype.code);
  EXPECT_EQ(32, tensor.dtype.bits);
  EXPECT_EQ(1, tensor.dtype.lanes);
  shape_[0] = 99;
  strides_[0] = 99;
  EXPECT_EQ(2, tensor.shape[0]);
  EXPECT_EQ(4, tensor.shape[1]);
  EXPECT_EQ(4, tensor.strides[0]);
  EXPECT_EQ(1, tensor.strides[1]);
  managed->deleter(managed);
}

TEST_F(Export, VersionedSaysVersionAndFlags) {
  gantry_storage* read_only = nullptr;
  ASSERT_EQ(GANTRY_OK, wrap(1, &read_only));
  const struct {
    gantry_storage* storage;
    uint32_t view_flags;
    int32_t is_copy;
    uint64_t flags;
  } cases[] = {{storage_, 0, 0, 0},
               {storage_, 0, 1, GANTRY_DLPACK_IS_COPIED},
               {storage_, GANTRY_TENSOR_READ_ONLY, 0, GANTRY_DLPACK_READ_ONLY},
               {read_only, 0, 0, GANTRY_DLPACK_READ_ONLY},
               {read_only, 0, -1, GANTRY_DLPACK_READ_ONLY | GANTRY_DLPACK_IS_COPIED}};
  for (const auto& c : cases) {
    gantry_tensor view = this->view();
    view.flags = c.view_flags;
    DLManagedTensorVersioned* managed = nullptr;
    ASSERT_EQ(GANTRY_OK, gantry_export_dlpack_versioned(c.storage, &view, c.is_copy, &managed)) << gantry_last_error();
    EXPECT_EQ(1u, managed->version.major);
    EXPECT_EQ(3u, managed->version.minor);
    EXPECT_EQ(c.flags, managed->flags);
    EXPECT_EQ(data_, managed->dl_tensor.data);
    managed->deleter(managed);
  }
  gantry_storage_release(read_only);
}

TEST_F(Export, AlwaysGivesStrides) {
  int64_t shape[3] = {2, 3, 2};
  gantry_tensor view = this->view();
  view.ndim = 3;
  view.shape = shape;
  view.strides = nullptr;
  DLManagedTensorVersioned* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack_versioned(storage_, &view, 0, &managed)) << gantry_last_error();
  ASSERT_NE(nullptr, managed->dl_tensor.strides);
  EXPECT_EQ(6, managed->dl_tensor.strides[0]);
  EXPECT_EQ(2, managed->dl_tensor.strides[1]);
  EXPECT_EQ(1, managed->dl_tensor.strides[2]);
  managed->deleter(managed);
}

TEST_F(Export, ScalarsAndEmptyTensors) {
  gantry_tensor view = this->view();
  view.ndim = 0;
  view.shape = nullptr;
  view.strides = nullptr;
  view.byte_offset = 44;
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage_, &view, &managed)) << gantry_last_error();
  EXPECT_EQ(0, managed->dl_tensor.ndim);
  EXPECT_EQ(11.0f, *static_cast<float*>(managed->dl_tensor.data));
  managed->deleter(managed);

  int64_t shape[3] = {0, INT64_MAX, INT64_MAX};
  view = this->view();
  view.ndim = 3;
  view.shape = shape;
  view.strides = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage_, &view, &managed)) << gantry_last_error();
  EXPECT_EQ(nullptr, managed->dl_tensor.data);
  EXPECT_EQ(0, managed->dl_tensor.shape[0]);
  managed->deleter(managed);
}

TEST_F(Export, ConsumersKeepTheMemory) {
  gantry_tensor view = this->view();
  DLManagedTensor* legacy = nullptr;
  DLManagedTensorVersioned* versioned = nullptr;
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, wrap(0, &storage));
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage, &view, &legacy));
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack_versioned(storage, &view, 0, &versioned));
  gantry_storage_release(storage);
  EXPECT_EQ(0, releases_);
  legacy->deleter(legacy);
  EXPECT_EQ(0, releases_);
  versioned->deleter(versioned);
  EXPECT_EQ(1, releases_);
}

TEST_F(Export, DeletersRunInAnyThread) {
  gantry_tensor view = this->view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, wrap(0, &storage));
  std::vector<DLManagedTensorVersioned*> exported(64);
  for (auto& managed : exported) {
    ASSERT_EQ(GANTRY_OK, gantry_export_dlpack_versioned(storage, &view, 0, &managed));
  }
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&exported, t] {
      for (size_t i = t; i < exported.size(); i += 4) {
        exported[i]->deleter(exported[i]);
      }
    });
  }
  gantry_storage_release(storage);
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(1, releases_);
}

TEST_F(Export, ANullTensorMayBeDeleted) {
  gantry_tensor view = this->view();
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage_, &view, &managed));
  managed->deleter(nullptr);
  managed->deleter(managed);
}

TEST_F(Export, WhatWasImportedIsExportedAndComesBack) {
  VersionedProducer producer;
  producer.describe({3, 4}, {-4, 1});
  producer.managed.dl_tensor.byte_offset = 32;
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_import_dlpack_versioned(&producer.managed, &view, &storage)) << gantry_last_error();
  DLManagedTensorVersioned* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack_versioned(storage, &view, 0, &managed)) << gantry_last_error();
  gantry_storage_release(storage);
  EXPECT_EQ(producer.data + 8, managed->dl_tensor.data);
  EXPECT_EQ(-4, managed->dl_tensor.strides[0]);
  EXPECT_EQ(0, producer.deletions);
  gantry_tensor again = empty_view();
  ASSERT_EQ(GANTRY_OK, gantry_import_dlpack_versioned(managed, &again, &storage)) << gantry_last_error();
  EXPECT_EQ(producer.data, gantry_storage_data(storage));
  EXPECT_EQ(48u, gantry_storage_bytes(storage));
  gantry_storage_release(storage);
  EXPECT_EQ(1, producer.deletions);
}

TEST_F(Export, RefusesViewsOutsideOfTheStorage) {
  const struct {
    const char* name;
    int64_t rows;
    int64_t stride;
    int64_t begin;  // bytes from the storage's
  } cases[] = {{"one row too many", 4, 4, 0},
               {"one element late", 3, 4, 4},
               {"one byte late", 3, 4, 1},
               {"one element early", 3, 4, -4},
               {"rows too far apart", 3, 5, 0},
               {"reversed from the first row", 3, -4, 0},
               {"reversed from one row too low", 3, -4, 16},
               {"far away", 1, 4, int64_t{1} << 40}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    gantry_tensor view = this->view();
    shape_[0] = c.rows;
    strides_[0] = c.stride;
    view.data = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data_) + static_cast<uintptr_t>(c.begin));
    DLManagedTensor* legacy = nullptr;
    DLManagedTensorVersioned* versioned = nullptr;
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack(storage_, &view, &legacy));
    EXPECT_NE(nullptr, std::strstr(gantry_last_error(), "and 48 bytes from there")) << gantry_last_error();
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack_versioned(storage_, &view, 0, &versioned));
    EXPECT_EQ(nullptr, legacy);
    EXPECT_EQ(nullptr, versioned);
  }
  gantry_tensor view = this->view();
  shape_[0] = 3;
  strides_[0] = -4;
  view.byte_offset = 32;
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(GANTRY_OK, gantry_export_dlpack(storage_, &view, &managed)) << "reversed from the last row fits";
  managed->deleter(managed);
}

TEST_F(Export, LegacyCannotSayReadOnly) {
  gantry_storage* read_only = nullptr;
  ASSERT_EQ(GANTRY_OK, wrap(1, &read_only));
  gantry_tensor view = this->view();
  auto* managed = reinterpret_cast<DLManagedTensor*>(this);
  EXPECT_EQ(GANTRY_ERROR_READ_ONLY, gantry_export_dlpack(read_only, &view, &managed));
  EXPECT_STREQ("the storage is read-only, which DLPack before 1.0 cannot say; ask for a versioned tensor",
               gantry_last_error());
  EXPECT_EQ(nullptr, managed);
  view.flags = GANTRY_TENSOR_READ_ONLY;
  EXPECT_EQ(GANTRY_ERROR_READ_ONLY, gantry_export_dlpack(storage_, &view, &managed));
  gantry_storage_release(read_only);
}

TEST_F(Export, RefusesArguments) {
  gantry_tensor view = this->view();
  DLManagedTensor* managed = nullptr;
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack(storage_, &view, nullptr));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack_versioned(storage_, &view, 0, nullptr));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack(nullptr, &view, &managed));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack(storage_, nullptr, &managed));
  view.struct_size = 4;
  EXPECT_EQ(GANTRY_ERROR_ABI, gantry_export_dlpack(storage_, &view, &managed));
  view = this->view();
  view.device = {GANTRY_DEVICE_CUDA, 0};
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_export_dlpack(storage_, &view, &managed));
  EXPECT_STREQ("the view is on device (2, 0), the storage on (1, 0)", gantry_last_error());
  view = this->view();
  view.dtype = {17, 4, 1};
  EXPECT_EQ(GANTRY_ERROR_UNSUPPORTED, gantry_export_dlpack(storage_, &view, &managed));
  EXPECT_EQ(nullptr, managed);
}

TEST_F(Export, AFailedAllocationTakesNoReference) {
  gantry_tensor view = this->view();
  DLManagedTensor* legacy = nullptr;
  DLManagedTensorVersioned* versioned = nullptr;
  gantry_test::fail_nothrow_new(0);
  EXPECT_EQ(GANTRY_ERROR_OUT_OF_MEMORY, gantry_export_dlpack(storage_, &view, &legacy));
  EXPECT_TRUE(gantry_test::stop_failing_nothrow_new());
  gantry_test::fail_nothrow_new(0);
  EXPECT_EQ(GANTRY_ERROR_OUT_OF_MEMORY, gantry_export_dlpack_versioned(storage_, &view, 0, &versioned));
  EXPECT_TRUE(gantry_test::stop_failing_nothrow_new());
  EXPECT_EQ(nullptr, legacy);
  EXPECT_EQ(nullptr, versioned);
  gantry_storage_release(storage_);
  EXPECT_EQ(1, releases_);
  storage_ = nullptr;
}

}  // namespace
