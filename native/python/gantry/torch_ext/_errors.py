"""What can go wrong between the sources of an extension and a loaded one."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Type

from gantry import errors

# Why there is no build, in the words of build.json and of `--json`.
NO_TORCH = "no-torch"
OLD_TORCH = "torch-too-old"
NO_HEADERS = "no-headers"
NO_SOURCES = "no-sources"
NO_COMPILER = "no-compiler"
UNSUPPORTED_SYSTEM = "unsupported-system"
CACHE_UNWRITABLE = "cache-unwritable"
NO_SPACE = "no-space"
COMPILER_FAILED = "compiler-failed"
COMPILER_KILLED = "compiler-killed"
TIMEOUT = "timeout"
CANCELLED = "cancelled"
LOCK_TIMEOUT = "lock-timeout"
WRONG_OUTPUT = "wrong-output"


class TorchExtensionError(errors.Error):
    """Base of what this package raises. `reason` is a short name that programs can compare."""

    default_status = 11
    default_name = "GANTRY_ERROR_BACKEND_UNAVAILABLE"

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason

    def __reduce__(self) -> Tuple[Any, ...]:
        # The classes take other arguments than the finished text: it crosses processes (concurrent.futures) as it is.
        return _revived, (type(self), self.args), {**self.__dict__, "name": self.name}  # ImportError keeps `name` elsewhere.

    def as_dict(self) -> Dict[str, Any]:
        return {"reason": self.reason, "text": str(self)}


def _revived(kind: Type[TorchExtensionError], arguments: Tuple[Any, ...]) -> TorchExtensionError:
    # kind.__new__ would be RuntimeError's, which refuses a kind that is an OSError or an ImportError too.
    error: TorchExtensionError = kind.__base__.__new__(kind)  # type: ignore[call-overload]
    error.args = arguments
    return error


class BuildFailed(TorchExtensionError):
    """There is no extension, because it could not be compiled. `log` is the compiler's whole output (None when it was not
    started), `first_errors` the lines of it that tell most."""

    def __init__(self, reason: str, text: str, log: Optional[str] = None, first_errors: Optional[List[str]] = None) -> None:
        self.log = log
        self.first_errors = first_errors or []
        lines = [text]
        if self.first_errors:
            lines += ["  " + line for line in self.first_errors]
        if log is not None:
            lines.append(f"The compiler's whole output: {log}")
        super().__init__(reason, "\n".join(lines))

    def as_dict(self) -> Dict[str, Any]:
        return {**super().as_dict(), "log": self.log, "first_errors": self.first_errors}


class NotBuilt(TorchExtensionError, FileNotFoundError):
    """The cache has no build for the torch that is running."""

    def __init__(self, text: str) -> None:
        TorchExtensionError.__init__(self, "not-built", text)


class Refused(TorchExtensionError, ImportError):  # type: ignore[misc]
    """A file that must not be loaded into this process. Nothing of it was run."""

    default_status = 2
    default_name = "GANTRY_ERROR_ABI"

    def __init__(self, reason: str, text: str) -> None:
        TorchExtensionError.__init__(self, reason, text)


class LoadFailed(TorchExtensionError, ImportError):  # type: ignore[misc]
    """The trial in a child process, or the load itself, failed. `exit_code` and `signal` are the child's."""

    def __init__(self, text: str, exit_code: Optional[int] = None, signal: Optional[str] = None) -> None:
        TorchExtensionError.__init__(self, "load-failed", text)
        self.exit_code = exit_code
        self.signal = signal


class SkewWarning(UserWarning):
    """An extension is loaded although something speaks against it: it is of another torch, and GANTRY_ALLOW_SKEW=1 is set."""
