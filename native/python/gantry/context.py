"""Contexts: the threads, kernels and backends that ops run on."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Set

from . import _abi, _library
from .errors import ClosedError, InvalidArgument
from .shapes import read_count

_MAX_THREADS = 4096


class Backend(NamedTuple):
    """What gantry_backend_query tells. `reason` is the reason's name ("GANTRY_REASON_AVAILABLE" when the backend can be used)."""

    name: str
    available: bool
    reason: str
    code: int
    text: str
    driver_version: int
    runtime_version: int
    driver_code: int
    device_count: int
    devices: List[str]
    architectures: str


class Context:
    """Threads and backends. One for the process is enough (see default()); others are for tests and for a thread count of their
    own. Several threads may use a context at once, and it works in a forked child. One that nothing refers to any more is closed."""

    def __init__(
        self, threads: int = 0, cuda_plugin: Optional[str] = None, log: Optional[Callable[[str], None]] = None
    ) -> None:
        """`threads`: of an op on host memory, the caller among them; 0: GANTRY_NUM_THREADS, else what affinity mask and control
        group allow. `cuda_plugin`: path of libgantry_cuda.so; None: GANTRY_CUDA_PLUGIN, else beside the library. `log` is called
        with lines for people, from any thread."""
        wanted = read_count("threads", threads, _MAX_THREADS, f"it may be 0 (the default) to {_MAX_THREADS}")
        library = _library.load()
        options = _abi.OpenOptions(threads=wanted)
        if cuda_plugin is not None:
            options.cuda_plugin = os.fsencode(cuda_plugin)
        self._log: Any = None
        if log is not None:
            self._log = _abi.LogFunction(lambda _user, line: log(line.decode("utf-8", "replace")))
            options.log = self._log
        self._library = library
        self._address = 0
        # The threads that use the context right now: appending and removing are atomic, so that no lock is needed that a fork could
        # leave taken.
        self._users: List[int] = []
        self._holders = 0
        handle = ctypes.c_void_p()
        library.check(library.gantry_open(_abi.ABI_VERSION, ctypes.byref(options), ctypes.byref(handle)))
        self._address = handle.value or 0
        _contexts.add(self)

    @property
    def address(self) -> int:
        """Of the gantry_context."""
        if not self._address:
            raise ClosedError("the context is closed")
        return self._address

    @contextlib.contextmanager
    def using(self) -> Iterator[int]:
        """The address, while close() is refused."""
        self._users.append(threading.get_ident())
        try:
            yield self.address
        finally:
            self._users.remove(threading.get_ident())

    def hold(self) -> None:
        """Keeps the context, and has close() refused, until release() is called as often: for code that knows its address."""
        with _lock:
            self.address  # noqa: B018: refuses a closed context
            self._holders += 1
            _held.add(self)

    def release(self) -> None:
        with _lock:
            self._holders -= 1
            if not self._holders:
                _held.discard(self)

    @property
    def threads(self) -> int:
        """How many threads an op on host memory uses, the caller among them."""
        with self.using() as address:
            return int(self._library.gantry_threads(address))

    @property
    def isa(self) -> str:
        """The level of the host's kernels in use, such as "x86-64-v3"."""
        with self.using() as address:
            name: bytes = self._library.gantry_isa(address)
            return name.decode()

    def backend(self, name: str = "cuda") -> Backend:
        """Whether a backend ("host" or "cuda") can be used, and why not."""
        numbers = {"host": _abi.BACKEND_HOST, "cuda": _abi.BACKEND_CUDA}
        if name not in numbers:
            raise InvalidArgument(f"backend is {name!r}; it may be 'host' or 'cuda'")
        info = _abi.BackendInfo()
        with self.using() as address:
            self._library.check(self._library.gantry_backend_query(address, numbers[name], ctypes.byref(info)))
        reason: bytes = self._library.gantry_reason_name(info.reason)
        return Backend(
            name=name,
            available=info.reason == 0,
            reason=reason.decode(),
            code=info.reason,
            text=info.text.decode("utf-8", "replace"),
            driver_version=info.driver_version,
            runtime_version=info.runtime_version,
            driver_code=info.driver_code,
            device_count=info.device_count,
            devices=info.devices.decode("utf-8", "replace").splitlines(),
            architectures=info.architectures.decode("utf-8", "replace"),
        )

    def close(self) -> None:
        """Ends the context's threads. Refused while an op of it runs, and while an extension holds it. Closing twice is allowed,
        closing the process's own is not."""
        if self is _state.get("default"):
            raise InvalidArgument("the process's context is used by every op that names none: it ends with the process")
        with _lock:
            if self._holders:
                raise InvalidArgument(
                    f"the context is held by {self._holders} extension{'' if self._holders == 1 else 's'}, whose ops use it for as "
                    "long as they are loaded: it ends with the process"
                )
            address, self._address = self._address, 0
        if not address:
            return
        # From here on no op begins: each makes itself known before it asks for the address.
        running = len(self._users)
        if running:
            self._address = address
            raise InvalidArgument(
                f"the context cannot be closed: {running} op{' is' if running == 1 else 's are'} running on it; close it after they "
                "have returned"
            )
        self._library.check(self._library.gantry_close(address))

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # While Python ends, a thread of the context can no longer call `log`: the threads then end with the process.
        address, self._address = getattr(self, "_address", 0), 0
        if address and not is_finalizing():
            self._library.gantry_close(address)

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._address:
            return "<gantry.Context closed>"
        return f"<gantry.Context threads={self.threads} isa={self.isa}>"


_lock = threading.Lock()
_state: Dict[str, Context] = {}
_contexts: "weakref.WeakSet[Context]" = weakref.WeakSet()
_held: Set[Context] = set()


def _forget_other_threads() -> None:
    """Only the thread that forked goes on in the child."""
    own = threading.get_ident()
    for context in list(_contexts):
        context._users[:] = [user for user in context._users if user == own]


def default() -> Context:
    """The process's context, made at the first call and never closed: its threads end with the process."""
    found = _state.get("default")
    if found is None:
        with _lock:
            found = _state.get("default")
            if found is None:
                found = _state["default"] = Context()
    return found


if hasattr(os, "register_at_fork"):
    # A child that is forked while another thread holds the lock would wait for it for ever.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
    os.register_at_fork(after_in_child=_forget_other_threads)
