"""Makes data/torch-layouts.json of the folder that read-torch-layouts.py left: a row wherever something changed.

    python3 scripts/data/build-torch-layouts.py FOLDER
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def changes(releases: list[tuple[str, dict]], of) -> list[dict]:
    rows: list[dict] = []
    for version, facts in releases:
        value = of(facts)
        if (rows[-1]["value"] if rows else None) != value:
            rows.append({"since": version, "value": value})
    return rows


def class_row(row: dict) -> dict:
    value = row["value"]
    if value is None:
        return {"since": row["since"], "absent": True}
    return {"since": row["since"], **{key: " ".join(part) if key == "virtual" else part for key, part in value.items()}}


def main() -> None:
    order = lambda path: tuple(map(int, path.stem.split(".")))
    releases = [(path.stem, json.loads(path.read_text())) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json"), key=order)]
    # A release whose headers could not be compiled says nothing.
    releases = [(version, facts) for version, facts in releases if len(facts["classes"]) > 40]
    names = lambda part: list(dict.fromkeys(name for _, facts in releases for name in facts[part]))
    classes = {name: [class_row(row) for row in changes(releases, lambda facts: facts["classes"].get(name))] for name in names("classes")}
    constants = {name: [[row["since"], row["value"]] for row in changes(releases, lambda facts: facts["constants"].get(name))] for name in names("constants")}
    lines = lambda table, row: ",\n".join(f"    {json.dumps(name)}: [\n      " + ",\n      ".join(row(one) for one in rows) + "\n    ]" for name, rows in table.items())
    text = f'''{{
  "source": "measured by compiling a probe with g++ 12 against the headers of the torch wheels that PyPI serves for Linux x86_64 (_GLIBCXX_USE_CXX11_ABI=1)",
  "releases": {json.dumps([version for version, _ in releases])},
  "classes": {{
{lines(classes, json.dumps)}
  }},
  "constants": {{
{",".join(chr(10) + "    " + json.dumps(name) + ": " + json.dumps(rows) for name, rows in constants.items())}
  }}
}}
'''
    (ROOT / "data" / "torch-layouts.json").write_text(text)
    print(len(releases), "releases", len(classes), "classes", len(constants), "constants", len(text), "bytes")


main()
