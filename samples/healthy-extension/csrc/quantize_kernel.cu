#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include "quantize.h"

namespace rowwise {
namespace {

__global__ void quantize_kernel(const float* weight, int8_t* values, float* scales, int64_t columns) {
  extern __shared__ float largest[];
  const float* row = weight + blockIdx.x * columns;
  float mine = 0;
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) mine = fmaxf(mine, fabsf(row[i]));
  largest[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + step]);
    __syncthreads();
  }
  const float scale = fmaxf(largest[0], 1e-12f) / 127;
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
    values[blockIdx.x * columns + i] = static_cast<int8_t>(rintf(row[i] / scale));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> quantize_cuda(const at::Tensor& weight) {
  TORCH_CHECK(weight.dim() == 2, "expected a matrix, got ", describe(weight));
  const auto input = weight.to(at::kFloat).contiguous();
  auto values = at::empty(input.sizes(), input.options().dtype(at::kChar));
  auto scales = at::empty({input.size(0), 1}, input.options());
  constexpr int threads = 256;
  quantize_kernel<<<input.size(0), threads, threads * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
      input.data_ptr<float>(), values.data_ptr<int8_t>(), scales.data_ptr<float>(), input.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {values, scales};
}

}  // namespace rowwise
