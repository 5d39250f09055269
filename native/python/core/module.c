/* gantry._core: the fast binding, one module for all CPythons >= 3.10. Limited API only: see the test that compares its symbols
 * with the stable ABI's list. It is not linked with the library: gantry._abi3 hands the addresses over. */
#include <stddef.h>
#include <string.h>

#include "binding.h"

static int address_of(PyObject* addresses, const char* name, void** out) {
  PyObject* item = PyDict_GetItemString(addresses, name);
  if (item == NULL) {
    PyErr_Format(PyExc_KeyError, "no address of %s", name);
    return -1;
  }
  *out = PyLong_AsVoidPtr(item);
  if (*out == NULL && !PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "the address of %s is 0", name);
  }
  return *out == NULL ? -1 : 0;
}

static int read_addresses(Binding* self, PyObject* addresses) {
  void *gather, *scatter, *scatter_add, *convert, *copy, *check;
  if (address_of(addresses, "gantry_gather", &gather) != 0 || address_of(addresses, "gantry_scatter", &scatter) != 0 ||
      address_of(addresses, "gantry_scatter_add", &scatter_add) != 0 ||
      address_of(addresses, "gantry_convert", &convert) != 0 || address_of(addresses, "gantry_copy", &copy) != 0 ||
      address_of(addresses, "gantry_check", &check) != 0) {
    return -1;
  }
  /* POSIX lets a data pointer hold a function's address; ISO C has no conversion that -Wpedantic accepts. */
  memcpy(&self->gather, &gather, sizeof gather);
  memcpy(&self->scatter, &scatter, sizeof scatter);
  memcpy(&self->scatter_add, &scatter_add, sizeof scatter_add);
  memcpy(&self->convert, &convert, sizeof convert);
  memcpy(&self->copy, &copy, sizeof copy);
  memcpy(&self->check, &check, sizeof check);
  return 0;
}

static int intern_names(Binding* self) {
  static const char* const kNames[NAME_COUNT] = {
      [NAME_NATIVE] = "__gantry_tensor__",
      [NAME_EXCHANGE] = "__dlpack_c_exchange_api__",
      [NAME_DLPACK] = "__dlpack__",
      [NAME_REQUIRES_GRAD] = "requires_grad",
      [NAME_IS_NEG] = "is_neg",
      [NAME_IS_CONJ] = "is_conj",
      [NAME_ADDRESS] = "address",
      [NAME_STREAM] = "stream",
      [NAME_MUST_WAIT] = "must_wait",
      [NAME_CLOSE] = "close",
  };
  for (size_t i = 0; i < NAME_COUNT; ++i) {
    self->names[i] = PyUnicode_InternFromString(kNames[i]);
    if (self->names[i] == NULL) {
      return -1;
    }
  }
  self->empty = PyTuple_New(0);
  self->zero = PyLong_FromLong(0);
  self->versioned = Py_BuildValue("{s(ii)}", "max_version", GANTRY_DLPACK_MAJOR, GANTRY_DLPACK_MINOR);
  return self->empty == NULL || self->zero == NULL || self->versioned == NULL ? -1 : 0;
}

static PyObject* binding_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  PyObject *addresses, *error, *read, *allocate;
  static char* names[] = {"addresses", "error", "read", "allocate", NULL};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!OOO:Binding", names, &PyDict_Type, &addresses, &error, &read,
                                   &allocate)) {
    return NULL;
  }
  const allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Binding* self = (Binding*)make(type, 0);
  if (self == NULL) {
    return NULL;
  }
  self->error = Py_NewRef(error);
  self->read = Py_NewRef(read);
  self->allocate = Py_NewRef(allocate);
  self->factory = Py_NewRef(Py_None);
  if (read_addresses(self, addresses) != 0 || intern_names(self) != 0) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject*)self;
}

static int binding_traverse(PyObject* object, visitproc visit, void* arg) {
  Binding* self = (Binding*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->error);
  Py_VISIT(self->read);
  Py_VISIT(self->allocate);
  Py_VISIT(self->factory);
  return 0;
}

static int binding_clear(PyObject* object) {
  Binding* self = (Binding*)object;
  Py_CLEAR(self->error);
  Py_CLEAR(self->read);
  Py_CLEAR(self->allocate);
  Py_CLEAR(self->factory);
  return 0;
}

static void binding_dealloc(PyObject* object) {
  Binding* self = (Binding*)object;
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  binding_clear(object);
  clear_kinds(self);
  for (size_t i = 0; i < NAME_COUNT; ++i) {
    Py_XDECREF(self->names[i]);
  }
  Py_XDECREF(self->versioned);
  Py_XDECREF(self->empty);
  Py_XDECREF(self->zero);
  const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject* set_array_factory(PyObject* object, PyObject* factory) {
  Binding* self = (Binding*)object;
  PyObject* before = self->factory;
  self->factory = Py_NewRef(factory);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}

static PyObject* forget_types(PyObject* object, PyObject* unused) {
  (void)unused;
  clear_kinds((Binding*)object);
  return Py_NewRef(Py_None);
}

static PyObject* get_name(PyObject* object, void* closure) {
  (void)object;
  (void)closure;
  return PyUnicode_FromString("abi3");
}

/* Function pointers of different types: the flags say which one is meant. */
#define FAST(name, function, text) \
  { name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, PyDoc_STR(text) }

static PyMethodDef binding_methods[] = {
    FAST("gather", op_gather, "gather(context, table, indices, out, options, environment, stream) -> out"),
    FAST("scatter", op_scatter, "scatter(context, table, indices, rows, options, environment, stream)"),
    FAST("scatter_add", op_scatter_add, "scatter_add(context, table, indices, rows, options, environment, stream)"),
    FAST("convert", op_convert, "convert(context, source, destination, options, environment, stream)"),
    FAST("copy", op_copy, "copy(context, source, destination, options, environment, stream)"),
    {"set_array_factory", set_array_factory, METH_O, PyDoc_STR("What makes gather's output where the table's type cannot.")},
    {"forget_types", forget_types, METH_NOARGS, PyDoc_STR("Empties the memory of how objects of a type are read.")},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef module_methods[] = {
    FAST("capsule", new_capsule, "capsule(address, versioned) -> a DLPack capsule that gives the tensor back when nobody took it"),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef binding_properties[] = {
    {"name", get_name, NULL, PyDoc_STR("\"abi3\""), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot binding_slots[] = {
    {Py_tp_doc, (void*)PyDoc_STR("Binding(addresses, error, read, allocate): see gantry._binding.Binding.")},
    {Py_tp_new, (void*)binding_new},
    {Py_tp_dealloc, (void*)binding_dealloc},
    {Py_tp_traverse, (void*)binding_traverse},
    {Py_tp_clear, (void*)binding_clear},
    {Py_tp_methods, binding_methods},
    {Py_tp_getset, binding_properties},
    {0, NULL},
};

static PyType_Spec binding_spec = {
    .name = "gantry._core.Binding",
    .basicsize = sizeof(Binding),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = binding_slots,
};

static int execute(PyObject* module) {
  PyObject* type = PyType_FromModuleAndSpec(module, &binding_spec, NULL);
  if (type == NULL) {
    return -1;
  }
  const int failed = PyModule_AddObjectRef(module, "Binding", type);
  Py_DECREF(type);
  return failed != 0 || PyModule_AddIntConstant(module, "ABI_VERSION", (long)GANTRY_ABI_VERSION) != 0 ? -1 : 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void*)execute}, {0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gantry._core",
    .m_doc = "The fast binding of Gantry; use gantry._binding.",
    .m_size = 0,
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&module_definition); }
