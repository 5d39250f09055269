"""Loads files, each in a process of its own, and says how that ended: one JSON object a line, in and out.

Importing torch takes seconds, so it is imported once, and every file is loaded in a fork of that process; those that want
another environment, or torch later or never, get what they want.
"""
import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback


def load(job):
    for one in job.get("before", []):
        ctypes.CDLL(one["file"], ctypes.RTLD_GLOBAL if one["global"] else ctypes.RTLD_LOCAL)
    if job.get("lazy"):
        sys.setdlopenflags(os.RTLD_LAZY)
    if job["how"] == "import":
        sys.path.insert(0, os.path.dirname(job["path"]))
        module = importlib.import_module(os.path.basename(job["path"]).split(".")[0])
    elif job["how"] == "ops":
        import torch
        module = torch.ops.load_library(job["path"])
    else:
        module = ctypes.CDLL(job["path"])
    if "call" in job:
        import torch
        eval(job["call"], {"m": module, "torch": torch, "path": job["path"]})


def told(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return {"outcome": "raised", "type": type(error).__name__, "text": str(error)}


def forked(job):
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            signal.alarm(60)
            os.chdir(tempfile.gettempdir())
            try:
                load(job)
                answer = {"outcome": "loaded"}
            except BaseException as error:
                answer = told(error)
            print("\nLAB " + json.dumps(answer), flush=True)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        text = output.read()
    answers = [line[4:] for line in text.splitlines() if line.startswith("LAB ")]
    if answers:
        return json.loads(answers[-1])
    return {"outcome": "died", "type": signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}", "text": text[-2000:]}


def elsewhere(job):
    env = dict(os.environ)
    added = job.pop("env")
    env["LD_LIBRARY_PATH"] = ":".join(part for part in (added, env.get("LD_LIBRARY_PATH", "")) if part)
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], input=json.dumps(job), env=env, text=True, capture_output=True)
    return json.loads(done.stdout)["answer"] if done.returncode == 0 else {"outcome": "died", "type": "driver", "text": done.stderr[-2000:]}


def answer(job):
    return elsewhere(job) if "env" in job else forked(job)


jobs = [json.loads(line) for line in sys.stdin.read().splitlines()]
for torch_first in (False, True):
    for job in jobs:
        if job["torchFirst"] != torch_first:
            continue
        if torch_first and "env" not in job and "torch" not in sys.modules:
            import torch
        try:
            result = answer(job)
        except Exception:
            result = {"outcome": "died", "type": "driver", "text": traceback.format_exc()}
        print(json.dumps({"id": job["id"], "answer": result}), flush=True)
