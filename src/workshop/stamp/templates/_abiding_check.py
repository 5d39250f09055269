"""Compares the ABI stamp of this package's compiled extension with the torch that will be imported, before the extension is loaded.

Written by `abiding stamp`, to be kept with the package. Neither torch nor the extension is loaded for it, and nothing beside the
standard library is imported. Where there is no stamp or no torch, nothing happens: the import says what is wrong.
ABIDING_ALLOW_SKEW=1 makes a warning of the error.
"""

import os
import re
import struct
import sys
import warnings


def check(extension):
    """Raises ImportError when `extension`, a module's full name or a file, was built with another torch than the one that is here."""
    try:
        problem = _problem(os.fspath(extension))
    except (OSError, ImportError, AttributeError, ValueError, LookupError, struct.error):
        return
    if problem is None:
        return
    message, name, path = problem
    if os.environ.get("ABIDING_ALLOW_SKEW") == "1":
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    else:
        raise ImportError(message, name=name, path=path)


def _problem(extension):
    path = extension if os.sep in extension else _origin(extension)
    built = _stamp(path) if path else None
    if not built or "torch.version" not in built:
        return None
    init = getattr(sys.modules.get("torch"), "__file__", None) or _origin("torch")
    if not init:
        return None
    folder = os.path.dirname(init)
    with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
        here = dict(re.findall(r"^(__version__|git_version)\b[^=\n]*=[ \t]*['\"]([^'\"\n]+)['\"]", file.read(), re.M))
    built_version, built_git = built["torch.version"], built.get("torch.git", "")
    version, git = here["__version__"], here.get("git_version", "")
    if built.get("torch.abi") == "stable":
        target = re.match(r"0x([0-9a-f]{2})([0-9a-f]{2})", built.get("torch.target", ""))
        if target is None or tuple(map(int, version.split(".")[:2])) >= (int(target[1], 16), int(target[2], 16)):
            return None
        least = "%d.%d" % (int(target[1], 16), int(target[2], 16))
        reason = "It uses torch's stable ABI of %s, and an older torch does not have all of it. Install torch %s or later." % (least, least)
    else:
        # torch's headers know the release alone; a stamp has the rest where torch's package was beside them.
        release = re.match(r"\d+\.\d+\.\d+", version)
        same_git = not built_git or not git or built_git.startswith(git) or git.startswith(built_git)
        if built_version in (version, release and release[0]) and same_git:
            return None
        reason = (
            "torch's C++ ABI holds for the very torch that an extension was compiled with. "
            "Build it again with the torch that is here (pip install --no-build-isolation --force-reinstall --no-deps . in its folder), or install torch %s."
            % built_version
        )
    message = "%s (%s) was built with torch %s%s, and torch %s%s of %s would load it. %s" % (
        extension, path, built_version, _commit(built_git), version, _commit(git), folder, reason,
    )
    return message, extension, path


def _commit(git):
    return " (git %s)" % git[:12] if git else ""


def _origin(name):
    """The file of a module. Packages around it are not imported for it either, unlike importlib.util.find_spec does."""
    found = _spec(name)
    return found.origin if found is not None and found.has_location else None


def _spec(name):
    around = name.rpartition(".")[0]
    path = None
    if around:
        package = sys.modules.get(around) or _spec(around)
        path = getattr(package, "__path__", None) or getattr(package, "submodule_search_locations", None)
        if path is None:
            return None
    for finder in sys.meta_path:
        found = finder.find_spec(name, path) if hasattr(finder, "find_spec") else None
        if found is not None:
            return found
    return None


def _stamp(path):
    """The note of the owner "Abiding" in a file's note segments: lines of key=value; None without it."""
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:4] != b"\x7fELF":
            return None
        order, wide = "<" if head[5] == 1 else ">", head[4] == 2
        (table,) = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)
        entry, count = struct.unpack_from(order + "HH", head, 54 if wide else 42)
        form, left = order + ("I4xQ16xQ8xQ" if wide else "II8xI8xI"), 4096
        file.seek(table)
        segments = file.read(min(entry * count, 4 << 20))
        for at in range(0, len(segments) - struct.calcsize(form) + 1, entry):
            kind, offset, size, alignment = struct.unpack_from(form, segments, at)
            pad, note = 8 if alignment == 8 else 4, 0
            while kind == 4 and note + 12 <= size and left > 0:  # PT_NOTE
                left -= 1
                file.seek(offset + note)
                name, length, number = struct.unpack(order + "III", file.read(12))
                text = note + -(-(12 + name) // pad) * pad
                if name > 256 or length > 1 << 20 or text + length > size:
                    break
                owner = file.read(name)
                file.seek(offset + text)
                data = file.read(length)
                if len(data) < length:
                    break
                if owner.split(b"\0")[0] == b"Abiding" and number == 1:
                    return _keys(data[: 64 << 10].split(b"\0")[0].decode("utf-8", "replace"))
                note = -(-(text + length) // pad) * pad
    return None


def _keys(text):
    keys = {}
    for line in re.split("\r?\n", text):
        found = re.fullmatch(r"[ \t]*([A-Za-z][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*?)[ \t]*", line, re.DOTALL)
        if found is not None and len(keys) < 256:
            keys.setdefault(found[1], found[2])
    return keys
