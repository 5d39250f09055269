// SPDX-License-Identifier: Apache-2.0
//
// The ops and the environment, written once over what a flavour provides:
//
//   using Tensor, ScalarType;
//   static int64_t dim(const Tensor&);
//   static const int64_t* sizes(const Tensor&);     borrowed from the tensor
//   static const int64_t* strides(const Tensor&);
//   static ScalarType scalar_type(const Tensor&);
//   static gantry_device device(const Tensor&);
//   static const void* data(const Tensor&);
//   static void* writable_data(const Tensor&);
//   static Tensor empty(const int64_t* sizes, int64_t dim, ScalarType, gantry_device);
//   static Tensor empty_meta(const int64_t* sizes, int64_t dim, ScalarType);
//   static gantry_status stream(gantry_device, gantry_stream*);    torch's native handle; null is the default stream
//   static void* release(Tensor);                                  an owned reference as a pointer ...
//   static Tensor acquire(void*);                                  ... and back
//   struct Scratch; static Scratch* allocate(bytes, gantry_device); static void* address(Scratch*); static void
//   free(Scratch*) static void fail(gantry_status, const std::string&);           throws what torch turns into a Python
//   exception
#ifndef GANTRY_TORCH_OPS_H
#define GANTRY_TORCH_OPS_H

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "gantry_torch.h"
#include "gantry_torch_types.h"

#ifndef GANTRY_TORCH_NAMESPACE
#error "GANTRY_TORCH_NAMESPACE: the namespace in torch.ops; python -m gantry.torch_ext build sets it"
#endif

#define GANTRY_TORCH_TEXT_OF(name) #name
#define GANTRY_TORCH_TEXT(name) GANTRY_TORCH_TEXT_OF(name)

namespace gantry_torch {

constexpr uint64_t kScratchAlignment = 64;  // of torch's CPU allocator; those of devices align further

inline gantry_torch_library& library() {
  static gantry_torch_library instance{};
  return instance;
}

// std::string would throw where no exception may pass: the text is cut instead.
inline char* error_text() {
  thread_local char text[512] = "";
  return text;
}

inline gantry_status set_error(gantry_status status, const char* text) noexcept {
  std::strncpy(error_text(), text, 511);
  error_text()[511] = '\0';
  return status;
}

// Runs a callback's body: what it throws becomes a status, for exceptions do not cross the C ABI.
template <class Body>
gantry_status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    return set_error(GANTRY_ERROR_OUT_OF_MEMORY, error.what());
  } catch (...) {
    return set_error(GANTRY_ERROR_ENVIRONMENT, "torch threw something that is no std::exception");
  }
}

inline bool on_host(gantry_device device) {
  return device.type == GANTRY_DEVICE_HOST || device.type == GANTRY_DEVICE_CUDA_HOST;
}

// torch's stream as ops expect it.
template <class Flavour>
gantry_status current_stream(gantry_device device, gantry_stream* out) {
  *out = nullptr;
  if (on_host(device)) return GANTRY_OK;
  void* native = nullptr;
  gantry_status status = Flavour::stream(device, &native);
  if (status == GANTRY_OK) *out = native == nullptr ? GANTRY_STREAM_LEGACY : native;
  return status;
}

template <class Flavour>
class Environment {
 public:
  static const gantry_environment* get() {
    static const gantry_environment instance = [] {
      gantry_environment environment{};
      environment.struct_size = sizeof environment;
      environment.allocate = allocate;
      environment.deallocate = deallocate;
      environment.allocate_output = allocate_output;
      return environment;
    }();
    return &instance;
  }

 private:
  static gantry_status check(const gantry_allocation* request) {
    if (request->device.type != GANTRY_DEVICE_HOST && request->device.type != GANTRY_DEVICE_CUDA) {
      return set_error(GANTRY_ERROR_UNSUPPORTED, "torch's environment has host memory and memory of CUDA devices only");
    }
    gantry_stream current = nullptr;
    gantry_status status = current_stream<Flavour>(request->device, &current);
    if (status != GANTRY_OK || current == nullptr || current == request->stream) return status;
    return set_error(
        GANTRY_ERROR_ENVIRONMENT,
        "the op runs on another stream than torch's current one: torch's allocator would hand the block out again "
        "too early. Call the op with torch's current stream");
  }

  static gantry_status allocate(void*, const gantry_allocation* request, gantry_block* block) noexcept {
    return guarded([&] {
      gantry_status status = check(request);
      if (status != GANTRY_OK) return status;
      const uint64_t extra = request->alignment > kScratchAlignment ? request->alignment - kScratchAlignment : 0;
      if (request->bytes > INT64_MAX - extra) {
        return set_error(GANTRY_ERROR_OVERFLOW, "more bytes than an int64 counts");
      }
      auto* scratch = Flavour::allocate(request->bytes + extra, request->device);
      const auto address = reinterpret_cast<uintptr_t>(Flavour::address(scratch));
      block->data = reinterpret_cast<void*>((address + request->alignment - 1) & ~uintptr_t(request->alignment - 1));
      block->bytes = request->bytes;
      block->opaque = scratch;
      return gantry_status{GANTRY_OK};
    });
  }

  static void deallocate(void*, const gantry_allocation*, gantry_block* block) noexcept {
    Flavour::free(static_cast<typename Flavour::Scratch*>(block->opaque));
  }

  static gantry_status allocate_output(void*, const gantry_allocation* request, void* slot,
                                       gantry_tensor* output) noexcept {
    return guarded([&] {
      gantry_status status = check(request);
      if (status != GANTRY_OK) return status;
      auto* cell = static_cast<gantry_torch_output*>(slot);
      if (cell == nullptr) {
        return set_error(
            GANTRY_ERROR_INVALID_ARGUMENT,
            "torch's environment puts an output into the cell that options.slot points to, and there is none");
      }
      if (cell->tensor != nullptr) {
        return set_error(GANTRY_ERROR_INVALID_ARGUMENT, "the cell that options.slot points to has a tensor already");
      }
      typename Flavour::ScalarType type;
      if (!scalar_type_of(output->dtype, &type)) {
        return set_error(GANTRY_ERROR_UNSUPPORTED, "torch has no dtype of that code and width");
      }
      auto tensor = Flavour::empty(output->shape, output->ndim, type, request->device);
      output->data = Flavour::writable_data(tensor);
      output->byte_offset = 0;
      output->strides = nullptr;
      output->flags = 0;
      cell->tensor = Flavour::release(std::move(tensor));
      return gantry_status{GANTRY_OK};
    });
  }
};

// A tensor that shall not outlive a failed op.
template <class Flavour>
class OutputCell {
 public:
  OutputCell() = default;
  OutputCell(const OutputCell&) = delete;
  OutputCell& operator=(const OutputCell&) = delete;
  ~OutputCell() {
    if (cell_.tensor != nullptr) Flavour::acquire(cell_.tensor);
  }
  void* slot() { return &cell_; }
  bool empty() const { return cell_.tensor == nullptr; }
  typename Flavour::Tensor take() { return Flavour::acquire(std::exchange(cell_.tensor, nullptr)); }

 private:
  gantry_torch_output cell_{nullptr};
};

template <class Flavour>
class Ops {
 public:
  using Tensor = typename Flavour::Tensor;
  using ScalarType = typename Flavour::ScalarType;

  static Tensor gather(const Tensor& table, const Tensor& indices, int64_t bounds) {
    const Shape shape(table, indices);
    const Call call("gather", table, indices, bounds);
    const gantry_tensor rows = view(table, false);
    const gantry_table chunks = single(&rows);
    const gantry_tensor positions = view(indices, false);
    OutputCell<Flavour> cell;
    gantry_options options = call.options;
    options.slot = cell.slot();
    gantry_tensor output{};
    output.struct_size = sizeof output;
    output.shape = shape.sizes;
    output.ndim = static_cast<int32_t>(shape.dim);
    output.dtype = rows.dtype;
    output.device = indices_or_table(rows, positions);
    call.check(library().gather(library().context, &chunks, &positions, &output, &options, Environment<Flavour>::get(),
                                call.stream));
    if (cell.empty()) return Flavour::empty(shape.sizes, shape.dim, Flavour::scalar_type(table), output.device);
    return cell.take();
  }

  static Tensor gather_meta(const Tensor& table, const Tensor& indices, int64_t) {
    const Shape shape(table, indices);
    return Flavour::empty_meta(shape.sizes, shape.dim, Flavour::scalar_type(table));
  }

  static void gather_out(const Tensor& table, const Tensor& indices, const Tensor& output, int64_t bounds) {
    const Call call("gather", table, indices, bounds);
    const gantry_tensor rows = view(table, false);
    const gantry_table chunks = single(&rows);
    const gantry_tensor positions = view(indices, false);
    gantry_tensor target = view(output, true);
    call.check(library().gather(library().context, &chunks, &positions, &target, &call.options,
                                Environment<Flavour>::get(), call.stream));
  }

  static void scatter(const Tensor& table, const Tensor& indices, const Tensor& rows, int64_t bounds,
                      int64_t deterministic) {
    write("scatter", library().scatter, table, indices, rows, bounds, deterministic);
  }

  static void scatter_add(const Tensor& table, const Tensor& indices, const Tensor& rows, int64_t bounds,
                          int64_t deterministic) {
    write("scatter_add", library().scatter_add, table, indices, rows, bounds, deterministic);
  }

  static Tensor convert(const Tensor& source, ScalarType type) {
    const Call call("convert", source, source, GANTRY_BOUNDS_ERROR);
    const gantry_tensor from = view(source, false);
    Tensor result = Flavour::empty(Flavour::sizes(source), Flavour::dim(source), type, from.device);
    const gantry_tensor to = view(result, true);
    call.check(
        library().convert(library().context, &from, &to, &call.options, Environment<Flavour>::get(), call.stream));
    return result;
  }

  static Tensor convert_meta(const Tensor& source, ScalarType type) {
    return Flavour::empty_meta(Flavour::sizes(source), Flavour::dim(source), type);
  }

  // The way to the kernel and back without a kernel: what a call costs.
  static void nop(const Tensor&, const Tensor&, const Tensor&) {}

  static Tensor take_output(int64_t address) {
    auto* cell = reinterpret_cast<gantry_torch_output*>(static_cast<intptr_t>(address));
    if (cell == nullptr || cell->tensor == nullptr) {
      Flavour::fail(GANTRY_ERROR_INVALID_ARGUMENT,
                    message(GANTRY_ERROR_INVALID_ARGUMENT, "take_output: the cell is empty"));
    }
    return Flavour::acquire(std::exchange(cell->tensor, nullptr));
  }

  // Under Meta nothing is written.
  static void write_meta(const Tensor&, const Tensor&, const Tensor&, int64_t, int64_t) {}
  static void gather_out_meta(const Tensor&, const Tensor&, const Tensor&, int64_t) {}

 private:
  // The name of the status in front, so that Python can raise the class that belongs to it.
  static std::string message(gantry_status status, const std::string& text) {
    return std::string(library().status_name == nullptr ? "GANTRY_ERROR" : library().status_name(status)) + ": " + text;
  }

  // indices' shape and the table's columns.
  struct Shape {
    int64_t sizes[GANTRY_MAX_DIMENSIONS];
    int64_t dim;
    Shape(const Tensor& table, const Tensor& indices) {
      const int64_t table_dim = Flavour::dim(table), indices_dim = Flavour::dim(indices);
      dim = indices_dim + table_dim - 1;
      if (table_dim < 1 || table_dim > 2 || dim > GANTRY_MAX_DIMENSIONS) {
        Flavour::fail(
            GANTRY_ERROR_INVALID_ARGUMENT,
            message(GANTRY_ERROR_INVALID_ARGUMENT,
                    "gather: the table has " + std::to_string(table_dim) + " dimensions and the indices have " +
                        std::to_string(indices_dim) + "; a table has 1 or 2, and the output at most " +
                        std::to_string(GANTRY_MAX_DIMENSIONS)));
      }
      for (int64_t i = 0; i < indices_dim; ++i) sizes[i] = Flavour::sizes(indices)[i];
      if (table_dim == 2) sizes[indices_dim] = Flavour::sizes(table)[1];
    }
  };

  struct Call {
    const char* op;
    gantry_options options{};
    gantry_stream stream = nullptr;

    Call(const char* name, const Tensor& first, const Tensor& second, int64_t bounds) : op(name) {
      if (library().context == nullptr) {
        Flavour::fail(GANTRY_ERROR_INVALID_ARGUMENT,
                      message(GANTRY_ERROR_INVALID_ARGUMENT, std::string(name) + ": gantry_torch_open was not called"));
      }
      if (bounds < GANTRY_BOUNDS_ERROR || bounds > GANTRY_BOUNDS_TRUST) {
        Flavour::fail(GANTRY_ERROR_INVALID_ARGUMENT,
                      message(GANTRY_ERROR_INVALID_ARGUMENT,
                              std::string(name) + ": bounds is " + std::to_string(bounds) + ", a policy is 0 to 5"));
      }
      options.struct_size = sizeof options;
      options.bounds = static_cast<gantry_bounds>(bounds);
      error_text()[0] = '\0';
      gantry_device device = Flavour::device(first);
      if (on_host(device)) device = Flavour::device(second);
      const gantry_status status = current_stream<Flavour>(device, &stream);
      if (status != GANTRY_OK) Flavour::fail(status, message(status, std::string(name) + ": " + error_text()));
    }

    void check(gantry_status status) const {
      if (status == GANTRY_OK) return;
      std::string text = library().last_error();
      if (error_text()[0] != '\0') text += std::string(" (") + error_text() + ")";
      Flavour::fail(status, message(status, text));
    }
  };

  static gantry_tensor view(const Tensor& tensor, bool written) {
    gantry_tensor result{};
    result.struct_size = sizeof result;
    if (!dtype_of(Flavour::scalar_type(tensor), &result.dtype)) {
      Flavour::fail(
          GANTRY_ERROR_UNSUPPORTED,
          message(GANTRY_ERROR_UNSUPPORTED, "a dtype that Gantry does not know (torch's number " +
                                                std::to_string(static_cast<int>(Flavour::scalar_type(tensor))) +
                                                "); view the tensor as integers of the same width to move its rows"));
    }
    result.data = written ? Flavour::writable_data(tensor) : const_cast<void*>(Flavour::data(tensor));
    if (!written) result.flags = GANTRY_TENSOR_READ_ONLY;
    result.shape = Flavour::sizes(tensor);
    result.strides = Flavour::strides(tensor);
    result.ndim = static_cast<int32_t>(Flavour::dim(tensor));
    result.device = Flavour::device(tensor);
    return result;
  }

  static gantry_table single(const gantry_tensor* chunk) {
    gantry_table table{};
    table.struct_size = sizeof table;
    table.chunk_count = 1;
    table.chunks = chunk;
    return table;
  }

  // The device that the op runs on: a table in host memory may be read by a GPU.
  static gantry_device indices_or_table(const gantry_tensor& table, const gantry_tensor& indices) {
    return on_host(table.device) ? indices.device : table.device;
  }

  template <class Function>
  static void write(const char* name, Function function, const Tensor& table, const Tensor& indices, const Tensor& rows,
                    int64_t bounds, int64_t deterministic) {
    const Call call(name, table, indices, bounds);
    const gantry_tensor target = view(table, true);
    const gantry_table chunks = single(&target);
    const gantry_tensor source = view(rows, false);
    const gantry_tensor positions = view(indices, false);
    gantry_options options = call.options;
    options.deterministic = deterministic != 0 ? GANTRY_ALWAYS : GANTRY_AUTO;
    call.check(
        function(library().context, &source, &positions, &chunks, &options, Environment<Flavour>::get(), call.stream));
  }
};

// What both flavours register, in torch's schema language.
constexpr const char* kSchemas[] = {
    "gather(Tensor table, Tensor indices, int bounds=0) -> Tensor",
    "gather_out(Tensor table, Tensor indices, Tensor(a!) output, int bounds=0) -> ()",
    "scatter(Tensor(a!) table, Tensor indices, Tensor rows, int bounds=0, int deterministic=0) -> ()",
    "scatter_add(Tensor(a!) table, Tensor indices, Tensor rows, int bounds=0, int deterministic=0) -> ()",
    "convert(Tensor source, ScalarType dtype) -> Tensor",
    "nop(Tensor table, Tensor indices, Tensor(a!) output) -> ()",
    "take_output(int cell) -> Tensor",
};

inline gantry_status open(const gantry_torch_library* given) {
  if (given == nullptr || given->struct_size < sizeof(gantry_torch_library) || given->context == nullptr ||
      given->last_error == nullptr || given->status_name == nullptr || given->gather == nullptr ||
      given->scatter == nullptr || given->scatter_add == nullptr || given->convert == nullptr) {
    return set_error(GANTRY_ERROR_INVALID_ARGUMENT, "gantry_torch_open needs every member of gantry_torch_library");
  }
  if (given->abi_version >> 16 != GANTRY_ABI_MAJOR || given->abi_version < GANTRY_ABI_VERSION) {
    const std::string text = "the library's binary interface is " + std::to_string(given->abi_version >> 16) + "." +
                             std::to_string(given->abi_version & 0xffffu) + ", the extension was compiled for " +
                             std::to_string(GANTRY_ABI_MAJOR) + "." + std::to_string(GANTRY_ABI_MINOR);
    return set_error(GANTRY_ERROR_ABI, text.c_str());
  }
  library() = *given;
  return GANTRY_OK;
}

}  // namespace gantry_torch

// The exported functions of a flavour.
#define GANTRY_TORCH_EXPORTS(Flavour)                                                                            \
  gantry_status gantry_torch_open(const gantry_torch_library* given) {                                           \
    return gantry_torch::guarded([&] { return gantry_torch::open(given); });                                     \
  }                                                                                                              \
  const gantry_environment* gantry_torch_environment(void) { return gantry_torch::Environment<Flavour>::get(); } \
  gantry_status gantry_torch_current_stream(gantry_device device, gantry_stream* out) {                          \
    return gantry_torch::guarded([&] { return gantry_torch::current_stream<Flavour>(device, out); });            \
  }                                                                                                              \
  const char* gantry_torch_last_error(void) { return gantry_torch::error_text(); }                               \
  const char* gantry_torch_namespace(void) { return GANTRY_TORCH_TEXT(GANTRY_TORCH_NAMESPACE); }

#endif
