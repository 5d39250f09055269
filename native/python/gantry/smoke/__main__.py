"""python -m gantry.smoke [--json] [--list] [--only S07] [--jit]"""

from __future__ import annotations

import argparse
import json
import sys
from typing import List, Optional

from . import names, run


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m gantry.smoke",
        description="Tests whether Gantry works on this machine.",
        epilog="Exit code: 0 no test failed, 1 a test failed, 2 no such test.",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON (gantry/schema/smoke.schema.json)")
    parser.add_argument("--list", action="store_true", help="print the tests and run none")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="run these tests: S07, or S07,S08; may be repeated")
    parser.add_argument("--jit", action="store_true", help="also compile the classic torch extension (a quarter of a minute)")
    options = parser.parse_args(arguments)
    known = dict(names())
    if options.list:
        listed = [{"id": identity, "name": name} for identity, name in known.items()]
        print(json.dumps(listed, indent=2) if options.json else "\n".join(f"{test['id']}  {test['name']}" for test in listed))
        return 0
    only = [identity.strip().upper() for group in options.only for identity in group.split(",") if identity.strip()]
    unknown = [identity for identity in only if identity not in known]
    if unknown:
        print(f"there is no smoke test {', '.join(unknown)}; --list prints those that there are", file=sys.stderr)
        return 2
    report = run(only, options.jit)
    print(json.dumps(report.to_dict(), indent=2) if options.json else report.to_text())
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
