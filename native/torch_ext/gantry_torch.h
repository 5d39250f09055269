// SPDX-License-Identifier: Apache-2.0
//
// The C interface between Gantry's Python package and its torch extensions, the same for both flavours.
//
// An extension holds no kernel and is linked with nothing of Gantry: the package hands it the addresses of the C ABI.
// What it adds is torch: an environment that takes memory from torch's allocators, and ops in torch's dispatcher.
#ifndef GANTRY_TORCH_H
#define GANTRY_TORCH_H

#include "gantry/gantry.h"

#define GANTRY_TORCH_API extern "C" __attribute__((visibility("default")))

// The functions of the library that the ops call, and the context that they call them with. All members are needed; the
// context has to live as long as the process.
struct gantry_torch_library {
  uint32_t struct_size;
  uint32_t abi_version;  // GANTRY_ABI_VERSION of the library that is loaded
  gantry_context* context;
  const char* (*last_error)(void);
  const char* (*status_name)(gantry_status status);
  gantry_status (*gather)(gantry_context*, const gantry_table*, const gantry_tensor*, gantry_tensor*,
                          const gantry_options*, const gantry_environment*, gantry_stream);
  gantry_status (*scatter)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_table*,
                           const gantry_options*, const gantry_environment*, gantry_stream);
  gantry_status (*scatter_add)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_table*,
                               const gantry_options*, const gantry_environment*, gantry_stream);
  gantry_status (*convert)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_options*,
                           const gantry_environment*, gantry_stream);
};

// The cell that gantry_options.slot points to when an output shall come from the environment. The environment puts an
// owned tensor there; the op `take_output` of the extension's namespace, given the cell's address, turns it into a
// torch tensor and empties the cell. A cell that was filled and is not taken keeps its tensor alive.
struct gantry_torch_output {
  void* tensor;
};

// Has to be called once before the first op. GANTRY_ERROR_ABI when the library's binary interface is another one than
// the extension was compiled with; the same library may be handed over again.
GANTRY_TORCH_API gantry_status gantry_torch_open(const gantry_torch_library* library);

// An environment whose scratch and outputs come from torch's allocators: host memory from torch's CPU allocator, device
// memory from the caching allocator of the device, on torch's current stream. It refuses requests for any other stream.
// Its outputs need a slot: the address of a gantry_torch_output.
GANTRY_TORCH_API const gantry_environment* gantry_torch_environment(void);

// torch's current stream on a device, as ops expect it: CUDA's default stream is GANTRY_STREAM_LEGACY. Null for host
// memory.
GANTRY_TORCH_API gantry_status gantry_torch_current_stream(gantry_device device, gantry_stream* out);

// The text of the last failure of a callback or of gantry_torch_open in the calling thread; never null.
GANTRY_TORCH_API const char* gantry_torch_last_error(void);

// The extension's namespace in torch.ops.
GANTRY_TORCH_API const char* gantry_torch_namespace(void);

// The stamp, as its ELF note.
GANTRY_TORCH_API const char* gantry_torch_build_info(void);

#endif
