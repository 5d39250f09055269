"""The C++ compiler: what CXX names, else c++."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from typing import Dict, List, Optional

from ._errors import NO_COMPILER, BuildFailed

# A compiler reads these too: what they hold is part of a build's key.
ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
               "SOURCE_DATE_EPOCH")


@dataclass(frozen=True)
class Compiler:
    command: List[str]  # the program and what CXX adds to it, such as ["/usr/bin/ccache", "g++"]
    version: str  # the first line of --version
    flags: List[str]  # CXXFLAGS
    environment: Dict[str, str]


def find(environ: Optional[Dict[str, str]] = None) -> Compiler:
    """BuildFailed("no-compiler") when there is none, with what was tried."""
    environ = dict(os.environ) if environ is None else environ
    named = environ.get("CXX", "").strip()
    words = shlex.split(named) if named else ["c++"]
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        tried = f"CXX is {named!r}, and {words[0]} was not found" if named else "CXX is not set, and c++ was not found"
        raise BuildFailed(NO_COMPILER, f"gantry: there is no C++ compiler: {tried}. Install one (Debian: g++), or set CXX.")
    command = [os.path.abspath(program)] + words[1:]
    try:
        answer = subprocess.run(command + ["--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                                stdin=subprocess.DEVNULL, env={**environ, "LC_ALL": "C"}, check=False)
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise BuildFailed(NO_COMPILER, f"gantry: {shlex.join(command)} --version could not be run: {failure}.") from failure
    lines = answer.stdout.decode("utf-8", "replace").strip().splitlines()
    if answer.returncode != 0 or not lines:
        raise BuildFailed(
            NO_COMPILER, f"gantry: {shlex.join(command)} --version ended with {answer.returncode}: {' '.join(lines[:2])}."
        )
    return Compiler(
        command=command,
        version=lines[0],
        flags=shlex.split(environ.get("CXXFLAGS", "")),
        environment={name: environ[name] for name in ENVIRONMENT if environ.get(name)},
    )
