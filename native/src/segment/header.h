// The first page of a segment.
#ifndef GANTRY_SEGMENT_HEADER_H
#define GANTRY_SEGMENT_HEADER_H

#include <cstddef>
#include <cstdint>

#include "gantry/gantry.h"
#include "segment/creator.h"

namespace gantry {

constexpr uint64_t kHeaderBytes = 4096;
constexpr uint32_t kLayoutVersion = 1;
constexpr uint32_t kByteOrder = 0x01020304;
// "GANTRYsg" and "GANTRYnw" in memory: a segment, and one that its creator is still writing.
constexpr uint64_t kMagicSegment = 0x67735952544e4147;
constexpr uint64_t kMagicUnfinished = 0x776e5952544e4147;

// All processes that have the segment map this struct. What is needed to list and to refuse a segment, up to `creator`,
// stays where it is in every version of the layout.
struct SegmentHeader {
  uint64_t magic;  // written last, with release order
  uint32_t byte_order;
  uint32_t layout_version;
  Creator creator;
  uint64_t layout_stamp;
  uint64_t header_bytes;
  gantry_dtype dtype;
  uint32_t reserved;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;  // in elements
  uint64_t data_offset;
  uint64_t total_bytes;
  alignas(64) uint64_t generation;  // atomic, on a cache line of its own
  alignas(64) char writer[2048];    // the creator's ABI stamp: for people and tools, never compared
};

static_assert(sizeof(Creator) == 24 && offsetof(SegmentHeader, creator) == 16, "these never move");
static_assert(sizeof(SegmentHeader) <= kHeaderBytes, "the header is one page");

// A hash over the place of every member. Builds whose stamps differ do not read each other's segments; builds of one
// layout do, whatever their compilers, versions and sources are.
uint64_t layout_stamp();

// What a segment holds, checked: no product overflows, total_bytes fits an int64_t.
struct SegmentGeometry {
  gantry_dtype dtype;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  uint64_t data_offset;
  uint64_t data_bytes;
  uint64_t total_bytes;
};

// A caller's layout for a new segment.
gantry_status plan_geometry(const gantry_segment_layout& layout, SegmentGeometry* out);

// All members but the magic, which becomes kMagicUnfinished.
void write_header(const SegmentGeometry& geometry, SegmentHeader* header);
void publish_header(SegmentHeader* header);

// Reads the first bytes of a file that may be anything. `available` of them are at `bytes` (at most kHeaderBytes are
// read), the file has `file_bytes`.
gantry_status read_header(const void* bytes, size_t available, uint64_t file_bytes, SegmentGeometry* out);

// Members of `expected` that are not zero have to agree.
gantry_status check_expected(const SegmentGeometry& geometry, const gantry_segment_layout& expected);

}  // namespace gantry

#endif
