"""python -m gantry.stamp FILE [--check] [--json]

Prints the stamp of a file. --check compares it with this Python, with the torch that it imports and with libgantry.
Exit status: 0, 1 when a finding is fatal, 2 when the file cannot be read, 3 when it has no stamp.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
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


def _report(file: str, keys: Optional[Dict[str, str]], findings: List[Finding], as_json: bool) -> List[str]:
    if as_json:
        return [json.dumps({"file": file, "stamp": keys, "findings": [found._asdict() for found in findings]}, indent=2)]
    if keys is None:
        return [f"{file} has no stamp."]
    lines = [f"{key}={value}" for key, value in keys.items()]
    return lines + [f"{found.severity}: {found.key}: {found.message} {found.remedy}" for found in findings]


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
    try:
        for line in _report(options.file, keys, findings, options.json):
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (head -1): Python's own flush at the end must not complain of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if any(found.severity == FATAL for found in findings):
        return 1
    return 0 if keys is not None else 3


if __name__ == "__main__":
    sys.exit(main())
