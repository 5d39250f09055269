"""Runs a test case once for each flavour that the running torch can have, with the extension in `self.extension`."""

from __future__ import annotations

import unittest
import warnings
from typing import Any, Callable, Dict, Type

warnings.filterwarnings("ignore", message="Failed to initialize NumPy")

import torch
from gantry import torch_ext
from gantry.torch_ext._errors import OLD_TORCH


def both_flavours(namespace: Dict[str, Any]) -> Callable[[Type[unittest.TestCase]], None]:
    """Puts <Name>Classic and <Name>Stable into the module; a flavour that this torch cannot have is skipped with the reason."""

    def decorate(case: Type[unittest.TestCase]) -> None:
        for flavour in torch_ext.FLAVOURS:

            def prepare(cls: Any, flavour: str = flavour) -> None:
                try:
                    cls.extension = torch_ext.load(flavour, build=True)
                except torch_ext.BuildFailed as failure:
                    if failure.reason != OLD_TORCH:
                        raise
                    raise unittest.SkipTest(str(failure)) from None

            name = case.__name__ + flavour.capitalize()
            namespace[name] = type(name, (case,), {"setUpClass": classmethod(prepare), "__module__": case.__module__})

    return decorate


def equal(case: unittest.TestCase, found: torch.Tensor, wanted: torch.Tensor) -> None:
    case.assertEqual((found.dtype, tuple(found.shape), found.device), (wanted.dtype, tuple(wanted.shape), wanted.device))
    case.assertTrue(torch.equal(found, wanted), f"{found} is not {wanted}")
