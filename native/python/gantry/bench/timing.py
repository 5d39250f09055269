"""Timing of variants of one job: interleaved, so that what disturbs the machine disturbs all of them alike."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Sequence

# Beyond this coefficient of variation a figure is called noisy and no single ratio is made of it.
NOISY = 0.10


@dataclass(frozen=True)
class Variant:
    """One way to do the job. `call` does it once; `seconds` does it once and tells the time itself (loops that start threads)."""

    name: str
    call: Optional[Callable[[], object]] = None
    seconds: Optional[Callable[[], float]] = None
    payload_bytes: float = 0.0
    traffic_bytes: float = 0.0
    rows: float = 0.0
    # A limit of the machine, not a competitor.
    is_roof: bool = False


@dataclass(frozen=True)
class Group:
    """Variants that do the same job on the same data. Ratios are `baseline`'s time by the others'. `roof` makes the least possible
    seconds of the job out of the medians of the roofs in the group."""

    name: str
    variants: Sequence[Variant]
    baseline: Optional[str] = None
    threads: int = 1
    roof: Optional[Callable[[Dict[str, float]], float]] = None


@dataclass
class Samples:
    """Seconds of one call, one for each repetition."""

    variant: Variant
    iterations: int
    real: List[float] = field(default_factory=list)
    cpu: List[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.real)

    @property
    def variation(self) -> float:
        """Standard deviation by mean."""
        return statistics.stdev(self.real) / statistics.fmean(self.real) if len(self.real) > 1 else 0.0

    @property
    def noisy(self) -> bool:
        return self.variation > NOISY


@dataclass(frozen=True)
class Ratio:
    """How much faster than the baseline, from pairs of the same repetition."""

    median: float
    low: float
    high: float
    variation: float

    @property
    def noisy(self) -> bool:
        return self.variation > NOISY


def _once(variant: Variant, iterations: int) -> "tuple[float, float]":
    cpu = time.process_time()
    if variant.seconds is not None:
        real = sum(variant.seconds() for _ in range(iterations))
    elif variant.call is not None:
        call = variant.call
        start = time.perf_counter()
        for _ in range(iterations):
            call()
        real = time.perf_counter() - start
    else:
        raise ValueError(f"{variant.name} has nothing to call")
    return real / iterations, (time.process_time() - cpu) / iterations


def _calibrate(variant: Variant, least: float) -> int:
    """How often to call for a sample of at least `least` seconds. Warms up as well."""
    _once(variant, 1)
    iterations = 1
    while True:
        real, _ = _once(variant, iterations)
        if real * iterations >= least:
            return iterations
        iterations = max(iterations + 1, min(iterations * 10, round(iterations * 1.2 * least / max(real * iterations, 1e-9))))


def measure(group: Group, repetitions: int = 9, least_seconds: float = 0.05, pause_seconds: float = 0.02) -> List[Samples]:
    """Samples of all variants, one of each in every repetition, in an order that turns round each time. The pause lets the threads
    of the last variant fall asleep: they spin for a while and would take the processor from the next one."""
    samples = [Samples(variant, _calibrate(variant, least_seconds)) for variant in group.variants]
    for repetition in range(repetitions):
        for one in samples if repetition % 2 == 0 else reversed(samples):
            time.sleep(pause_seconds)
            real, cpu = _once(one.variant, one.iterations)
            one.real.append(real)
            one.cpu.append(cpu)
    return samples


def ratio(baseline: Samples, other: Samples) -> Ratio:
    """The baseline's seconds by the other's, pair by pair."""
    pairs = [base / value for base, value in zip(baseline.real, other.real)]
    spread = statistics.stdev(pairs) / statistics.fmean(pairs) if len(pairs) > 1 else 0.0
    return Ratio(statistics.median(pairs), min(pairs), max(pairs), spread)
