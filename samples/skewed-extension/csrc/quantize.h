#pragma once

#include <string>
#include <tuple>

#include <ATen/ATen.h>

namespace rowwise {

std::tuple<at::Tensor, at::Tensor> quantize(const at::Tensor& weight);
std::tuple<at::Tensor, at::Tensor> quantize_cuda(const at::Tensor& weight);

// A description for logs, such as "rowwise(1024 x 64)".
std::string describe(const at::Tensor& weight);

}  // namespace rowwise
