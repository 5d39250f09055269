// Segments as their users see them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>

#include "../dlpack/failing_new.h"
#include "support.h"

namespace {

using namespace gantry_test;

TEST(Segment, HasZeroedRowsThatAViewDescribes) {
  const Storage storage = create(nullptr, layout_of(5, 3, 4));
  ASSERT_NE(nullptr, storage) << gantry_last_error();
  EXPECT_EQ(5u * 4u * 4u, gantry_storage_bytes(storage.get()));
  EXPECT_EQ(GANTRY_DEVICE_HOST, gantry_storage_device(storage.get()).type);
  EXPECT_EQ(0, gantry_storage_read_only(storage.get()));
  gantry_tensor view{};
  view.struct_size = sizeof view;
  ASSERT_EQ(GANTRY_OK, gantry_segment_view(storage.get(), &view)) << gantry_last_error();
  EXPECT_EQ(sizeof view, view.struct_size);
  EXPECT_EQ(0u, view.flags);
  EXPECT_EQ(gantry_storage_data(storage.get()), view.data);
  EXPECT_EQ(0u, view.byte_offset);
  ASSERT_EQ(2, view.ndim);
  EXPECT_EQ(5, view.shape[0]);
  EXPECT_EQ(3, view.shape[1]);
  EXPECT_EQ(4, view.strides[0]);
  EXPECT_EQ(1, view.strides[1]);
  EXPECT_EQ(GANTRY_CODE_FLOAT, view.dtype.code);
  EXPECT_EQ(32, view.dtype.bits);
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(view.data) % 4096);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(0.0f, floats(storage)[i]);
  }
}

TEST(Segment, IsSharedByDescriptor) {
  const Storage writer = create(nullptr, layout_of(4, 2));
  ASSERT_NE(nullptr, writer) << gantry_last_error();
  Storage reader = attach(gantry_segment_fd(writer.get()));
  ASSERT_NE(nullptr, reader) << gantry_last_error();
  EXPECT_NE(floats(writer), floats(reader));
  EXPECT_NE(gantry_segment_fd(writer.get()), gantry_segment_fd(reader.get()));
  floats(writer)[7] = 2.5f;
  EXPECT_EQ(2.5f, floats(reader)[7]);
  floats(reader)[0] = -1.0f;
  EXPECT_EQ(-1.0f, floats(writer)[0]);
}

TEST(Segment, StaysWithoutItsWriter) {
  Storage writer = create(nullptr, layout_of(4, 2));
  Storage reader = attach(gantry_segment_fd(writer.get()), GANTRY_SEGMENT_READ_ONLY);
  ASSERT_NE(nullptr, reader) << gantry_last_error();
  floats(writer)[3] = 9.0f;
  writer.reset();
  EXPECT_EQ(9.0f, floats(reader)[3]);
}

TEST(Segment, IsSharedByNameUntilUnlinked) {
  const TestName name;
  const Storage writer = create(name.get(), layout_of(4, 2), GANTRY_SEGMENT_EXCLUSIVE);
  ASSERT_NE(nullptr, writer) << gantry_last_error();
  const Storage reader = attach(name.get());
  ASSERT_NE(nullptr, reader) << gantry_last_error();
  floats(writer)[1] = 4.0f;
  EXPECT_EQ(4.0f, floats(reader)[1]);
  struct stat status {};
  ASSERT_EQ(0, stat(name.path().c_str(), &status));
  EXPECT_EQ(mode_t{S_IFREG | S_IRUSR | S_IWUSR}, status.st_mode) << "nobody else may truncate it";
  EXPECT_EQ(4096 + 32, status.st_size);
  ASSERT_EQ(GANTRY_OK, gantry_segment_unlink(name.get()));
  EXPECT_EQ(4.0f, floats(reader)[1]);
  EXPECT_EQ(nullptr, attach(name.get()));
  EXPECT_EQ("there is no segment named \"" + std::string(name.get()) + "\": open: No such file or directory",
            std::string(gantry_last_error()));
  EXPECT_EQ(GANTRY_ERROR_SYSTEM, gantry_segment_unlink(name.get()));
}

TEST(Segment, ExclusiveRefusesANameThatExists) {
  const TestName name;
  const Storage first = create(name.get(), layout_of(4, 2), GANTRY_SEGMENT_EXCLUSIVE);
  ASSERT_NE(nullptr, first) << gantry_last_error();
  gantry_storage* second = nullptr;
  const gantry_segment_layout layout = layout_of(8, 2);
  EXPECT_EQ(GANTRY_ERROR_SYSTEM, gantry_segment_create(name.get(), &layout, GANTRY_SEGMENT_EXCLUSIVE, &second));
  EXPECT_EQ("there is a segment named \"" + std::string(name.get()) + "\" already: link: File exists",
            std::string(gantry_last_error()));
  EXPECT_EQ(nullptr, second);
  EXPECT_EQ(1u, own_files().size());
  EXPECT_EQ(32u, gantry_storage_bytes(attach(name.get()).get()));
}

TEST(Segment, WithoutExclusiveANameIsTakenOverAndReadersKeepTheirRows) {
  const TestName name;
  const Storage first = create(name.get(), layout_of(4, 2));
  ASSERT_NE(nullptr, first) << gantry_last_error();
  floats(first)[0] = 1.0f;
  const Storage second = create(name.get(), layout_of(8, 2));
  ASSERT_NE(nullptr, second) << gantry_last_error();
  floats(second)[0] = 2.0f;
  EXPECT_EQ(1.0f, floats(first)[0]);
  const Storage reader = attach(name.get());
  EXPECT_EQ(64u, gantry_storage_bytes(reader.get()));
  EXPECT_EQ(2.0f, floats(reader)[0]);
  EXPECT_EQ(1u, own_files().size());
}

TEST(Segment, ReadOnlyIsReadOnly) {
  const TestName name;
  const Storage writer = create(name.get(), layout_of(4, 2));
  for (const bool by_name : {true, false}) {
    const Storage reader = by_name ? attach(name.get(), GANTRY_SEGMENT_READ_ONLY)
                                   : attach(gantry_segment_fd(writer.get()), GANTRY_SEGMENT_READ_ONLY);
    ASSERT_NE(nullptr, reader) << gantry_last_error();
    EXPECT_EQ(1, gantry_storage_read_only(reader.get()));
    gantry_tensor view{};
    view.struct_size = sizeof view;
    ASSERT_EQ(GANTRY_OK, gantry_segment_view(reader.get(), &view));
    EXPECT_EQ(uint32_t{GANTRY_TENSOR_READ_ONLY}, view.flags);
    EXPECT_EQ(GANTRY_ERROR_READ_ONLY, gantry_segment_publish(reader.get()));
    const int status = run_in_child([&] {
      signal(SIGSEGV, SIG_DFL);
      *static_cast<volatile float*>(gantry_storage_data(reader.get())) = 1.0f;
      return 0;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  }
  // A descriptor that is open for reading only gives no more than that.
  const Storage reader = attach(name.get(), GANTRY_SEGMENT_READ_ONLY);
  gantry_storage* more = nullptr;
  EXPECT_EQ(GANTRY_ERROR_READ_ONLY, gantry_segment_attach(nullptr, gantry_segment_fd(reader.get()), nullptr, 0, &more));
  EXPECT_EQ(nullptr, more);
}

TEST(Segment, GenerationIsSharedAndCountsPublications) {
  const Storage writer = create(nullptr, layout_of(1, 1));
  const Storage reader = attach(gantry_segment_fd(writer.get()), GANTRY_SEGMENT_READ_ONLY);
  uint64_t generation = 99;
  ASSERT_EQ(GANTRY_OK, gantry_segment_generation(reader.get(), &generation));
  EXPECT_EQ(0u, generation);
  ASSERT_EQ(0, run_in_child([&] {
              CHILD_CHECK(gantry_segment_publish(writer.get()) == GANTRY_OK);
              return 0;
            }));
  ASSERT_EQ(GANTRY_OK, gantry_segment_publish(writer.get()));
  ASSERT_EQ(GANTRY_OK, gantry_segment_generation(reader.get(), &generation));
  EXPECT_EQ(2u, generation);
}

TEST(Segment, DescriptorsAreNotInheritedByExec) {
  const TestName name;
  const Storage anonymous = create(nullptr, layout_of(1, 1));
  const Storage named = create(name.get(), layout_of(1, 1));
  const Storage by_name = attach(name.get());
  const Storage by_fd = attach(gantry_segment_fd(anonymous.get()));
  for (const Storage* storage : {&anonymous, &named, &by_name, &by_fd}) {
    ASSERT_NE(nullptr, *storage) << gantry_last_error();
    EXPECT_EQ(FD_CLOEXEC, fcntl(gantry_segment_fd(storage->get()), F_GETFD));
  }
}

TEST(Segment, EmptyTables) {
  for (const auto& layout : {layout_of(0, 16), layout_of(16, 0), layout_of(0, 0), layout_of(0, INT64_MAX)}) {
    const Storage storage = create(nullptr, layout);
    ASSERT_NE(nullptr, storage) << gantry_last_error();
    EXPECT_EQ(0u, gantry_storage_bytes(storage.get()));
    const Storage reader = attach(gantry_segment_fd(storage.get()));
    ASSERT_NE(nullptr, reader) << gantry_last_error();
    gantry_tensor view{};
    view.struct_size = sizeof view;
    ASSERT_EQ(GANTRY_OK, gantry_segment_view(reader.get(), &view));
    EXPECT_EQ(layout.rows, view.shape[0]);
    EXPECT_EQ(layout.columns, view.shape[1]);
  }
}

TEST(Segment, ExpectedMembersHaveToAgree) {
  const Storage storage = create(nullptr, layout_of(4, 2, 3));
  const int fd = gantry_segment_fd(storage.get());
  const auto attach_as = [fd](gantry_segment_layout expected) {
    gantry_storage* out = nullptr;
    const gantry_status status = gantry_segment_attach(nullptr, fd, &expected, 0, &out);
    gantry_storage_release(out);
    return status;
  };
  EXPECT_EQ(GANTRY_OK, attach_as(layout_of(0, 0, 0, {0, 0, 0})));
  EXPECT_EQ(GANTRY_OK, attach_as(layout_of(4, 2, 3)));
  EXPECT_EQ(GANTRY_OK, attach_as(layout_of(4, 0)));
  EXPECT_EQ(GANTRY_ERROR_SEGMENT_LAYOUT, attach_as(layout_of(5, 2)));
  EXPECT_STREQ("the segment's rows: 4, expected: 5", gantry_last_error());
  EXPECT_EQ(GANTRY_ERROR_SEGMENT_LAYOUT, attach_as(layout_of(0, 3)));
  EXPECT_STREQ("the segment's columns: 2, expected: 3", gantry_last_error());
  EXPECT_EQ(GANTRY_ERROR_SEGMENT_LAYOUT, attach_as(layout_of(0, 0, 2)));
  EXPECT_STREQ("the segment's row stride: 3, expected: 2", gantry_last_error());
  EXPECT_EQ(GANTRY_ERROR_SEGMENT_LAYOUT, attach_as(layout_of(0, 0, 0, {GANTRY_CODE_BFLOAT, 16, 1})));
  EXPECT_STREQ("the segment holds float32, expected was bfloat16", gantry_last_error());
  gantry_segment_layout small = layout_of(4, 2);
  small.struct_size = 8;
  EXPECT_EQ(GANTRY_ERROR_ABI, attach_as(small));
}

TEST(Segment, RefusesLayoutsThatMakeNoSense) {
  const auto status_of = [](gantry_segment_layout layout) {
    gantry_storage* out = nullptr;
    const gantry_status status = gantry_segment_create(nullptr, &layout, 0, &out);
    EXPECT_EQ(nullptr, out);
    gantry_storage_release(out);
    return status;
  };
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(-1, 4)));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(4, -1)));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(4, 4, 3)));
  EXPECT_STREQ("the layout has a row stride of 3 elements, fewer than its 4 columns", gantry_last_error());
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(4, 4, -4)));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(4, 4, 0, {17, 4, 1})));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, status_of(layout_of(4, 4, 0, {2, 32, 0})));
  EXPECT_EQ(GANTRY_ERROR_OVERFLOW, status_of(layout_of(INT64_MAX, 2)));
  EXPECT_EQ(GANTRY_ERROR_OVERFLOW, status_of(layout_of(INT64_MAX / 4, 1)));
  EXPECT_EQ(GANTRY_ERROR_OVERFLOW, status_of(layout_of(INT64_MAX / 4 - 1000, 1))) << "with its header";
  EXPECT_EQ(GANTRY_ERROR_OVERFLOW, status_of(layout_of(2, 1, INT64_MAX)));
  gantry_segment_layout small = layout_of(4, 4);
  small.struct_size = 16;
  EXPECT_EQ(GANTRY_ERROR_ABI, status_of(small));
}

TEST(Segment, RefusesArguments) {
  const gantry_segment_layout layout = layout_of(1, 1);
  gantry_storage* out = nullptr;
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_create(nullptr, &layout, 0, nullptr));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_create(nullptr, nullptr, 0, &out));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_create(nullptr, &layout, GANTRY_SEGMENT_READ_ONLY, &out));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_create(nullptr, &layout, 8, &out));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_attach(nullptr, -1, nullptr, 0, &out));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_attach("/gantry-x", 0, nullptr, 0, &out));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_attach("/gantry-x", -1, nullptr, 0, nullptr));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT,
            gantry_segment_attach("/gantry-x", -1, nullptr, GANTRY_SEGMENT_EXCLUSIVE, &out));
  EXPECT_EQ(nullptr, out);
}

TEST(Segment, OtherStorageIsNoSegment) {
  gantry_storage* other = nullptr;
  int byte = 0;
  ASSERT_EQ(GANTRY_OK, gantry_storage_wrap(&byte, 4, {GANTRY_DEVICE_HOST, 0}, 0, nullptr, nullptr, &other));
  const Storage owned(other);
  gantry_tensor view{};
  view.struct_size = sizeof view;
  uint64_t generation = 0;
  for (gantry_storage* storage : {other, static_cast<gantry_storage*>(nullptr)}) {
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_view(storage, &view));
    EXPECT_EQ(-1, gantry_segment_fd(storage));
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_generation(storage, &generation));
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_publish(storage));
  }
  const Storage segment = create(nullptr, layout_of(1, 1));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_generation(segment.get(), nullptr));
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_view(segment.get(), nullptr));
  view.struct_size = 1;
  EXPECT_EQ(GANTRY_ERROR_ABI, gantry_segment_view(segment.get(), &view));
}

TEST(Segment, FailsAtEveryAllocationAndLeavesNothing) {
  const TestName name;
  const Storage existing = create(nullptr, layout_of(4, 4));
  const auto descriptors = [] {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) {
      count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    }
    return count;
  };
  const int before = descriptors();
  const gantry_segment_layout layout = layout_of(4, 4);
  for (int k = 0; k < 2; ++k) {
    gantry_storage* out = nullptr;
    for (const char* n : {static_cast<const char*>(nullptr), name.get()}) {
      fail_nothrow_new(k);
      EXPECT_EQ(GANTRY_ERROR_OUT_OF_MEMORY, gantry_segment_create(n, &layout, 0, &out));
      EXPECT_TRUE(stop_failing_nothrow_new());
    }
    fail_nothrow_new(k);
    EXPECT_EQ(GANTRY_ERROR_OUT_OF_MEMORY,
              gantry_segment_attach(nullptr, gantry_segment_fd(existing.get()), nullptr, 0, &out));
    EXPECT_TRUE(stop_failing_nothrow_new());
    EXPECT_EQ(nullptr, out);
  }
  EXPECT_EQ(before, descriptors());
  EXPECT_TRUE(own_files().empty());
}

}  // namespace
