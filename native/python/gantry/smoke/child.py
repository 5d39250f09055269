"""python -m gantry.smoke.child ID...: runs tests in this process and prints each result as a line of JSON."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import List

from .registry import TESTS


def main(identities: List[str]) -> int:
    from .runner import run_one

    for identity in identities:
        print(json.dumps(dataclasses.asdict(run_one(TESTS[identity]))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
