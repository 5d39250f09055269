// Which GPUs the plug-in has code for.
#ifndef GANTRY_CUDA_ARCHITECTURES_H
#define GANTRY_CUDA_ARCHITECTURES_H

#include <string>

namespace gantry {
namespace cuda {

// The value of `key` in a stamp's lines; empty when it is not there.
std::string stamp_value(const char* stamp, const char* key);

enum class Code {
  none,
  sass,  // of the device's major number and at most its minor one; of another only when it is specific to the device
  ptx,   // for at most the device's compute capability: the driver compiles it
  ptx_too_new,  // as ptx, but the driver is older than the toolkit that wrote it
};

// `list`: the stamp's cuda.archs, "75,80,90a,120+ptx,ptx70". A letter `a` means that device alone, `f` its family.
Code find_code(const std::string& list, int major, int minor, bool driver_reads_ptx);

}  // namespace cuda
}  // namespace gantry

#endif
