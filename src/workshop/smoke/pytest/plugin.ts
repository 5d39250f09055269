/** The name under which pytest imports it. */
export const pluginModule = "abiding_pytest";

/**
 * A plugin for pytest 6 and newer (Python 3.8 and newer) that writes what happens as lines of JSON into the file that
 * ABIDING_PYTEST_REPORT names, and a mark into both standard streams where a test begins and ends, so that what was printed
 * in between, up to a crash, is known to be that test's. It needs nothing but pytest and writes nowhere else.
 * Hooks: https://docs.pytest.org/en/stable/reference/reference.html#hooks
 */
export const pluginSource = String.raw`"""Tells Abiding what pytest does. Written for one run and removed after it."""
import json
import os
import sys

import pytest

_report = open(os.environ["ABIDING_PYTEST_REPORT"], "a", encoding="utf-8")
_mark = os.environ["ABIDING_PYTEST_MARK"]
_pid = os.getpid()
_streams = []
_compared = None
_open_test = None


def _write(event, **values):
    # A test that forks would have its child report for it.
    if os.getpid() != _pid:
        return
    values["event"] = event
    _report.write(json.dumps(values, default=str) + "\n")
    _report.flush()


def _tell(what):
    if os.getpid() != _pid:
        return
    for own, stream in zip(_streams, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except Exception:
            pass
        try:
            os.write(own, (_mark + what + "\n").encode())
        except OSError:
            pass


def _place(item):
    path = getattr(item, "path", None) or getattr(item, "fspath", "")
    return str(path), item.nodeid.split("::", 1)[1] if "::" in item.nodeid else ""


def _short(value, limit=4000):
    try:
        text = repr(value)
    except Exception as error:
        text = "<{} whose repr() raised {}>".format(type(value).__name__, type(error).__name__)
    return text if len(text) <= limit else text[: limit // 2] + " ... " + text[-limit // 2 :]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    # One test at a time, in this process: a crash is then known to be that test's. It undoes "-n" of pytest-xdist.
    for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
        if hasattr(config.option, name):
            setattr(config.option, name, value)


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    _streams[:] = [os.dup(1), os.dup(2)]
    _write("python", executable=sys.executable)
    # The letters that pytest prints would stand in the output of the tests.
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter.showfspath = False


@pytest.hookimpl(hookwrapper=True)
def pytest_report_teststatus(report):
    outcome = yield
    category, letter, word = outcome.get_result()
    outcome.force_result((category, "", ""))


@pytest.hookimpl(tryfirst=True)
def pytest_collectstart(collector):
    if isinstance(collector, pytest.Module):
        _write("collecting", file=str(getattr(collector, "path", None) or collector.fspath))


def pytest_collectreport(report):
    if report.failed:
        _write("collect-failed", node=report.nodeid, text=str(report.longrepr))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    wanted = _wanted()
    if wanted is not None:
        kept, others = [], []
        for item in items:
            file, name = _place(item)
            known = wanted.get(file, ())
            chosen = (name in known or name.split("[", 1)[0] in known or "" in known) and "!" + name not in known
            (kept if chosen else others).append(item)
        if others:
            config.hook.pytest_deselected(items=others)
        items[:] = kept
    for item in items:
        file, name = _place(item)
        _write("found", file=file, name=name, line=item.location[1], markers=sorted({mark.name for mark in item.iter_markers()}))
    _write("collected", count=len(items))


def _wanted():
    path = os.environ.get("ABIDING_PYTEST_WANTED")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return {name: set(tests) for name, tests in json.load(file).items()}


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    global _compared, _open_test
    file, name = _place(item)
    _compared = None
    _open_test = (file, name)
    _write("start", file=file, name=name)
    _tell("start")
    yield
    _open_test = None
    _write("end", file=file, name=name)
    _tell("end")


def pytest_assertrepr_compare(config, op, left, right):
    global _compared
    if op == "==":
        _compared = (_short(left), _short(right))


def pytest_runtest_logreport(report):
    if _open_test is None:
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    reason = None
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2])
    file, name = _open_test
    _write(
        "report",
        file=file,
        name=name,
        when=report.when,
        outcome=report.outcome,
        seconds=report.duration,
        reason=reason,
        xfail=getattr(report, "wasxfail", None),
        crash=None if crash is None else {"path": str(crash.path), "line": crash.lineno, "message": str(crash.message)[:20000]},
        text=str(report.longrepr)[:60000] if report.failed else None,
        log="".join(text for title, text in report.sections if title.startswith("Captured log"))[:20000],
        actual=_compared[0] if _compared and report.failed else None,
        expected=_compared[1] if _compared and report.failed else None,
    )


def _imported():
    """torch and the extension modules outside the standard library, in the order in which they were imported."""
    found = []
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if name == "torch":
            found.append({"name": name, "file": path})
        elif isinstance(path, str) and path.endswith((".so", ".pyd")) and "lib-dynload" not in path:
            top = name.split(".", 1)[0]
            if not (top == "torch" and name != "torch._C"):
                found.append({"name": name, "file": path})
    return found[:200]


def pytest_sessionfinish(session, exitstatus):
    _write("finish", status=int(exitstatus), imported=_imported())
`;
