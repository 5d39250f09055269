// The fuzzer's bytes as a stream of values; zeros follow when they are used up.
#ifndef GANTRY_FUZZ_INPUT_H
#define GANTRY_FUZZ_INPUT_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gantry_fuzz {

class Input {
 public:
  Input(const uint8_t* bytes, size_t size) : at_(bytes), end_(bytes + size) {}

  bool empty() const { return at_ == end_; }

  template <class T>
  T take() {
    T value{};
    const size_t left = static_cast<size_t>(end_ - at_);
    const size_t size = left < sizeof value ? left : sizeof value;
    if (size > 0) {
      std::memcpy(&value, at_, size);
      at_ += size;
    }
    return value;
  }

  // 0 to `most`.
  uint32_t below_or_equal(uint32_t most) { return take<uint8_t>() % (most + 1); }

  // Small numbers, numbers near the ends of the range, products that just fit or just do not, and any other.
  int64_t number() {
    const uint8_t kind = take<uint8_t>();
    const int64_t offset = static_cast<int8_t>(take<uint8_t>()) % 4;
    switch (kind % 8) {
      case 0:
        return take<int64_t>();
      case 1:
        return static_cast<int64_t>(static_cast<uint64_t>(INT64_MAX) + static_cast<uint64_t>(offset));
      case 2:
        return static_cast<int64_t>((uint64_t{1} << (take<uint8_t>() % 64)) + static_cast<uint64_t>(offset));
      case 3:
        return -(kind >> 3);
      default:
        return kind >> 3;
    }
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// A property that has to hold for every input.
#define FUZZ_CHECK(condition)                                                            \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (0)

}  // namespace gantry_fuzz

#endif
