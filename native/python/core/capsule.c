/* Capsules of DLPack around tensors that the library exported: the producer's half. */
#include "binding.h"
#include "dlpack/dlpack_abi.h"

static const char kLegacyName[] = "dltensor";
static const char kVersionedName[] = "dltensor_versioned";

/* A consumer that has taken the tensor over has renamed the capsule. Capsules die while exceptions are under way, which the
 * deleter, and what is called through it, must not see. */
static void destroy_capsule(PyObject* capsule) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyCapsule_IsValid(capsule, kVersionedName)) {
    DLManagedTensorVersioned* managed = PyCapsule_GetPointer(capsule, kVersionedName);
    if (managed->deleter != NULL) {
      managed->deleter(managed);
    }
  } else if (PyCapsule_IsValid(capsule, kLegacyName)) {
    DLManagedTensor* managed = PyCapsule_GetPointer(capsule, kLegacyName);
    if (managed->deleter != NULL) {
      managed->deleter(managed);
    }
  }
  PyErr_Restore(type, value, traceback);
}

PyObject* new_capsule(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  (void)module;
  if (count != 2) {
    return PyErr_Format(PyExc_TypeError, "capsule() takes an address and whether it is versioned, not %zd arguments", count);
  }
  void* managed = PyLong_AsVoidPtr(arguments[0]);
  if (managed == NULL) {
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "the address of a managed tensor is 0");
  }
  const int versioned = PyObject_IsTrue(arguments[1]);
  return versioned < 0 ? NULL : PyCapsule_New(managed, versioned ? kVersionedName : kLegacyName, destroy_capsule);
}
