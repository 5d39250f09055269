"""Row-wise quantised embedding tables for PyTorch."""

from pathlib import Path

import torch

torch.ops.load_library(next(Path(__file__).parent.glob("_C*.so")))


def quantize(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Quantise each row to eight bits: the values, and one scale a row."""
    return torch.ops.rowwise.quantize(weight)
