"""The text of a stamp: lines of key=value in UTF-8."""

from __future__ import annotations

import re
from typing import Dict

MAXIMUM_BYTES = 64 * 1024
MAXIMUM_KEYS = 256
_LINE = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*?)[ \t]*", re.DOTALL)


def parse(text: bytes) -> Dict[str, str]:
    """The keys of a stamp, in their order. Of equal keys the first counts; lines that are no key=value are dropped; the text
    ends at the first NUL."""
    text = text[:MAXIMUM_BYTES]
    end = text.find(b"\0")
    lines = re.split("\r?\n", (text if end < 0 else text[:end]).decode("utf-8", "replace"))
    keys: Dict[str, str] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is not None and match[1] not in keys and len(keys) < MAXIMUM_KEYS:
            keys[match[1]] = match[2]
    return keys
