// SPDX-License-Identifier: Apache-2.0
//
// The ops, written once over what a flavour provides: see gantry_torch_environment.h.
#ifndef GANTRY_TORCH_OPS_H
#define GANTRY_TORCH_OPS_H

#include <string>
#include <utility>

#include "gantry_torch_environment.h"

#ifndef GANTRY_TORCH_NAMESPACE
#error "GANTRY_TORCH_NAMESPACE: the namespace in torch.ops; python -m gantry.torch_ext build sets it"
#endif

#define GANTRY_TORCH_TEXT_OF(name) #name
#define GANTRY_TORCH_TEXT(name) GANTRY_TORCH_TEXT_OF(name)

namespace gantry_torch {

inline gantry_torch_library& library() {
  static gantry_torch_library instance{};
  return instance;
}

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
