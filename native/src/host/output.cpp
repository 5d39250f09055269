// What gather, convert and copy share: outputs whose rows are written in their order.
#include <string.h>

#include <algorithm>

#include "host/ops.h"

namespace gantry {
namespace {

// Lanes take portions of rows until none are left: large enough for the loop to get going, small enough that lanes end
// together.
constexpr uint64_t kPortionBytes = uint64_t{1} << 20;
constexpr int64_t kPortionsOfLane = 8;

}  // namespace

// Lines that are filled in part only would be read from memory first: unless it is asked for, rows have to lie side by
// side or be made of whole lines.
bool streams(const Host& host, const Request& request, const Output& output, uint64_t width) {
  if (request.streaming == GANTRY_NEVER || width == 0 || width % 16 != 0) return false;
  const uint64_t bits = reinterpret_cast<uintptr_t>(output.data) | static_cast<uint64_t>(output.stride);
  if (bits % 16 != 0) return false;
  if (request.streaming == GANTRY_ALWAYS) return true;
  const bool fills_lines = static_cast<uint64_t>(output.stride) == width || (bits | width) % 64 == 0;
  return fills_lines && static_cast<uint64_t>(output.rows) > host.cache_bytes / 2 / width;
}

int64_t portion_of(int64_t rows, uint32_t lanes, uint64_t row_bytes) {
  if (lanes == 1) return std::max<int64_t>(rows, 1);
  const int64_t most =
      static_cast<int64_t>(std::clamp<uint64_t>(kPortionBytes / std::max<uint64_t>(row_bytes, 1), 1, 64 * kBatch));
  const int64_t portion = std::clamp<int64_t>(rows / (lanes * kPortionsOfLane), 1, most);
  // Portions of aligned rows then begin at a cache line.
  return portion > kBatch ? portion - portion % kBatch : portion;
}

void move_listed(const RowList& list, const Output& output, int64_t begin, int64_t end, GatherFn kernel,
                 const Move& move, Tally* tally) {
  const char* rows[kBatch + 2 * kMaxAhead];
  const int ahead = move.ahead;
  int64_t listed = begin;
  int64_t moved = begin;
  while (moved < end) {
    int held = static_cast<int>(listed - moved);
    const int count = static_cast<int>(std::min<int64_t>(end - listed, kBatch + ahead - held));
    list.fill(list.self, listed, count, rows + held, tally);
    listed += count;
    held += count;
    int ready = held - ahead;
    if (listed == end) {
      std::fill_n(rows + held, ahead, rows[held - 1]);
      ready = held;
    }
    kernel(GatherRun{output.data + moved * output.stride, output.stride, rows, ready}, move);
    moved += ready;
    memmove(rows, rows + ready, static_cast<size_t>(held - ready) * sizeof(rows[0]));
  }
}

}  // namespace gantry
