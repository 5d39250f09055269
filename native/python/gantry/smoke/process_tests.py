"""S21 to S24: shared tables, fork, the end of a process, threads."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from typing import List

from .registry import child, equal, holds, output, raises, test


@test("S21", "tables in shared memory")
def shared() -> str:
    from .. import array, errors, gather, scatter, shm, zeros

    table = shm.create(100, 4)
    scatter(table, array([99]), array([[1, 2, 3, 4]], "float32"))
    code = f"""
import gantry
table = gantry.shm.attach({table.fd}, dtype="float32", columns=4)
print(gantry.gather(table, gantry.array([99])).tolist())
gantry.scatter(table, gantry.array([0]), gantry.array([[5, 6, 7, 8]], "float32"))
table.publish()
"""
    equal(output(child(code, pass_fds=[table.fd])), "[[1.0, 2.0, 3.0, 4.0]]", "what another process reads")
    equal((table[:1].tolist(), table.generation), ([[5, 6, 7, 8]], 1), "what another process wrote")
    view = shm.attach(table.fd, read_only=True)
    raises(errors.ReadOnly, lambda: scatter(view, array([0]), zeros((1, 4))), "a write into a read-only table")
    done = child(
        f"from gantry import shm\nimport ctypes\nctypes.memset(shm.attach({table.fd}, read_only=True).address, 1, 1)", pass_fds=[table.fd]
    )
    equal(done.returncode, -signal.SIGSEGV, "how a process ends that writes into read-only pages past the library")
    raises(errors.SegmentLayoutError, lambda: shm.attach(table.fd, columns=5), "a table of another width")
    with tempfile.TemporaryFile() as file:
        with open(f"/proc/self/fd/{table.fd}", "rb") as source:
            file.write(source.read(4096))
        file.flush()
        raises(errors.SegmentError, lambda: shm.attach(file.fileno()), "a file that is too short")
    name = f"/gantry-smoke-{os.getpid()}"
    try:
        child(f"import os, signal\nfrom gantry import shm\nshm.create(4, 4, name={name!r})\nos.kill(os.getpid(), signal.SIGKILL)")
        holds(name in [segment.name for segment in shm.leftovers()], "the table of a killed process is not among the leftovers")
    finally:
        shm.unlink(name)
    holds(name not in [segment.name for segment in shm.segments()], "the name is still there after unlink")
    return "read and written by another process; read-only, foreign and short ones refused; a killed process's table listed and removed"


@test("S22", "ops work in a forked child")
def fork() -> str:
    code = """
import os, gantry
table = gantry.array([[i] for i in range(100000)], "float32")
indices = gantry.array([(7 * i) % 100000 for i in range(100000)])
expected = gantry.gather(table, indices).buffer().tobytes()
pid = os.fork()
if pid == 0:
    os._exit(0 if gantry.gather(table, indices).buffer().tobytes() == expected else 3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), gantry.gather(table, indices).buffer().tobytes() == expected)
"""
    equal(output(child(code, timeout=30)), "0 True", "exit code of the forked child, and the parent's result")
    return "parent and child gather the same 100000 rows after fork"


@test("S23", "a process ends without closing anything")
def ends() -> str:
    code = """
import gantry, time
context = gantry.Context(threads=4)
table = gantry.zeros((100000, 16))
gantry.gather(table, gantry.array([i for i in range(100000)]), context=context)
gantry.gather(table, gantry.array([1]))
print(time.monotonic())
"""
    last = float(output(child(code, timeout=30)))
    seconds = time.monotonic() - last
    holds(seconds < 1, f"the process took {seconds:.1f} s to end after its last line")
    return f"{seconds * 1000:.0f} ms from the last line to the end, with two open contexts"


@test("S24", "8 threads with 100 gathers each")
def threads() -> str:
    from .. import array, gather

    table = array([[row * 10 + column for column in range(10)] for row in range(500)], "float32")
    wrong: List[object] = []
    turns = [0] * 8

    def work(number: int) -> None:
        try:
            for turn in range(100):
                wanted = [(number * 31 + turn * 17 + 7 * i) % 500 for i in range(50)]
                found = gather(table, array(wanted)).buffer()
                if any(found[i, column] != row * 10 + column for i, row in enumerate(wanted) for column in (0, 9)):
                    wrong.append((number, turn))
                turns[number] += 1
        except Exception as error:
            wrong.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    equal((wrong, turns), ([], [100] * 8), "wrong results, and gathers done")
    return "800 gathers of 50 rows, each as it has to be"
