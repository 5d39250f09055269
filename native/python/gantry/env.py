"""Environments: where ops and arrays get their memory.

The default is one cached environment for the process: a freed block is kept and handed out again, so that a large output costs
no page faults. `Custom` wraps a Python object, for tests and for memory that Python manages.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Protocol, Tuple, Union

from . import _abi, _library
from .errors import ClosedError, InvalidArgument
from .shapes import read_count

__all__ = [
    "Allocator",
    "Cached",
    "CacheStatistics",
    "Custom",
    "Environment",
    "Malloc",
    "Request",
    "default",
    "statistics",
    "trim",
]

_PURPOSES = {_abi.PURPOSE_SCRATCH: "scratch", _abi.PURPOSE_OUTPUT: "output", _abi.PURPOSE_DIAGNOSTICS: "diagnostics"}

# Arrays are made from an environment by its address; this finds the object that has to live as long as they do.
_by_address: "weakref.WeakValueDictionary[int, Environment]" = weakref.WeakValueDictionary()


class Environment:
    """A gantry_environment at `address`, valid as long as the object."""

    def __init__(self, address: int) -> None:
        self._address = address
        _by_address[address] = self

    @property
    def address(self) -> int:
        if not self._address:
            raise ClosedError("the environment is closed")
        return self._address

    def raise_pending(self, error: BaseException) -> None:
        """Raises `error`; from the exception of a callback when one led to it."""
        raise error

    def raise_interrupt(self) -> None:
        """Raises what a callback raised to end the program (KeyboardInterrupt, SystemExit): an op holds it back while it runs."""


class Malloc(Environment):
    """malloc, aligned as asked; host memory. What the library uses when it is given no environment."""

    def __init__(self) -> None:
        super().__init__(_library.load().gantry_environment_malloc())


class CacheStatistics(NamedTuple):
    """Bytes that callers hold, that are kept for reuse, and that were held at most; how many blocks were asked for, and how many of
    them were reused ones."""

    bytes_in_use: int
    bytes_kept: int
    bytes_in_use_peak: int
    allocations: int
    reused: int


class Cached(Environment):
    """Keeps freed blocks by size class. Thread-safe; host memory."""

    def __init__(self, limit_bytes: int = 0) -> None:
        """`limit_bytes`: kept at most; 0: a quarter of the memory that the process may use."""
        limit_bytes = read_count("limit_bytes", limit_bytes, (1 << 63) - 1, "it has to be a number of bytes")
        self._library = _library.load()
        handle = ctypes.c_void_p()
        options = _abi.CacheOptions(limit_bytes=limit_bytes)
        self._library.check(
            self._library.gantry_environment_cached_create(ctypes.byref(options), ctypes.byref(handle))
        )
        super().__init__(handle.value or 0)

    def statistics(self) -> CacheStatistics:
        found = _abi.CacheStatistics()
        self._library.check(
            self._library.gantry_environment_cached_statistics(self.address, ctypes.byref(found))
        )
        return CacheStatistics(*(getattr(found, name) for name in CacheStatistics._fields))

    def trim(self, keep_bytes: int = 0) -> None:
        """Gives kept blocks back to the system until at most `keep_bytes` are kept."""
        keep_bytes = read_count("keep_bytes", keep_bytes, (1 << 63) - 1, "it has to be a number of bytes")
        self._library.check(self._library.gantry_environment_cached_trim(self.address, keep_bytes))

    def close(self) -> None:
        """Frees everything. Refused while blocks are in use; closing twice is allowed."""
        if self._address:
            self._library.check(self._library.gantry_environment_cached_destroy(self._address))
            _by_address.pop(self._address, None)
            self._address = 0

    def __del__(self) -> None:
        # An exported tensor may still hold a block: the environment then has to stay.
        address, self._address = getattr(self, "_address", 0), 0
        if address:
            self._library.gantry_environment_cached_destroy(address)


class Request(NamedTuple):
    """What an allocator is asked for. `device`: DLPack's type and id; `purpose`: "scratch", "output" or "diagnostics"; `stream`: a
    CUDA stream's address or None."""

    bytes: int
    alignment: int
    device: Tuple[int, int]
    stream: Optional[int]
    purpose: str


class Allocator(Protocol):
    """What Custom wraps. An exception makes the op fail with EnvironmentFailed, of which it is the cause;
    KeyboardInterrupt and SystemExit come out themselves, after the op."""

    def allocate(self, request: Request) -> Union[int, Tuple[int, int]]:
        """The block's address; or the address and its bytes, when those are more than asked for."""

    def deallocate(self, request: Request, address: int) -> None:
        """Takes the block back."""


def _request(pointer: Any) -> Request:
    wanted = pointer.contents
    return Request(
        wanted.bytes,
        wanted.alignment,
        (wanted.device.type, wanted.device.id),
        wanted.stream,
        _PURPOSES.get(wanted.purpose, str(wanted.purpose)),
    )


class Custom(Environment):
    """An environment whose callbacks are methods of a Python object (see Allocator; a method observe(op, bytes_moved, nanoseconds)
    is called too when there is one). A callback costs about a microsecond: for tests, for comparison, and for few large blocks."""

    def __init__(self, allocator: Allocator) -> None:
        for method in ("allocate", "deallocate"):
            if not callable(getattr(allocator, method, None)):
                raise InvalidArgument(f"{type(allocator).__name__} has no method {method}")
        self.allocator = allocator
        self._failures: Dict[int, BaseException] = {}
        self._interrupts: List[BaseException] = []
        self._struct = _abi.Environment(
            allocate=_abi.AllocateFunction(self._allocate), deallocate=_abi.DeallocateFunction(self._deallocate)
        )
        observe = getattr(allocator, "observe", None)
        if callable(observe):
            self._struct.observe = _abi.ObserveFunction(lambda _user, op, moved, time: observe(op.decode(), moved, time))
        super().__init__(ctypes.addressof(self._struct))

    def _allocate(self, _user: Optional[int], pointer: Any, block: Any) -> int:
        try:
            request = _request(pointer)
            found = self.allocator.allocate(request)
            address, size = found if isinstance(found, tuple) else (found, request.bytes)
            block.contents.data, block.contents.bytes = address, size
            return _abi.OK
        except Exception as failure:  # noqa: BLE001: nothing may pass through C; raise_pending has it
            self._failures[threading.get_ident()] = failure
        except BaseException as interrupt:  # noqa: BLE001
            self._interrupts.append(interrupt)
        return _abi.ERROR_ENVIRONMENT

    def _deallocate(self, _user: Optional[int], pointer: Any, block: Any) -> None:
        try:
            self.allocator.deallocate(_request(pointer), block.contents.data or 0)
        except Exception:  # noqa: BLE001: ctypes reports it
            raise
        except BaseException as interrupt:  # noqa: BLE001
            self._interrupts.append(interrupt)

    def raise_interrupt(self) -> None:
        held, self._interrupts = self._interrupts, []
        if held:
            raise held[0]

    def raise_pending(self, error: BaseException) -> None:
        self.raise_interrupt()
        failure = self._failures.pop(threading.get_ident(), None)
        if failure is None and self._failures:
            failure = self._failures.popitem()[1]
        if failure is None:
            raise error
        raise error from failure


_lock = threading.Lock()
_default: Optional[Cached] = None
# Environments that arrays were made from. An exported tensor may outlive every Python object, so these are never collected.
_used_by_arrays: Dict[int, Environment] = {}


def default() -> Cached:
    """The process's cached environment, made at the first call."""
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = Cached()
                _used_by_arrays[_default.address] = _default
    return _default


def keep_for_arrays(address: int) -> None:
    """Notes that memory outside of ops comes from this environment: it stays until the process ends."""
    found = _by_address.get(address)
    if found is not None:
        _used_by_arrays[address] = found


def find(address: int) -> Optional[Environment]:
    """The environment object at an address, when there is one."""
    return _by_address.get(address)


def statistics() -> CacheStatistics:
    """Of the process's cached environment."""
    return default().statistics()


def trim(keep_bytes: int = 0) -> None:
    """Gives memory that the process's cached environment keeps back to the system."""
    default().trim(keep_bytes)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
