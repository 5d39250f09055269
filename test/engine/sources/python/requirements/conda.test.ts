import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCondaSpec } from "../../../../../src/engine/sources/python/requirements/condaSpec.ts";
import { read, shown } from "./read.ts";

describe("conda match specifications", () => {
  it("translates versions to PEP 440", () => {
    const expected: Readonly<Record<string, string | undefined>> = {
      "pytorch": "", "pytorch=2.0": "==2.0.*", "pytorch==2.0": "==2.0", "pytorch 2.0": "==2.0", "pytorch 2.0.*": "==2.0.*", "pytorch=2.0.*": "==2.0.*", "pytorch 2.0*": "==2.0.*",
      "pytorch >=2.1,<2.3a0": ">=2.1,<2.3a0", "pytorch=2.0.1=py3.10_cuda11.7_cudnn8.5.0_0": "==2.0.1.*", "pytorch 2.0.1 cuda118*": "==2.0.1", "pytorch::pytorch>=2": ">=2",
      "conda-forge/linux-64::pytorch =2.5": "==2.5.*", "pytorch[version='>=2.0,<3',build=*cuda*]": ">=2.0,<3", "pytorch >=2.1.*": ">=2.1", "pytorch !=2.0.*": "!=2.0.*", "pytorch 2.0|2.1": undefined,
      "pytorch *": "", "pytorch * cuda*": "", "pytorch=*=*cuda*": "", "pytorch~=2.1": "~=2.1",
    };
    for (const [text, specifier] of Object.entries(expected)) assert.deepEqual([parseCondaSpec(text)?.name, parseCondaSpec(text)?.specifier], ["pytorch", specifier], text);
  });
});

describe("environment.yml", () => {
  it("reads conda and pip dependencies", () => {
    const { requirements, observations } = read("environment.yml", "name: x\nchannels: [pytorch, conda-forge]\ndependencies:\n  - python=3.10\n  - pytorch=2.0.*  # why\n  - \"pytorch::torchvision==0.15.2\"\n  - pip:\n      - --extra-index-url https://download.pytorch.org/whl/cu118\n      - triton==2.0.0\n      - -r more.txt\n");
    assert.deepEqual(shown(requirements), ["4:10-15 conda python|==3.10.*|", "5:11-17 conda torch|==2.0.*|", "6:25-33 conda torchvision|==0.15.2|", "9:14-21 conda[pip] triton|==2.0.0|"]);
    assert.deepEqual(requirements.map((one) => one.indexUrls.length), [2, 2, 2, 1]);
    assert.deepEqual(observations.map((one) => one.kind === "requirement-include" && one.path), ["/p/more.txt"]);
  });

  it("keeps what can be read of broken, cyclic and deep documents", () => {
    const broken = read("environment.yml", "dependencies:\n  - pytorch=2.0\n  - [unclosed\nother: }\n");
    assert.ok(broken.gaps.length > 0);
    assert.equal(broken.requirements[0]?.name, "torch");
    for (const text of ["dependencies: &a [*a, pytorch]\n", `dependencies: ${"[".repeat(20_000)}\n`, `${"- ".repeat(5000)}x\n`, "a: &x [1]\n".repeat(10) + "dependencies: *nothing\n", "dependencies: 3\n", "\t- x: [\n"]) {
      assert.equal(read("environment.yml", text).files.length, 1);
    }
  });
});

describe("conda recipes", () => {
  it("reads meta.yaml through its template tags", () => {
    const { requirements } = read("meta.yaml", `{% set torch = "2.5" %}
{% set two = "1" %}
{% set two = "2" %}
package:
  version: {{ environ.get('V') }}
requirements:
  build:
    - {{ compiler('cxx') }}  # [linux]
  host:
    - pytorch {{ torch }}
    {{ environ.get('X', '') }}
    - cudatoolkit {{ two }}  # [cuda != "None"]
  run:
    {% if gpu %}
    - pytorch-gpu >=2.5  # [linux]
    {% else %}
    - pytorch-cpu >=2.5  # [not win]
    {% endif %}
`);
    const wanted = requirements.filter((one) => one.name !== "compiler");
    assert.deepEqual(shown(wanted).map((one) => one.replace(/^\d+:\S+ /, "")), ["conda[host] torch|==2.5|", "conda[host] cudatoolkit|?|", "conda[run] torch|>=2.5|sys_platform == 'linux'", "conda[run] torch|>=2.5|sys_platform != 'win32'"]);
    assert.deepEqual(wanted.slice(1).map((one) => one.conditions.map((condition) => `${condition.text} ${condition.branch}`)), [['cuda != "None" 0'], ["gpu 0"], ["else 1"]]);
    assert.equal(wanted[2]?.conditions[0]?.id, wanted[3]?.conditions[0]?.id);
  });

  it("reads recipe.yaml with its choices", () => {
    const { requirements } = read("recipe.yaml", "context:\n  torch: \"2.5\"\noutputs:\n  - package: {name: lib}\n    requirements:\n      run:\n        - pytorch =${{ torch }}\n        - if: cuda\n          then: cuda-version >=12\n          else:\n            - cpuonly\n      run_constraints:\n        - pytorch-gpu <3\n");
    assert.deepEqual(shown(requirements).map((one) => one.replace(/^\d+:\S+ /, "")), ["conda[lib run] torch|==2.5.*|", "conda[lib run] cuda-version|>=12|", "conda[lib run] cpuonly||", "constraint[lib run_constraints] torch|<3|"]);
    assert.deepEqual(requirements.map((one) => one.conditions[0]?.branch), [undefined, 0, 1, undefined]);
  });
});

describe("dependencies.yaml", () => {
  it("keeps matrix cells apart, across lists as well", () => {
    const { requirements } = read("dependencies.yaml", `dependencies:
  common:
    common:
      - output_types: [conda, requirements]
        packages: [numpy]
  torch:
    specific:
      - output_types: conda
        matrices:
          - matrix: {cuda: "12.*"}
            packages: [pytorch=2.4]
          - matrix:
            packages: [pytorch]
      - output_types: requirements
        matrices:
          - matrix: {cuda: "12.9"}
            packages:
              - &index --extra-index-url=https://download.pytorch.org/whl/cu129
              - &pin torch==2.8.0+cu129
          - matrix: {cuda: "13.0"}
            packages: [*index, *pin]
`);
    assert.deepEqual(shown(requirements).map((one) => one.replace(/^\d+:\S+ /, "")), ["requirements-file[common] numpy||", "conda[torch] torch|==2.4.*|", "conda[torch] torch||", "requirements-file[torch] torch|==2.8.0+cu129|", "requirements-file[torch] torch|==2.8.0+cu129|"]);
    const cells = requirements.slice(1).map((one) => one.conditions[0]);
    assert.equal(new Set(cells.map((one) => one?.id)).size, 1);
    assert.deepEqual(cells.map((one) => one?.branch), [0, 1, 2, 3]);
    assert.deepEqual(requirements[4]?.indexUrls, ["https://download.pytorch.org/whl/cu129"]);
  });
});
