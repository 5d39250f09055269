"""S15 to S20: tensors in and out, and the two bindings."""

from __future__ import annotations

import ctypes
import gc
import glob
import os
import shutil
from typing import Any, List

from .memory_tests import Blocks
from .registry import child, equal, holds, raises, root, skip, test

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_VERSIONED, _LEGACY = b"dltensor_versioned", b"dltensor"


class Producer:
    """Another library's tensor: 3 rows of 2 int32, with a deleter that counts."""

    def __init__(self, major: int, read_only: bool = False) -> None:
        from .. import _abi, _dlpack

        self.handed_out = self.released = 0
        self.values = (ctypes.c_int32 * 6)(1, 2, 3, 4, 5, 6)
        self.shape, self.strides = (ctypes.c_int64 * 2)(3, 2), (ctypes.c_int64 * 2)(2, 1)
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._release)
        tensor = _dlpack.DLTensor(
            data=ctypes.addressof(self.values), device_type=1, ndim=2, dtype=_abi.Dtype(0, 32, 1), shape=self.shape,
            strides=self.strides,
        )  # fmt: skip
        self.name = _VERSIONED if major else _LEGACY
        self.managed: Any = (
            _dlpack.DLManagedTensorVersioned(major=major, deleter=self.deleter, flags=int(read_only), dl_tensor=tensor)
            if major
            else _dlpack.DLManagedTensor(dl_tensor=tensor, deleter=self.deleter)
        )

    def _release(self, _: Any) -> None:
        self.released += 1

    def __dlpack__(self, **_: Any) -> Any:
        self.handed_out += 1
        return _new(ctypes.addressof(self.managed), self.name, None)

    def __dlpack_device__(self) -> Any:
        return (1, 0)


@test("S15", "DLPack in and out: both forms, deleters once, read-only, versions")
def dlpack() -> str:
    from .. import array, asarray, errors, gather, scatter, zeros

    for major in (0, 1):
        producer = Producer(major)
        equal(gather(producer, array([2, 0]), zeros((2, 2), "int32")).tolist(), [[5, 6], [1, 2]], "gather from another library's tensor")
        gc.collect()
        equal(producer.released, 1, "calls of the deleter after a gather")
        borrowed = asarray(producer)
        capsule = borrowed.__dlpack__(max_version=(1, 0))
        borrowed.close()
        equal(producer.released, 1, "calls of the deleter while a capsule holds the tensor")
        del capsule
        equal(producer.released, 2, "calls of the deleter after the capsule")
    producer = Producer(1, read_only=True)
    row = zeros((1, 2), "int32")
    raises(errors.ReadOnly, lambda: scatter(producer, array([0]), row), "a write into a read-only tensor")
    borrowed = asarray(producer)
    raises(BufferError, borrowed.__dlpack__, "a legacy capsule for read-only memory")
    borrowed.close()
    equal(producer.released, producer.handed_out, "calls of the deleter of a read-only tensor")
    producer = Producer(2)
    raises(errors.DlpackVersionError, lambda: gather(producer, array([0]), zeros((1, 2), "int32")), "version 2")
    holds(producer.handed_out > 0, "the producer was not asked")
    equal(producer.released, producer.handed_out, "calls of the deleter of a tensor of version 2")
    return "legacy and versioned; each deleter ran once for each use; read-only was honoured; version 2 was refused and given back"


@test("S16", "a table that is closed stays for its consumers")
def lifetime() -> str:
    from .. import empty, env

    blocks = Blocks()
    made = empty((4, 4), environment=env.Custom(blocks))
    capsule = made.__dlpack__(max_version=(1, 0))
    buffer: Any = made.buffer()
    made.close()
    del made
    equal(len(blocks.live), 1, "blocks while a capsule and a buffer hold the memory")
    buffer[0, 0] = 1.0
    del capsule
    equal(len(blocks.live), 1, "blocks while a buffer holds the memory")
    del buffer
    gc.collect()
    equal(len(blocks.live), 0, "blocks after the last consumer")
    return "a capsule and a buffer kept the memory of a closed array, the last of them gave it back"


@test("S17", "__cuda_array_interface__ for memory that a GPU reads, and for no other")
def cuda_array_interface() -> str:
    from .. import empty, env, errors, zeros

    holds(not hasattr(zeros(2), "__cuda_array_interface__"), "plain host memory has one")
    # Memory that is declared pinned: the dictionary is made as for a GPU's.
    custom = env.Custom(Blocks())
    made = empty((2, 3), "float16", environment=custom, device="pinned")
    equal(
        made.__cuda_array_interface__,
        {"shape": (2, 3), "typestr": "<f2", "data": (made.address, False), "strides": None, "version": 3, "stream": None},
        "the dictionary",
    )
    half = empty(2, "bfloat16", environment=custom, device="pinned")
    raises(errors.Unsupported, lambda: half.__cuda_array_interface__, "bfloat16, which has no type string")
    return "version 3 with shape, type, address and strides; bfloat16 is refused, not announced as float16"


@test("S18", "DLPack's exchange API is used where a type has it")
def exchange() -> str:
    from .. import _dlpack, array, gather, zeros

    calls: List[str] = []
    plain = Producer(1)

    def borrow(value: Any, out: Any) -> int:
        calls.append("exchange")
        ctypes.memmove(out, ctypes.addressof(value.managed.dl_tensor), ctypes.sizeof(_dlpack.DLTensor))
        return 0

    fields: Any = _dlpack.ExchangeApi._fields_
    members = dict(fields)
    function = members["dltensor_from_py_object"](borrow)
    api = _dlpack.ExchangeApi(major=1, minor=3, dltensor_from_py_object=function)
    capsule = _new(ctypes.addressof(api), b"dlpack_exchange_api", None)

    class Modern(Producer):
        __dlpack_c_exchange_api__ = capsule

        def __dlpack__(self, **options: Any) -> Any:
            calls.append("capsule")
            return super().__dlpack__(**options)

    modern = Modern(1)
    equal(gather(modern, array([1]), zeros((1, 2), "int32")).tolist(), [[3, 4]], "gather through the exchange API")
    equal((calls, modern.released), (["exchange"], 0), "the calls that a type with the exchange API sees")
    equal(gather(plain, array([1]), zeros((1, 2), "int32")).tolist(), [[3, 4]], "gather through __dlpack__")
    return "a borrowed tensor without a capsule; a type without it was read by __dlpack__"


def _bindings() -> Any:
    from .. import _binding

    try:
        return _binding.load("ctypes"), _binding.load("abi3")
    except ImportError as error:
        skip(f"there is one binding only: {error}")


@test("S19", "both bindings give the same")
def same() -> str:
    from .. import array, zeros
    from .. import context as contexts

    context = contexts.default().address
    outcomes = []
    for binding in _bindings():
        table = array([[row * 5 + column for column in range(5)] for row in range(50)], "float32")
        out = zeros((200, 5))
        binding.gather(context, table, array([(3 * i) % 50 for i in range(200)]), out, 0, 0, None)
        binding.scatter_add(context, table, array([i % 50 for i in range(200)]), out, 0, 0, None)
        errors = []
        for indices, wrong in ((array([50]), zeros((1, 5))), (array([0]), zeros((1, 4)))):
            try:
                binding.gather(context, table, indices, wrong, 0, 0, None)
            except Exception as error:
                errors.append((type(error).__name__, str(error), getattr(error, "position", None), getattr(error, "value", None)))
        outcomes.append((table.buffer().tobytes(), out.buffer().tobytes(), errors))
    equal(outcomes[1][0] == outcomes[0][0], True, "the bytes after scatter_add are the same")
    equal(outcomes[1][1] == outcomes[0][1], True, "the bytes after gather are the same")
    equal(outcomes[1][2], outcomes[0][2], "the exceptions")
    equal(len(outcomes[0][2]), 2, "how many bad calls were refused")
    return "gather and scatter_add bit by bit, and the texts of two refusals"


def pythons() -> List[str]:
    """CPythons of 3.10 and later on PATH and under pyenv, each once."""
    found = {}
    for minor in range(10, 16):
        paths = [shutil.which(f"python3.{minor}")]
        paths += sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}")))
        for path in paths:
            if path and minor not in found and not os.path.realpath(path).endswith(("/pyenv", "/shims")) and "/shims/" not in path:
                found[minor] = path
    return list(found.values())


@test("S20", "the compiled module loads under every Python that is here")
def every_python() -> str:
    _bindings()
    code = """
import sys, sysconfig
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    print("other")
else:
    import gantry
    from gantry import _binding
    _binding.load("abi3")
    print(gantry.gather(gantry.array([[1.5], [2.5]]), gantry.array([1, 0])).tolist(), gantry.binding())
"""
    done = []
    for python in pythons():
        result = child(code, python=python, variables={"GANTRY_BINDING": "abi3", "PYTHONPATH": root()})
        if result.stdout.strip() == "other":
            continue
        holds(result.returncode == 0, f"{python}: {(result.stderr.strip().splitlines() or ['no text'])[-1]}")
        equal(result.stdout.strip(), "[[2.5], [1.5]] abi3", python)
        done.append(os.path.basename(python))
    if not done:
        skip("no other CPython of 3.10 or later was found")
    return f"one file in {root()} under {', '.join(done)}"
