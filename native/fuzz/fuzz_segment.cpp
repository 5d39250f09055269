// The reader of segments: a header page that may hold anything, in a file of any size.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "gantry/gantry.h"
#include "input.h"
#include "segment/header.h"

namespace {

using gantry::SegmentGeometry;
using gantry::SegmentHeader;
using gantry_fuzz::Input;

constexpr uint64_t kMappedAtMost = 1 << 20;

union Page {
  SegmentHeader header;
  unsigned char bytes[gantry::kHeaderBytes];
  Page() : bytes{} {}
};

// A header that is right but for what the input changes, or the input itself.
void fill_page(Input& input, Page* page) {
  if (input.take<uint8_t>() % 8 != 0) {
    SegmentGeometry geometry{};
    gantry_segment_layout layout{};
    layout.dtype = {GANTRY_CODE_FLOAT, 32, 1};
    layout.rows = input.below_or_equal(64);
    layout.columns = input.below_or_equal(64);
    FUZZ_CHECK(gantry::plan_geometry(layout, &geometry) == GANTRY_OK);
    gantry::write_header(geometry, &page->header);
    gantry::publish_header(&page->header);
    int64_t* const members[] = {&page->header.rows,
                                &page->header.columns,
                                &page->header.row_stride,
                                reinterpret_cast<int64_t*>(&page->header.data_offset),
                                reinterpret_cast<int64_t*>(&page->header.total_bytes),
                                reinterpret_cast<int64_t*>(&page->header.header_bytes)};
    for (uint32_t changes = input.below_or_equal(4); changes > 0; --changes) {
      const uint32_t which = input.below_or_equal(7);
      if (which < 6) {
        *members[which] = input.number();
      } else if (which == 6) {
        page->header.dtype = input.take<gantry_dtype>();
      } else {
        page->bytes[input.take<uint8_t>()] = input.take<uint8_t>();
      }
    }
    return;
  }
  for (size_t i = 0; i < sizeof page->bytes && !input.empty(); ++i) {
    page->bytes[i] = input.take<uint8_t>();
  }
}

// What a reader relies on, computed without the library's arithmetic.
void check_geometry(const SegmentGeometry& geometry, uint64_t file_bytes) {
  const uint32_t bits = uint32_t{geometry.dtype.bits} * geometry.dtype.lanes;
  FUZZ_CHECK(bits > 0 && bits % 8 == 0);
  FUZZ_CHECK(geometry.rows >= 0 && geometry.columns >= 0 && geometry.row_stride >= geometry.columns);
  __extension__ typedef unsigned __int128 Wide;
  const Wide bytes =
      Wide{static_cast<uint64_t>(geometry.rows)} * static_cast<uint64_t>(geometry.row_stride) * Wide{bits / 8};
  FUZZ_CHECK(bytes == geometry.data_bytes);
  FUZZ_CHECK(bytes + geometry.data_offset == geometry.total_bytes);
  FUZZ_CHECK(geometry.data_offset == gantry::kHeaderBytes);
  FUZZ_CHECK(geometry.total_bytes <= file_bytes);
}

int reused_file() {
  // Of tmpfs: a memfd that can shrink, as this file does, is no segment.
  static const int fd = [] {
    char path[] = "/dev/shm/fuzz-segment-XXXXXX";
    const int made = mkostemp(path, O_CLOEXEC);
    if (made >= 0) unlink(path);
    return made;
  }();
  FUZZ_CHECK(fd >= 0);
  FUZZ_CHECK(ftruncate(fd, 0) == 0);
  return fd;
}

// The whole way: a file, attached, its first and last byte read and written.
void attach(const Page& page, size_t available, uint64_t file_bytes, gantry_status expected) {
  const int fd = reused_file();
  FUZZ_CHECK(pwrite(fd, page.bytes, available, 0) == static_cast<ssize_t>(available));
  FUZZ_CHECK(ftruncate(fd, static_cast<off_t>(file_bytes)) == 0);
  gantry_storage* storage = nullptr;
  FUZZ_CHECK(gantry_segment_attach(nullptr, fd, nullptr, 0, &storage) == expected);
  FUZZ_CHECK((storage != nullptr) == (expected == GANTRY_OK));
  if (storage != nullptr && gantry_storage_bytes(storage) > 0) {
    gantry_tensor view{};
    view.struct_size = sizeof view;
    FUZZ_CHECK(gantry_segment_view(storage, &view) == GANTRY_OK);
    FUZZ_CHECK(view.data == gantry_storage_data(storage));
    volatile char* bytes = static_cast<volatile char*>(view.data);
    bytes[0] = static_cast<char>(bytes[gantry_storage_bytes(storage) - 1] + 1);
    FUZZ_CHECK(gantry_segment_publish(storage) == GANTRY_OK);
  }
  gantry_storage_release(storage);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  Input input(bytes, size);
  const uint8_t kind = input.take<uint8_t>();
  Page page;
  fill_page(input, &page);
  // Mostly as large as the header says; otherwise of any size.
  uint64_t file_bytes = page.header.total_bytes;
  if (kind % 4 == 0) {
    file_bytes = static_cast<uint64_t>(input.number());
  } else if (kind % 4 == 1) {
    file_bytes += static_cast<uint64_t>(int64_t{static_cast<int8_t>(input.take<uint8_t>())});
  }
  const size_t available = file_bytes < sizeof page.bytes ? static_cast<size_t>(file_bytes) : sizeof page.bytes;
  SegmentGeometry geometry{};
  const gantry_status status = gantry::read_header(page.bytes, available, file_bytes, &geometry);
  if (status == GANTRY_OK) {
    check_geometry(geometry, file_bytes);
  } else {
    FUZZ_CHECK(status == GANTRY_ERROR_SEGMENT_LAYOUT || status == GANTRY_ERROR_SEGMENT_TRUNCATED ||
               status == GANTRY_ERROR_OVERFLOW);
    FUZZ_CHECK(geometry.total_bytes == 0);
    FUZZ_CHECK(gantry_last_error()[0] != '\0');
  }
  if (file_bytes <= kMappedAtMost && (status == GANTRY_OK || kind % 16 == 0)) {
    attach(page, available, file_bytes, status);
  }
  return 0;
}
