"""Puts the ABI stamp into extensions that setuptools builds: with what each was compiled, in a note that is read without loading it.

Written by `abiding stamp`, to be kept with the project. One line of setup.py, anywhere before setup() is called, names extensions
(none: all):

    __import__("runpy").run_path(str(__import__("pathlib").Path(__file__).with_name("_abiding_stamp.py")))["stamp"]("package._C")

When such an extension is built, it gets abiding_stamp.cpp, which lies beside this file, as one more source: it is compiled with the
extension's own flags and include path, so that what only the compiler knows comes from that very build. Nothing but setuptools is
imported. Python 3.8 and later.
"""

import functools
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_C = (".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".mm", ".hip", ".sycl")


def stamp(*names):
    """Has setuptools stamp the extensions of these names when it builds them; without a name, all that it builds."""
    from setuptools.command.build_ext import build_ext

    run, build_extension, wanted = build_ext.run, build_ext.build_extension, set(names)

    def takes(extension):
        return not wanted or extension.name in wanted or getattr(extension, "_full_name", None) in wanted

    @functools.wraps(run)
    def stamped_run(self):
        for extension in self.extensions or ():
            if takes(extension):
                _add(self, extension)
        missing = wanted - {name for one in self.extensions or () for name in (one.name, getattr(one, "_full_name", None))}
        for name in sorted(missing):
            self.warn("the ABI stamp is asked for %s, and no extension of that name is built here" % name)
        return run(self)

    @functools.wraps(build_extension)
    def stamped_build_extension(self, ext, *rest, **more):
        # A command may build extensions that it did not have when it began.
        if takes(ext):
            _add(self, ext)
        return build_extension(self, ext, *rest, **more)

    build_ext.run, build_ext.build_extension = stamped_run, stamped_build_extension


def _add(command, extension):
    if getattr(extension, "_abiding_stamp", False) or not extension.sources:
        return
    extension._abiding_stamp = True
    folder = os.path.join(command.build_temp, "abiding_stamp", re.sub(r"[^\w.-]", "_", extension.name))
    is_c = extension.language != "c++" and not any(os.fspath(one).endswith(NOT_C) for one in extension.sources)
    source = os.path.join(folder, "abiding_stamp.c" if is_c else "abiding_stamp.cpp")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(HERE, "abiding_stamp.cpp"), encoding="utf-8") as file:
        _write(source, file.read())
    # A quoted #include is looked for beside the file first: the include path stays as it is.
    _write(os.path.join(folder, "abiding_stamp_values.h"), _values(command, extension))
    extension.sources = [*extension.sources, source]


def _write(path, text):
    """Only what differs is written: nothing is compiled anew for nothing."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _values(command, extension):
    texts = [_text(one) for one in extension.sources]
    folders = [os.fspath(one) for one in [*extension.include_dirs, *(command.include_dirs or ())]]
    version = command.distribution.get_version()
    lines = ["name=" + extension.name]
    if version and version != "0.0.0":
        lines.append("version=" + version)
    lines.append("git=" + _git())
    if any(os.fspath(one).endswith(".cu") for one in extension.sources):
        lines += _cuda(extension, folders)
    definitions = [
        "#define ABIDING_STAMP_FUNCTION abiding_stamp_" + re.sub(r"\W", "_", extension.name, flags=re.ASCII),
        "#define ABIDING_STAMP_LINES " + " ".join('"%s\\n"' % _escaped(line) for line in lines),
        "#define ABIDING_STAMP_PYTHON 1",
    ]
    if any(re.search(r"PYBIND11_MODULE|[<\"]pybind11/|[<\"]torch/(?:extension|python)\.h", text) for text in texts):
        definitions.append("#define ABIDING_STAMP_PYBIND11 1")
    return "\n".join(definitions + _torch(folders)) + "\n"


def _escaped(line):
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4 << 20)
    except OSError:
        return ""


def _torch(folders):
    """torch.__version__, git and CUDA from what lies beside the headers that the extension is compiled with."""
    for folder in folders:
        if not os.path.isdir(os.path.join(folder, "ATen")):
            continue
        above = os.path.dirname(os.path.abspath(folder))
        found = dict(re.findall(r"^(__version__|git_version|cuda)\b[^=\n]*=[ \t]*['\"]([^'\"\n]+)['\"]", _text(os.path.join(above, "version.py")), re.M))
        if not found:
            found = {"__version__": _text(os.path.join(above, "build-version")).strip(), "git_version": _text(os.path.join(above, "build-hash")).strip()}
        definitions = ["#define ABIDING_STAMP_TORCH 1"]
        version = re.match(r"(\d+)\.(\d+)\.(\d+)(.*)", found.get("__version__", ""))
        if version is not None:
            # The compiler refuses when the headers that it finds first are of another torch.
            definitions.append("#define ABIDING_STAMP_TORCH_PACKAGE %s * 1000000 + %s * 1000 + %s" % version.groups()[:3])
            definitions.append('#define ABIDING_STAMP_TORCH_LOCAL "%s"' % _escaped(version[4]))
        for key, name in (("git_version", "GIT"), ("cuda", "CUDA")):
            if re.fullmatch(r"[\w.+-]+", found.get(key, "")):
                definitions.append('#define ABIDING_STAMP_TORCH_%s "%s"' % (name, found[key]))
        return definitions
    return []


def _cuda(extension, folders):
    """The toolkit whose headers are found first, the runtime that is linked, and the architectures that are asked for by name."""
    lines = []
    for folder in folders:
        version = re.search(r"^#define[ \t]+CUDA_VERSION[ \t]+(\d+)", _text(os.path.join(folder, "cuda.h")), re.M)
        if version is not None:
            lines.append("cuda.toolkit=%d.%d" % (int(version[1]) // 1000, int(version[1]) % 1000 // 10))
            break
    given = extension.extra_compile_args
    flags = " ".join(map(str, given.get("nvcc", []) if isinstance(given, dict) else given))
    codes = re.findall(r"\b(sm|compute)_(\d+[af]?)", " ".join(re.findall(r"\bcode=(\S+)", flags)))
    if not codes:
        # torch's BuildExtension makes flags of this variable where the extension gives none.
        asked = [re.fullmatch(r"(\d+)\.(\d[af]?)(\+PTX)?", one) for one in os.environ.get("TORCH_CUDA_ARCH_LIST", "").replace(";", " ").split()]
        if None not in asked:
            codes = [(kind, one[1] + one[2]) for one in asked for kind in (("sm", "compute") if one[3] else ("sm",))]
    real, virtual = ([number for kind, number in codes if kind == wanted] for wanted in ("sm", "compute"))
    if codes:
        archs = [one + ("+ptx" if one in virtual else "") for one in real] + ["ptx" + one for one in virtual if one not in real]
        lines.append("cuda.archs=" + ",".join(dict.fromkeys(archs)))
    libraries = extension.libraries
    lines.append("cudart=" + ("static" if "cudart_static" in libraries else "shared" if "cudart" in libraries else "none"))
    return lines


def _git():
    """The commit, "-dirty" when a file differs; "unknown" without git and where setup.py is not tracked."""
    git = shutil.which("git")
    if git is None:
        return "unknown"

    def ask(*arguments):
        command = [git, "--no-optional-locks", "-C", HERE, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None

    if ask("ls-files", "--error-unmatch", "setup.py") is None:
        return "unknown"
    commit = ask("rev-parse", "--verify", "HEAD")
    if commit is None:
        return "unknown"
    return commit + ("-dirty" if ask("status", "--porcelain", "--untracked-files=no", "--", ".") else "")
