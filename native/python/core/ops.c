/* The ops: arguments read, the stream chosen, the library called with the GIL where the op is short, without it where it is not. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* Below this much memory that is moved the op takes about as long as another thread needs to notice that the GIL is free. */
static const uint64_t kReleaseGilBytes = 32768;

/* What all ops have in common. */
typedef struct Call {
  Binding* self;
  gantry_context* context;
  const gantry_environment* environment;
  PyObject* environment_object;
  PyObject* stream_object;
  gantry_stream stream;
  char has_stream;
  char on_device;
  gantry_options options;
} Call;

/* A table of one chunk, which is the usual case, or of several. */
typedef struct Chunks {
  PyObject* held; /* a tuple of the chunks: the caller's list may change while the GIL is released */
  View* views;
  gantry_tensor* tensors;
  Py_ssize_t count;
  gantry_table table;
  View one;
} Chunks;

/* `zero` is the usual one: CPython has a single 0. */
static int read_address(PyObject* object, const PyObject* zero, const char* name, void** out) {
  *out = NULL;
  if (object == Py_None || object == zero) {
    return 0;
  }
  if (!PyLong_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s is a %R; it has to be an address, an integer", name, (PyObject*)Py_TYPE(object));
    return -1;
  }
  *out = PyLong_AsVoidPtr(object);
  return *out == NULL && PyErr_Occurred() ? -1 : 0;
}

/* The first argument is the context, the last three are options, environment and stream. */
static int begin(Call* call, PyObject* self, PyObject* const* arguments, Py_ssize_t count, Py_ssize_t expected,
                 const char* signature) {
  if (count != expected) {
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, %zd were given", signature, expected, count);
    return -1;
  }
  void *context, *options, *environment, *stream;
  PyObject* const* last = arguments + count - 3;
  const PyObject* zero = ((Binding*)self)->zero;
  if (read_address(arguments[0], zero, "context", &context) != 0 ||
      read_address(last[0], zero, "options", &options) != 0 ||
      read_address(last[1], zero, "environment", &environment) != 0 ||
      read_address(last[2], zero, "stream", &stream) != 0) {
    return -1;
  }
  call->self = (Binding*)self;
  call->context = context;
  call->environment = environment;
  call->environment_object = last[1];
  call->stream_object = last[2];
  call->stream = stream;
  call->has_stream = last[2] != Py_None;
  call->on_device = 0;
  if (options == NULL) {
    memset(&call->options, 0, sizeof call->options);
    call->options.struct_size = sizeof call->options;
  } else {
    memcpy(&call->options, options, sizeof call->options);
  }
  return 0;
}

static void release_chunks(Binding* self, Chunks* chunks) {
  for (Py_ssize_t i = 0; i < chunks->count; ++i) {
    release_view(self, &chunks->views[i]);
  }
  if (chunks->views != &chunks->one) {
    PyMem_Free(chunks->views);
    PyMem_Free(chunks->tensors);
  }
  Py_XDECREF(chunks->held);
}

static int read_chunks(Call* call, PyObject* table, int write, Chunks* chunks) {
  chunks->held = NULL;
  chunks->views = &chunks->one;
  chunks->tensors = NULL;
  chunks->count = 0;
  chunks->table.struct_size = sizeof chunks->table;
  const unsigned long flags = PyType_GetFlags(Py_TYPE(table));
  int is_chunked = (flags & Py_TPFLAGS_LIST_SUBCLASS) != 0;
  if (flags & Py_TPFLAGS_TUPLE_SUBCLASS) {
    is_chunked = PyTuple_Size(table) == 0 || !PyLong_Check(PyTuple_GetItem(table, 0));
  }
  if (!is_chunked) {
    if (read_tensor(call->self, table, (Name){"table", -1}, write, call->stream_object, &chunks->one) != 0) {
      return -1;
    }
    chunks->count = 1;
    chunks->table.chunk_count = 1;
    chunks->table.chunks = &chunks->one.tensor;
    return 0;
  }
  chunks->held = PySequence_Tuple(table);
  const Py_ssize_t count = chunks->held == NULL ? -1 : PyTuple_Size(chunks->held);
  if (count == 0) {
    PyErr_Format(PyExc_ValueError, "table is an empty %s; a table has at least one chunk", PyList_Check(table) ? "list" : "tuple");
  }
  if (count <= 0) {
    Py_XDECREF(chunks->held);
    return -1;
  }
  chunks->views = PyMem_Malloc((size_t)count * sizeof(View));
  chunks->tensors = PyMem_Malloc((size_t)count * sizeof(gantry_tensor));
  int result = chunks->views == NULL || chunks->tensors == NULL || count > UINT32_MAX ? -1 : 0;
  if (result != 0) {
    PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; result == 0 && i < count; ++i) {
    result = read_tensor(call->self, PyTuple_GetItem(chunks->held, i), (Name){"table", i}, write, call->stream_object,
                         &chunks->views[i]);
    if (result == 0) {
      chunks->tensors[i] = chunks->views[i].tensor;
      chunks->count = i + 1;
    }
  }
  if (result != 0) {
    release_chunks(call->self, chunks);
    return -1;
  }
  chunks->table.chunk_count = (uint32_t)count;
  chunks->table.chunks = chunks->tensors;
  return 0;
}

/* `table` and `indices` are null for ops that have none. */
static int fail_with(Call* call, gantry_status status, const gantry_table* table, const gantry_tensor* indices) {
  int64_t first = -1;
  int64_t found = 0;
  int is_known = 0;
  if (status == GANTRY_ERROR_INDEX && call->options.stats != NULL) {
    first = call->options.stats->first_bad_position;
    found = call->options.stats->first_bad_value;
    is_known = 1;
  } else if (status == GANTRY_ERROR_INDEX && !call->on_device && table != NULL) {
    is_known = find_bad_index(table, indices, call->options.bounds, &first, &found);
  }
  PyObject* code = PyLong_FromLong(status);
  PyObject* position = is_known ? PyLong_FromLongLong(first) : Py_NewRef(Py_None);
  PyObject* value = is_known ? PyLong_FromLongLong(found) : Py_NewRef(Py_None);
  if (code != NULL && position != NULL && value != NULL) {
    PyObject* error = PyObject_CallFunctionObjArgs(call->self->error, code, position, value, NULL);
    if (error != NULL) {
      PyErr_SetObject((PyObject*)Py_TYPE(error), error);
      Py_DECREF(error);
    }
  }
  Py_XDECREF(code);
  Py_XDECREF(position);
  Py_XDECREF(value);
  return -1;
}

static int wait_for(Call* call, const View* view) {
  const char* sync = getenv("GANTRY_CAI_SYNC");
  if (sync != NULL && strcmp(sync, "0") == 0) {
    return 0;
  }
  gantry_status status;
  Py_BEGIN_ALLOW_THREADS
  status = call->self->check(call->context, view->tensor.device.id, view->stream, NULL);
  Py_END_ALLOW_THREADS
  if (status == GANTRY_OK) {
    return 0;
  }
  /* Of an earlier op: these options' statistics are not its. */
  call->options.stats = NULL;
  return fail_with(call, status, NULL, NULL);
}

static const View* view_at(const Chunks* chunks, const View* const* others, Py_ssize_t position) {
  const Py_ssize_t chunk_count = chunks == NULL ? 0 : chunks->count;
  return position < chunk_count ? &chunks->views[position] : others[position - chunk_count];
}

/* See op_stream of gantry._tensors. */
static int choose_stream(Call* call, const Chunks* chunks, const View* const* others, Py_ssize_t other_count) {
  const Py_ssize_t count = other_count + (chunks == NULL ? 0 : chunks->count);
  int any = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const View* view = view_at(chunks, others, i);
    any |= view->has_stream;
    call->on_device |= (char)is_on_device(&view->tensor);
  }
  if (!any) {
    return 0;
  }
  const int was_given = call->stream_object != Py_None;
  for (Py_ssize_t i = 0; i < count && !was_given; ++i) {
    const View* view = view_at(chunks, others, i);
    if (!view->has_stream || view->must_wait) {
      continue;
    }
    if (call->has_stream && call->stream != view->stream) {
      PyErr_Format(PyExc_ValueError,
                   "the tensors' libraries work on the streams %p and %p; pass the stream that the op shall run on, ordered "
                   "after both",
                   call->stream, view->stream);
      return -1;
    }
    call->stream = view->stream;
    call->has_stream = 1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const View* view = view_at(chunks, others, i);
    if (!view->must_wait) {
      continue;
    }
    if (!call->has_stream) {
      call->stream = view->stream;
      call->has_stream = 1;
    } else if (call->stream != view->stream && wait_for(call, view) != 0) {
      return -1;
    }
  }
  return 0;
}

/* An environment may call Python back from another thread, which waits for the GIL. */
static int shall_release(const Call* call, const gantry_tensor* moved) {
  if (call->environment != NULL || call->on_device) {
    return 1;
  }
  uint64_t bytes = (uint64_t)moved->dtype.bits * moved->dtype.lanes / 8;
  for (int32_t i = 0; i < moved->ndim; ++i) {
    const uint64_t extent = (uint64_t)moved->shape[i];
    if (extent > kReleaseGilBytes) {
      return extent <= INT64_MAX;
    }
    bytes *= extent;
    if (bytes >= kReleaseGilBytes) {
      return 1;
    }
  }
  return 0;
}

PyObject* op_gather(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Call call;
  Chunks chunks;
  View indices, out;
  if (begin(&call, self, arguments, count, 7, "gather(context, table, indices, out, options, environment, stream)") != 0 ||
      read_chunks(&call, arguments[1], 0, &chunks) != 0) {
    return NULL;
  }
  PyObject* result = NULL;
  if (read_tensor(call.self, arguments[2], (Name){"indices", -1}, 0, call.stream_object, &indices) != 0) {
    goto release_table;
  }
  const View* const views[] = {&indices, &out};
  if (arguments[3] != Py_None) {
    result = Py_NewRef(arguments[3]);
  } else {
    if (choose_stream(&call, &chunks, views, 1) != 0) {
      goto release_indices;
    }
    PyObject* first = chunks.held == NULL ? arguments[1] : PyTuple_GetItem(chunks.held, 0);
    result = allocate_output(call.self, first, chunks.views, chunks.count, &indices, call.environment_object, call.stream,
                             call.has_stream);
    call.stream = call.stream_object == Py_None ? NULL : call.stream;
    call.has_stream = call.stream_object != Py_None;
  }
  if (result == NULL || read_tensor(call.self, result, (Name){"out", -1}, 1, call.stream_object, &out) != 0) {
    goto drop_result;
  }
  int failed = choose_stream(&call, &chunks, views, 2);
  if (failed == 0) {
    gantry_status status;
    PyThreadState* state = shall_release(&call, &out.tensor) ? PyEval_SaveThread() : NULL;
    status = call.self->gather(call.context, &chunks.table, &indices.tensor, &out.tensor, &call.options, call.environment,
                               call.stream);
    if (state != NULL) {
      PyEval_RestoreThread(state);
    }
    failed = status == GANTRY_OK ? 0 : fail_with(&call, status, &chunks.table, &indices.tensor);
  }
  release_view(call.self, &out);
  if (failed == 0) {
    goto release_indices;
  }
drop_result:
  Py_CLEAR(result);
release_indices:
  release_view(call.self, &indices);
release_table:
  release_chunks(call.self, &chunks);
  return result;
}

static PyObject* write_rows(scatter_function function, Call* call, PyObject* const* arguments) {
  Chunks chunks;
  View indices, rows;
  int failed = -1;
  if (read_chunks(call, arguments[1], 1, &chunks) != 0) {
    return NULL;
  }
  if (read_tensor(call->self, arguments[2], (Name){"indices", -1}, 0, call->stream_object, &indices) != 0) {
    goto release_table;
  }
  if (read_tensor(call->self, arguments[3], (Name){"rows", -1}, 0, call->stream_object, &rows) != 0) {
    goto release_indices;
  }
  const View* const views[] = {&indices, &rows};
  failed = choose_stream(call, &chunks, views, 2);
  if (failed == 0) {
    gantry_status status;
    PyThreadState* state = shall_release(call, &rows.tensor) ? PyEval_SaveThread() : NULL;
    status = function(call->context, &rows.tensor, &indices.tensor, &chunks.table, &call->options, call->environment,
                      call->stream);
    if (state != NULL) {
      PyEval_RestoreThread(state);
    }
    failed = status == GANTRY_OK ? 0 : fail_with(call, status, &chunks.table, &indices.tensor);
  }
  release_view(call->self, &rows);
release_indices:
  release_view(call->self, &indices);
release_table:
  release_chunks(call->self, &chunks);
  return failed == 0 ? Py_NewRef(Py_None) : NULL;
}

PyObject* op_scatter(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Call call;
  if (begin(&call, self, arguments, count, 7, "scatter(context, table, indices, rows, options, environment, stream)") != 0) {
    return NULL;
  }
  return write_rows(call.self->scatter, &call, arguments);
}

PyObject* op_scatter_add(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Call call;
  if (begin(&call, self, arguments, count, 7, "scatter_add(context, table, indices, rows, options, environment, stream)") != 0) {
    return NULL;
  }
  return write_rows(call.self->scatter_add, &call, arguments);
}

static PyObject* move(move_function function, Call* call, PyObject* const* arguments) {
  View source, destination;
  int failed = -1;
  if (read_tensor(call->self, arguments[1], (Name){"source", -1}, 0, call->stream_object, &source) != 0) {
    return NULL;
  }
  if (read_tensor(call->self, arguments[2], (Name){"destination", -1}, 1, call->stream_object, &destination) != 0) {
    goto release_source;
  }
  const View* const views[] = {&source, &destination};
  failed = choose_stream(call, NULL, views, 2);
  if (failed == 0) {
    gantry_status status;
    PyThreadState* state = shall_release(call, &destination.tensor) ? PyEval_SaveThread() : NULL;
    status = function(call->context, &source.tensor, &destination.tensor, &call->options, call->environment, call->stream);
    if (state != NULL) {
      PyEval_RestoreThread(state);
    }
    failed = status == GANTRY_OK ? 0 : fail_with(call, status, NULL, NULL);
  }
  release_view(call->self, &destination);
release_source:
  release_view(call->self, &source);
  return failed == 0 ? Py_NewRef(Py_None) : NULL;
}

PyObject* op_convert(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Call call;
  if (begin(&call, self, arguments, count, 6, "convert(context, source, destination, options, environment, stream)") != 0) {
    return NULL;
  }
  return move(call.self->convert, &call, arguments);
}

PyObject* op_copy(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Call call;
  if (begin(&call, self, arguments, count, 6, "copy(context, source, destination, options, environment, stream)") != 0) {
    return NULL;
  }
  return move(call.self->copy, &call, arguments);
}
