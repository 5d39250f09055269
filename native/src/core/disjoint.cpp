#include "core/disjoint.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <set>

namespace gantry {
namespace {

constexpr gantry_device kHost{GANTRY_DEVICE_HOST, 0};

// So few spans are compared with each other: that needs no memory.
constexpr uint32_t kFew = 16;

// Part of a span in a matrix whose rows have the length of the stride.
struct Rectangle {
  uint64_t row;
  uint64_t row_end;
  uint64_t column;
  uint64_t column_end;
  uint32_t span;
};
constexpr uint32_t kMostParts = 3;

uint32_t cut(const Span& span, uint32_t number, uint64_t base, uint64_t stride, Rectangle parts[kMostParts]) {
  const uint64_t row = (span.begin - base) / stride;
  const uint64_t column = (span.begin - base) % stride;
  const uint64_t left = stride - column;
  if (span.width <= left) {
    parts[0] = {row, row + span.rows, column, column + span.width, number};
    return 1;
  }
  parts[0] = {row, row + span.rows, column, stride, number};
  const uint64_t rest = span.width - left;
  if (span.rows > 1) {
    parts[1] = {row + 1, row + 1 + span.rows, 0, rest, number};
    return 2;
  }
  uint32_t count = 1;
  const uint64_t whole = rest / stride;
  if (whole > 0) parts[count++] = {row + 1, row + 1 + whole, 0, stride, number};
  if (rest % stride > 0) parts[count++] = {row + 1 + whole, row + 2 + whole, 0, rest % stride, number};
  return count;
}

// Nodes of a tree one after the other in memory of the environment; none comes back.
struct Arena {
  char* next;
  char* end;
};

template <class T>
struct ArenaAllocator {
  using value_type = T;
  explicit ArenaAllocator(Arena* from) : arena(from) {}
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>& other) : arena(other.arena) {}
  T* allocate(size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (static_cast<size_t>(arena->end - arena->next) / sizeof(T) < count) throw std::bad_alloc();
    T* const place = reinterpret_cast<T*>(arena->next);
    arena->next += count * sizeof(T);
    return place;
  }
  void deallocate(T*, size_t) {}
  template <class U>
  bool operator==(const ArenaAllocator<U>& other) const {
    return arena == other.arena;
  }
  template <class U>
  bool operator!=(const ArenaAllocator<U>& other) const {
    return arena != other.arena;
  }

  Arena* arena;
};

struct Columns {
  uint64_t begin;
  uint64_t end;
  uint32_t span;
  bool operator<(const Columns& other) const { return begin < other.begin; }
};
constexpr uint64_t kNodeBytes = 96;  // more than a node of std::set has

void compare_all(const Span* spans, uint32_t count, SharedBytes* out) {
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t j = i + 1; j < count && spans[j].begin < spans[i].end(); ++j) {
      if (!overlaps(spans[i], spans[j])) continue;
      *out = {true, spans[i], spans[j]};
      return;
    }
  }
}

// Memory for the parts of one cluster, of whichever it is.
struct Room {
  char* memory = nullptr;
  uint64_t parts = 0;
};
constexpr uint64_t kPartBytes = sizeof(Rectangle) + sizeof(uint64_t) + kNodeBytes;

// Goes down the rows of the matrix. As long as no two parts have met, those of one row lie side by side, and a new one
// can only meet its neighbours.
void sweep(const Span* spans, uint32_t count, uint64_t stride, const Room& room, SharedBytes* out) {
  Arena arena{room.memory, room.memory + room.parts * kNodeBytes};
  auto* const rectangles = reinterpret_cast<Rectangle*>(arena.end);
  auto* const by_end = reinterpret_cast<uint64_t*>(rectangles + room.parts);
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Rectangle parts[kMostParts];
    const uint32_t made = cut(merged(spans[i]), i, spans[0].begin, stride, parts);
    std::copy_n(parts, made, rectangles + total);
    total += made;
  }
  std::sort(rectangles, rectangles + total, [](const Rectangle& a, const Rectangle& b) { return a.row < b.row; });
  for (uint64_t k = 0; k < total; ++k) by_end[k] = k;
  std::sort(by_end, by_end + total,
            [&](uint64_t a, uint64_t b) { return rectangles[a].row_end < rectangles[b].row_end; });

  const ArenaAllocator<Columns> allocator(&arena);
  std::set<Columns, std::less<Columns>, ArenaAllocator<Columns>> active(allocator);
  const uint64_t* ended = by_end;
  for (uint64_t k = 0; k < total; ++k) {
    const Rectangle& part = rectangles[k];
    for (; rectangles[*ended].row_end <= part.row; ++ended) active.erase(Columns{rectangles[*ended].column, 0, 0});
    const Columns columns{part.column, part.column_end, part.span};
    const auto after = active.lower_bound(columns);
    const bool meets_after = after != active.end() && after->begin < columns.end;
    const bool meets_before = after != active.begin() && std::prev(after)->end > columns.begin;
    if (meets_after || meets_before) {
      *out = {true, spans[(meets_after ? after : std::prev(after))->span], spans[part.span]};
      return;
    }
    active.insert(after, columns);
  }
}

// The stride that all spans have that are not one row; 0: there is none, or they are so few that it does not matter.
uint64_t common_stride(const Span* spans, uint32_t count) {
  if (count <= kFew) return 0;
  uint64_t stride = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Span span = merged(spans[i]);
    if (span.rows == 1) continue;
    if (stride != 0 && stride != span.stride) return 0;
    stride = span.stride;
  }
  return stride;
}

// Calls `visit` for all spans whose address ranges hang together, until it says false.
template <class Visit>
void for_each_cluster(const Span* spans, uint32_t count, const Visit& visit) {
  for (uint32_t begin = 0; begin < count;) {
    uint64_t reached = spans[begin].end();
    uint32_t end = begin + 1;
    for (; end < count && spans[end].begin < reached; ++end) reached = std::max(reached, spans[end].end());
    if (!visit(spans + begin, end - begin)) return;
    begin = end;
  }
}

}  // namespace

gantry_status find_shared_bytes(Span* spans, uint32_t count, ScratchBlocks* scratch, SharedBytes* out) {
  std::sort(spans, spans + count, [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Room room;
  for_each_cluster(spans, count, [&](const Span* cluster, uint32_t size) {
    const uint64_t stride = common_stride(cluster, size);
    uint64_t total = 0;
    Rectangle parts[kMostParts];
    for (uint32_t i = 0; stride != 0 && i < size; ++i) {
      total += cut(merged(cluster[i]), i, cluster[0].begin, stride, parts);
    }
    room.parts = std::max(room.parts, total);
    return true;
  });
  if (room.parts > 0) {
    void* memory = nullptr;
    if (const gantry_status status = scratch->allocate(room.parts * kPartBytes, alignof(std::max_align_t), kHost,
                                                       GANTRY_PURPOSE_SCRATCH, &memory)) {
      return status;
    }
    room.memory = static_cast<char*>(memory);
  }
  for_each_cluster(spans, count, [&](const Span* cluster, uint32_t size) {
    const uint64_t stride = common_stride(cluster, size);
    if (stride != 0) {
      sweep(cluster, size, stride, room, out);
    } else {
      compare_all(cluster, size, out);
    }
    return !out->found;
  });
  return GANTRY_OK;
}

}  // namespace gantry
