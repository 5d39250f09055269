/* Reads tensors by the fast routes. Whatever goes wrong on one of them is read again by gantry._tensors, which has the texts: so
 * that both bindings refuse the same things with the same words. */
#include <stddef.h>
#include <string.h>

#include "binding.h"

enum { NOT_MINE = 1 }; /* beside 0 and -1: gantry._tensors shall read it */

/* An object without elements may have no memory; null would ask the library to allocate it. */
static _Alignas(64) char nothing[64];

static PyObject* name_object(Name name) {
  return name.position < 0 ? PyUnicode_FromString(name.text) : PyUnicode_FromFormat("%s[%zd]", name.text, name.position);
}

/* Whether a result, whose reference is taken over, is true; -1 with an exception set. */
static int is_true(PyObject* result) {
  if (result == NULL) {
    return -1;
  }
  const int answer = result == Py_False ? 0 : PyObject_IsTrue(result);
  Py_DECREF(result);
  return answer;
}

static int ask(PyObject* value, PyObject* method_name) {
  PyObject* method = PyObject_GetAttr(value, method_name);
  if (method == NULL) {
    return -1;
  }
  PyObject* result = PyObject_CallNoArgs(method);
  Py_DECREF(method);
  return is_true(result);
}

static int requires_gradient(Binding* self, PyObject* value, const Kind* kind) {
  if (kind->get_gradient == NULL) {
    return is_true(PyObject_GetAttr(value, self->names[NAME_REQUIRES_GRAD]));
  }
  return is_true(kind->get_gradient(kind->gradient, value, (PyObject*)kind->type));
}

/* See _has_neighbours of gantry._tensors. */
static int has_neighbours(const gantry_tensor* tensor) {
  for (int32_t i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] > 1) {
      return tensor->strides == NULL || tensor->strides[i] == 1;
    }
  }
  return 0;
}

/* What no protocol checks for all objects; see _finish of gantry._tensors. */
static int finish(Binding* self, PyObject* value, const Kind* kind, View* view) {
  gantry_tensor* tensor = &view->tensor;
  if (tensor->data == NULL) {
    int is_empty = 0;
    for (int32_t i = 0; i < tensor->ndim; ++i) {
      is_empty |= tensor->shape[i] == 0;
    }
    if (!is_empty) {
      return NOT_MINE;
    }
    tensor->data = nothing;
    tensor->byte_offset = 0;
  }
  const uint8_t code = tensor->dtype.code;
  if (code != GANTRY_CODE_FLOAT && code != GANTRY_CODE_BFLOAT && code != GANTRY_CODE_COMPLEX) {
    return 0;
  }
  int pending = kind->has_gradient ? requires_gradient(self, value, kind) : 0;
  if (pending == 0 && kind->has_negation) {
    if (code == GANTRY_CODE_COMPLEX) {
      pending = ask(value, self->names[NAME_IS_CONJ]);
    } else if (!has_neighbours(tensor)) {
      pending = ask(value, self->names[NAME_IS_NEG]);
    }
  }
  return pending < 0 ? -1 : pending ? NOT_MINE : 0;
}

/* Shape and strides are copied: while the GIL is released, another thread may resize the producer's object. */
static int from_dltensor(const DLTensor* from, uint64_t flags, View* view) {
  const int32_t ndim = from->ndim;
  if (ndim < 0 || ndim > GANTRY_MAX_DIMENSIONS || (ndim > 0 && from->shape == NULL)) {
    return NOT_MINE;
  }
  for (int32_t i = 0; i < ndim; ++i) {
    view->shape[i] = from->shape[i];
  }
  if (from->strides != NULL) {
    for (int32_t i = 0; i < ndim; ++i) {
      view->strides[i] = from->strides[i];
    }
  }
  gantry_tensor* tensor = &view->tensor;
  tensor->flags = flags & GANTRY_DLPACK_READ_ONLY ? GANTRY_TENSOR_READ_ONLY : 0;
  tensor->data = from->data;
  tensor->byte_offset = from->byte_offset;
  tensor->shape = view->shape;
  tensor->strides = from->strides == NULL ? NULL : view->strides;
  tensor->ndim = ndim;
  tensor->dtype = (gantry_dtype){from->dtype.code, from->dtype.bits, from->dtype.lanes};
  tensor->device = (gantry_device){from->device.device_type, from->device.device_id};
  return 0;
}

static int from_versioned(View* view, int write) {
  if (view->versioned->version.major != GANTRY_DLPACK_MAJOR) {
    return NOT_MINE;
  }
  if (write && view->versioned->flags & GANTRY_DLPACK_IS_COPIED) {
    return NOT_MINE;
  }
  return from_dltensor(&view->versioned->dl_tensor, view->versioned->flags, view);
}

/* A producer's exception: read again where gantry._tensors makes another one of it. */
static int refused(PyObject* kind_of_error) {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(kind_of_error)) {
    return -1;
  }
  PyErr_Clear();
  return NOT_MINE;
}

static int read_exchange(PyObject* value, const Kind* kind, int write, PyObject* stream, View* view) {
  const DLPackExchangeAPI* api = kind->api;
  view->api = api;
  int result;
  if (api->dltensor_from_py_object_no_sync != NULL) {
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync(value, &tensor) != 0) {
      return refused(PyExc_Exception);
    }
    result = from_dltensor(&tensor, 0, view);
  } else {
    if (api->managed_tensor_from_py_object_no_sync(value, &view->versioned) != 0 || view->versioned == NULL) {
      return refused(PyExc_Exception);
    }
    result = from_versioned(view, write);
  }
  if (result == 0 && is_on_device(&view->tensor) && stream == Py_None) {
    void* current = NULL;
    if (api->current_work_stream(view->tensor.device.type, view->tensor.device.id, &current) != 0) {
      return refused(PyExc_Exception);
    }
    view->stream = current == NULL ? GANTRY_STREAM_LEGACY : current;
    view->has_stream = 1;
  }
  return result;
}

static int read_capsule(Binding* self, PyObject* value, const Kind* kind, int write, PyObject* stream, View* view) {
  static const char kLegacy[] = "dltensor";
  static const char kVersioned[] = "dltensor_versioned";
  if (stream != Py_None) {
    return NOT_MINE; /* has to ask for the device first */
  }
  PyObject* method = PyObject_GetAttr(value, self->names[NAME_DLPACK]);
  if (method == NULL) {
    return -1;
  }
  PyObject* capsule = NULL;
  if (!kind->is_legacy) {
    capsule = PyObject_Call(method, self->empty, self->versioned);
  }
  if (kind->is_legacy || (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError))) {
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method);
    if (capsule != NULL && !kind->is_legacy) {
      remember_legacy(self, kind->type);
    }
  }
  Py_DECREF(method);
  if (capsule == NULL) {
    return refused(PyExc_BufferError);
  }
  int result = NOT_MINE;
  if (PyCapsule_IsValid(capsule, kVersioned)) {
    view->versioned = PyCapsule_GetPointer(capsule, kVersioned);
    result = PyCapsule_SetName(capsule, "used_dltensor_versioned") != 0 ? -1 : from_versioned(view, write);
  } else if (PyCapsule_IsValid(capsule, kLegacy)) {
    view->legacy = PyCapsule_GetPointer(capsule, kLegacy);
    result = PyCapsule_SetName(capsule, "used_dltensor") != 0 ? -1 : from_dltensor(&view->legacy->dl_tensor, 0, view);
  }
  Py_DECREF(capsule);
  return result;
}

/* The view that an address leads to, copied. */
static int from_address(PyObject* address, View* view) {
  const gantry_tensor* source = PyLong_AsVoidPtr(address);
  if (source == NULL) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError, "the address of a gantry_tensor is 0");
    }
    return -1;
  }
  view->tensor = *source;
  const int32_t ndim = source->ndim;
  if (ndim < 0 || ndim > GANTRY_MAX_DIMENSIONS) {
    PyErr_Format(PyExc_ValueError, "a gantry_tensor has %d dimensions; it has to have 0 to %d", ndim, GANTRY_MAX_DIMENSIONS);
    return -1;
  }
  for (int32_t i = 0; i < ndim; ++i) {
    view->shape[i] = source->shape[i];
  }
  view->tensor.shape = view->shape;
  if (source->strides != NULL) {
    for (int32_t i = 0; i < ndim; ++i) {
      view->strides[i] = source->strides[i];
    }
    view->tensor.strides = view->strides;
  }
  return 0;
}

static int read_native(Binding* self, PyObject* value, View* view) {
  PyObject* address = PyObject_GetAttr(value, self->names[NAME_NATIVE]);
  if (address == NULL) {
    return -1;
  }
  view->native = address;
  return from_address(address, view);
}

static int read_integers(PyObject* tuple, int64_t* out, Py_ssize_t capacity) {
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) > capacity) {
    return -1;
  }
  const Py_ssize_t count = PyTuple_Size(tuple);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GetItem(tuple, i);
    if (!PyLong_Check(item)) {
      return -1;
    }
    out[i] = PyLong_AsLongLong(item);
    if (out[i] == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return -1;
    }
  }
  return (int)count;
}

/* (pointer, shape, (code, bits, lanes)), and a few members more that are left to gantry._tensors. */
static int read_raw(PyObject* value, View* view) {
  int64_t dtype[3];
  if (PyTuple_Size(value) != 3) {
    return NOT_MINE;
  }
  PyObject* pointer = PyTuple_GetItem(value, 0);
  const int ndim = read_integers(PyTuple_GetItem(value, 1), view->shape, GANTRY_MAX_DIMENSIONS);
  if (!PyLong_Check(pointer) || ndim < 0 || read_integers(PyTuple_GetItem(value, 2), dtype, 3) != 3 ||
      dtype[0] < 0 || dtype[0] > UINT8_MAX || dtype[1] < 1 || dtype[1] > UINT8_MAX || dtype[2] < 1 || dtype[2] > UINT16_MAX ||
      dtype[1] * dtype[2] % 8 != 0) {
    return NOT_MINE;
  }
  view->tensor.data = PyLong_AsVoidPtr(pointer);
  if ((intptr_t)view->tensor.data < 0 || (view->tensor.data == NULL && PyErr_Occurred())) {
    PyErr_Clear();
    return NOT_MINE;
  }
  view->tensor.shape = view->shape;
  view->tensor.ndim = ndim;
  view->tensor.dtype = (gantry_dtype){(uint8_t)dtype[0], (uint8_t)dtype[1], (uint16_t)dtype[2]};
  view->tensor.device = (gantry_device){GANTRY_DEVICE_HOST, 0};
  return 0;
}

static int read_slow(Binding* self, PyObject* value, Name name, int write, PyObject* stream, View* view) {
  PyObject* text = name_object(name);
  if (text == NULL) {
    return -1;
  }
  view->slow = PyObject_CallFunctionObjArgs(self->read, value, text, write ? Py_True : Py_False, stream, NULL);
  Py_DECREF(text);
  if (view->slow == NULL) {
    return -1;
  }
  int result = -1;
  PyObject* address = PyObject_GetAttr(view->slow, self->names[NAME_ADDRESS]);
  PyObject* own_stream = PyObject_GetAttr(view->slow, self->names[NAME_STREAM]);
  PyObject* must_wait = PyObject_GetAttr(view->slow, self->names[NAME_MUST_WAIT]);
  if (address != NULL && own_stream != NULL && must_wait != NULL) {
    result = from_address(address, view);
    view->has_stream = own_stream != Py_None;
    view->must_wait = (char)PyObject_IsTrue(must_wait);
    if (result == 0 && view->has_stream) {
      view->stream = PyLong_AsVoidPtr(own_stream);
      result = view->stream == NULL && PyErr_Occurred() ? -1 : 0;
    }
  }
  Py_XDECREF(address);
  Py_XDECREF(own_stream);
  Py_XDECREF(must_wait);
  return result;
}

/* Member by member: the arrays need nothing, and for the rest alone GCC's memset is a slow string instruction. */
static void reset(View* view) {
  gantry_tensor* tensor = &view->tensor;
  tensor->struct_size = sizeof *tensor;
  tensor->flags = 0;
  tensor->data = NULL;
  tensor->byte_offset = 0;
  tensor->shape = NULL;
  tensor->strides = NULL;
  view->api = NULL;
  view->legacy = NULL;
  view->versioned = NULL;
  view->slow = NULL;
  view->native = NULL;
  view->stream = NULL;
  view->has_stream = 0;
  view->must_wait = 0;
}

int read_tensor(Binding* self, PyObject* value, Name name, int write, PyObject* stream, View* view) {
  Kind kind;
  reset(view);
  if (find_kind(self, Py_TYPE(value), &kind) != 0) {
    return -1;
  }
  int result = NOT_MINE;
  switch (kind.route) {
    case ROUTE_EXCHANGE:
      result = read_exchange(value, &kind, write, stream, view);
      break;
    case ROUTE_CAPSULE:
      result = read_capsule(self, value, &kind, write, stream, view);
      break;
    case ROUTE_NATIVE:
      result = read_native(self, value, view);
      break;
    case ROUTE_RAW:
      result = read_raw(value, view);
      break;
    case ROUTE_SLOW:
      break;
  }
  if (result == 0) {
    result = finish(self, value, &kind, view);
  }
  Py_XDECREF(kind.gradient);
  if (result == NOT_MINE) {
    const DLPackExchangeAPI* api = view->api;
    release_view(self, view);
    reset(view);
    view->api = api;
    result = read_slow(self, value, name, write, stream, view);
  }
  if (result != 0) {
    release_view(self, view);
  }
  return result;
}

void release_view(Binding* self, View* view) {
  if (view->legacy == NULL && view->versioned == NULL && view->slow == NULL && view->native == NULL) {
    return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  DLManagedTensor* legacy = view->legacy;
  DLManagedTensorVersioned* versioned = view->versioned;
  PyObject* slow = view->slow;
  PyObject* native = view->native;
  view->legacy = NULL;
  view->versioned = NULL;
  view->slow = NULL;
  view->native = NULL;
  if (legacy != NULL && legacy->deleter != NULL) {
    legacy->deleter(legacy);
  }
  if (versioned != NULL && versioned->deleter != NULL) {
    versioned->deleter(versioned);
  }
  if (slow != NULL) {
    PyObject* close = PyObject_GetAttr(slow, self->names[NAME_CLOSE]);
    PyObject* result = close == NULL ? NULL : PyObject_CallNoArgs(close);
    if (result == NULL) {
      PyErr_WriteUnraisable(slow);
    }
    Py_XDECREF(result);
    Py_XDECREF(close);
    Py_DECREF(slow);
  }
  Py_XDECREF(native);
  PyErr_Restore(type, value, traceback);
}
