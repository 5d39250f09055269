"""Checks of the library, of what it finds on the machine, and one computation with it."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Optional

from .report import FAIL, OK, SKIP, WARN, Check
from .system import amount

_STAMP_KEYS = ("version", "git", "build.id", "compiler", "isa")
# A GPU in the machine makes an unusable backend a fault; without one it is how things are.
_NO_GPU_HERE = {"PLUGIN_ABSENT", "DRIVER_ABSENT", "DRIVER_UNUSABLE", "NO_DEVICE"}
def gpu_is_present() -> bool:
    """Whether the machine shows a GPU of NVIDIA's, whatever its software says."""
    return any(os.path.exists(path) for path in ("/dev/nvidia0", "/proc/driver/nvidia/gpus", "/dev/dxg"))


def found() -> Check:
    from .. import _library, errors

    try:
        library = _library.load()
    except errors.LibraryNotFound as error:
        return Check(
            "library", "Library", FAIL, str(error), "Install the package anew, or name the file in GANTRY_LIBRARY.", {"error": "absent"}
        )
    except errors.AbiMismatch as error:
        return Check("library", "Library", FAIL, str(error), "Install library and package of one release.", {"error": "abi"})
    from .. import __version__, info

    version = info.library_version()
    abi = ".".join(map(str, info.abi_version()))
    data = {"path": library.path, "version": version, "abi": abi, "package": __version__}
    text = f"{version}, binary interface {abi}, {library.path}"
    if version != __version__:
        return Check(
            "library", "Library", WARN, f"{text}; the package is {__version__}", "Install library and package of one release.", data
        )
    return Check("library", "Library", OK, text, "", data)


def _pairs(text: str) -> Dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def stamp() -> Check:
    """The stamp in the file and the one that the loaded library tells have to be the same bytes."""
    from .. import _library, info

    told = info.build_info()
    values = _pairs(told)
    short = ", ".join(f"{key} {values[key]}" for key in _STAMP_KEYS if values.get(key))
    from .. import stamp as reader

    path = _library.load().path
    try:
        in_file = reader.read(path)
    except (OSError, ValueError) as error:
        return Check("stamp", "Build stamp", FAIL, f"{path} has no stamp that can be read: {error}", "Install the package anew.", values)
    if in_file is None or dict(in_file) != values:
        return Check(
            "stamp", "Build stamp", FAIL, f"the stamp in {path} differs from what the loaded library says: the file was replaced",
            "Start Python anew.", values,
        )  # fmt: skip
    return Check("stamp", "Build stamp", OK, short, "", values)


def _other_build() -> str:
    """What differs when the compiled module and the library are of two builds; empty when they are of one, or there is no module."""
    from .. import info
    from .. import stamp as reader

    try:
        from .. import _core
    except ImportError:
        return ""
    module = (reader.read(_core.__file__) or {}).get("build.id", "none")
    library = _pairs(info.build_info()).get("build.id", "none")
    if module == library:
        return ""
    return f"{_core.__file__} has the build.id {module}, the library {library}: they are of two builds"


def binding() -> Check:
    from .. import _binding

    wanted = os.environ.get("GANTRY_BINDING", "")
    reason = ""
    try:
        _binding.load("abi3")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    try:
        name = _binding.binding().name
    except Exception as error:
        return Check(
            "binding", "Binding", FAIL, f"GANTRY_BINDING={wanted}: {type(error).__name__}: {error}",
            "Unset GANTRY_BINDING, or install the package anew.", {"wanted": wanted, "abi3_error": reason},
        )  # fmt: skip
    data = {"name": name, "wanted": wanted, "abi3_error": reason}
    foreign = _other_build()
    if foreign:
        return Check("binding", "Binding", WARN, foreign, "Install, or build, module and library together.", data)
    if name == "abi3":
        return Check("binding", "Binding", OK, "abi3: the compiled module", "", data)
    if wanted:
        return Check("binding", "Binding", OK, f"{name}, as GANTRY_BINDING says", "", data)
    return Check(
        "binding", "Binding", WARN, f"{name}: calls cost about a microsecond more, since the compiled module cannot be used ({reason})",
        "Install a wheel that has the module.", data,
    )  # fmt: skip


def context() -> Check:
    from .. import context as contexts

    try:
        made = contexts.default()
    except Exception as error:
        return Check("context", "Host backend", FAIL, str(error), "Look at GANTRY_NUM_THREADS and GANTRY_ISA.", {})
    data = {"threads": made.threads, "isa": made.isa}
    text = f"kernels for {made.isa}, {made.threads} thread{'' if made.threads == 1 else 's'}"
    forced = os.environ.get("GANTRY_ISA")
    ignored = [
        f"{name}={os.environ[name]}"
        for name, used in (("GANTRY_NUM_THREADS", str(made.threads)), ("GANTRY_ISA", made.isa))
        if os.environ.get(name) and os.environ[name] != used
    ]
    if ignored:
        return Check(
            "context", "Host backend", WARN, f"{text}; not in force as it stands: {', '.join(ignored)}",
            "GANTRY_NUM_THREADS is a number from 1 to 256, GANTRY_ISA a level that the library has and the processor can run.", data,
        )  # fmt: skip
    return Check("context", "Host backend", OK, text + (f" (GANTRY_ISA={forced})" if forced else ""), "", data)


def cuda() -> Check:
    from .. import context as contexts

    try:
        seen = contexts.default().backend("cuda")
    except Exception as error:
        return Check("cuda", "CUDA backend", FAIL, str(error), "", {})
    data = {**seen._asdict(), "gpu_present": gpu_is_present()}
    if seen.available:
        return Check("cuda", "CUDA backend", OK, f"{seen.text} {'; '.join(seen.devices)}".strip(), "", data)
    short = seen.reason.replace("GANTRY_REASON_", "")
    expected = short in _NO_GPU_HERE and not gpu_is_present()
    # The library's text says what was found and then what to do.
    parts = re.split(r"(?<=[.)]) (?=[A-Z])", seen.text, maxsplit=1)
    what, remedy = parts[0].rstrip("."), parts[1] if len(parts) == 2 else ""
    return Check("cuda", "CUDA backend", SKIP if expected else WARN, f"{what} ({short})", remedy, data)


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def driver() -> Check:
    from .. import context as contexts

    seen = contexts.default().backend("cuda")
    data = {"driver_version": seen.driver_version, "runtime_version": seen.runtime_version, "driver_code": seen.driver_code}
    if seen.driver_version:
        built = f", the backend was built with {_version(seen.runtime_version)}" if seen.runtime_version else ""
        return Check("driver", "CUDA driver", OK, f"the driver does CUDA {_version(seen.driver_version)}{built}", "", data)
    status = WARN if gpu_is_present() else SKIP
    why = "the machine shows a GPU, and no driver answers" if gpu_is_present() else "no driver, and no GPU that would need one"
    remedy = "Install NVIDIA's driver; in a container start it with GPU access." if status == WARN else ""
    return Check("driver", "CUDA driver", status, why, remedy, data)


def leftovers() -> Check:
    from .. import shm

    found = shm.segments()
    dead = [segment for segment in found if not segment.creator_alive]
    data: Dict[str, Any] = {"segments": [segment._asdict() for segment in found]}
    if dead:
        size = sum(segment.bytes for segment in dead)
        return Check(
            "shm.leftovers", "Shared tables", WARN,
            f"{len(dead)} named table{'' if len(dead) == 1 else 's'} ({amount(size)}) of processes that have ended: "
            f"{', '.join(segment.name for segment in dead[:5])}{', ...' if len(dead) > 5 else ''}",
            f"If nobody needs them: python -c \"import gantry; gantry.shm.unlink('{dead[0].name}')\"", data,
        )  # fmt: skip
    return Check("shm.leftovers", "Shared tables", OK, f"{len(found)} named, none left behind by a process that has ended", "", data)


def compute() -> Check:
    """A gather whose result is known, by the binding and the context that ops use."""
    from .. import _binding, array, gather

    try:
        _binding.binding()
    except Exception as error:
        named = f"GANTRY_BINDING={os.environ['GANTRY_BINDING']}: " if os.environ.get("GANTRY_BINDING") else ""
        return Check(
            "compute", "Computation", FAIL, f"no gather without a binding: {named}{type(error).__name__}: {error}",
            "Unset GANTRY_BINDING, or install the package anew.", {},
        )  # fmt: skip
    rows, columns = 257, 33
    table = array([[row * columns + column for column in range(columns)] for row in range(rows)], "float32")
    wanted = [(7 * i + 3) % rows for i in range(1000)]
    expected = [[float(row * columns + column) for column in range(columns)] for row in wanted]
    problem: Optional[str] = None
    try:
        if gather(table, array(wanted, "int64")).tolist() != expected:
            problem = "the rows differ from what they have to be"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    data = {"rows": len(wanted), "columns": columns}
    if problem:
        return Check(
            "compute", "Computation", FAIL, f"gather of {len(wanted)} rows: {problem}",
            "Try GANTRY_ISA=x86-64; run python -m gantry.smoke; please report it.", data,
        )  # fmt: skip
    return Check("compute", "Computation", OK, f"gather of {len(wanted)} rows of {columns} float32 gives the known result", "", data)
