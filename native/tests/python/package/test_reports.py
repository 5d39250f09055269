"""doctor and smoke: what they find, their exit codes, their JSON."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, List, Tuple
from unittest import mock

import gantry
from gantry.doctor import __main__ as doctor_main
from gantry.doctor import library as library_checks
from gantry.doctor import system, torch_probe
from gantry.doctor.report import Check, Report
from gantry.smoke import __main__ as smoke_main
from gantry.smoke import registry, runner
from schema_check import problems
from support import ROOT, child

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(gantry.__file__)), "schema")


def schema(name: str) -> Any:
    with open(os.path.join(SCHEMAS, name), encoding="utf-8") as file:
        return json.load(file)


def printed(main: Any, *arguments: str) -> Tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    return code, out.getvalue(), err.getvalue()


def with_status(*statuses: str) -> Report:
    return Report("1", [Check(f"c{i}", f"Check {i}", status, "text", "remedy" if i else "") for i, status in enumerate(statuses)])


class Schemas(unittest.TestCase):
    def test_the_validator_finds_what_is_wrong(self) -> None:
        wanted = schema("doctor.schema.json")
        good = with_status("ok").to_dict()
        self.assertEqual(problems(good, wanted), [])
        for change, text in (
            ({"status": "fine"}, "$.status is 'fine'"), ({"schema": 2}, "$.schema is 2"), ({"more": 1}, "$ has the member more"),
            ({"exit_code": True}, ""), ({"checks": []}, "fewer than 1"), ({"version": 1}, "$.version is 1, no string"),
        ):  # fmt: skip
            found = problems({**good, **change}, wanted)
            self.assertTrue(text in " ".join(found) and (found or not text), (change, found))
        without = {key: value for key, value in good.items() if key != "tool"}
        self.assertEqual(problems(without, wanted), ["$ has no tool"])

    def test_jsonschema_agrees(self) -> None:
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        for name in sorted(os.listdir(SCHEMAS)):
            jsonschema.Draft202012Validator.check_schema(schema(name))


class Doctor(unittest.TestCase):
    def test_the_worst_check_is_the_result(self) -> None:
        for statuses, status, code in (
            (("ok", "skip"), "ok", 0), (("ok", "warn", "skip"), "warn", 1), (("warn", "fail", "ok"), "fail", 2), (("skip",), "ok", 0),
        ):  # fmt: skip
            report = with_status(*statuses)
            self.assertEqual((report.status, report.exit_code), (status, code))
        with self.assertRaises(KeyError):
            report["nothing"]
        self.assertEqual(
            with_status("ok", "fail").to_text(),
            "ok    Check 0: text\nfail  Check 1: text\n      -> remedy\n2 checks: 1 ok, 0 warn, 1 fail, 0 skip",
        )

    def test_a_healthy_build_has_no_failure(self) -> None:
        code, out, _ = printed(doctor_main.main, "--json")
        found = json.loads(out)
        self.assertEqual(problems(found, schema("doctor.schema.json")), [])
        self.assertEqual(code, found["exit_code"])
        self.assertEqual([check for check in found["checks"] if check["status"] == "fail"], [])
        self.assertEqual(
            [check["id"] for check in found["checks"]],
            ["library", "stamp", "binding", "context", "compute", "cuda", "driver", "python", "torch", "torch.extensions", "compiler",
             "nvcc", "cpus", "thp", "memlock", "shm.size", "shm.leftovers"],
        )  # fmt: skip
        status = {check["id"]: check["status"] for check in found["checks"]}
        self.assertEqual([status[name] for name in ("library", "stamp", "context", "compute", "python")], ["ok"] * 5)
        self.assertIn("gather of 1000 rows of 33", {check["id"]: check["text"] for check in found["checks"]}["compute"])

    def test_the_module_is_a_function(self) -> None:
        report = gantry.doctor()  # type: ignore[operator]
        self.assertEqual(report["binding"].data["name"], gantry.binding())
        self.assertIn("checks:", printed(doctor_main.main)[1])

    def test_torch_is_not_imported(self) -> None:
        done = child("import sys, gantry\ngantry.doctor()\nprint('torch' in sys.modules, 'numpy' in sys.modules)")
        self.assertEqual((done.returncode, done.stdout), (0, "False False\n"), done.stderr)

    def test_a_missing_library_fails_and_the_rest_is_still_checked(self) -> None:
        done = child("import sys\nfrom gantry.doctor.__main__ import main\nsys.exit(main(['--json']))", GANTRY_LIBRARY="/no/such.so")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["status"]), (2, "fail"))
        self.assertEqual(problems(found, schema("doctor.schema.json")), [])
        checks = {check["id"]: check for check in found["checks"]}
        self.assertIn("/no/such.so", checks["library"]["text"])
        self.assertIn("GANTRY_LIBRARY", checks["library"]["remedy"])
        self.assertEqual([checks[name]["status"] for name in ("stamp", "compute", "shm.leftovers")], ["skip"] * 3)
        self.assertEqual(checks["python"]["status"], "ok")

    def test_a_library_that_computes_wrongly_fails(self) -> None:
        with mock.patch.object(gantry, "gather", lambda table, indices: gantry.zeros((1000, 33))):
            check = library_checks.compute()
        self.assertEqual((check.status, "the rows differ" in check.text), ("fail", True))

    def test_a_binding_that_does_not_exist_is_named_by_every_check_that_needs_one(self) -> None:
        done = child("import sys\nfrom gantry.doctor.__main__ import main\nsys.exit(main(['--json']))", GANTRY_BINDING="foo")
        checks = {check["id"]: check for check in json.loads(done.stdout)["checks"]}
        for name in ("binding", "compute"):
            self.assertEqual((checks[name]["status"], "GANTRY_BINDING=foo" in checks[name]["text"]), ("fail", True), name)
            self.assertEqual(checks[name]["remedy"], "Unset GANTRY_BINDING, or install the package anew.")

    def test_a_check_that_fails_itself_is_a_finding(self) -> None:
        with mock.patch.object(system, "nvcc", side_effect=OSError("no such thing")):
            check = gantry.doctor()["nvcc"]  # type: ignore[operator]
        self.assertEqual((check.status, check.text), ("fail", "the check itself failed: OSError: no such thing"))

    def test_a_replaced_library_is_noticed(self) -> None:
        from gantry import stamp

        with mock.patch.object(stamp, "read", return_value={"build.id": "other"}):
            check = library_checks.stamp()
        self.assertEqual((check.status, "the file was replaced" in check.text), ("fail", True))
        with mock.patch.object(stamp, "read", side_effect=ValueError("cut off")):
            self.assertEqual(library_checks.stamp().status, "fail")

    def test_a_module_of_another_build_is_noticed(self) -> None:
        try:
            from gantry import _core
        except ImportError:
            self.skipTest("there is no compiled module")
        from gantry import stamp

        own = stamp.read(_core.__file__)
        self.assertEqual((own or {}).get("build.id"), dict(stamp.parse(gantry.build_info().encode()))["build.id"])
        with mock.patch.object(stamp, "read", return_value={**(own or {}), "build.id": "0" * 16}):
            check = library_checks.binding()
        self.assertEqual((check.status, "0000000000000000" in check.text), ("warn", True))

    def test_variables_that_are_not_in_force_are_a_warning(self) -> None:
        script = "import gantry\ncheck = gantry.doctor()['context']\nprint(check.status, check.text)"
        for name, value in (("GANTRY_NUM_THREADS", "many"), ("GANTRY_NUM_THREADS", "1000"), ("GANTRY_ISA", "avx2")):
            done = child(script, **{name: value})
            self.assertEqual(done.stdout.split()[0], "warn", done.stdout + done.stderr)
            self.assertIn(f"not in force as it stands: {name}={value}", done.stdout)
        done = child(script, GANTRY_NUM_THREADS="2")
        self.assertEqual(done.stdout.split()[0], "ok", done.stdout + done.stderr)
        self.assertIn("2 threads", done.stdout)

    def test_a_binding_that_cannot_be_had(self) -> None:
        done = child("import gantry\nprint(gantry.doctor()['binding'].status)", GANTRY_BINDING="swig")
        self.assertEqual((done.stdout, done.returncode), ("fail\n", 0), done.stderr)

    def test_an_unusable_gpu_is_a_warning_only_where_there_is_one(self) -> None:
        seen = gantry.Backend("cuda", False, "GANTRY_REASON_DRIVER_ABSENT", 4, "There is no driver. Install one.", 0, 13000, 0, 0, [], "")
        for present, status in ((True, "warn"), (False, "skip")):
            with mock.patch.object(library_checks, "gpu_is_present", return_value=present), mock.patch(
                "gantry.context.Context.backend", return_value=seen
            ):
                check = library_checks.cuda()
                self.assertEqual((check.status, check.text, check.remedy), (status, "There is no driver (DRIVER_ABSENT)", "Install one."))
                self.assertEqual(library_checks.driver().status, status)
        wrong = seen._replace(reason="GANTRY_REASON_PLUGIN_FOREIGN")
        with mock.patch("gantry.context.Context.backend", return_value=wrong):
            self.assertEqual(library_checks.cuda().status, "warn")


class Machine(unittest.TestCase):
    def test_amounts(self) -> None:
        for count, text in ((0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (64 << 20, "64 MiB"), (3 << 40, "3.0 TiB")):
            self.assertEqual(system.amount(count), text)

    def test_small_shared_memory_is_a_warning(self) -> None:
        small = os.statvfs_result((4096, 4096, 16384, 16384, 16384, 0, 0, 0, 0, 255))
        with mock.patch("os.statvfs", return_value=small):
            check = system.shared_memory()
        self.assertEqual((check.status, check.data["bytes"]), ("warn", 64 << 20))
        self.assertIn("64 MiB", check.text)
        with mock.patch("os.statvfs", side_effect=FileNotFoundError(2, "No such file or directory")):
            self.assertEqual(system.shared_memory().status, "warn")

    def test_huge_pages(self) -> None:
        for text, status in (("always [madvise] never", "ok"), ("always madvise [never]", "warn"), (None, "skip")):
            with mock.patch.object(system, "_read", return_value=text):
                self.assertEqual(system.huge_pages().status, status)

    def test_a_quota_below_the_threads_is_a_warning(self) -> None:
        files = {"/proc/self/cgroup": "0::/box\n", "/sys/fs/cgroup/box/cpu.max": "150000 100000\n"}
        with mock.patch.object(system, "_read", side_effect=files.get):
            self.assertEqual(system._quota(), 1.5)
            with mock.patch("os.sched_getaffinity", return_value=set(range(8))):
                self.assertEqual([system.cpus(count).status for count in (1, 2, 3, None)], ["ok", "ok", "warn", "ok"])
        files = {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "400000", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"}
        with mock.patch.object(system, "_read", side_effect=files.get):
            self.assertEqual(system._quota(), 4.0)
        with mock.patch.object(system, "_read", side_effect={"/sys/fs/cgroup/cpu.max": "max 100000"}.get):
            self.assertIsNone(system._quota())

    def test_compilers(self) -> None:
        with mock.patch.dict(os.environ, {"CXX": "/no/such/compiler"}):
            self.assertEqual(system.compiler().status, "warn")
        with mock.patch("shutil.which", return_value=None), mock.patch.dict(os.environ):
            os.environ.pop("CXX", None)
            self.assertEqual((system.compiler().status, system.nvcc().status), ("skip", "skip"))
        with mock.patch("shutil.which", return_value="/bin/false"):
            self.assertEqual((system.compiler().status, system.nvcc().status), ("warn", "warn"))


class Torch(unittest.TestCase):
    def check(self, version: str, library: bytes, **options: Any) -> Check:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "lib"))
            with open(os.path.join(folder, "version.py"), "w", encoding="utf-8") as file:
                file.write(version)
            with open(os.path.join(folder, "lib", "libc10.so"), "wb") as binary:
                binary.write(library)
            with mock.patch.object(torch_probe, "folder", return_value=folder):
                return torch_probe.check(options.get("import_torch", False))

    VERSION = "from typing import Optional\n__version__ = '2.9.0+cu128'\ncuda: Optional[str] = '12.8'\ngit_version = 'abc'\nraise SystemExit"

    def test_version_and_abi_are_read_from_files(self) -> None:
        for library, abi in ((b"..._ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcE", True), (b"_ZNSsC1Ev", False), (b"-", None)):
            check = self.check(self.VERSION, library)
            self.assertEqual((check.status, check.data["version"], check.data["cuda"], check.data["git"]), ("ok", "2.9.0+cu128", "12.8", "abc"))
            self.assertIs(check.data["cxx11_abi"], abi)

    def test_files_that_cannot_be_read(self) -> None:
        self.assertEqual(self.check("version = 2", b"-").status, "warn")
        self.assertEqual(self.check("def (", b"-").status, "warn")

    def test_torch_is_imported_only_when_asked_for(self) -> None:
        seen = {"version": "2.9.0+cu128", "cxx11_abi": True, "devices": [], "cuda_available": False}
        with mock.patch.object(torch_probe, "_ask_child", return_value=seen):
            self.assertEqual(self.check(self.VERSION, b"NSt7__cxx1112basic_string", import_torch=True).status, "ok")
            check = self.check(self.VERSION.replace("2.9.0", "2.8.0"), b"-", import_torch=True)
            self.assertEqual((check.status, "two installations" in check.text), ("warn", True))
        with mock.patch.object(torch_probe, "_ask_child", side_effect=RuntimeError("importing torch ended the process by signal 6")):
            check = self.check(self.VERSION, b"-", import_torch=True)
            self.assertEqual((check.status, "signal 6" in check.text), ("warn", True))

    def test_no_torch(self) -> None:
        with mock.patch.object(torch_probe, "folder", return_value=None):
            self.assertEqual(torch_probe.check(True).status, "skip")


class Smoke(unittest.TestCase):
    def run_tests(self, *tests: registry.Test, only: Any = ()) -> runner.Report:
        with mock.patch.dict(runner.TESTS, {test.id: test for test in tests}, clear=True):
            return runner.run(only)

    def test_outcomes(self) -> None:
        def fails() -> str:
            registry.equal(2, 3, "the sum")
            return ""

        def breaks() -> str:
            raise KeyError("lost")

        report = self.run_tests(
            registry.Test("S01", "good", registry.HERE, lambda: "fine"), registry.Test("S02", "bad", registry.HERE, fails),
            registry.Test("S03", "broken", registry.HERE, breaks),
            registry.Test("S04", "absent", registry.HERE, lambda: registry.skip("no compiler")),
        )  # fmt: skip
        self.assertEqual(
            [(result.status, result.text) for result in report.results],
            [("pass", "fine"), ("fail", "the sum: found 2, wanted 3"), ("fail", "KeyError: 'lost'"), ("skip", "no compiler")],
        )
        self.assertEqual((report.exit_code, report.counts()), (1, {"pass": 1, "fail": 2, "skip": 1}))
        self.assertEqual(problems(report.to_dict(), schema("smoke.schema.json")), [])
        self.assertIn("4 tests in", report.to_text())
        self.assertIn("1 passed, 2 failed, 1 skipped", report.to_text())
        with self.assertRaises(ValueError):
            registry.test("S07", "twice")(lambda: "")

    def test_a_child_that_dies_fails_what_it_had_not_done(self) -> None:
        done = mock.Mock(stdout='{"id": "S25", "name": "a", "status": "pass", "milliseconds": 1, "text": "x"}\n', returncode=-11, stderr="")
        with mock.patch.object(runner.subprocess, "run", return_value=done):
            found = runner._in_child([registry.Test(name, name, registry.TORCH, str) for name in ("S25", "S26")], False)
        self.assertEqual([result.status for result in found], ["pass", "fail"])
        self.assertIn("signal 11", found[1].text)

    def test_without_a_gpu_its_tests_are_skipped_with_the_reason(self) -> None:
        report = runner.run(["S40", "S46"])
        if gantry.backend().available:
            self.skipTest("there is a GPU")
        self.assertEqual([result.status for result in report.results], ["skip", "skip"])
        self.assertIn(gantry.backend().reason.replace("GANTRY_REASON_", ""), report["S40"].text)

    def test_the_command_line(self) -> None:
        code, out, _ = printed(smoke_main.main, "--list")
        self.assertEqual((code, out.splitlines()[6]), (0, "S07  gather of known values"))
        self.assertEqual(json.loads(printed(smoke_main.main, "--list", "--json")[1])[0]["id"], "S01")
        code, out, _ = printed(smoke_main.main, "--json", "--only", "s07,S09", "--only", "S11")
        found = json.loads(out)
        self.assertEqual((code, [test["id"] for test in found["tests"]]), (0, ["S07", "S09", "S11"]))
        self.assertEqual(problems(found, schema("smoke.schema.json")), [])
        code, out, err = printed(smoke_main.main, "--only", "S99")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("there is no smoke test S99", err)

    def test_wrong_results_are_found(self) -> None:
        wrong: List[str] = []
        real = gantry.gather

        def off_by_one(table: Any, indices: Any, *rest: Any, **options: Any) -> Any:
            out = real(table, indices, *rest, **options)
            view = memoryview(out.buffer()).cast("B") if isinstance(out, gantry.Array) and out.nbytes and out.dtype.format else None
            if view is not None:
                view[-1] ^= 1
            return out

        with mock.patch.object(gantry, "gather", off_by_one):
            for identity in ("S07", "S09", "S24"):
                if runner.run([identity]).exit_code == 0:
                    wrong.append(identity)
        self.assertEqual(wrong, [])

    def test_all_tests_of_this_machine_pass(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            here = [test.id for test in runner.TESTS.values() if test.place == registry.HERE]
            with mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": cache}):
                report = runner.run(here)
        self.assertEqual([(result.id, result.text) for result in report.results if result.status == "fail"], [])
        self.assertGreaterEqual(report.counts()["pass"], 20)
        self.assertEqual(report.binding, gantry.binding())

    def test_modules_run(self) -> None:
        for module, argument in (("gantry.smoke", "--list"), ("gantry.doctor", "--help")):
            done = subprocess.run(
                [sys.executable, "-m", module, argument], env={**os.environ, "PYTHONPATH": ROOT}, stdout=subprocess.PIPE, timeout=60, check=False
            )
            self.assertEqual((done.returncode, len(done.stdout) > 100), (0, True))


if __name__ == "__main__":
    unittest.main()
