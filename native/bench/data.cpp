#include "data.h"

#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <random>

namespace gantry_bench {

void Unmap::operator()(char* data) const { munmap(data, bytes); }

Memory map_memory(uint64_t bytes, Pages pages) {
  constexpr uint64_t kHugePage = 2ull << 20;
  const uint64_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* mapped = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return Memory(nullptr, Unmap{0});
  madvise(mapped, rounded, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  std::memset(mapped, 1, rounded);
  return Memory(static_cast<char*>(mapped), Unmap{rounded});
}

const char* name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return "uniform";
    case Distribution::zipf:
      return "zipf";
    case Distribution::sequential:
      return "sequential";
  }
  return "";
}

namespace {

// Rejection-inversion for a bounded Zipf law: W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from monotone
// discrete distributions", ACM TOMACS 6(3), 1996.
class Zipf {
 public:
  Zipf(int64_t count, double exponent)
      : count_(static_cast<double>(count)),
        exponent_(exponent),
        low_(integral(1.5) - 1.0),
        high_(integral(count_ + 0.5)),
        shortcut_(2.0 - inverse(integral(2.5) - std::pow(2.0, -exponent))) {}

  template <class Generator>
  int64_t operator()(Generator& generator) {
    std::uniform_real_distribution<double> between(low_, high_);
    for (;;) {
      const double area = between(generator);
      const double real = inverse(area);
      const double rank = std::fmin(std::fmax(std::round(real), 1.0), count_);
      if (rank - real <= shortcut_ || area >= integral(rank + 0.5) - std::pow(rank, -exponent_)) {
        return static_cast<int64_t>(rank) - 1;
      }
    }
  }

 private:
  double integral(double x) const { return (std::pow(x, 1.0 - exponent_) - 1.0) / (1.0 - exponent_); }
  double inverse(double area) const { return std::pow(1.0 + area * (1.0 - exponent_), 1.0 / (1.0 - exponent_)); }

  double count_;
  double exponent_;
  double low_;
  double high_;
  double shortcut_;
};

}  // namespace

std::vector<int64_t> make_indices(Distribution distribution, int64_t rows, int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::mt19937_64 generator(20261130);
  switch (distribution) {
    case Distribution::uniform: {
      std::uniform_int_distribution<int64_t> row(0, rows - 1);
      for (int64_t& index : indices) index = row(generator);
      break;
    }
    case Distribution::zipf: {
      Zipf rank(rows, 1.05);
      // Spreads the ranks; two of them seldom meet in one row.
      for (int64_t& index : indices) {
        index = static_cast<int64_t>(static_cast<uint64_t>(rank(generator)) * 0x9E3779B97F4A7C15u % static_cast<uint64_t>(rows));
      }
      break;
    }
    case Distribution::sequential:
      for (int64_t i = 0; i < count; ++i) indices[static_cast<size_t>(i)] = i % rows;
      break;
  }
  return indices;
}

}  // namespace gantry_bench
