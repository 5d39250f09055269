"""python -m gantry.doctor [--json] [--torch]"""

from __future__ import annotations

import argparse
import json
import sys
from typing import List, Optional

from . import report


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m gantry.doctor",
        description="Says what of Gantry is installed, what works, what is missing, and what to do.",
        epilog="Exit code: 0 all is well, 1 something deserves attention, 2 something does not work.",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON (gantry/schema/doctor.schema.json)")
    parser.add_argument("--torch", action="store_true", help="import torch too, in a process of its own (takes seconds)")
    options = parser.parse_args(arguments)
    found = report(import_torch=options.torch)
    print(json.dumps(found.to_dict(), indent=2) if options.json else found.to_text())
    return found.exit_code


if __name__ == "__main__":
    sys.exit(main())
