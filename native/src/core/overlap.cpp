#include "core/overlap.h"

#include <cinttypes>

#include "core/error.h"

namespace gantry {
namespace {

__extension__ typedef __int128 Wide;

Wide floor_divide(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// The sum of floor((a * i + b) / m) for 0 <= i < n, by Euclid's algorithm on a and m. m > 0, a >= 0.
Wide floor_sum(Wide n, Wide m, Wide a, Wide b) {
  Wide sum = 0;
  const Wide base = floor_divide(b, m);
  sum += base * n;
  b -= base * m;
  while (n > 0) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    const Wide top = a * n + b;
    if (top < m) break;
    n = top / m;
    b = top % m;
    const Wide swapped = m;
    m = a;
    a = swapped;
  }
  return sum;
}

}  // namespace

Span merged(Span span) {
  if (span.rows == 1 || span.stride <= span.width) {
    span.width = span.end() - span.begin;
    span.rows = 1;
    span.stride = span.width;
  }
  return span;
}

gantry_status fail_overlap(const char* written_name, const Span& written, const char* read_name, const Span& read) {
  return fail(GANTRY_ERROR_OVERLAP,
              "%s, which is written, overlaps %s: bytes from 0x%" PRIx64 " up to 0x%" PRIx64 " and from 0x%" PRIx64
              " up to 0x%" PRIx64,
              written_name, read_name, written.begin, written.end(), read.begin, read.end());
}

Span Span::of(const void* first_row, int64_t rows, int64_t stride, uint64_t width) {
  Span span;
  span.begin = reinterpret_cast<uint64_t>(first_row);
  span.rows = static_cast<uint64_t>(rows);
  span.width = width;
  span.stride = stride < 0 ? 0 - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
  if (stride < 0 && rows > 1) span.begin -= (span.rows - 1) * span.stride;
  return span;
}

bool overlaps_exactly(const Span& first, const Span& second) {
  const Span a = merged(first);
  const Span b = merged(second);
  const Wide s = a.stride;
  const Wide t = b.stride;
  const Wide v = b.width;
  const Wide w = a.width;
  // Row i of a meets row j of b when -w < x - j * t < v with x = i * s + shift. The rows i whose x lies in (-w, last +
  // v) are all that can; for these an integer j inside the window is a row of b by itself.
  const Wide shift = static_cast<Wide>(a.begin) - static_cast<Wide>(b.begin);
  const Wide last = (static_cast<Wide>(b.rows) - 1) * t;
  Wide low = floor_divide(-w - shift, s) + 1;
  Wide high = floor_divide(last + v - shift - 1, s);
  if (low < 0) low = 0;
  if (high > static_cast<Wide>(a.rows) - 1) high = static_cast<Wide>(a.rows) - 1;
  if (low > high) return false;
  // Some multiple of t in [x - v + 1, x + w - 1]: counted over all rows.
  const Wide n = high - low + 1;
  const Wide x = low * s + shift;
  return floor_sum(n, t, s, x + w - 1) != floor_sum(n, t, s, x - v);
}

}  // namespace gantry
