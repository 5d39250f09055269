// Which of the compiled sets of kernels the processor and the system can run.
#ifndef GANTRY_HOST_ISA_H
#define GANTRY_HOST_ISA_H

#include "host/kernels.h"

namespace gantry {

// Sets that can run here, the lowest first. Returns how many there are, at least one and at most kMaxLevels.
constexpr int kMaxLevels = 3;
int runnable_kernels(const Kernels* out[kMaxLevels]);

// The highest set that can run here, or the one that `wanted` names when it can run here. Null, an unknown name and a
// level that cannot run here are ignored: gantry_isa() shows what is in use.
const Kernels* choose_kernels(const char* wanted);

}  // namespace gantry

#endif
