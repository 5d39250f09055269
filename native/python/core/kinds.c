/* How objects of a type are read: looked up once for each type. */
#include <stddef.h>
#include <string.h>

#include "binding.h"

static int has_attribute(PyObject* object, const char* name) {
  PyObject* found = PyObject_GetAttrString(object, name);
  if (found == NULL) {
    PyErr_Clear();
    return 0;
  }
  Py_DECREF(found);
  return 1;
}

static const DLPackExchangeAPI* exchange_api(Binding* self, PyObject* type) {
  static const char kName[] = "dlpack_exchange_api";
  PyObject* capsule = PyObject_GetAttr(type, self->names[NAME_EXCHANGE]);
  if (capsule == NULL) {
    PyErr_Clear();
    return NULL;
  }
  const DLPackExchangeAPIHeader* header = NULL;
  if (PyCapsule_IsValid(capsule, kName)) {
    header = PyCapsule_GetPointer(capsule, kName);
  }
  Py_DECREF(capsule);
  while (header != NULL && header->version.major != GANTRY_DLPACK_MAJOR) {
    header = header->prev_api;
  }
  return (const DLPackExchangeAPI*)header;
}

int find_kind(Binding* self, PyTypeObject* type, Kind* out) {
  for (unsigned i = 0; i < KIND_COUNT; ++i) {
    const Kind* kind = &self->kinds[i];
    if (kind->type == type && PyWeakref_GetObject(kind->reference) == (PyObject*)type) {
      *out = *kind;
      Py_XINCREF(out->gradient);
      return 0;
    }
  }
  PyObject* object = (PyObject*)type;
  Kind made = {.type = type, .route = ROUTE_SLOW};
  made.gradient = PyObject_GetAttr(object, self->names[NAME_REQUIRES_GRAD]);
  made.has_gradient = made.gradient != NULL;
  PyErr_Clear();
  /* Others may be overridden by the object, or keep their class alive. */
  if (made.gradient != NULL && Py_TYPE(made.gradient) == &PyGetSetDescr_Type) {
    void* get = PyType_GetSlot(&PyGetSetDescr_Type, Py_tp_descr_get);
    memcpy(&made.get_gradient, &get, sizeof get);
  } else {
    Py_CLEAR(made.gradient);
  }
  made.has_negation = (char)has_attribute(object, "is_neg");
  if (has_attribute(object, "__gantry_tensor__")) {
    made.route = ROUTE_NATIVE;
  } else if ((made.api = exchange_api(self, object)) != NULL) {
    made.route = ROUTE_EXCHANGE;
  } else if (has_attribute(object, "__dlpack__")) {
    made.route = ROUTE_CAPSULE;
  } else if (type == &PyTuple_Type) {
    made.route = ROUTE_RAW;
  }
  made.reference = PyWeakref_NewRef(object, NULL);
  if (made.reference == NULL) {
    Py_XDECREF(made.gradient);
    return -1;
  }
  Kind* place = &self->kinds[self->next_kind];
  self->next_kind = (self->next_kind + 1) % KIND_COUNT;
  const Kind before = *place;
  *place = made;
  *out = made;
  Py_XINCREF(out->gradient);
  Py_XDECREF(before.reference);
  Py_XDECREF(before.gradient);
  return 0;
}

void clear_kinds(Binding* self) {
  for (unsigned i = 0; i < KIND_COUNT; ++i) {
    const Kind before = self->kinds[i];
    memset(&self->kinds[i], 0, sizeof(Kind));
    Py_XDECREF(before.reference);
    Py_XDECREF(before.gradient);
  }
}

void remember_legacy(Binding* self, PyTypeObject* type) {
  for (unsigned i = 0; i < KIND_COUNT; ++i) {
    if (self->kinds[i].type == type) {
      self->kinds[i].is_legacy = 1;
    }
  }
}
