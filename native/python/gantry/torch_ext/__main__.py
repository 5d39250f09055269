"""python -m gantry.torch_ext build|check|list|clean"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from typing import Any, Dict, List

from gantry import torch_ext
from gantry.errors import Error

from . import _builder, _cache, _probe, _torch
from ._cache import Entry
from ._errors import TorchExtensionError

OK, FAILED = 0, 1


def _flavours(named: str) -> List[str]:
    return list(torch_ext.FLAVOURS) if named == "both" else [named]


def _describe(entry: Entry) -> Dict[str, Any]:
    record = entry.record
    torch = record["ingredients"].get("torch", {})
    return {
        "flavour": entry.flavour, "key": entry.key, "path": entry.path, "log": entry.log, "namespace": record.get("namespace"),
        "torch": torch.get("version"), "python": torch.get("python"), "built": record.get("time"),
        "size": record["size"], **{name: record.get(name) for name in ("seconds", "cpu_seconds", "peak_rss_kib")},
    }


def _build(flavour: str, arguments: argparse.Namespace) -> Dict[str, Any]:
    entry, compiled = torch_ext.build(flavour, force=arguments.force, timeout=arguments.timeout)
    found = _describe(entry)
    verb = f"compiled in {found['seconds']:.1f} s" if compiled else "was there"
    return {"status": "ok", "compiled": compiled, **found, "text": f"{flavour}: {verb}, for torch {found['torch']}: {entry.path}"}


def _check(flavour: str, arguments: argparse.Namespace) -> Dict[str, Any]:
    entry, findings = torch_ext.check(flavour)
    if entry is None:
        text = f"{flavour}: {torch_ext.missing(flavour)}"
        return {"status": "absent", "flavour": flavour, "text": text}
    found = {"findings": [finding._asdict() for finding in findings], **_describe(entry)}
    if findings:
        text = "\n".join(f"{flavour}: {entry.path}: {finding.message} {finding.remedy}" for finding in findings)
        return {"status": "refused", "text": text, **found}
    outcome = _probe.ensure(entry, _torch.running())
    return {"status": "ok", "text": f"{flavour}: {entry.path} loads in a child process", "trial": outcome, **found}


def _failed(error: Error) -> Dict[str, Any]:
    more = error.as_dict() if isinstance(error, TorchExtensionError) else {"reason": error.name, "text": str(error)}
    return {"status": "failed", **more}


def _each(work: Any, arguments: argparse.Namespace) -> List[Dict[str, Any]]:
    results = []
    for flavour in _flavours(arguments.flavour):
        try:
            results.append(work(flavour, arguments))
        except Error as error:
            results.append({"flavour": flavour, **_failed(error)})
    return results


def _list(_: argparse.Namespace) -> List[Dict[str, Any]]:
    results = []
    for entry in torch_ext.builds():
        found = _describe(entry)
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(float(found["built"] or 0)))
        damage = entry.damage()
        text = f"{found['flavour']:8} torch {found['torch']}  {found['python']}  {when}  {entry.path}"
        results.append({"status": "ok" if damage is None else "damaged", **found, "damage": damage,
                        "text": text if damage is None else f"{text}  (damaged: {damage})"})
    return results


def _clean(arguments: argparse.Namespace) -> List[Dict[str, Any]]:
    return [{"status": "ok", "text": f"removed {name}", "name": name}
            for name in torch_ext.clean(keep_current=arguments.keep_current)]


def _end(number: int, _frame: Any) -> None:
    # As an exception, so that the compiler's process group and the half-made folder go away with this process.
    sys.exit(128 + number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gantry.torch_ext", description=f"Torch extensions in {_cache.root()}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (("build", "compile for the torch of this Python"), ("check", "tell whether the build may be loaded"),
                        ("list", "what the cache has"), ("clean", "empty the cache")):
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("--json", action="store_true", help="one JSON object on standard output")
        if name in ("build", "check"):
            command.add_argument("--flavour", choices=(*torch_ext.FLAVOURS, "both"), default="stable")
        if name == "build":
            command.add_argument("--force", action="store_true", help="compile even when the cache has it")
            command.add_argument("--timeout", type=float, default=_builder.DEFAULT_TIMEOUT, help="seconds for the compiler")
        if name == "clean":
            command.add_argument("--keep-current", action="store_true", help="keep the builds for the torch of this Python")
    return parser


def main(given: List[str]) -> int:
    arguments = _parser().parse_args(given)
    signal.signal(signal.SIGTERM, _end)
    commands = {"build": lambda a: _each(_build, a), "check": lambda a: _each(_check, a), "list": _list, "clean": _clean}
    try:
        results = commands[arguments.command](arguments)
    except Error as error:
        results = [_failed(error)]
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        print(json.dumps({"schema": 1, "command": arguments.command, "cache": _cache.root(), "results": results}, indent=1))
    else:
        for result in results:
            print(result["text"], file=sys.stdout if result["status"] == "ok" else sys.stderr)
        if not results:
            print(f"{_cache.root()} is empty")
    return OK if all(result["status"] == "ok" for result in results) else FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
