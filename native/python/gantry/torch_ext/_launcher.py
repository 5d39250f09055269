"""Runs the compiler below a small process of its own: `python -S _launcher.py <report> <compiler> <argument>...`.

Two things need it. When the builder is killed, the kernel tells this process, which ends the compiler and all that it started.
And the memory that a process took at most counts that of the process which started it: the builder has torch in its memory.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys

_PR_SET_PDEATHSIG = 1


def main(report: str, command: "list[str]") -> int:
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # It ended before it could be watched.
        return 1
    try:
        code = subprocess.call(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"failed": error.strerror}, file)
        return 1
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(report, "w", encoding="utf-8") as file:
        json.dump({"exit_code": code, "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
                   "peak_rss_kib": usage.ru_maxrss}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
