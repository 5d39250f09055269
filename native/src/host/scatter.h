// What the ways of scattering share: every row of the table has an owner among the lanes, and only the owner writes it.
#ifndef GANTRY_HOST_SCATTER_H
#define GANTRY_HOST_SCATTER_H

#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {

struct ScatterJob {
  const Request* request;
  const Lookup* lookup;
  const Kernels* kernels;
  ScatterFn kernel;
  Move move;
  uint32_t lanes;
  uint32_t owned_shift;  // 2^owned_shift neighbouring rows have one owner
  Tally* tallies;
  // For each lane that reads indices and each owner, in this order: how many of the lane's indices name rows of the
  // owner, then where in the list of all they go. One more: how many there are in all.
  uint64_t* places;

  // A hash says it: rows that are used most often lie side by side in many tables.
  uint32_t owner(int64_t row) const {
    const uint32_t block = static_cast<uint32_t>(static_cast<uint64_t>(row) >> owned_shift);
    return static_cast<uint32_t>((static_cast<uint64_t>(block * 0x9e3779b1u) * lanes) >> 32);
  }
  // The first index that the lane reads when each reads a part.
  int64_t begin(uint32_t lane) const {
    const uint64_t count = static_cast<uint64_t>(request->index_count);
    return static_cast<int64_t>(count / lanes * lane + std::min<uint64_t>(lane, count % lanes));
  }
  uint64_t cells() const { return static_cast<uint64_t>(lanes) * lanes + 1; }
  uint64_t* places_of(uint32_t lane) const { return places + static_cast<size_t>(lane) * lanes; }
  uint64_t owned_begin(uint32_t owner_lane) const { return places[owner_lane]; }
  uint64_t owned_end(uint32_t owner_lane) const {
    return owner_lane + 1 < lanes ? places[owner_lane + 1] : places[cells() - 1];
  }
};

// Fills `places` over all lanes; bad rows go into the tallies.
void count_by_owner(const Host& host, ScatterJob* job);

// Writes an entry for every index of the lane to its place: Entry(row, position). Entries of one owner keep the order
// of the indices.
template <class Entry>
void list_by_owner(const ScatterJob& job, uint32_t lane, Entry* entries) {
  Tally counted_before = kNothingSeen;
  uint64_t places[kMaxThreads];
  memcpy(places, job.places_of(lane), job.lanes * sizeof(places[0]));
  for (int64_t position = job.begin(lane); position < job.begin(lane + 1); ++position) {
    const int64_t row = job.lookup->row(position, &counted_before);
    if (row >= 0) entries[places[job.owner(row)]++] = Entry(row, position);
  }
}

// scatter_add of float16 and bfloat16: a row of the table and all rows that are added to it are summed as float32 and
// rounded once, as torch's index_add_ does for tables of two dimensions.
gantry_status run_scatter_add_rounded(const Host& host, ScatterJob* job);

}  // namespace gantry

#endif
