"""Tables and indices of the benchmarks, as torch tensors."""

from __future__ import annotations

from typing import Any

SEED = 20261130


def table(torch: Any, size: int, columns: int, dtype: Any) -> Any:
    """A table of `size` bytes, of small numbers that every dtype can hold."""
    generator = torch.Generator().manual_seed(SEED)
    item = torch.empty((), dtype=dtype).element_size()
    rows = size // (columns * item)
    made = torch.empty((rows, columns), dtype=dtype)
    # Row by row of a repeated block: random numbers for 2 GiB take longer than all that is measured on them.
    block = torch.randint(-64, 64, (min(rows, 4096), columns), generator=generator).to(dtype)
    for start in range(0, rows, block.shape[0]):
        made[start:start + block.shape[0]] = block[:rows - start]
    return made


def indices(torch: Any, distribution: str, rows: int, count: int, narrow: bool = False) -> Any:
    """`count` row numbers: "uniform", "sequential", or "zipf" (exponent about 1.05, popular rows spread over the table)."""
    generator = torch.Generator().manual_seed(SEED)
    if distribution == "uniform":
        made = torch.randint(0, rows, (count,), generator=generator)
    elif distribution == "sequential":
        made = torch.arange(count) % rows
    elif distribution == "zipf":
        # Inverse of the continuous law's distribution function over [1, rows + 1).
        uniform = torch.rand(count, generator=generator, dtype=torch.float64)
        power = 1.0 - 1.05
        rank = ((1.0 + uniform * ((rows + 1.0) ** power - 1.0)) ** (1.0 / power)).long() - 1
        made = (rank.clamp(0, rows - 1) * 2654435761) % rows
    else:
        raise ValueError(f"there is no distribution {distribution!r}")
    return made.int() if narrow else made


def output_rows(row_bytes: int) -> int:
    """Rows of one call: 64 MiB of payload, and no more rows than that are lines."""
    return (64 << 20) // max(row_bytes, 64)
