// The reader of DLPack: managed tensors that say anything are imported, viewed and exported; deleters are counted.
#include <memory>

#include "dlpack/dlpack_abi.h"
#include "gantry/gantry.h"
#include "input.h"

namespace {

using gantry_fuzz::Input;
__extension__ typedef __int128 Wide;

constexpr size_t kBufferBytes = 4096;
alignas(64) char buffer[kBufferBytes];

// A DLTensor as the input describes it. Its arrays have exactly the length that a reader may read, so that a sanitizer
// sees one element more.
struct Description {
  DLTensor tensor{};
  std::unique_ptr<int64_t[]> shape;
  std::unique_ptr<int64_t[]> strides;

  explicit Description(Input& input) {
    tensor.ndim = static_cast<int32_t>(input.below_or_equal(9));
    if (input.below_or_equal(31) == 0) {
      tensor.ndim = input.take<int32_t>();
    }
    const size_t length =
        tensor.ndim >= 0 && tensor.ndim <= GANTRY_MAX_DIMENSIONS ? static_cast<size_t>(tensor.ndim) : 0;
    if (input.below_or_equal(15) != 0) {
      shape.reset(new int64_t[length]);
    }
    if (input.below_or_equal(3) != 0) {
      strides.reset(new int64_t[length]);
    }
    for (size_t i = 0; i < length; ++i) {
      if (shape != nullptr) {
        shape[i] = input.number();
      }
      if (strides != nullptr) {
        strides[i] = input.number();
      }
    }
    tensor.shape = shape.get();
    tensor.strides = strides.get();
    tensor.dtype = {GANTRY_CODE_FLOAT, 32, 1};
    if (input.below_or_equal(3) == 0) {
      tensor.dtype = input.take<DLDataType>();
    }
    tensor.device = {GANTRY_DEVICE_HOST, 0};
    if (input.below_or_equal(7) == 0) {
      tensor.device.device_type = static_cast<int32_t>(input.below_or_equal(20));
      tensor.device.device_id = static_cast<int8_t>(input.take<uint8_t>());
    }
    switch (input.below_or_equal(7)) {
      case 0:
        tensor.data = nullptr;
        break;
      case 1:
        tensor.data = reinterpret_cast<void*>(static_cast<uintptr_t>(input.number()));
        break;
      default:
        tensor.data = buffer + input.take<uint16_t>() % kBufferBytes;
    }
    if (input.below_or_equal(3) == 0) {
      tensor.byte_offset = static_cast<uint64_t>(input.number());
    }
  }
};

// Addresses of the elements, computed wide enough for any shape and strides.
struct Range {
  bool empty = false;
  Wide begin = 0;
  Wide end = 0;
};

Range range_of(const gantry_tensor& view) {
  Range range;
  for (int32_t i = 0; i < view.ndim; ++i) {
    range.empty = range.empty || view.shape[i] == 0;
  }
  if (range.empty) {
    return range;
  }
  const Wide width = Wide{view.dtype.bits} * view.dtype.lanes / 8;
  Wide low = 0;
  Wide high = 0;
  Wide compact = 1;
  for (int32_t i = view.ndim - 1; i >= 0; --i) {
    const Wide stride = view.strides == nullptr ? compact : Wide{view.strides[i]};
    const Wide step = (Wide{view.shape[i]} - 1) * stride;
    (step < 0 ? low : high) += step;
    compact *= view.shape[i];
  }
  const Wide first = Wide{reinterpret_cast<uintptr_t>(view.data)} + view.byte_offset;
  range.begin = first + low * width;
  range.end = first + (high + 1) * width;
  return range;
}

void check_inside(const gantry_storage* storage, const Range& range) {
  const Wide begin = reinterpret_cast<uintptr_t>(gantry_storage_data(storage));
  FUZZ_CHECK(range.empty || (range.begin >= begin && range.end <= begin + Wide{gantry_storage_bytes(storage)}));
}

void check_imported(const gantry_storage* storage, const gantry_tensor& view, const DLTensor& tensor) {
  FUZZ_CHECK(view.ndim == tensor.ndim && view.data == tensor.data && view.byte_offset == tensor.byte_offset);
  FUZZ_CHECK(view.shape == tensor.shape && view.strides == tensor.strides);
  const Range range = range_of(view);
  FUZZ_CHECK(range.empty ? gantry_storage_bytes(storage) == 0
                         : range.begin == Wide{reinterpret_cast<uintptr_t>(gantry_storage_data(storage))} &&
                               range.end - range.begin == Wide{gantry_storage_bytes(storage)});
  // What lies in real memory is there from its first to its last byte.
  const Wide begin = reinterpret_cast<uintptr_t>(buffer);
  if (!range.empty && range.begin >= begin && range.end <= begin + Wide{kBufferBytes}) {
    volatile char* bytes = static_cast<volatile char*>(gantry_storage_data(storage));
    bytes[0] = static_cast<char>(bytes[gantry_storage_bytes(storage) - 1] + 1);
  }
}

void check_exported(const DLTensor& exported, const gantry_tensor& view) {
  gantry_tensor back{};
  back.struct_size = sizeof back;
  FUZZ_CHECK(gantry_view_dltensor(&exported, &back) == GANTRY_OK);
  FUZZ_CHECK(back.ndim == view.ndim && back.byte_offset == 0 && back.strides != nullptr);
  const Range was = range_of(view);
  const Range is = range_of(back);
  FUZZ_CHECK(was.empty == is.empty && (is.empty || (was.begin == is.begin && was.end == is.end)));
}

// Exports `view` in both forms; whatever succeeds lies inside the storage and is deleted after the storage's owner let
// go.
void export_both(gantry_storage* storage, const gantry_tensor& view, bool must_succeed, DLManagedTensor** legacy,
                 DLManagedTensorVersioned** versioned) {
  const bool read_only = gantry_storage_read_only(storage) != 0 || (view.flags & GANTRY_TENSOR_READ_ONLY) != 0;
  const gantry_status old_form = gantry_export_dlpack(storage, &view, legacy);
  const gantry_status new_form = gantry_export_dlpack_versioned(storage, &view, 0, versioned);
  FUZZ_CHECK((old_form == GANTRY_OK) == (*legacy != nullptr));
  FUZZ_CHECK((new_form == GANTRY_OK) == (*versioned != nullptr));
  FUZZ_CHECK(!must_succeed || new_form == GANTRY_OK);
  FUZZ_CHECK(read_only ? old_form != GANTRY_OK : old_form == new_form);
  if (new_form == GANTRY_OK) {
    check_inside(storage, range_of(view));
    check_exported((*versioned)->dl_tensor, view);
    FUZZ_CHECK((*versioned)->flags == (read_only ? uint64_t{GANTRY_DLPACK_READ_ONLY} : 0u));
  }
  if (old_form == GANTRY_OK) {
    check_exported((*legacy)->dl_tensor, view);
  }
}

gantry_tensor view_of(const DLTensor& tensor, uint32_t flags) {
  gantry_tensor view{};
  view.struct_size = sizeof view;
  view.flags = flags;
  view.data = tensor.data;
  view.byte_offset = tensor.byte_offset;
  view.shape = tensor.shape;
  view.strides = tensor.strides;
  view.ndim = tensor.ndim;
  view.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  view.device = {tensor.device.device_type, tensor.device.device_id};
  return view;
}

template <class Managed>
void run(Input& input, Managed& managed, gantry_status (*import)(Managed*, gantry_tensor*, gantry_storage**)) {
  int deletions = 0;
  managed.manager_ctx = &deletions;
  managed.deleter = [](Managed* self) { ++*static_cast<int*>(self->manager_ctx); };
  Description description(input);
  managed.dl_tensor = description.tensor;
  gantry_tensor view{};
  view.struct_size = input.below_or_equal(31) == 0 ? input.take<uint8_t>() : uint32_t{sizeof view};
  if (view.struct_size > sizeof view) {
    view.struct_size = sizeof view;
  }
  gantry_storage* storage = nullptr;
  if (import(&managed, &view, &storage) != GANTRY_OK) {
    FUZZ_CHECK(storage == nullptr && deletions == 1 && gantry_last_error()[0] != '\0');
    return;
  }
  FUZZ_CHECK(storage != nullptr && deletions == 0);
  check_imported(storage, view, managed.dl_tensor);
  DLManagedTensor* legacy[2] = {};
  DLManagedTensorVersioned* versioned[2] = {};
  export_both(storage, view, true, &legacy[0], &versioned[0]);
  Description other(input);
  if (input.below_or_equal(1) == 0) {
    other.tensor.data = view.data;
    other.tensor.byte_offset = view.byte_offset + input.below_or_equal(15);
    other.tensor.device = managed.dl_tensor.device;
  }
  export_both(storage, view_of(other.tensor, input.below_or_equal(1)), false, &legacy[1], &versioned[1]);
  gantry_storage_release(storage);
  for (int i = 0; i < 2; ++i) {
    if (legacy[i] != nullptr) {
      FUZZ_CHECK(deletions == 0);
      legacy[i]->deleter(legacy[i]);
    }
    if (versioned[i] != nullptr) {
      FUZZ_CHECK(deletions == 0);
      versioned[i]->deleter(versioned[i]);
    }
  }
  FUZZ_CHECK(deletions == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  Input input(bytes, size);
  const uint32_t form = input.below_or_equal(3);
  if (form == 0) {
    DLManagedTensor managed{};
    run(input, managed, gantry_import_dlpack);
    return 0;
  }
  DLManagedTensorVersioned managed{};
  managed.version = {1, input.take<uint8_t>()};
  if (form == 1) {
    managed.version.major = input.below_or_equal(2);
    managed.flags = input.take<uint64_t>();
  } else {
    managed.flags = input.below_or_equal(7);
  }
  run(input, managed, gantry_import_dlpack_versioned);
  return 0;
}
