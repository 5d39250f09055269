import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TraitValues, WheelProfile } from "../../../../src/engine/model/index.ts";
import { torchRequirement } from "../../../../src/engine/rules/torch-requirement.ts";
import { wheelTag } from "../../../../src/engine/rules/wheel-tag.ts";
import { trait } from "../../../support/built-file.ts";
import { RuleProject } from "../../../support/rule-project.ts";

const here: Partial<TraitValues> = { platform: "linux-x86_64", "python-version": "3.11.7", "python-suffix": "cpython-311-x86_64-linux-gnu", glibc: "2.36" };

interface Given {
  readonly torch?: string;
  readonly facts?: Partial<TraitValues>;
  readonly requires?: readonly string[];
  readonly tags?: string;
  /** A trait in which a module of the wheel differs. */
  readonly shown?: Parameters<typeof trait>[0];
}

function project({ torch = "2.13.0+cpu", facts = here, requires = [], tags = "py3-none-any", shown }: Given): RuleProject {
  const made = new RuleProject({ "/p/setup.py": "ops\n" }).torch(torch, facts);
  const fileName = `ops-1.0-${tags}.whl`;
  const [pythons = "", abis = "", platforms = ""] = tags.split("-");
  const wheel: WheelProfile = {
    path: `/p/${fileName}`, fileName, size: 1, name: "ops", version: "1.0", tags: { pythons: pythons.split("."), abis: abis.split("."), platforms: platforms.split(".") }, wheelTags: [], generator: undefined,
    isPurelib: false, requiresPython: undefined, requires, libraries: [], platformTag: undefined, platformTagBesideTorch: undefined, abi3Floor: undefined, disagreements: [], notKnown: [],
  };
  made.wheels.push(wheel);
  if (shown !== undefined) made.build(`/p/${fileName}/ops/_C.so`, { fit: { traits: [trait(shown, "one", "other")] }, file: { origin: "wheel" } }, false);
  return made;
}

const required = (given: Given) => project(given).check(torchRequirement).map((one) => `${one.severity} ${one.message}`);
const tagged = (given: Given) => project(given).check(wheelTag).map((one) => `${one.severity} ${one.message}`);

describe("a wheel that requires another torch than the one asked about", () => {
  it("is said to have it replaced", () => {
    assert.deepEqual(required({ requires: ["numpy", "torch==2.8.0"] }), ['warning ops-1.0-py3-none-any.whl: METADATA says "Requires-Dist: torch==2.8.0", and torch 2.13.0+cpu in .venv is asked about, which does not meet that: installers would replace it, or refuse the wheel.']);
    assert.equal(required({ requires: ["torch<2.13"] }).length, 1);
    assert.equal(required({ requires: ['torch==2.8.0 ; sys_platform == "linux"'] }).length, 1);
    assert.equal(required({ requires: ["torch==2.13.0+cu130"] }).length, 1);
  });

  it("is none: what admits it, what may, and what does not apply", () => {
    assert.deepEqual(required({ requires: ["torch==2.13.0", "torch>=2.8", "torch", "torchvision==0.23.0"] }), []);
    assert.deepEqual(required({ torch: "2.13.0a0+gitcf30153", requires: ["torch==2.13.0"] }), []);
    assert.deepEqual(required({ requires: ['torch==2.8.0 ; sys_platform == "darwin"', 'torch==2.8.0 ; python_version < "3.10"', 'torch==2.8.0 ; extra == "old"', "torch @ https://example.org/torch-2.8.0-cp311-cp311-linux_x86_64.whl"] }), []);
    assert.deepEqual(required({ facts: {}, requires: ['torch==2.8.0 ; python_version >= "3.9"'] }), []);
  });
});

describe("a wheel that is for another place by its name", () => {
  it("is refused for a newer glibc", () => {
    assert.deepEqual(tagged({ tags: "py3-none-manylinux_2_39_x86_64" }), ["warning ops-1.0-py3-none-manylinux_2_39_x86_64.whl is for manylinux_2_39_x86_64 by its name, and the machine has glibc 2.36 (/venv/torch/version.py): installers refuse the wheel there."]);
    assert.deepEqual(tagged({ tags: "py3-none-manylinux_2_39_x86_64.manylinux2014_x86_64" }), []);
    assert.deepEqual(tagged({ tags: "py3-none-manylinux_2_36_x86_64" }), []);
    assert.deepEqual(tagged({ tags: "py3-none-linux_x86_64" }), []);
    assert.deepEqual(tagged({ tags: "py3-none-manylinux_2_39_x86_64", facts: { platform: "linux-x86_64" } }), []);
    assert.deepEqual(tagged({ tags: "py3-none-manylinux_2_39_x86_64", shown: "glibc" }), []);
  });

  it("is refused for another Python", () => {
    assert.deepEqual(tagged({ tags: "cp312-cp312-linux_x86_64" }), ["warning ops-1.0-cp312-cp312-linux_x86_64.whl is for cp312-cp312 by its name, and torch 2.13.0+cpu in .venv has Python 3.11.7: installers refuse the wheel there."]);
    assert.equal(tagged({ tags: "cp312-abi3-linux_x86_64" }).length, 1);
    assert.equal(tagged({ tags: "py312-none-any" }).length, 1);
    assert.match(tagged({ tags: "cp39-abi3-linux_x86_64", facts: { "python-version": "3.13.1", "python-suffix": "cpython-313t-x86_64-linux-gnu" } }).join(), /has Python 3\.13\.1 without GIL: installers/);
    for (const tags of ["cp311-cp311-linux_x86_64", "cp39-abi3-linux_x86_64", "py3-none-any", "py2.py3-none-any", "cp310.cp311-none-any"]) {
      assert.deepEqual(tagged({ tags }), [], tags);
    }
    assert.deepEqual(tagged({ tags: "cp312-cp312-linux_x86_64", facts: { platform: "linux-x86_64" } }), []);
    assert.deepEqual(tagged({ tags: "cp312-cp312-linux_x86_64", shown: "python-suffix" }), []);
  });

  it("is refused for another system", () => {
    assert.deepEqual(tagged({ tags: "py3-none-win_amd64" }), ["warning ops-1.0-py3-none-win_amd64.whl is for win_amd64 by its name, and torch 2.13.0+cpu in .venv is for linux-x86_64: installers refuse the wheel there."]);
    assert.match(tagged({ tags: "py3-none-musllinux_1_2_x86_64" }).join(), /is for linux-x86_64 with glibc: installers/);
    assert.deepEqual(tagged({ tags: "py3-none-musllinux_1_2_x86_64", facts: { platform: "linux-x86_64" } }), []);
    assert.deepEqual(tagged({ tags: "py3-none-win_amd64", shown: "platform" }), []);
    assert.deepEqual(tagged({ tags: "py3-none-win_amd64", facts: {} }), []);
  });

  it("is nothing where its name cannot be read", () => {
    const made = project({});
    made.wheels.splice(0, 1, ...made.wheels.map((one) => ({ ...one, tags: { pythons: [], abis: [], platforms: [] } })));
    assert.deepEqual(made.check(wheelTag), []);
  });
});
