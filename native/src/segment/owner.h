// What a storage that is a segment holds on to.
#ifndef GANTRY_SEGMENT_OWNER_H
#define GANTRY_SEGMENT_OWNER_H

#include <utility>

#include "core/storage.h"
#include "segment/file.h"
#include "segment/header.h"

namespace gantry {

class SegmentOwner final : public StorageOwner {
 public:
  SegmentOwner(FileDescriptor fd, Mapping mapping, const SegmentGeometry& geometry)
      : fd_(std::move(fd)),
        mapping_(std::move(mapping)),
        dtype_(geometry.dtype),
        shape_{geometry.rows, geometry.columns},
        strides_{geometry.row_stride, 1} {}

  int fd() const { return fd_.get(); }
  SegmentHeader* header() const { return reinterpret_cast<SegmentHeader*>(mapping_.data()); }
  gantry_dtype dtype() const { return dtype_; }
  const int64_t* shape() const { return shape_; }
  const int64_t* strides() const { return strides_; }

 private:
  FileDescriptor fd_;
  Mapping mapping_;
  // Copies: the header may be written by any process that has the segment.
  gantry_dtype dtype_;
  int64_t shape_[2];
  int64_t strides_[2];
};

}  // namespace gantry

#endif
