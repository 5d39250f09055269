"""The binding on ctypes: nothing compiled, and the reference for the other one."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Any, Callable, List, Optional, Tuple

from gantry import _abi, _library, _tensors
from gantry._binding import ArrayFactory

CAI_SYNC_VARIABLE = "GANTRY_CAI_SYNC"


class CtypesBinding:
    """See gantry._binding.Binding."""

    name = "ctypes"

    def __init__(self, library: _library.Library) -> None:
        self._library = library
        self._factory: Optional[ArrayFactory] = None

    def set_array_factory(self, factory: Optional[ArrayFactory], /) -> None:
        self._factory = factory

    def forget_types(self) -> None:
        _tensors.forget_types()

    def gather(self, context: int, table: Any, indices: Any, out: Any, options: int, environment: int, stream: Optional[int],
               /) -> Any:
        context, options, environment, stream = _addresses(context, options, environment, stream)
        views: List[_tensors.View] = []
        try:
            chunks = _tensors.read_table(table, "table", False, stream)
            views += chunks
            index = _tensors.read(indices, "indices", False, stream)
            views.append(index)
            if out is None:
                first = table[0] if _tensors.is_chunked(table) else table
                out = _tensors.allocate(first, chunks, index, environment, self._stream(context, views, stream), self._factory)
            target = _tensors.read(out, "out", True, stream)
            views.append(target)
            self._run(self._library.gantry_gather, context, views, options, environment, stream,
                      lambda: (byref(_table(chunks)), byref(index.tensor), byref(target.tensor)))
        finally:
            for view in views:
                view.close()
        return out

    def scatter(self, context: int, table: Any, indices: Any, rows: Any, options: int, environment: int, stream: Optional[int],
                /) -> None:
        self._write_rows(self._library.gantry_scatter, context, table, indices, rows, options, environment, stream)

    def scatter_add(self, context: int, table: Any, indices: Any, rows: Any, options: int, environment: int,
                    stream: Optional[int], /) -> None:
        self._write_rows(self._library.gantry_scatter_add, context, table, indices, rows, options, environment, stream)

    def convert(self, context: int, source: Any, destination: Any, options: int, environment: int, stream: Optional[int],
                /) -> None:
        self._move(self._library.gantry_convert, context, source, destination, options, environment, stream)

    def copy(self, context: int, source: Any, destination: Any, options: int, environment: int, stream: Optional[int],
             /) -> None:
        self._move(self._library.gantry_copy, context, source, destination, options, environment, stream)

    def _write_rows(self, function: Any, context: int, table: Any, indices: Any, rows: Any, options: int, environment: int,
                    stream: Optional[int]) -> None:
        context, options, environment, stream = _addresses(context, options, environment, stream)
        views: List[_tensors.View] = []
        try:
            chunks = _tensors.read_table(table, "table", True, stream)
            views += chunks
            index = _tensors.read(indices, "indices", False, stream)
            views.append(index)
            source = _tensors.read(rows, "rows", False, stream)
            views.append(source)
            self._run(function, context, views, options, environment, stream,
                      lambda: (byref(source.tensor), byref(index.tensor), byref(_table(chunks))))
        finally:
            for view in views:
                view.close()

    def _move(self, function: Any, context: int, source: Any, destination: Any, options: int, environment: int,
              stream: Optional[int]) -> None:
        context, options, environment, stream = _addresses(context, options, environment, stream)
        views: List[_tensors.View] = []
        try:
            views.append(_tensors.read(source, "source", False, stream))
            views.append(_tensors.read(destination, "destination", True, stream))
            self._run(function, context, views, options, environment, stream,
                      lambda: (byref(views[0].tensor), byref(views[1].tensor)))
        finally:
            for view in views:
                view.close()

    def _stream(self, context: int, views: List[_tensors.View], stream: Optional[int]) -> Optional[int]:
        def wait(view: _tensors.View) -> None:
            if os.environ.get(CAI_SYNC_VARIABLE) != "0":
                self._library.check(self._library.gantry_check(context, view.device[1], view.stream, None))

        return _tensors.op_stream(views, stream, wait)

    def _run(self, function: Any, context: int, views: List[_tensors.View], options: int, environment: int,
             stream: Optional[int], arguments: Callable[[], tuple]) -> None:
        chosen = self._stream(context, views, stream)
        used = _abi.Options.from_buffer_copy(_abi.Options.from_address(options)) if options else _abi.Options()
        stats = None
        # On a device, asking for statistics waits for the stream: that is the caller's decision.
        if not used.stats and all(view.device[0] in (_abi.DEVICE_HOST, _abi.DEVICE_CUDA_HOST) for view in views):
            stats = _abi.Stats()
            used.stats = ctypes.pointer(stats)
        status = function(context, *arguments(), byref(used), environment or None, chosen)
        if status == _abi.ERROR_INDEX and used.stats:
            raise self._library.error(status, used.stats.contents.first_bad_position, used.stats.contents.first_bad_value)
        self._library.check(status)


def _addresses(context: Any, options: Any, environment: Any, stream: Any) -> Tuple[int, int, int, Optional[int]]:
    """What is no tensor, checked before the tensors are read."""
    return (_address(context, "context"), _address(options, "options"), _address(environment, "environment"),
            None if stream is None else _address(stream, "stream"))


def _address(value: Any, name: str) -> int:
    if value is None:
        return 0
    if not isinstance(value, int):
        raise TypeError(f"{name} is a {type(value)!r}; it has to be an address, an integer")
    if not -1 << 63 <= value < 1 << 64:
        raise OverflowError(f"{name} is {value}, which 64 bits do not hold")
    return value


def _table(chunks: List[_tensors.View]) -> _abi.Table:
    array = (_abi.Tensor * len(chunks))(*[chunk.tensor for chunk in chunks])
    return _abi.Table(chunk_count=len(chunks), chunks=array)


def load() -> CtypesBinding:
    """The binding on the process's library."""
    return CtypesBinding(_library.load())
