#include <torch/library.h>

#include "quantize.h"

TORCH_LIBRARY(rowwise, m) {
  m.def("quantize(Tensor weight) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(rowwise, CPU, m) {
  m.impl("quantize", &rowwise::quantize);
}

TORCH_LIBRARY_IMPL(rowwise, CUDA, m) {
  m.impl("quantize", &rowwise::quantize_cuda);
}
