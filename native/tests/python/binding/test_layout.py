"""The structs and constants of gantry._abi and gantry._dlpack against the headers, as a C compiler sees them."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from gantry import _abi, _dlpack

NATIVE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
HEADER = os.path.join(NATIVE, "include", "gantry", "gantry.h")
CC = shutil.which("cc")
DLPACK = {"DLTensor": _dlpack.DLTensor, "DLManagedTensor": _dlpack.DLManagedTensor,
          "DLManagedTensorVersioned": _dlpack.DLManagedTensorVersioned, "DLPackExchangeAPI": _dlpack.ExchangeApi}
# Members that C nests and Python lists flat, or names otherwise.
FLAT = {"device_type": "device.device_type", "device_id": "device.device_id", "major": "version.major", "minor": "version.minor",
        "managed_tensor_from_py_object": "managed_tensor_from_py_object_no_sync",
        "managed_tensor_to_py_object": "managed_tensor_to_py_object_no_sync",
        "dltensor_from_py_object": "dltensor_from_py_object_no_sync", "prev_api": "header.prev_api"}


def member(struct: str, name: str) -> str:
    if struct == "DLPackExchangeAPI" and name in ("major", "minor"):
        return "header.version." + name
    return FLAT.get(name, name) if struct.startswith("DL") else name


@unittest.skipUnless(CC and os.path.isfile(HEADER), "no C compiler (cc), or no gantry.h beside the tests")
class Layout(unittest.TestCase):
    def compiled(self, expressions: list) -> list:
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            source = "\n".join(
                ["#include <stddef.h>", "#include <stdio.h>", '#include "gantry/gantry.h"', '#include "dlpack/dlpack_abi.h"',
                 "int main(void) {", *[f'  printf("%lld\\n", (long long)({one}));' for one in expressions], "  return 0;", "}"])
            subprocess.run([CC, "-std=c11", "-I", os.path.join(NATIVE, "include"), "-I", os.path.join(NATIVE, "src"), "-xc", "-", "-o",
                            program], input=source, text=True, check=True)
            return [int(line) for line in subprocess.run([program], capture_output=True, check=True).stdout.split()]

    def test_structs(self) -> None:
        expressions, expected = [], []
        for name, struct in {**_abi.STRUCTS, **DLPACK}.items():
            expressions.append(f"sizeof({name})")
            expected.append((name, ctypes.sizeof(struct)))
            for field in struct._fields_:
                expressions.append(f"offsetof({name}, {member(name, field[0])})")
                expected.append((f"{name}.{field[0]}", getattr(struct, field[0]).offset))
        self.assertEqual(list(zip([what for what, _ in expected], self.compiled(expressions))), expected)

    def test_every_struct_and_function_of_the_header_is_there(self) -> None:
        with open(HEADER, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(set(re.findall(r"^typedef struct (gantry_\w+) \{", text, re.M)), set(_abi.STRUCTS))
        declared = re.findall(r"^GANTRY_API [^;(]*?(gantry_\w+)\(", text, re.M)
        self.assertEqual(set(declared), set(_abi.PROTOTYPES))
        flat = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
        for name, (_result, arguments) in _abi.PROTOTYPES.items():
            found = re.search(rf"GANTRY_API [^;(]*?\b{name}\((.*?)\);", flat)
            assert found is not None
            listed = re.sub(r"\([^()]*\)", "", re.sub(r"\(\*\w+\)\([^()]*\)", "callback", found.group(1)))
            count = 0 if listed.strip() == "void" else listed.count(",") + 1
            self.assertEqual(len(arguments), count, name)

    def test_constants(self) -> None:
        names = [name for name in dir(_abi) if re.match(
            r"(ABI_MAJOR|ABI_MINOR|ABI_VERSION|OK|AUTO|NEVER|ALWAYS|MAX_DIMENSIONS|TENSOR_READ_ONLY|"
            r"(ERROR|CODE|DEVICE|PURPOSE|BACKEND|BOUNDS|SEGMENT|STREAM)_[A-Z_]+)$", name)]
        self.assertGreater(len(names), 50)
        self.assertEqual(self.compiled([f"GANTRY_{name}" for name in names]), [getattr(_abi, name) for name in names])


if __name__ == "__main__":
    unittest.main()
