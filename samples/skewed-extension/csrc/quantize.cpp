#include "quantize.h"

namespace rowwise {

std::tuple<at::Tensor, at::Tensor> quantize(const at::Tensor& weight) {
  TORCH_CHECK(weight.dim() == 2, "expected a matrix, got ", describe(weight));
  auto scale = weight.abs().amax(1, /*keepdim=*/true).clamp_min(1e-12) / 127;
  return {(weight / scale).round().to(at::kChar), scale};
}

std::string describe(const at::Tensor& weight) {
  std::string text = "rowwise(";
  for (int64_t i = 0; i < weight.dim(); ++i) {
    if (i > 0) text += " x ";
    text += std::to_string(weight.size(i));
  }
  return text + ")";
}

}  // namespace rowwise
