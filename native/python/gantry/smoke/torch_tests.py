"""S25 to S29: torch, and the optional extensions. They run in a child process that imports torch."""

from __future__ import annotations

import os
import struct
import tempfile
from typing import Any

from .registry import TORCH, equal, holds, raises, skip, test


@test("S25", "results equal torch's", TORCH)
def equal_to_torch() -> str:
    import torch

    import gantry

    generator = torch.Generator().manual_seed(7)
    table = torch.randn(1000, 33, generator=generator)
    indices = torch.randint(0, 1000, (5000,), generator=generator)
    rows = torch.randn(5000, 33, generator=generator)
    found = gantry.gather(table, indices)
    if hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        holds(isinstance(found, torch.Tensor), f"the output is a {type(found).__name__}, wanted torch.Tensor")
    else:
        found = torch.from_dlpack(found)
    holds(torch.equal(found, torch.index_select(table, 0, indices)), "gather differs from index_select")
    holds(torch.equal(found, torch.nn.functional.embedding(indices, table)), "gather differs from embedding")
    mine, theirs = table.clone(), table.clone()
    gantry.scatter_add(mine, indices, rows)
    theirs.index_add_(0, indices, rows)
    holds(torch.equal(mine, theirs), "scatter_add differs from index_add_")
    shared = torch.from_dlpack(gantry.asarray(table))
    equal(shared.data_ptr(), table.data_ptr(), "the address of torch's memory after a journey through gantry.asarray")
    return f"torch {torch.__version__}: index_select, embedding and index_add_, bit by bit"


def _extension(flavour: str, build: bool) -> Any:
    from ..torch_ext import BuildFailed, NotBuilt, load

    try:
        return load(flavour, build=build)
    except NotBuilt as error:
        skip(f"{error} It takes a quarter of a minute; python -m gantry.smoke --jit does it too.")
    except BuildFailed as error:
        if error.reason in ("no-compiler", "no-sources", "no-headers", "torch-too-old", "unsupported-system"):
            skip(str(error))
        raise


def _use(flavour: str, build: bool) -> str:
    import torch

    import gantry
    from gantry import torch_ext

    extension = _extension(flavour, build)
    table, indices = torch.randn(100, 16), torch.randint(0, 100, (500,))
    holds(torch.equal(extension.gather(table, indices), torch.index_select(table, 0, indices)), "gather differs from index_select")
    raises(gantry.IndexOutOfRange, lambda: extension.gather(table, torch.tensor([100])), "an index outside of the table")
    meta = extension.gather(table.to("meta"), indices.to("meta"))
    equal((str(meta.device), tuple(meta.shape)), ("meta", (500, 16)), "gather on torch's meta device")
    entry, findings = torch_ext.check(flavour)
    equal((entry is not None, findings), (True, []), "the build in the cache, and what speaks against it")
    return f"gather through torch's dispatcher equals index_select; {os.path.basename(str(extension.path))}"


@test("S26", "the torch extension of the flavour stable", TORCH)
def stable() -> str:
    return _use("stable", build=True)


@test("S27", "the torch extension of the flavour classic", TORCH)
def classic() -> str:
    return _use("classic", build=os.environ.get("GANTRY_SMOKE_JIT") == "1")


def _of_another_torch(data: bytes, flavour: str) -> bytes:
    """The file with another stamp of the same length: a stable build for a torch that is not out yet, a classic one of torch 1."""
    key, value = (b"\ntorch.target=0x02", b"\ntorch.target=0x63") if flavour == "stable" else (b"\ntorch.version=2", b"\ntorch.version=1")
    holds(key in data, f"the stamp of the build has no {key.decode().strip()}")
    return data.replace(key, value)


@test("S28", "an extension of another torch is refused before it is loaded", TORCH)
def skew() -> str:
    from ..torch_ext import Refused, _check, _torch, builds

    torch = _torch.running()
    here = [entry for entry in builds() if entry.damage() is None and entry.record["ingredients"]["torch"]["version"] == torch.version]
    if not here:
        skip("the cache has no build for this torch whose stamp could be changed")
    flavour = here[0].flavour
    with open(here[0].path, "rb") as file:
        data = file.read()
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(_of_another_torch(data, flavour))
        file.flush()
        error = raises(Refused, lambda: _check.ensure(file.name, flavour, torch), f"a {flavour} build whose stamp says another torch")
        text = str(error).replace(file.name, "(file)")
    holds(torch.version in text, f"the text does not have the running torch {torch.version}: {text}")
    return text


def _library_that_needs(name: str) -> bytes:
    """A minimal ELF64 library: headers, a dynamic section, and one DT_NEEDED."""
    strings = b"\0" + name.encode() + b"\0"
    dynamic_at = 64 + 2 * 56
    strings_at = dynamic_at + 4 * 16
    size = strings_at + len(strings)
    machine = {"x86_64": 62, "aarch64": 183}.get(os.uname().machine, 62)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 6, 0, 0, 0, size, size, 4096)
    dynamic = struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, dynamic_at, 64, 64, 8)
    tags = struct.pack("<qQqQqQqQ", 1, 1, 5, strings_at, 10, len(strings), 0, 0)
    return header + load + dynamic + tags + strings


@test("S29", "a library that would bring a second libtorch is refused", TORCH)
def second_libtorch() -> str:
    from ..stamp import _elf
    from ..torch_ext import _check, _torch

    torch = _torch.running()
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(_library_that_needs("libc10.so.0.1"))
        file.flush()
        dynamic = _elf.dynamic(file.name)
    equal(dynamic.needed, ["libc10.so.0.1"], "what the made-up library needs")
    found = _check._libraries(dynamic, torch, "")
    equal([finding.key for finding in found], ["second-libtorch"], "the findings")
    return found[0].message
