"""Many Python threads at once, and what the GIL is released for."""

from __future__ import annotations

import ctypes
import faulthandler
import sys
import threading
import unittest
from typing import Any, List

from gantry import _abi
from support import NAME, Memory, Recorder, bind, binding, open_context


class Threads(unittest.TestCase):
    def test_eight_threads_of_a_hundred_gathers(self) -> None:
        context, active = open_context(), binding()
        rows, columns = 1000, 64
        table = Memory("f", [float(value) for value in range(rows * columns)], (rows, columns))
        failures: List[str] = []

        def work(seed: int) -> None:
            # Both sides of the size from which the GIL is released.
            for count in (3, 400):
                out = Memory("f", [0.0] * (count * columns), (count, columns))
                for turn in range(50):
                    chosen = [(seed * 131 + turn * 17 + i * 7) % rows for i in range(count)]
                    active.gather(context, table.raw(), Memory("q", chosen, (count,)).owned(), out.raw(), 0, 0, None)
                    expected = [float(row * columns + column) for row in chosen for column in range(columns)]
                    if out.list() != expected:
                        failures.append(f"thread {seed}, turn {turn}, {count} rows")

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Gil(unittest.TestCase):
    """Functions of libc in place of the library's gather: what they do with their first argument, the context, shows who ran."""

    def bind(self, function: str) -> Any:
        address = ctypes.cast(ctypes.CDLL(None)[function], ctypes.c_void_p).value
        if NAME == "abi3":
            from gantry import _abi3, _core  # type: ignore[attr-defined]
            return _core.Binding(dict.fromkeys(_abi3.OPS, address), None, _abi3._read, _abi3._allocate)
        library = Recorder()
        library.gantry_gather = ctypes.CFUNCTYPE(*_flat(_abi.PROTOTYPES["gantry_gather"]))(address)
        return bind(library)

    def gather(self, active: Any, first: int, rows: int, environment: int = 0) -> None:
        memory, indices = bytearray(max(rows, 1)), Memory("q", [0] * rows, (rows,))
        active.gather(first, memory, indices.raw(), memory, 0, environment, None)

    def test_others_run_during_a_long_op_and_during_one_with_an_environment(self) -> None:
        semaphore = ctypes.create_string_buffer(64)
        libc = ctypes.CDLL(None)
        self.assertEqual(libc.sem_init(semaphore, 0, 0), 0)
        active = self.bind("sem_wait")
        environment = ctypes.create_string_buffer(256)
        # Where the GIL is held, nobody can end the wait.
        faulthandler.dump_traceback_later(30, exit=True)
        interval = sys.getswitchinterval()
        try:
            for rows, address in ((1 << 15, 0), (1 << 17, 0), (1, ctypes.addressof(environment))):
                gate = threading.Lock()
                gate.acquire()

                def post() -> None:
                    with gate:
                        libc.sem_post(semaphore)

                other = threading.Thread(target=post)
                other.start()
                # From here on the other thread runs only when this one lets the GIL go.
                sys.setswitchinterval(1000)
                gate.release()
                self.gather(active, ctypes.addressof(semaphore), rows, address)
                sys.setswitchinterval(interval)
                other.join()
        finally:
            sys.setswitchinterval(interval)
            faulthandler.cancel_dump_traceback_later()

    def test_nobody_runs_during_a_short_op_of_the_module_in_c(self) -> None:
        if NAME != "abi3":
            self.skipTest("ctypes releases the GIL for every call")
        active = self.bind("usleep")
        gate, ran = threading.Lock(), []
        gate.acquire()

        def run() -> None:
            with gate:
                ran.append(True)

        other = threading.Thread(target=run)
        interval = sys.getswitchinterval()
        other.start()
        # The other thread waits for the gate, then for the GIL, which nobody asks back for so long.
        sys.setswitchinterval(1000)
        try:
            gate.release()
            self.gather(active, 20_000, 1)
            ran_meanwhile = list(ran)
        finally:
            sys.setswitchinterval(interval)
            other.join()
        self.assertEqual((ran_meanwhile, ran), ([], [True]))


def _flat(prototype: Any) -> Any:
    return [prototype[0], *prototype[1]]


if __name__ == "__main__":
    unittest.main()
