/* The object behind gantry._abi3: addresses of the library's functions, and what is remembered about types of tensors. */
#ifndef GANTRY_PYTHON_BINDING_H
#define GANTRY_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dlpack/dlpack_abi.h"
#include "gantry/gantry.h"

typedef gantry_status (*gather_function)(gantry_context*, const gantry_table*, const gantry_tensor*, gantry_tensor*,
                                         const gantry_options*, const gantry_environment*, gantry_stream);
typedef gantry_status (*scatter_function)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_table*,
                                          const gantry_options*, const gantry_environment*, gantry_stream);
typedef gantry_status (*move_function)(gantry_context*, const gantry_tensor*, const gantry_tensor*, const gantry_options*,
                                       const gantry_environment*, gantry_stream);
typedef gantry_status (*check_function)(gantry_context*, int32_t, gantry_stream, gantry_stats*);

typedef enum Route {
  ROUTE_SLOW, /* gantry._tensors reads it */
  ROUTE_NATIVE,
  ROUTE_EXCHANGE,
  ROUTE_CAPSULE,
  ROUTE_RAW
} Route;

/* How objects of a type are read: `_Kind` of gantry._tensors. */
typedef struct Kind {
  PyTypeObject* type;
  PyObject* reference; /* weak, so that a type's address that is used again is not taken for the type */
  const DLPackExchangeAPI* api;
  PyObject* gradient; /* the type's own requires_grad, where it is written in C: called without a look-up */
  descrgetfunc get_gradient;
  Route route;
  char has_gradient;
  char has_negation;
  char is_legacy; /* __dlpack__ without max_version */
} Kind;

enum { KIND_COUNT = 16 };

/* Attributes that are looked up, as interned strings: CPython remembers look-ups by the string's address. */
enum {
  NAME_NATIVE,
  NAME_EXCHANGE,
  NAME_DLPACK,
  NAME_REQUIRES_GRAD,
  NAME_IS_NEG,
  NAME_IS_CONJ,
  NAME_ADDRESS,
  NAME_STREAM,
  NAME_MUST_WAIT,
  NAME_CLOSE,
  NAME_COUNT
};

typedef struct Binding {
  PyObject_HEAD
  gather_function gather;
  scatter_function scatter;
  scatter_function scatter_add;
  move_function convert;
  move_function copy;
  check_function check;
  PyObject* error;    /* Library.error: (status, position, value) -> exception */
  PyObject* read;     /* gantry._tensors.read: (value, name, write, stream) -> View */
  PyObject* allocate; /* gantry._tensors.allocate: (table, ..., factory) -> object */
  PyObject* factory;  /* None: none */
  PyObject* names[NAME_COUNT];
  PyObject* versioned; /* {"max_version": (1, 3)} */
  PyObject* empty;     /* () */
  PyObject* zero;      /* 0 */
  Kind kinds[KIND_COUNT];
  unsigned next_kind;
} Binding;

/* A tensor that was read, and what has to be given back. */
typedef struct View {
  gantry_tensor tensor;
  const DLPackExchangeAPI* api;
  DLManagedTensor* legacy;
  DLManagedTensorVersioned* versioned;
  PyObject* slow;   /* a View of gantry._tensors */
  PyObject* native; /* the address that __gantry_tensor__ gave: it may hold the memory, should the object be closed meanwhile */
  gantry_stream stream;
  char has_stream;
  char must_wait; /* work on another stream has to wait for `stream` */
  int64_t shape[GANTRY_MAX_DIMENSIONS];
  int64_t strides[GANTRY_MAX_DIMENSIONS];
} View;

/* An argument's name in texts: "table", or "table[3]" for a position that is not negative. */
typedef struct Name {
  const char* text;
  Py_ssize_t position;
} Name;

/* Fills `view`; -1 with an exception set. `write`: memory that will be written. `stream` is the op's, Py_None when the caller
 * named none. */
int read_tensor(Binding* self, PyObject* value, Name name, int write, PyObject* stream, View* view);

/* Gives back what a view holds, and leaves an exception that is set alone. */
void release_view(Binding* self, View* view);

/* How objects of a type are read; -1 with an exception set. `out` is a copy with a reference of its own on `gradient`, which the
 * caller gives back: a producer's code may empty the list of kinds. */
int find_kind(Binding* self, PyTypeObject* type, Kind* out);

void remember_legacy(Binding* self, PyTypeObject* type);

void clear_kinds(Binding* self);

/* After GANTRY_ERROR_INDEX of an op on host memory: the first index that was outside, 0 when there is none (any more). */
int find_bad_index(const gantry_table* table, const gantry_tensor* indices, gantry_bounds bounds, int64_t* position,
                   int64_t* value);

/* A new output of gather; null with an exception set. `first` is the table's first chunk as the caller gave it. */
PyObject* allocate_output(Binding* self, PyObject* first, const View* chunks, Py_ssize_t chunk_count, const View* indices,
                          PyObject* environment, gantry_stream stream, int has_stream);

PyObject* op_gather(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
PyObject* op_scatter(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
PyObject* op_scatter_add(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
PyObject* op_convert(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
PyObject* op_copy(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

/* capsule(address, versioned): what __dlpack__ gives. */
PyObject* new_capsule(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

static inline int is_on_device(const gantry_tensor* tensor) {
  return tensor->device.type == GANTRY_DEVICE_CUDA || tensor->device.type == GANTRY_DEVICE_CUDA_MANAGED;
}

#endif
