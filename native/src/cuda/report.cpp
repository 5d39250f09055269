#include "cuda/backend.h"

namespace gantry {
namespace cuda {

gantry_status report_cuda(Report report, cudaError_t error, const char* what, int32_t device) {
  if (error == cudaSuccess) return GANTRY_OK;
  cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) {
    return report(GANTRY_ERROR_OUT_OF_MEMORY, "%s on GPU %d: %s (%s)", what, device, cudaGetErrorName(error),
                  cudaGetErrorString(error));
  }
  const bool is_lost = error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
                       error == cudaErrorMisalignedAddress || error == cudaErrorIllegalInstruction ||
                       error == cudaErrorAssert || error == cudaErrorHardwareStackError;
  return report(
      GANTRY_ERROR_DEVICE, "%s on GPU %d: %s (%s)%s", what, device, cudaGetErrorName(error), cudaGetErrorString(error),
      is_lost
          ? "; a kernel of this process, Gantry's or another, has failed, and the process cannot use the GPU any more"
          : "");
}

gantry_status is_capturing(Report report, cudaStream_t stream, int32_t device, bool* out) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  // The legacy stream cannot be used while another stream captures.
  if (error == cudaErrorStreamCaptureImplicit) {
    cudaGetLastError();
    *out = true;
    return GANTRY_OK;
  }
  *out = status != cudaStreamCaptureStatusNone;
  return report_cuda(report, error, "asking whether the stream captures a graph", device);
}

}  // namespace cuda
}  // namespace gantry
