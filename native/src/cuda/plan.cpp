#include "cuda/plan.h"

#include <algorithm>

namespace gantry {
namespace cuda {
namespace {

// Enough to keep 32 lanes busy four times over, small enough that few rows still fill a GPU.
constexpr int64_t kPieceUnits = 128;
constexpr int64_t kMaxBlocks = 0x7fffffff;

bool same(gantry_dtype a, gantry_dtype b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

// All addresses and strides that a row's place depends on.
uint64_t places(const Request& request) {
  uint64_t bits = reinterpret_cast<uintptr_t>(request.side) | static_cast<uint64_t>(request.side_row_stride_bytes);
  for (uint32_t i = 0; i < request.chunk_count; ++i) {
    const Chunk& chunk = request.chunks[i];
    bits |= reinterpret_cast<uintptr_t>(chunk.data) | static_cast<uint64_t>(chunk.row_stride_bytes);
  }
  return bits;
}

Unit byte_unit(uint64_t bits) { return Unit{UnitKind::bytes, Kind::u8, Kind::u8, common_alignment(bits, 16)}; }

// Four floats at a time, when both sides of every row begin where four of them may be loaded and stored.
bool lies_in_fours(const Request& request, Kind table, Kind side) {
  if (request.columns % 4 != 0) return false;
  const uint64_t side_bits =
      reinterpret_cast<uintptr_t>(request.side) | static_cast<uint64_t>(request.side_row_stride_bytes);
  if (side_bits % std::min(16, 4 * bytes_of(side)) != 0) return false;
  for (uint32_t i = 0; i < request.chunk_count; ++i) {
    const Chunk& chunk = request.chunks[i];
    const uint64_t bits = reinterpret_cast<uintptr_t>(chunk.data) | static_cast<uint64_t>(chunk.row_stride_bytes);
    if (bits % std::min(16, 4 * bytes_of(table)) != 0) return false;
  }
  return true;
}

uint32_t add_elements(Kind kind, uint64_t row_bytes, uint64_t bits) {
  const uint32_t alignment = common_alignment(bits | row_bytes, 16);
  if (kind == Kind::f32) return alignment == 16 ? 4 : 1;
  if (kind == Kind::f16 || kind == Kind::bf16) return alignment == 16 ? 8 : alignment >= 4 ? 2 : 1;
  return 1;
}

Kind unsigned_kind(Kind kind) {
  return kind == Kind::i8 ? Kind::u8 : kind == Kind::i16 ? Kind::u16 : kind == Kind::i32 ? Kind::u32 : kind;
}

}  // namespace

uint64_t element_bytes(gantry_dtype dtype) { return static_cast<uint64_t>(dtype.bits) * dtype.lanes / 8; }

uint32_t common_alignment(uint64_t bits, uint32_t limit) {
  const uint64_t all = bits | limit;
  return static_cast<uint32_t>(all & (~all + 1));
}

void set_geometry(int64_t units, MoveArguments* arguments) {
  arguments->units = units;
  arguments->pieces_log2 = 0;
  arguments->piece_units = units;
  if (units > kPieceUnits) {
    while ((units >> arguments->pieces_log2) > kPieceUnits) ++arguments->pieces_log2;
    const int64_t pieces = 1LL << arguments->pieces_log2;
    // A multiple of the lanes: no lane idles but in the last piece.
    arguments->piece_units = ((units + pieces - 1) / pieces + 31) / 32 * 32;
  }
  // As many lanes as leave at most a quarter over; where none do, those that leave the fewest over. Fewer than four
  // would split a sector of 32 bytes.
  const int64_t width = arguments->piece_units;
  int64_t least = INT64_MAX;
  arguments->lanes_log2 = 0;
  for (uint32_t log2 = 6; log2-- > 0;) {
    const int64_t lanes = 1LL << log2;
    if ((log2 > 0 && lanes >= 2 * width) || (lanes < 4 && lanes < width)) continue;
    const int64_t slots = (width + lanes - 1) / lanes * lanes;
    if (slots < least) {
      least = slots;
      arguments->lanes_log2 = log2;
    }
    if (slots * 4 <= width * 5) break;
  }
}

uint32_t grid_blocks(const MoveArguments& arguments, uint32_t rows_in_flight, uint32_t threads, uint32_t limit) {
  const int64_t tile = static_cast<int64_t>(threads >> arguments.lanes_log2) * rows_in_flight;
  const int64_t pieces = arguments.count << arguments.pieces_log2;
  const int64_t blocks = pieces / tile + (pieces % tile != 0 ? 1 : 0);
  return static_cast<uint32_t>(std::min({blocks, static_cast<int64_t>(limit), kMaxBlocks}));
}

gantry_status make_plan(const Request& request, Plan* plan) {
  *plan = Plan{};
  const bool by_index = request.op == Op::gather || request.op == Op::scatter || request.op == Op::scatter_add;
  plan->is_gather = request.op == Op::gather;
  MoveArguments& arguments = plan->arguments;
  if (request.chunk_count > 0) arguments.table.first = request.chunks[0];
  arguments.table.chunk_count = request.chunk_count;
  arguments.table.rows = request.table_rows;
  arguments.side = request.side;
  arguments.side_stride_bytes = request.side_row_stride_bytes;
  arguments.count = by_index ? request.index_count : request.table_rows;
  arguments.to_table = plan->is_gather ? 0 : 1;
  if (by_index) {
    arguments.indices = Indices{request.indices,     request.index_stride_bytes,
                                request.index_bytes, request.index_unsigned,
                                request.bounds,      nullptr};
  } else {
    arguments.indices.bounds = GANTRY_BOUNDS_TRUST;
  }

  const uint64_t row_bytes = static_cast<uint64_t>(request.columns) * element_bytes(request.table_dtype);
  if (request.op == Op::scatter_add) {
    if (!is_float(request.table_dtype) && !is_integer(request.table_dtype)) {
      return request.report(
          GANTRY_ERROR_UNSUPPORTED,
          "rows of type code %u, %u bits, %u lanes cannot be added on the GPU: floats and integers can",
          request.table_dtype.code, request.table_dtype.bits, request.table_dtype.lanes);
    }
    const Kind kind = unsigned_kind(kind_of(request.table_dtype));
    // Sums of integers are the same in every order.
    const bool ordered = request.deterministic == GANTRY_ALWAYS && is_float(request.table_dtype);
    const uint32_t elements = ordered ? 1 : add_elements(kind, row_bytes, places(request));
    plan->unit = Unit{ordered ? UnitKind::add_ordered : UnitKind::add, kind, kind, elements};
    plan->needs_sort = ordered;
  } else if (same(request.table_dtype, request.side_dtype)) {
    plan->unit = byte_unit(places(request) | row_bytes);
    plan->needs_sort = request.op == Op::scatter && request.deterministic == GANTRY_ALWAYS;
    arguments.last_wins = plan->needs_sort ? 1 : 0;
    set_geometry(static_cast<int64_t>(row_bytes / plan->unit.elements), &arguments);
    return GANTRY_OK;
  } else {
    const bool floats = is_float(request.table_dtype) && is_float(request.side_dtype);
    if (!floats && !(is_integer(request.table_dtype) && is_integer(request.side_dtype))) {
      return request.report(
          GANTRY_ERROR_UNSUPPORTED,
          "the GPU converts floats to floats and integers to integers, not type code %u with %u bits to type "
          "code %u with %u bits",
          request.table_dtype.code, request.table_dtype.bits, request.side_dtype.code, request.side_dtype.bits);
    }
    const Kind table = kind_of(request.table_dtype);
    const Kind side = kind_of(request.side_dtype);
    const bool fours = floats && lies_in_fours(request, table, side);
    plan->unit = Unit{fours ? UnitKind::floats : UnitKind::any, plan->is_gather ? table : side,
                      plan->is_gather ? side : table, fours ? 4u : 1u};
    plan->needs_sort = request.op == Op::scatter && request.deterministic == GANTRY_ALWAYS;
    arguments.last_wins = plan->needs_sort ? 1 : 0;
  }
  set_geometry(request.columns / plan->unit.elements, &arguments);
  return GANTRY_OK;
}

void split_tail(const Request& request, Plan* plan, Plan* tail) {
  *tail = Plan{};
  const int64_t table_bytes = request.columns * static_cast<int64_t>(element_bytes(request.table_dtype));
  const int64_t side_bytes = request.columns * static_cast<int64_t>(element_bytes(request.side_dtype));
  const bool is_copy = request.op == Op::copy || request.op == Op::convert;
  if (!is_copy || request.chunk_count != 1 || request.chunks[0].row_stride_bytes != table_bytes ||
      request.side_row_stride_bytes != side_bytes || request.table_rows == 0 || request.columns == 0) {
    return;
  }
  // One row: its strides say nothing, and its width is cut to whole units.
  Chunk chunk = request.chunks[0];
  chunk.row_stride_bytes = 0;
  Request whole = request;
  whole.chunks = &chunk;
  whole.side_row_stride_bytes = 0;
  const bool is_bytes = plan->unit.kind == UnitKind::bytes;
  const int64_t elements = request.table_rows * request.columns;
  const int64_t total = is_bytes ? elements * static_cast<int64_t>(element_bytes(request.table_dtype)) : elements;
  whole.table_rows = 1;
  whole.columns = elements;
  Plan one = *plan;
  one.arguments.table.first = chunk;
  one.arguments.table.rows = 1;
  one.arguments.count = 1;
  one.arguments.side_stride_bytes = 0;
  if (is_bytes) {
    one.unit = byte_unit(places(whole));
  } else {
    whole.columns = elements - elements % 4;
    const bool fours = plan->unit.kind == UnitKind::floats ||
                       (is_float(request.table_dtype) && whole.columns > 0 &&
                        lies_in_fours(whole, kind_of(request.table_dtype), kind_of(request.side_dtype)));
    if (fours) one.unit = Unit{UnitKind::floats, plan->unit.from, plan->unit.to, 4};
  }
  const int64_t units = total / one.unit.elements;
  const int64_t rest = total % one.unit.elements;
  if (units == 0) return;
  if (rest != 0) {
    *tail = one;
    tail->unit.elements = 1;
    if (!is_bytes) tail->unit.kind = UnitKind::any;
    const int64_t done = total - rest;
    tail->arguments.side += done * (is_bytes ? 1 : static_cast<int64_t>(element_bytes(request.side_dtype)));
    tail->arguments.table.first.data +=
        done * (is_bytes ? 1 : static_cast<int64_t>(element_bytes(request.table_dtype)));
    set_geometry(rest, &tail->arguments);
  }
  set_geometry(units, &one.arguments);
  *plan = one;
}

}  // namespace cuda
}  // namespace gantry
