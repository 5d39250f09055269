/* gather's output, where the caller gave none. */
#include <string.h>

#include "binding.h"

/* The producer's text is not kept: a failure is repeated by gantry._tensors, which reports it. */
static void ignore_error(void* context, const char* kind, const char* message) {
  (void)context;
  (void)kind;
  (void)message;
}

/* By the allocator of the table's own library; null without an exception when gantry._tensors shall do it. */
static PyObject* allocate_by_api(const DLPackExchangeAPI* api, const View* chunks, Py_ssize_t chunk_count,
                                 const View* indices) {
  const gantry_tensor* table = &chunks[0].tensor;
  int64_t shape[GANTRY_MAX_DIMENSIONS];
  const int32_t ndim = indices->tensor.ndim + table->ndim - 1;
  if (table->ndim < 1 || table->ndim > 2 || ndim > GANTRY_MAX_DIMENSIONS) {
    return NULL;
  }
  for (int32_t i = 0; i < indices->tensor.ndim; ++i) {
    shape[i] = indices->tensor.shape[i];
  }
  if (table->ndim == 2) {
    shape[ndim - 1] = table->shape[1];
  }
  gantry_device device = {GANTRY_DEVICE_HOST, 0};
  if (is_on_device(&indices->tensor)) {
    device = indices->tensor.device;
  }
  for (Py_ssize_t i = chunk_count - 1; i >= 0; --i) {
    if (is_on_device(&chunks[i].tensor)) {
      device = chunks[i].tensor.device;
    }
  }
  DLTensor prototype = {.device = {device.type, device.id},
                        .ndim = ndim,
                        .dtype = {table->dtype.code, table->dtype.bits, table->dtype.lanes},
                        .shape = shape};
  DLManagedTensorVersioned* managed = NULL;
  if (api->managed_tensor_allocator(&prototype, &managed, NULL, ignore_error) != 0 || managed == NULL) {
    PyErr_Clear();
    return NULL;
  }
  void* result = NULL;
  if (api->managed_tensor_to_py_object_no_sync(managed, &result) != 0) {
    PyErr_Clear();
    return NULL;
  }
  return result;
}

/* A view as gantry._tensors.allocate sees it. */
static PyObject* describe(const View* view) {
  PyObject* shape = PyTuple_New(view->tensor.ndim);
  for (int32_t i = 0; shape != NULL && i < view->tensor.ndim; ++i) {
    PyObject* extent = PyLong_FromLongLong(view->tensor.shape[i]);
    if (extent == NULL || PyTuple_SetItem(shape, i, extent) != 0) {
      Py_CLEAR(shape);
    }
  }
  if (shape == NULL) {
    return NULL;
  }
  const gantry_dtype dtype = view->tensor.dtype;
  return Py_BuildValue("(N(iii)(ii))", shape, dtype.code, dtype.bits, dtype.lanes, view->tensor.device.type,
                       view->tensor.device.id);
}

PyObject* allocate_output(Binding* self, PyObject* first, const View* chunks, Py_ssize_t chunk_count, const View* indices,
                          PyObject* environment, gantry_stream stream, int has_stream) {
  if (chunks[0].api != NULL) {
    PyObject* made = allocate_by_api(chunks[0].api, chunks, chunk_count, indices);
    if (made != NULL) {
      return made;
    }
  }
  PyObject* stream_object = has_stream ? PyLong_FromVoidPtr(stream) : Py_NewRef(Py_None);
  PyObject* list = PyList_New(chunk_count);
  PyObject* described = describe(indices);
  PyObject* result = NULL;
  int failed = stream_object == NULL || list == NULL || described == NULL;
  for (Py_ssize_t i = 0; !failed && i < chunk_count; ++i) {
    PyObject* chunk = describe(&chunks[i]);
    failed = chunk == NULL || PyList_SetItem(list, i, chunk) != 0;
  }
  if (!failed) {
    result = PyObject_CallFunctionObjArgs(self->allocate, first, list, described, environment, stream_object, self->factory, NULL);
  }
  Py_XDECREF(stream_object);
  Py_XDECREF(list);
  Py_XDECREF(described);
  return result;
}
