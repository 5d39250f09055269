"""python -m gantry.stamp FILE [--check] [--json]

Prints the stamp of a file. --check compares it with this Python, with the torch that it imports and with libgantry.
Exit status: 0, 1 when a finding is fatal, 2 when the file cannot be read, 3 when it has no stamp.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Dict, List, Optional

from . import FATAL, Finding, StampError, check, here, read


def _environment() -> Dict[str, str]:
    for name in ("torch", "gantry._library"):
        try:
            module = importlib.import_module(name)
            if name == "gantry._library":
                module.load()
        except Exception as failure:  # a broken torch raises anything
            print(f"{name} is not compared: {failure}", file=sys.stderr)
    return here()


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gantry.stamp", description="Prints the ABI stamp of a binary.")
    parser.add_argument("file")
    parser.add_argument("--check", action="store_true", help="compare it with this Python, its torch and libgantry")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        keys = read(options.file)
    except (OSError, StampError) as failure:
        print(failure, file=sys.stderr)
        return 2
    findings: List[Finding] = check(options.file, _environment()) if options.check else []
    if options.json:
        report = {"file": options.file, "stamp": keys, "findings": [found._asdict() for found in findings]}
        print(json.dumps(report, indent=2))
    elif keys is None:
        print(f"{options.file} has no stamp.")
    else:
        for key, value in keys.items():
            print(f"{key}={value}")
        for found in findings:
            print(f"{found.severity}: {found.key}: {found.message} {found.remedy}")
    if any(found.severity == FATAL for found in findings):
        return 1
    return 0 if keys is not None else 3


if __name__ == "__main__":
    sys.exit(main())
