// Runs a fuzz target where libFuzzer is not to be had: fuzz_x [RUNS [SEED]]. The same numbers give the same inputs. A
// file as the first argument is run as an input, as libFuzzer does.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace {

constexpr size_t kMaxBytes = 256;
constexpr size_t kPool = 64;

// splitmix64: public domain arithmetic with a full period.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }

 private:
  uint64_t state_;
};

void mutate(Random& random, std::vector<uint8_t>& input) {
  for (size_t changes = 1 + random.below(4); changes > 0; --changes) {
    const size_t kind = input.empty() ? 2 : random.below(5);
    const size_t at = input.empty() ? 0 : random.below(input.size());
    if (kind == 0) {
      input[at] = static_cast<uint8_t>(random.next());
    } else if (kind == 1) {
      input[at] = static_cast<uint8_t>(input[at] ^ (1u << random.below(8)));
    } else if (kind == 2 && input.size() < kMaxBytes) {
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), static_cast<uint8_t>(random.next()));
    } else if (kind == 3) {
      input.erase(input.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      input[at] = random.below(2) == 0 ? 0x00 : 0xff;
    }
  }
}

int run_file(std::FILE* file) {
  std::vector<uint8_t> input(1 << 20);
  input.resize(std::fread(input.data(), 1, input.size(), file));
  std::fclose(file);
  return LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    if (std::FILE* file = std::fopen(argv[1], "rb")) {
      return run_file(file);
    }
  }
  const uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Random random(seed);
  std::vector<std::vector<uint8_t>> pool(kPool);
  for (uint64_t run = 0; run < runs; ++run) {
    std::vector<uint8_t>& input = pool[random.below(kPool)];
    if (input.empty() || random.below(8) == 0) {
      input.resize(random.below(kMaxBytes));
      std::generate(input.begin(), input.end(), [&random] { return static_cast<uint8_t>(random.next()); });
    } else {
      mutate(random, input);
    }
    // A copy of exactly this size, so that a sanitizer sees every byte that is read beyond it.
    const std::vector<uint8_t> exact(input.begin(), input.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  std::printf("%llu runs from seed %llu\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(seed));
  return 0;
}
