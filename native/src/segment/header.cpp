#include "segment/header.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/dtype.h"
#include "core/error.h"

namespace gantry {
namespace {

constexpr uint64_t kFnvBasis = 0xcbf29ce484222325;
constexpr uint64_t kFnvPrime = 0x100000001b3;

constexpr uint64_t fnv1a(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; ++i) {
    hash = (hash ^ ((value >> (8 * i)) & 0xff)) * kFnvPrime;
  }
  return hash;
}

constexpr uint64_t compute_layout_stamp() {
  uint64_t hash = fnv1a(kFnvBasis, kLayoutVersion);
#define GANTRY_MEMBER(member) hash = fnv1a(fnv1a(hash, offsetof(SegmentHeader, member)), sizeof(SegmentHeader::member))
  GANTRY_MEMBER(magic);
  GANTRY_MEMBER(byte_order);
  GANTRY_MEMBER(layout_version);
  GANTRY_MEMBER(creator);
  GANTRY_MEMBER(layout_stamp);
  GANTRY_MEMBER(header_bytes);
  GANTRY_MEMBER(dtype);
  GANTRY_MEMBER(rows);
  GANTRY_MEMBER(columns);
  GANTRY_MEMBER(row_stride);
  GANTRY_MEMBER(data_offset);
  GANTRY_MEMBER(total_bytes);
  GANTRY_MEMBER(generation);
  GANTRY_MEMBER(writer);
#undef GANTRY_MEMBER
  return fnv1a(hash, kHeaderBytes);
}

constexpr uint64_t kLayoutStamp = compute_layout_stamp();

// `who` begins the text of a failure. Needs dtype, rows, columns, row_stride and data_offset; fills in the bytes.
gantry_status compute_bytes(SegmentGeometry* geometry, gantry_status layout_error, const char* who) {
  const uint32_t bits = dtype_bits(geometry->dtype);
  if (bits == 0 || bits % 8 != 0) {
    return fail(layout_error, "%s has elements of %u bits and %u lanes, which do not fill whole bytes", who,
                geometry->dtype.bits, geometry->dtype.lanes);
  }
  if (geometry->rows < 0 || geometry->columns < 0) {
    return fail(layout_error, "%s has %" PRId64 " rows and %" PRId64 " columns", who, geometry->rows,
                geometry->columns);
  }
  if (geometry->row_stride < geometry->columns) {
    return fail(layout_error, "%s has a row stride of %" PRId64 " elements, fewer than its %" PRId64 " columns", who,
                geometry->row_stride, geometry->columns);
  }
  int64_t bytes = 0;
  int64_t total = 0;
  if (__builtin_mul_overflow(geometry->rows, geometry->row_stride, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<int64_t>(bits / 8), &bytes) ||
      __builtin_add_overflow(bytes, geometry->data_offset, &total)) {
    return fail(GANTRY_ERROR_OVERFLOW,
                "%s has %" PRId64 " rows with a stride of %" PRId64 " elements of %u bytes, more than 63 bits of bytes",
                who, geometry->rows, geometry->row_stride, bits / 8);
  }
  geometry->data_bytes = static_cast<uint64_t>(bytes);
  return GANTRY_OK;
}

gantry_status refuse_magic(const SegmentHeader& header) {
  if (header.magic == kMagicUnfinished) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment is still being written by process %d", header.creator.pid);
  }
  if (header.magic == __builtin_bswap64(kMagicSegment)) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment was written by a machine of the other byte order");
  }
  return fail(GANTRY_ERROR_SEGMENT_LAYOUT,
              "the file is no segment of Gantry's: it begins with 0x%016" PRIx64 " instead of 0x%016" PRIx64,
              header.magic, kMagicSegment);
}

gantry_status check_layout(const SegmentHeader& header) {
  if (header.byte_order != kByteOrder) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment's byte order is 0x%08x, here it is 0x%08x", header.byte_order,
                kByteOrder);
  }
  if (header.layout_version != kLayoutVersion || header.layout_stamp != kLayoutStamp) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT,
                "the segment has layout %u (0x%016" PRIx64 "), this library has layout %u (0x%016" PRIx64
                "): process %d wrote it with another release of Gantry",
                header.layout_version, header.layout_stamp, kLayoutVersion, kLayoutStamp, header.creator.pid);
  }
  if (header.header_bytes != kHeaderBytes || header.data_offset != kHeaderBytes) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT,
                "the segment's header has %" PRIu64 " bytes and its rows begin at %" PRIu64
                "; both have to be %" PRIu64,
                header.header_bytes, header.data_offset, kHeaderBytes);
  }
  return GANTRY_OK;
}

}  // namespace

uint64_t layout_stamp() { return kLayoutStamp; }

gantry_status plan_geometry(const gantry_segment_layout& layout, SegmentGeometry* out) {
  SegmentGeometry geometry{};
  geometry.dtype = layout.dtype;
  geometry.rows = layout.rows;
  geometry.columns = layout.columns;
  geometry.row_stride = layout.row_stride == 0 ? layout.columns : layout.row_stride;
  geometry.data_offset = kHeaderBytes;
  if (gantry_status status = compute_bytes(&geometry, GANTRY_ERROR_INVALID_ARGUMENT, "the layout");
      status != GANTRY_OK) {
    return status;
  }
  geometry.total_bytes = geometry.data_offset + geometry.data_bytes;
  *out = geometry;
  return GANTRY_OK;
}

void write_header(const SegmentGeometry& geometry, SegmentHeader* header) {
  __atomic_store_n(&header->magic, kMagicUnfinished, __ATOMIC_RELAXED);
  header->byte_order = kByteOrder;
  header->layout_version = kLayoutVersion;
  header->creator = current_process();
  header->layout_stamp = kLayoutStamp;
  header->header_bytes = kHeaderBytes;
  header->dtype = geometry.dtype;
  header->rows = geometry.rows;
  header->columns = geometry.columns;
  header->row_stride = geometry.row_stride;
  header->data_offset = geometry.data_offset;
  header->total_bytes = geometry.total_bytes;
  const char* writer = gantry_build_info();
  std::memcpy(header->writer, writer, std::min(std::strlen(writer), sizeof header->writer - 1));
}

void publish_header(SegmentHeader* header) { __atomic_store_n(&header->magic, kMagicSegment, __ATOMIC_RELEASE); }

gantry_status read_header(const void* bytes, size_t available, uint64_t file_bytes, SegmentGeometry* out) {
  SegmentHeader header{};
  std::memcpy(&header, bytes, std::min(available, sizeof header));
  if (available < sizeof header.magic || header.magic != kMagicSegment) {
    return available == 0 ? fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the file is no segment of Gantry's: it is empty")
                          : refuse_magic(header);
  }
  if (available < kHeaderBytes) {
    return fail(GANTRY_ERROR_SEGMENT_TRUNCATED, "the segment has %zu bytes, its header alone has %" PRIu64, available,
                kHeaderBytes);
  }
  if (gantry_status status = check_layout(header); status != GANTRY_OK) {
    return status;
  }
  SegmentGeometry geometry{};
  geometry.dtype = header.dtype;
  geometry.rows = header.rows;
  geometry.columns = header.columns;
  geometry.row_stride = header.row_stride;
  geometry.data_offset = header.data_offset;
  geometry.total_bytes = header.total_bytes;
  if (gantry_status status = compute_bytes(&geometry, GANTRY_ERROR_SEGMENT_LAYOUT, "the segment");
      status != GANTRY_OK) {
    return status;
  }
  const uint64_t needed = geometry.data_offset + geometry.data_bytes;
  if (geometry.total_bytes != needed) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment's header says %" PRIu64 " bytes, its rows end at %" PRIu64,
                geometry.total_bytes, needed);
  }
  if (file_bytes < needed) {
    return fail(GANTRY_ERROR_SEGMENT_TRUNCATED, "the segment has %" PRIu64 " bytes, its header says %" PRIu64,
                file_bytes, needed);
  }
  *out = geometry;
  return GANTRY_OK;
}

gantry_status check_expected(const SegmentGeometry& geometry, const gantry_segment_layout& expected) {
  const gantry_dtype any{};
  if (!same_dtype(expected.dtype, any) && !same_dtype(expected.dtype, geometry.dtype)) {
    return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment holds %s, expected was %s", DtypeText(geometry.dtype).text,
                DtypeText(expected.dtype).text);
  }
  const struct {
    const char* name;
    int64_t is;
    int64_t wanted;
  } members[] = {{"rows", geometry.rows, expected.rows},
                 {"columns", geometry.columns, expected.columns},
                 {"row stride", geometry.row_stride, expected.row_stride}};
  for (const auto& member : members) {
    if (member.wanted != 0 && member.wanted != member.is) {
      return fail(GANTRY_ERROR_SEGMENT_LAYOUT, "the segment's %s: %" PRId64 ", expected: %" PRId64, member.name,
                  member.is, member.wanted);
    }
  }
  return GANTRY_OK;
}

}  // namespace gantry
