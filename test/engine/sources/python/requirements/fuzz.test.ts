import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "./read.ts";

const samples: readonly (readonly [string, string])[] = [
  ["requirements.txt", "-r base.txt\n--index-url https://example.org/simple\ntorch[x]>=2.1,<3 ; python_version > '3.8' # c\nninja \\\n  ==1.11 --hash=sha256:ab\nx @ https://example.org/x-1.0-py3-none-any.whl\n"],
  ["pyproject.toml", "[build-system]\nrequires = [\"torch==2.8.*\", 'ninja']\n[project]\ndependencies = [\"torch\"]\n[tool.poetry.dependencies]\ntorch = { version = \"^2.1\", optional = true }\n[[tool.uv.index]]\nurl = \"u\"\n[tool.scikit-build]\ncmake.args = [\"-DA=1\"]\n"],
  ["setup.cfg", "[options]\ninstall_requires =\n    torch>=2\n[options.extras_require]\na = b==1; os_name == 'nt'\n"],
  ["environment.yml", "channels: [a, b]\ndependencies:\n  - pytorch=2.0\n  - &x numpy\n  - *x\n  - pip:\n    - torch==2.8.0\n"],
  ["meta.yaml", "{% set v = \"1\" %}\nrequirements:\n  host:\n    - pytorch {{ v }}  # [linux]\n  {% if a %}\n  run:\n    - x\n  {% endif %}\n"],
  ["dependencies.yaml", "dependencies:\n  t:\n    specific:\n      - output_types: [conda]\n        matrices:\n          - matrix: {cuda: \"12\"}\n            packages: [&a pytorch=2, *a]\n"],
  ["Dockerfile", "ARG A=1\nFROM x:${A} AS y\nENV B=\"c d\" E=f\nRUN if a; then pip install 'torch>=2' \\\n  -r r.txt; else conda install -c p pytorch=2; fi\nRUN <<EOF\npip install torch\nEOF\n"],
  ["CMakePresets.json", "{\"include\": [\"a.json\"], \"configurePresets\": [{\"name\": \"a\", \"inherits\": [\"b\"], \"cacheVariables\": {\"X\": {\"value\": \"${sourceDir}$env{Y}\"}}}]}"],
];

const pieces = ["[", "]", "{", "}", '"', "'", "\\\n", "${", "{{", "{%", "\n", "- ", "*a", "&a ", "$(", "<<EOF\n", '"""', "#", ";", "if ", "fi", "case ", "=", "==", ",", "\t", "\u2028", "FROM ", "\0"];

/** Numbers that look random and are the same in each run. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state % limit;
  };
}

test("mutated files never throw and keep their ranges in order", () => {
  const next = sequence(1);
  for (let round = 0; round < 3000; round += 1) {
    const [name, original] = samples[next(samples.length)] ?? ["requirements.txt", ""];
    let text = original;
    for (let i = 0; i <= next(5); i += 1) {
      const at = next(text.length + 1);
      const kind = next(4);
      if (kind === 0) text = text.slice(0, at) + text.slice(at + next(40));
      else if (kind === 1) text = text.slice(0, at) + (pieces[next(pieces.length)] ?? "").repeat(next(15) === 0 ? 1 + next(1500) : 1) + text.slice(at);
      else if (kind === 2) text = text.slice(0, at) + text.slice(next(text.length + 1)) + text.slice(at);
      else text = text.slice(0, at);
    }
    for (const { location } of read(name, text).requirements) {
      const { start, end } = location.range;
      assert.ok(start.line < end.line || (start.line === end.line && start.character <= end.character), text);
    }
  }
});
