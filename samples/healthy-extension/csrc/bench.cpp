#include <chrono>
#include <iostream>

#include <torch/torch.h>

#include "quantize.h"

int main() {
  const auto weight = torch::randn({4096, 256});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) rowwise::quantize(weight);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  std::cout << rowwise::describe(weight) << ": " << spent.count() / 100 << " ms\n";
}
