"""The stamp of a file."""

from __future__ import annotations

import os
from typing import Dict, Optional

from ._elf import ElfReader
from ._text import parse

OWNER = b"Abiding"
TYPE = 1


def read(path: "str | os.PathLike[str]") -> Optional[Dict[str, str]]:
    """The keys of a file's stamp, None when it has none. StampError for what is no ELF file, OSError when it cannot be read."""
    with ElfReader(path) as reader:
        for note in reader.notes():
            if note.owner == OWNER and note.type == TYPE:
                return parse(note.descriptor)
    return None
