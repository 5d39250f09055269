"""What a check of the doctor finds, and the report of all of them."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List

SCHEMA = 1

OK = "ok"
WARN = "warn"
FAIL = "fail"
SKIP = "skip"

_EXIT_CODES = {OK: 0, WARN: 1, FAIL: 2}


@dataclasses.dataclass(frozen=True)
class Check:
    """`id` stays the same from version to version. `remedy` says what to do and is empty when there is nothing to do; `data` has
    the same facts for programs."""

    id: str
    title: str
    status: str
    text: str
    remedy: str = ""
    data: Dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Report:
    """Every check in the order in which it ran."""

    version: str
    checks: List[Check]

    @property
    def status(self) -> str:
        """The worst of the checks: "ok", "warn" or "fail". A skipped check counts as ok."""
        found = {check.status for check in self.checks}
        return FAIL if FAIL in found else WARN if WARN in found else OK

    @property
    def exit_code(self) -> int:
        """0 for "ok", 1 for "warn", 2 for "fail"."""
        return _EXIT_CODES[self.status]

    def __getitem__(self, check_id: str) -> Check:
        for check in self.checks:
            if check.id == check_id:
                return check
        raise KeyError(check_id)

    def to_dict(self) -> Dict[str, Any]:
        """As schema/doctor.schema.json describes."""
        return {
            "schema": SCHEMA,
            "tool": "gantry.doctor",
            "version": self.version,
            "status": self.status,
            "exit_code": self.exit_code,
            "checks": [dataclasses.asdict(check) for check in self.checks],
        }

    def to_text(self) -> str:
        """For people: a line for each check, and the remedy below it."""
        lines = []
        for check in self.checks:
            lines.append(f"{check.status:<4}  {check.title}: {check.text}")
            if check.remedy:
                lines.append(f"      -> {check.remedy}")
        counts = ", ".join(
            f"{sum(check.status == status for check in self.checks)} {status}" for status in (OK, WARN, FAIL, SKIP)
        )
        lines.append(f"{len(self.checks)} checks: {counts}")
        return "\n".join(lines)
