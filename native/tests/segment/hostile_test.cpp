// Files that are no segments, or no longer.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <functional>

#include "segment/file.h"
#include "segment/header.h"
#include "support.h"

namespace {

using namespace gantry_test;
using gantry::FileDescriptor;
using gantry::SegmentHeader;

void expect_refused(gantry_status expected, const char* text, const char* name, int fd, uint32_t flags = 0) {
  SCOPED_TRACE(text);
  auto* out = reinterpret_cast<gantry_storage*>(&fd);
  EXPECT_EQ(expected, gantry_segment_attach(name, fd, nullptr, flags, &out)) << gantry_last_error();
  EXPECT_NE(nullptr, std::strstr(gantry_last_error(), text)) << gantry_last_error();
  EXPECT_EQ(nullptr, out);
}

FileDescriptor file_with(const void* bytes, size_t size, uint64_t file_bytes, int seals = F_SEAL_SHRINK) {
  FileDescriptor fd(memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(static_cast<ssize_t>(size), pwrite(fd.get(), bytes, size, 0));
  EXPECT_EQ(0, ftruncate(fd.get(), static_cast<off_t>(file_bytes)));
  EXPECT_EQ(0, fcntl(fd.get(), F_ADD_SEALS, seals));
  return fd;
}

// The header of a segment of 8 rows of 4 float32.
class Hostile : public testing::Test {
 protected:
  static constexpr uint64_t kFileBytes = 4096 + 8 * 4 * 4;

  void SetUp() override {
    const Storage storage = create(nullptr, layout_of(8, 4));
    ASSERT_NE(nullptr, storage) << gantry_last_error();
    ASSERT_EQ(4096, pread(gantry_segment_fd(storage.get()), page_, sizeof page_, 0));
  }

  SegmentHeader& header() { return *reinterpret_cast<SegmentHeader*>(page_); }

  void expect_header_refused(gantry_status expected, const char* text,
                             const std::function<void(SegmentHeader&)>& spoil) {
    alignas(SegmentHeader) char page[4096];
    std::memcpy(page, page_, sizeof page);
    spoil(*reinterpret_cast<SegmentHeader*>(page));
    const FileDescriptor fd = file_with(page, sizeof page, kFileBytes);
    expect_refused(expected, text, nullptr, fd.get());
  }

  alignas(SegmentHeader) char page_[4096];
};

TEST_F(Hostile, TheUnspoiltHeaderIsAccepted) {
  const FileDescriptor fd = file_with(page_, sizeof page_, kFileBytes);
  EXPECT_NE(nullptr, attach(fd.get())) << gantry_last_error();
}

TEST_F(Hostile, AMemfdThatCouldShrinkIsRefused) {
  for (const int seals : {0, F_SEAL_GROW, F_SEAL_GROW | F_SEAL_SEAL}) {
    const FileDescriptor fd = file_with(page_, sizeof page_, kFileBytes, seals);
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "not sealed against shrinking", nullptr, fd.get());
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "not sealed against shrinking", nullptr, fd.get(),
                   GANTRY_SEGMENT_READ_ONLY);
  }
  // The kernel seals it against being sealed.
  const FileDescriptor fd(memfd_create("hostile", MFD_CLOEXEC));
  ASSERT_EQ(static_cast<ssize_t>(sizeof page_), pwrite(fd.get(), page_, sizeof page_, 0));
  ASSERT_EQ(0, ftruncate(fd.get(), kFileBytes));
  expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "not sealed against shrinking", nullptr, fd.get());
}

TEST_F(Hostile, ANamedSegmentIsAttachedByItsDescriptorToo) {
  const TestName name;
  const Storage storage = create(name.get(), layout_of(8, 4));
  ASSERT_NE(nullptr, storage) << gantry_last_error();
  const int fd = gantry_segment_fd(storage.get());
  EXPECT_NE(nullptr, attach(fd)) << gantry_last_error();
  ASSERT_EQ(GANTRY_OK, gantry_segment_unlink(name.get()));
  EXPECT_NE(nullptr, attach(fd)) << gantry_last_error();
}

TEST_F(Hostile, EveryMemberOfTheHeaderIsChecked) {
  using H = SegmentHeader;
  constexpr gantry_status kLayout = GANTRY_ERROR_SEGMENT_LAYOUT;
  expect_header_refused(kLayout, "begins with 0x0000000000000000", [](H& h) { h.magic = 0; });
  expect_header_refused(kLayout, "still being written by process", [](H& h) { h.magic = gantry::kMagicUnfinished; });
  expect_header_refused(kLayout, "other byte order", [](H& h) { h.magic = __builtin_bswap64(h.magic); });
  expect_header_refused(kLayout, "byte order is 0x04030201", [](H& h) { h.byte_order = 0x04030201; });
  expect_header_refused(kLayout, "has layout 2 (", [](H& h) { h.layout_version = 2; });
  expect_header_refused(kLayout, "another release of Gantry", [](H& h) { h.layout_stamp ^= 1; });
  expect_header_refused(kLayout, "header has 8192 bytes", [](H& h) { h.header_bytes = 8192; });
  expect_header_refused(kLayout, "rows begin at 4160", [](H& h) { h.data_offset = 4160; });
  expect_header_refused(kLayout, "rows begin at 0", [](H& h) { h.data_offset = 0; });
  expect_header_refused(kLayout, "0 bits", [](H& h) { h.dtype.bits = 0; });
  expect_header_refused(kLayout, "4 bits", [](H& h) { h.dtype.bits = 4; });
  expect_header_refused(kLayout, "-1 rows", [](H& h) { h.rows = -1; });
  expect_header_refused(kLayout, "-4 columns", [](H& h) { h.columns = -4; });
  expect_header_refused(kLayout, "row stride of 3", [](H& h) { h.row_stride = 3; });
  expect_header_refused(kLayout, "rows end at 4240", [](H& h) { h.rows = 9; });
  expect_header_refused(kLayout, "says 4225 bytes", [](H& h) { ++h.total_bytes; });
  expect_header_refused(GANTRY_ERROR_OVERFLOW, "63 bits", [](H& h) { h.rows = INT64_MAX; });
  expect_header_refused(GANTRY_ERROR_OVERFLOW, "63 bits", [](H& h) { h.row_stride = INT64_MAX; });
  expect_header_refused(GANTRY_ERROR_OVERFLOW, "63 bits", [](H& h) {
    h.rows = INT64_MAX / 16;
    h.total_bytes = UINT64_MAX;
  });
  expect_header_refused(GANTRY_ERROR_SEGMENT_TRUNCATED, "has 4224 bytes, its header says 4240", [](H& h) {
    h.rows = 9;
    h.total_bytes += 16;
  });
}

TEST_F(Hostile, ShortFiles) {
  const struct {
    size_t bytes;
    gantry_status status;
    const char* text;
  } cases[] = {{0, GANTRY_ERROR_SEGMENT_LAYOUT, "it is empty"},
               {7, GANTRY_ERROR_SEGMENT_LAYOUT, "no segment of Gantry's"},
               {8, GANTRY_ERROR_SEGMENT_TRUNCATED, "has 8 bytes, its header alone has 4096"},
               {4095, GANTRY_ERROR_SEGMENT_TRUNCATED, "has 4095 bytes, its header alone has 4096"},
               {4096, GANTRY_ERROR_SEGMENT_TRUNCATED, "has 4096 bytes, its header says 4224"}};
  for (const auto& c : cases) {
    const FileDescriptor fd = file_with(page_, c.bytes, c.bytes);
    expect_refused(c.status, c.text, nullptr, fd.get());
  }
  const FileDescriptor fd = file_with(page_, sizeof page_, kFileBytes - 1);
  expect_refused(GANTRY_ERROR_SEGMENT_TRUNCATED, "has 4223 bytes, its header says 4224", nullptr, fd.get());
}

TEST_F(Hostile, ATruncatedNamedSegmentIsRefused) {
  const TestName name;
  const Storage storage = create(name.get(), layout_of(1024, 4));
  ASSERT_NE(nullptr, storage) << gantry_last_error();
  ASSERT_EQ(0, truncate(name.path().c_str(), 8192));
  expect_refused(GANTRY_ERROR_SEGMENT_TRUNCATED, "has 8192 bytes, its header says 20480", name.get(), -1);
}

TEST_F(Hostile, NobodyCanResizeASegmentWithoutAName) {
  const Storage storage = create(nullptr, layout_of(1024, 4));
  const int fd = gantry_segment_fd(storage.get());
  EXPECT_EQ(-1, ftruncate(fd, 4096));
  EXPECT_EQ(EPERM, errno);
  EXPECT_EQ(-1, ftruncate(fd, 1 << 20));
  EXPECT_EQ(EPERM, errno);
  EXPECT_EQ(-1, fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
  EXPECT_EQ(EPERM, errno);
  EXPECT_EQ(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, fcntl(fd, F_GET_SEALS) & ~0x20 /* F_SEAL_EXEC, of Linux 6.3 */);
}

TEST_F(Hostile, ChangesOfTheHeaderAfterAttachChangeNothing) {
  const Storage storage = create(nullptr, layout_of(8, 4));
  const Storage reader = attach(gantry_segment_fd(storage.get()));
  const uint64_t rows = uint64_t{1} << 40;
  ASSERT_EQ(8, pwrite(gantry_segment_fd(storage.get()), &rows, 8, offsetof(SegmentHeader, rows)));
  gantry_tensor view{};
  view.struct_size = sizeof view;
  ASSERT_EQ(GANTRY_OK, gantry_segment_view(reader.get(), &view));
  EXPECT_EQ(8, view.shape[0]);
  EXPECT_EQ(8u * 16u, gantry_storage_bytes(reader.get()));
}

TEST_F(Hostile, DescriptorsOfOtherThings) {
  int pipe_ends[2];
  ASSERT_EQ(0, pipe2(pipe_ends, O_CLOEXEC));
  const FileDescriptor reading(pipe_ends[0]);
  const FileDescriptor writing(pipe_ends[1]);
  expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a pipe", nullptr, reading.get(), GANTRY_SEGMENT_READ_ONLY);
  expect_refused(GANTRY_ERROR_INVALID_ARGUMENT, "not open for reading", nullptr, writing.get());
  const FileDescriptor directory(open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a directory", nullptr, directory.get(), GANTRY_SEGMENT_READ_ONLY);
  const FileDescriptor path(open("/dev/shm", O_PATH | O_CLOEXEC));
  expect_refused(GANTRY_ERROR_INVALID_ARGUMENT, "not open for reading", nullptr, path.get(), GANTRY_SEGMENT_READ_ONLY);
  int sockets[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets));
  const FileDescriptor one(sockets[0]);
  const FileDescriptor other(sockets[1]);
  expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a socket", nullptr, one.get());
  const FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a character device", nullptr, null.get());
  expect_refused(GANTRY_ERROR_INVALID_ARGUMENT, "descriptor 1000000: Bad file descriptor", nullptr, 1000000);
}

TEST_F(Hostile, NamesOfOtherThings) {
  {
    const TestName name;
    const TestName target;
    const Storage segment = create(target.get(), layout_of(1, 1));
    ASSERT_EQ(0, symlink(target.path().c_str(), name.path().c_str()));
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a symbolic link and no segment", name.get(), -1);
  }
  {
    const TestName name;
    ASSERT_EQ(0, mkfifo(name.path().c_str(), 0600));
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a pipe", name.get(), -1);
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a pipe", name.get(), -1, GANTRY_SEGMENT_READ_ONLY);
  }
  {
    const TestName name;
    ASSERT_EQ(0, mkdir(name.path().c_str(), 0700));
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a directory and no segment", name.get(), -1);
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "is a directory and no segment", name.get(), -1,
                   GANTRY_SEGMENT_READ_ONLY);
    gantry_storage* out = nullptr;
    const gantry_segment_layout layout = layout_of(1, 1);
    EXPECT_EQ(GANTRY_ERROR_SYSTEM, gantry_segment_create(name.get(), &layout, 0, &out));
    EXPECT_EQ(1u, own_files().size()) << "the directory alone";
    ASSERT_EQ(0, rmdir(name.path().c_str()));
  }
  {
    const TestName name;
    const FileDescriptor file(open(name.path().c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    ASSERT_EQ(12, write(file.get(), "another file", 12));
    expect_refused(GANTRY_ERROR_SEGMENT_LAYOUT, "begins with 0x20726568746f6e61", name.get(), -1);
  }
}

TEST(SegmentName, IsChecked) {
  const gantry_segment_layout layout = layout_of(1, 1);
  const std::string longest = "/gantry-" + std::string(NAME_MAX - 8, 'x');
  const struct {
    std::string name;
    const char* text;
  } cases[] = {{"", "at least one character"},
               {"gantry-x", "at least one character"},
               {"/gantry-", "at least one character"},
               {"/other-x", "has to be \"/gantry-\""},
               {"/gantry-a/b", "byte 0x2f at position 9"},
               {"/gantry-../x", "byte 0x2f at position 10"},
               {"/gantry-a b", "byte 0x20 at position 9"},
               {"/gantry-\n", "byte 0x0a at position 8"},
               {"/gantry-\xff", "byte 0xff at position 8"},
               {longest + "x", "longer than 255 bytes"},
               {longest + std::string(100000, 'x'), "longer than 255 bytes"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    gantry_storage* out = nullptr;
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_create(c.name.c_str(), &layout, 0, &out));
    EXPECT_NE(nullptr, std::strstr(gantry_last_error(), c.text)) << gantry_last_error();
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_attach(c.name.c_str(), -1, nullptr, 0, &out));
    EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_unlink(c.name.c_str()));
  }
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_unlink(nullptr));
  const Storage storage = create(longest.c_str(), layout);
  EXPECT_NE(nullptr, storage) << gantry_last_error();
  EXPECT_EQ(GANTRY_OK, gantry_segment_unlink(longest.c_str()));
}

}  // namespace
