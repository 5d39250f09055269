"""A validator for the part of JSON Schema that this package's schemas use; a keyword that it does not know is an error."""

from __future__ import annotations

import re
from typing import Any, Dict, List

_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
_SILENT = {"$schema", "title", "description"}


def problems(value: Any, schema: Dict[str, Any], place: str = "$") -> List[str]:
    """What in a value the schema does not allow."""
    found: List[str] = []
    for keyword, wanted in schema.items():
        if keyword in _SILENT:
            continue
        check = _KEYWORDS.get(keyword)
        if check is None:
            raise ValueError(f"the validator does not know {keyword}")
        found += check(value, wanted, schema, place)
    return found


def _type(value: Any, wanted: Any, _: Any, place: str) -> List[str]:
    right = isinstance(value, _TYPES[wanted]) and not (isinstance(value, bool) and wanted in ("integer", "number"))
    return [] if right else [f"{place} is {value!r}, no {wanted}"]


def _required(value: Any, wanted: Any, _: Any, place: str) -> List[str]:
    return [f"{place} has no {name}" for name in wanted if isinstance(value, dict) and name not in value]


def _properties(value: Any, wanted: Any, schema: Any, place: str) -> List[str]:
    found = []
    for name, member in value.items() if isinstance(value, dict) else ():
        if name in wanted:
            found += problems(member, wanted[name], f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{place} has the member {name}")
    return found


def _items(value: Any, wanted: Any, _: Any, place: str) -> List[str]:
    return [text for i, item in enumerate(value) for text in problems(item, wanted, f"{place}[{i}]")] if isinstance(value, list) else []


_KEYWORDS = {
    "type": _type,
    "required": _required,
    "properties": _properties,
    "additionalProperties": lambda *_: [],
    "items": _items,
    "const": lambda value, wanted, _, place: [] if value == wanted else [f"{place} is {value!r}, not {wanted!r}"],
    "enum": lambda value, wanted, _, place: [] if value in wanted else [f"{place} is {value!r}, none of {wanted!r}"],
    "pattern": lambda value, wanted, _, place: [] if re.search(wanted, value) else [f"{place} is {value!r}, not {wanted}"],
    "minLength": lambda value, wanted, _, place: [] if len(value) >= wanted else [f"{place} is shorter than {wanted}"],
    "minItems": lambda value, wanted, _, place: [] if len(value) >= wanted else [f"{place} has fewer than {wanted} items"],
    "minimum": lambda value, wanted, _, place: [] if value >= wanted else [f"{place} is {value!r}, less than {wanted}"],
}
