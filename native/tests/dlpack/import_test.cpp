// Tensors of others: what is read from them, what is refused, and that each deleter runs once.
#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <functional>
#include <string>

#include "failing_new.h"
#include "producer.h"

namespace {

using gantry_test::empty_view;
using gantry_test::LegacyProducer;
using gantry_test::VersionedProducer;

gantry_status import(LegacyProducer& producer, gantry_tensor* view, gantry_storage** out) {
  return gantry_import_dlpack(&producer.managed, view, out);
}

gantry_status import(VersionedProducer& producer, gantry_tensor* view, gantry_storage** out) {
  return gantry_import_dlpack_versioned(&producer.managed, view, out);
}

template <class P>
class Import : public testing::Test {};
using Producers = testing::Types<LegacyProducer, VersionedProducer>;
TYPED_TEST_SUITE(Import, Producers);

TYPED_TEST(Import, ViewsTheTensorAndDeletesItAtTheLastRelease) {
  TypeParam producer;
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
  EXPECT_EQ(sizeof(gantry_tensor), view.struct_size);
  EXPECT_EQ(0u, view.flags);
  EXPECT_EQ(producer.data, view.data);
  EXPECT_EQ(0u, view.byte_offset);
  EXPECT_EQ(producer.shape.data(), view.shape);
  EXPECT_EQ(producer.strides.data(), view.strides);
  EXPECT_EQ(2, view.ndim);
  EXPECT_EQ(GANTRY_CODE_FLOAT, view.dtype.code);
  EXPECT_EQ(32, view.dtype.bits);
  EXPECT_EQ(1, view.dtype.lanes);
  EXPECT_EQ(GANTRY_DEVICE_HOST, view.device.type);
  EXPECT_EQ(producer.data, gantry_storage_data(storage));
  EXPECT_EQ(sizeof producer.data, gantry_storage_bytes(storage));
  EXPECT_EQ(0, gantry_storage_read_only(storage));
  gantry_storage_retain(storage);
  gantry_storage_release(storage);
  EXPECT_EQ(0, producer.deletions);
  gantry_storage_release(storage);
  EXPECT_EQ(1, producer.deletions);
}

TYPED_TEST(Import, AcceptsANullDeleter) {
  TypeParam producer;
  producer.managed.deleter = nullptr;
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage));
  gantry_storage_release(storage);
  EXPECT_EQ(0, producer.deletions);
}

TYPED_TEST(Import, RefusalsOfArgumentsDeleteTheTensorOnce) {
  {
    TypeParam producer;
    gantry_tensor view = empty_view();
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, import(producer, &view, nullptr));
    EXPECT_EQ(1, producer.deletions);
  }
  {
    TypeParam producer;
    auto* storage = reinterpret_cast<gantry_storage*>(&producer);
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, import(producer, nullptr, &storage));
    EXPECT_EQ(nullptr, storage);
    EXPECT_EQ(1, producer.deletions);
  }
  {
    TypeParam producer;
    gantry_tensor view = empty_view();
    view.struct_size = 8;
    gantry_storage* storage = nullptr;
    EXPECT_EQ(GANTRY_ERROR_ABI, import(producer, &view, &storage));
    EXPECT_EQ(1, producer.deletions);
  }
}

TYPED_TEST(Import, FailsAtEveryAllocationWithoutLosingTheTensor) {
  for (int k = 0; k < 2; ++k) {
    TypeParam producer;
    gantry_tensor view = empty_view();
    gantry_storage* storage = nullptr;
    gantry_test::fail_nothrow_new(k);
    const gantry_status status = import(producer, &view, &storage);
    ASSERT_TRUE(gantry_test::stop_failing_nothrow_new());
    EXPECT_EQ(GANTRY_ERROR_OUT_OF_MEMORY, status);
    EXPECT_EQ(nullptr, storage);
    EXPECT_EQ(nullptr, view.data);
    EXPECT_EQ(1, producer.deletions);
  }
  TypeParam producer;
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  gantry_test::fail_nothrow_new(2);
  EXPECT_EQ(GANTRY_OK, import(producer, &view, &storage));
  EXPECT_FALSE(gantry_test::stop_failing_nothrow_new());
  gantry_storage_release(storage);
}

// Every refusal: the status, a part of the text, no storage, the view untouched, one deletion.
template <class P>
void expect_refused(gantry_status expected, const char* text, const std::function<void(P&)>& spoil) {
  SCOPED_TRACE(text);
  P producer;
  spoil(producer);
  gantry_tensor view = empty_view();
  auto* storage = reinterpret_cast<gantry_storage*>(&producer);
  EXPECT_EQ(expected, import(producer, &view, &storage)) << gantry_last_error();
  EXPECT_NE(nullptr, std::strstr(gantry_last_error(), text)) << gantry_last_error();
  EXPECT_EQ(nullptr, storage);
  EXPECT_EQ(nullptr, view.data);
  EXPECT_EQ(1, producer.deletions);
}

TYPED_TEST(Import, RefusesHostileTensors) {
  using P = TypeParam;
  const auto refused = [](gantry_status expected, const char* text, const std::function<void(P&)>& spoil) {
    expect_refused<P>(expected, text, spoil);
  };
  constexpr int64_t kHuge = INT64_MAX;
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "-1 dimensions", [](P& p) { p.managed.dl_tensor.ndim = -1; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "9 dimensions",
          [](P& p) { p.describe(std::vector<int64_t>(9, 1), std::vector<int64_t>(9, 1)); });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "2147483647 dimensions", [](P& p) { p.managed.dl_tensor.ndim = INT_MAX; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "is null with 2 dimensions",
          [](P& p) { p.managed.dl_tensor.shape = nullptr; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "negative size -4", [](P& p) { p.describe({3, -4}, {4, 1}); });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "12 elements and null data", [](P& p) { p.managed.dl_tensor.data = nullptr; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "0 bits", [](P& p) { p.managed.dl_tensor.dtype.bits = 0; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "0 lanes", [](P& p) { p.managed.dl_tensor.dtype.lanes = 0; });
  refused(GANTRY_ERROR_UNSUPPORTED, "4 bits", [](P& p) { p.managed.dl_tensor.dtype = {17, 4, 1}; });
  refused(GANTRY_ERROR_UNSUPPORTED, "18 bits", [](P& p) { p.managed.dl_tensor.dtype = {15, 6, 3}; });
  refused(GANTRY_ERROR_UNSUPPORTED, "is 10;", [](P& p) { p.managed.dl_tensor.device = {10, 0}; });
  refused(GANTRY_ERROR_UNSUPPORTED, "is 0;", [](P& p) { p.managed.dl_tensor.device = {0, 0}; });
  refused(GANTRY_ERROR_INVALID_ARGUMENT, "is -1;", [](P& p) { p.managed.dl_tensor.device = {GANTRY_DEVICE_CUDA, -1}; });
  refused(GANTRY_ERROR_OVERFLOW, "more bytes than 63 bits", [=](P& p) { p.describe({kHuge, 2}, {}); });
  refused(GANTRY_ERROR_OVERFLOW, "more bytes than 63 bits", [=](P& p) { p.describe({kHuge}, {1}); });
  refused(GANTRY_ERROR_OVERFLOW, "span more than 63 bits", [=](P& p) { p.describe({3, 4}, {kHuge, 1}); });
  refused(GANTRY_ERROR_OVERFLOW, "span more than 63 bits", [=](P& p) { p.describe({2, 2}, {kHuge, kHuge}); });
  refused(GANTRY_ERROR_OVERFLOW, "span more than 63 bits", [=](P& p) { p.describe({2, 2}, {kHuge / 4, 1}); });
  refused(GANTRY_ERROR_OVERFLOW, "span more than 63 bits", [](P& p) { p.describe({3, 4}, {INT64_MIN, 1}); });
  refused(GANTRY_ERROR_OVERFLOW, "no address space", [](P& p) { p.describe({2}, {-(INT64_MAX / 8)}); });
  refused(GANTRY_ERROR_OVERFLOW, "past the last address",
          [](P& p) { p.managed.dl_tensor.byte_offset = UINT64_MAX - 4; });
  refused(GANTRY_ERROR_OVERFLOW, "no address space", [](P& p) {
    p.managed.dl_tensor.data = reinterpret_cast<void*>(UINTPTR_MAX - 15);
    p.managed.dl_tensor.byte_offset = 4;
    p.describe({4}, {1});
  });
}

TYPED_TEST(Import, AcceptsTheLastBytesOfTheAddressSpace) {
  TypeParam producer;
  producer.managed.dl_tensor.data = reinterpret_cast<void*>(UINTPTR_MAX - 15);
  producer.describe({3}, {1});
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
  EXPECT_EQ(12u, gantry_storage_bytes(storage));
  gantry_storage_release(storage);
}

struct Range {
  const char* name;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  uint64_t byte_offset;
  int first;  // element of data
  uint64_t bytes;
};

TYPED_TEST(Import, StorageIsExactlyTheBytesThatTheElementsOccupy) {
  const Range ranges[] = {
      {"null strides", {3, 4}, {}, 0, 0, 48},
      {"a scalar", {}, {}, 8, 2, 4},
      {"an offset", {2, 4}, {4, 1}, 16, 4, 32},
      {"gaps", {3, 2}, {4, 1}, 0, 0, 40},
      {"reversed rows", {3, 4}, {-4, 1}, 32, 0, 48},
      {"reversed in both", {3, 4}, {-4, -1}, 44, 0, 48},
      {"one element repeated", {100, 100}, {0, 0}, 20, 5, 4},
      {"strides of dimensions of size 1", {1, 4}, {INT64_MAX, 1}, 0, 0, 16},
      {"transposed", {4, 3}, {1, 4}, 0, 0, 48},
      {"eight dimensions", {1, 1, 1, 1, 1, 1, 3, 4}, {}, 0, 0, 48},
  };
  for (const Range& range : ranges) {
    SCOPED_TRACE(range.name);
    TypeParam producer;
    producer.describe(range.shape, range.strides);
    producer.managed.dl_tensor.byte_offset = range.byte_offset;
    gantry_tensor view = empty_view();
    gantry_storage* storage = nullptr;
    ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
    EXPECT_EQ(producer.data + range.first, gantry_storage_data(storage));
    EXPECT_EQ(range.bytes, gantry_storage_bytes(storage));
    EXPECT_EQ(range.byte_offset, view.byte_offset);
    gantry_storage_release(storage);
    EXPECT_EQ(1, producer.deletions);
  }
}

TYPED_TEST(Import, AcceptsNullDataWithoutElements) {
  TypeParam producer;
  producer.managed.dl_tensor.data = nullptr;
  producer.describe({INT64_MAX, 0, INT64_MAX}, {1, 1, 1});
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
  EXPECT_EQ(nullptr, gantry_storage_data(storage));
  EXPECT_EQ(0u, gantry_storage_bytes(storage));
  gantry_storage_release(storage);
}

TYPED_TEST(Import, KeepsTypesThatItDoesNotKnowAndVectors) {
  for (const DLDataType dtype : {DLDataType{10, 8, 1}, DLDataType{17, 4, 2}, DLDataType{GANTRY_CODE_FLOAT, 32, 3}}) {
    TypeParam producer;
    producer.managed.dl_tensor.dtype = dtype;
    producer.describe({2}, {1});
    gantry_tensor view = empty_view();
    gantry_storage* storage = nullptr;
    ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
    EXPECT_EQ(dtype.code, view.dtype.code);
    EXPECT_EQ(dtype.lanes, view.dtype.lanes);
    EXPECT_EQ(2u * dtype.bits * dtype.lanes / 8u, gantry_storage_bytes(storage));
    gantry_storage_release(storage);
  }
}

TYPED_TEST(Import, MapsDevices) {
  const struct {
    DLDevice given;
    gantry_device expected;
  } devices[] = {{{GANTRY_DEVICE_HOST, -1}, {GANTRY_DEVICE_HOST, 0}},
                 {{GANTRY_DEVICE_CUDA_HOST, 5}, {GANTRY_DEVICE_CUDA_HOST, 0}},
                 {{GANTRY_DEVICE_CUDA, 3}, {GANTRY_DEVICE_CUDA, 3}},
                 {{GANTRY_DEVICE_CUDA_MANAGED, 1}, {GANTRY_DEVICE_CUDA_MANAGED, 1}}};
  for (const auto& device : devices) {
    TypeParam producer;
    producer.managed.dl_tensor.device = device.given;
    gantry_tensor view = empty_view();
    gantry_storage* storage = nullptr;
    ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
    EXPECT_EQ(device.expected.type, view.device.type);
    EXPECT_EQ(device.expected.id, view.device.id);
    EXPECT_EQ(device.expected.type, gantry_storage_device(storage).type);
    EXPECT_EQ(device.expected.id, gantry_storage_device(storage).id);
    gantry_storage_release(storage);
  }
}

TEST(ImportNull, IsRefused) {
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_import_dlpack(nullptr, &view, &storage));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_import_dlpack_versioned(nullptr, &view, &storage));
  EXPECT_STREQ("managed is null", gantry_last_error());
}

TEST(ImportVersioned, RefusesAnotherMajorVersionAfterItsDeleterRan) {
  for (const uint32_t major : {0u, 2u}) {
    VersionedProducer producer;
    producer.managed.version = {major, 7};
    // Of another version nothing behind the flags may be read.
    std::memset(&producer.managed.dl_tensor, 0xff, sizeof producer.managed.dl_tensor);
    producer.managed.flags = UINT64_MAX;
    gantry_tensor view = empty_view();
    gantry_storage* storage = nullptr;
    EXPECT_EQ(GANTRY_ERROR_DLPACK_VERSION, import(producer, &view, &storage));
    EXPECT_EQ("the tensor has DLPack version " + std::to_string(major) + ".7; Gantry reads versions 1.x",
              std::string(gantry_last_error()));
    EXPECT_EQ(nullptr, storage);
    EXPECT_EQ(1, producer.deletions);
  }
}

TEST(ImportVersioned, HonoursReadOnly) {
  VersionedProducer producer;
  producer.managed.version = {1, 9};
  producer.managed.flags = GANTRY_DLPACK_READ_ONLY | GANTRY_DLPACK_IS_COPIED;
  gantry_tensor view = empty_view();
  gantry_storage* storage = nullptr;
  ASSERT_EQ(GANTRY_OK, import(producer, &view, &storage)) << gantry_last_error();
  EXPECT_EQ(uint32_t{GANTRY_TENSOR_READ_ONLY}, view.flags);
  EXPECT_EQ(1, gantry_storage_read_only(storage));
  gantry_storage_release(storage);
  EXPECT_EQ(1, producer.deletions);
}

TEST(ImportVersioned, RefusesFlagsThatItCannotRead) {
  expect_refused<VersionedProducer>(GANTRY_ERROR_UNSUPPORTED, "flags 0x9, of which Gantry knows 0x7",
                                    [](VersionedProducer& p) { p.managed.flags = 9; });
  expect_refused<VersionedProducer>(GANTRY_ERROR_UNSUPPORTED, "pads 4 bits", [](VersionedProducer& p) {
    p.managed.flags = GANTRY_DLPACK_SUBBYTE_PADDED;
    p.managed.dl_tensor.dtype = {17, 4, 2};
  });
}

TEST(ViewDltensor, BorrowsWithoutOwning) {
  LegacyProducer producer;
  gantry_tensor view = empty_view();
  ASSERT_EQ(GANTRY_OK, gantry_view_dltensor(&producer.managed.dl_tensor, &view)) << gantry_last_error();
  EXPECT_EQ(producer.data, view.data);
  EXPECT_EQ(producer.shape.data(), view.shape);
  EXPECT_EQ(0, producer.deletions);
}

TEST(ViewDltensor, Refuses) {
  LegacyProducer producer;
  gantry_tensor view = empty_view();
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_view_dltensor(nullptr, &view));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_view_dltensor(&producer.managed.dl_tensor, nullptr));
  view.struct_size = sizeof view - 1;
  EXPECT_EQ(GANTRY_ERROR_ABI, gantry_view_dltensor(&producer.managed.dl_tensor, &view));
  view.struct_size = sizeof view;
  producer.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_view_dltensor(&producer.managed.dl_tensor, &view));
  EXPECT_EQ(nullptr, view.data);
}

TEST(ViewDltensor, LeavesMembersOfANewerCallerAlone) {
  struct {
    gantry_tensor view;
    uint64_t newer;
  } larger{};
  larger.view.struct_size = sizeof larger;
  larger.newer = 42;
  LegacyProducer producer;
  ASSERT_EQ(GANTRY_OK, gantry_view_dltensor(&producer.managed.dl_tensor, &larger.view));
  EXPECT_EQ(sizeof larger, larger.view.struct_size);
  EXPECT_EQ(42u, larger.newer);
}

}  // namespace
