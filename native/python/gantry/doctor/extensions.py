"""The optional torch extensions: what is in their cache, and how old it is."""

from __future__ import annotations

from .report import SKIP, Check


def check() -> Check:
    return Check("torch.extensions", "Torch extensions", SKIP, "their builder is not installed", "", {})
