"""A loaded extension: its ops with torch tensors, its environment, its stream."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

from gantry import _abi, _library, env, errors
from gantry import context as contexts
from gantry.context import Context
from gantry.ops import BOUNDS

from . import _derivative
from ._errors import LoadFailed

_STATUSES = {
    kind.default_name: kind.default_status
    for kind in (getattr(errors, name) for name in errors.__all__)
    if isinstance(kind, type) and issubclass(kind, errors.Error)
}


class _Library(ctypes.Structure):
    """gantry_torch_library of gantry_torch.h."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        *((name, ctypes.c_void_p) for name in ("context", "last_error", "status_name", "gather", "scatter", "scatter_add",
                                               "convert")),
    ]


class _Cell(ctypes.Structure):
    """gantry_torch_output of gantry_torch.h."""

    _fields_ = [("tensor", ctypes.c_void_p)]


def _handle(path: str) -> ctypes.CDLL:
    try:
        handle = ctypes.CDLL(path)
    except OSError as failure:
        raise LoadFailed(f"gantry: {path} could not be loaded: {failure}") from failure
    handle.gantry_torch_open.argtypes = [ctypes.POINTER(_Library)]
    handle.gantry_torch_open.restype = ctypes.c_int32
    handle.gantry_torch_environment.restype = ctypes.c_void_p
    handle.gantry_torch_current_stream.argtypes = [_abi.Device, ctypes.POINTER(ctypes.c_void_p)]
    handle.gantry_torch_current_stream.restype = ctypes.c_int32
    for name in ("gantry_torch_last_error", "gantry_torch_namespace", "gantry_torch_build_info"):
        getattr(handle, name).restype = ctypes.c_char_p
    return handle


class Output:
    """A place for an output of the extension's environment: pass `address` as gantry_options.slot, then take() the tensor."""

    def __init__(self, ops: Any) -> None:
        self._cell = _Cell(None)
        self._ops = ops

    @property
    def address(self) -> int:
        return ctypes.addressof(self._cell)

    def take(self) -> Any:
        """The torch tensor that the environment made; ValueError when it made none."""
        if not self._cell.tensor:
            raise ValueError("the environment has put no tensor here")
        return self._ops.take_output(self.address)

    def __del__(self) -> None:
        if self._cell.tensor:
            self._ops.take_output(self.address)


class Extension:
    """Ops on torch tensors through torch's dispatcher. Tables have 1 or 2 dimensions, indices any; both on one device. Failures
    raise the exceptions of gantry.errors, as gantry.gather does.

    gather has derivatives for its table, backward and forward (torch.func included). The other ops write into a tensor, or
    convert: they refuse tensors that require a gradient while gradients are recorded, and tensors that carry a tangent. What they
    write counts as written: a backward that needs the former values raises torch's error. The raw ops in `ops` have none of this.
    """

    def __init__(self, flavour: str, path: str, context: Optional[Context] = None) -> None:
        import torch

        self.flavour = flavour
        self.path = path = os.path.abspath(path)  # A name without a slash the loader looks up in its own folders.
        self._torch = torch
        self._handle = _handle(path)
        self.context = contexts.default() if context is None else context
        self.context.hold()  # The file keeps its address, and is never unloaded.
        library = _library.load()
        given = _Library(ctypes.sizeof(_Library), library.gantry_abi_version(), self.context.address)
        for name in ("last_error", "status_name", "gather", "scatter", "scatter_add", "convert"):
            setattr(given, name, library.address("gantry_" + name))
        status = self._handle.gantry_torch_open(ctypes.byref(given))
        if status != _abi.OK:
            self.context.release()
            raise errors.error_for(status, f"{path}: {self._last_error()}", library.status_name(status))
        self.namespace = self._handle.gantry_torch_namespace().decode()
        self.build_info = self._handle.gantry_torch_build_info().decode()
        self.environment = env.Environment(self._handle.gantry_torch_environment())
        self.ops = getattr(torch.ops, self.namespace)
        # A packet of overloads looks for the right one at every call.
        self._gather_out, self._scatter, self._scatter_add, self._convert, self._nop = (
            getattr(self.ops, name).default for name in ("gather_out", "scatter", "scatter_add", "convert", "nop"))
        self._gather = _derivative.differentiable_gather(torch, self.ops.gather.default, self._scatter_add)
        self._in_forward_mode, self._written = _derivative.forward_mode(torch), _derivative.written(torch)

    def __repr__(self) -> str:
        return f"<gantry.torch_ext.Extension {self.namespace} of {self.path}>"

    def _last_error(self) -> str:
        return str(self._handle.gantry_torch_last_error().decode("utf-8", "replace"))

    def output(self) -> Output:
        return Output(self.ops)

    def current_stream(self, device: Any = "cpu") -> Optional[int]:
        """torch's current stream on a device, as gantry's ops take it; None for the CPU."""
        where = self._torch.device(device)
        kinds = {"cpu": _abi.DEVICE_HOST, "cuda": _abi.DEVICE_CUDA}
        if where.type not in kinds:
            raise errors.Unsupported(f"device is {where}; Gantry knows cpu and cuda")
        stream = ctypes.c_void_p()
        status = self._handle.gantry_torch_current_stream(
            _abi.Device(kinds[where.type], where.index or 0), ctypes.byref(stream))
        if status != _abi.OK:
            raise errors.error_for(status, self._last_error(), _library.load().status_name(status))
        return stream.value

    def gather(self, table: Any, indices: Any, out: Any = None, bounds: str = "error") -> Any:
        """out[i] = table[indices[i]]; a new tensor from torch's allocator when `out` is None."""
        policy = _policy(bounds)
        if out is None:
            if policy == _abi.BOUNDS_SKIP:
                raise errors.InvalidArgument(
                    "bounds is 'skip', which leaves rows of the output as they are, and out is None: rows of new memory would be "
                    "undefined; pass out, or bounds='zero'"
                )
            return self._call(self._gather, table, indices, policy)
        self._refuse_gradients("gather with out", table, out)
        self._call_writing(out, self._gather_out, table, indices, out, policy)
        return out

    def scatter(self, table: Any, indices: Any, rows: Any, bounds: str = "error") -> None:
        """table[indices[i]] = rows[i]"""
        self._refuse_gradients("scatter", table, rows)
        self._call_writing(table, self._scatter, table, indices, rows, _policy(bounds), self._deterministic())

    def scatter_add(self, table: Any, indices: Any, rows: Any, bounds: str = "error") -> None:
        """table[indices[i]] += rows[i]"""
        self._refuse_gradients("scatter_add", table, rows)
        self._call_writing(table, self._scatter_add, table, indices, rows, _policy(bounds), self._deterministic())

    def convert(self, source: Any, dtype: Any) -> Any:
        """A new tensor with the values of `source` in another dtype."""
        self._refuse_gradients("convert", source)
        return self._call(self._convert, source, dtype)

    def nop(self, table: Any, indices: Any, out: Any) -> None:
        """Nothing, by the same way as gather with out: what a call costs."""
        self._nop(table, indices, out)

    def _deterministic(self) -> int:
        return int(self._torch.are_deterministic_algorithms_enabled())

    def _refuse_gradients(self, op: str, *tensors: Any) -> None:
        if self._torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
            raise errors.Unsupported(
                f"{op} has no gradient, and a tensor that it was given requires one. Call it under torch.no_grad(), or pass "
                "tensor.detach(); gather without out has a gradient for its table."
            )
        if self._in_forward_mode() and any(_derivative.has_tangent(self._torch, tensor) for tensor in tensors):
            raise errors.Unsupported(
                f"{op} has no derivative, and a tensor that it was given carries a tangent of forward-mode differentiation. Pass "
                "torch.autograd.forward_ad.unpack_dual(tensor).primal; gather without out has a derivative for its table."
            )

    def _call(self, op: Any, *arguments: Any) -> Any:
        try:
            return op(*arguments)
        except (RuntimeError, IndexError) as failure:
            found = _translate(failure)
            if found is None:
                raise
            raise found from None

    def _call_writing(self, target: Any, op: Any, *arguments: Any) -> None:
        try:
            self._call(op, *arguments)
        except errors.IndexOutOfRange:
            self._written(target)  # The op has finished the other rows.
            raise
        self._written(target)


def _policy(bounds: str) -> int:
    try:
        return BOUNDS[bounds]
    except (KeyError, TypeError):
        raise errors.InvalidArgument(f"bounds is {bounds!r}; it may be {', '.join(map(repr, BOUNDS))}") from None


def _translate(failure: BaseException) -> Optional[errors.Error]:
    """The ops put the status's name in front of their text: the one thing that both flavours' exceptions carry."""
    name, _, text = str(failure).split("\n", 1)[0].partition(": ")
    if name not in _STATUSES:
        return None
    return errors.error_for(_STATUSES[name], text, name)
