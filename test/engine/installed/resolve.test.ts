import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { bodyOfProfile, profileOf, resolveAgainst } from "../../../src/engine/installed/index.ts";
import type { Surroundings } from "../../../src/engine/installed/index.ts";
import { valueOf } from "../../../src/engine/model/index.ts";
import type { InstalledBody, Trait } from "../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";
import { zip } from "../../support/zip.ts";

const versionPy = "__version__ = '2.9.0+cu128'\ndebug = False\ncuda: Optional[str] = '12.8'\n";
const wheel = zip({
  "torch/__init__.py": "",
  "torch/version.py": versionPy,
  "torch/_C.cpython-312-x86_64-linux-gnu.so": "",
  "torch/include/ATen/ATen.h": "#if __cplusplus < 201703L\n#error\n#endif\n",
  "torch-2.9.0+cu128.dist-info/WHEEL": "Tag: cp312-cp312-manylinux_2_28_x86_64\n",
}, ["torch/version.py"]);

const files = new MemoryFiles({
  "/w/.venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.4\n",
  "/w/.venv/lib/python3.11/site-packages/torch/__init__.py": "",
  "/w/.venv/lib/python3.11/site-packages/torch/version.py": versionPy,
  "/w/bare/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.4\n",
  "/w/torch-2.9.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl": wheel,
  "/w/other.whl": zip({ "other/__init__.py": "" }),
  "/w/torn.whl": wheel.slice(0, 300),
  "/w/notes.txt": "hello",
  "/home/me/v/pyvenv.cfg": "version = 3.11.4\n",
  "/home/me/v/lib/python3.11/site-packages/torch/__init__.py": "",
  "/home/me/v/lib/python3.11/site-packages/torch/version.py": "__version__ = '2.7.1'\n",
});
const where: Surroundings = { root: "/w", files, catalogue: loadCatalogue(), environment: { HOME: "/home/me" } };

function resolved(spec: string): InstalledBody {
  const answer = resolveAgainst(spec, where);
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.body;
}

function message(spec: string): string {
  const answer = resolveAgainst(spec, where);
  return answer.ok ? "ok" : answer.message;
}

function values(body: InstalledBody, ...traits: readonly Trait[]): readonly unknown[] {
  return traits.map((trait) => valueOf(body.facts, trait));
}

describe("resolveAgainst", () => {
  it("takes a path, relative to the workspace or to home", () => {
    assert.deepEqual(values(resolved(".venv"), "torch-version", "python-version"), ["2.9.0+cu128", "3.11.4"]);
    assert.deepEqual(values(resolved("~/v"), "torch-version"), ["2.7.1"]);
  });

  it("takes a release name", () => {
    assert.deepEqual(values(resolved("torch==2.8.0+cu128"), "torch-version", "cuda-version"), ["2.8.0+cu128", "12.8"]);
    assert.deepEqual(values(resolved("2.8.0"), "torch-version"), ["2.8.0"]);
  });

  it("takes a wheel, packed or stored", () => {
    const body = resolved("torch-2.9.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl");
    assert.equal(body.source, "wheel");
    assert.deepEqual(values(body, "torch-version", "cuda-version", "python-version", "python-suffix", "platform-tag", "cxx-standard-floor"), ["2.9.0+cu128", "12.8", "3.12", "cpython-312-x86_64-linux-gnu", "manylinux_2_28_x86_64", 17]);
  });

  it("says in a sentence why it cannot", () => {
    assert.deepEqual(["nowhere", "bare", "other.whl", "torn.whl", "notes.txt", "torch>=2.8", "torch", "https://example.org/torch.whl"].map(message), [
      "/w/nowhere does not exist. Name an environment, a torch or libtorch folder, a wheel, a saved profile, or torch==VERSION.",
      "No torch is installed in /w/bare.",
      "/w/other.whl holds no torch package.",
      "/w/torn.whl is no zip archive, or is cut off: no end record was found in its last bytes.",
      "/w/notes.txt is neither a Python environment nor a torch or libtorch folder.",
      '"torch>=2.8" does not name one release; write it as torch==2.8.0 or torch==2.8.0+cu128. The newest in the catalogue is 2.15.0.',
      '"torch" does not name one release; write it as torch==2.8.0 or torch==2.8.0+cu128. The newest in the catalogue is 2.15.0.',
      "https://example.org/torch.whl is on a server and was not read yet: a server is read only when somebody asks for it by name.",
    ]);
  });

  it("survives damaged archives", () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 500; round += 1) {
      const bytes = Uint8Array.from(wheel);
      for (let change = 0; change < 6; change += 1) {
        bytes[random(bytes.length)] = random(256);
      }
      const answer = resolveAgainst("/x.whl", { ...where, files: new MemoryFiles({ "/x.whl": bytes }) });
      assert.equal(typeof answer.ok, "boolean");
    }
  });
});

describe("profiles", () => {
  it("come back as they were saved, but for the places of the other machine", () => {
    const body = resolved(".venv");
    const text = JSON.stringify(profileOf(body));
    const answer = bodyOfProfile(text, "/p.json");
    assert.ok(answer.ok);
    assert.deepEqual(answer.body.facts, body.facts);
    assert.equal(answer.body.name, body.name);
    assert.equal(answer.body.source, "profile");
    assert.equal(answer.body.torchRoot, undefined);
    files.write("/w/saved.json", text);
    assert.deepEqual(values(resolved("saved.json"), "torch-version"), ["2.9.0+cu128"]);
  });

  it("are refused with the reason", () => {
    const refuse = (data: unknown): string => {
      const answer = bodyOfProfile(typeof data === "string" ? data : JSON.stringify(data), "/p.json");
      return answer.ok ? "ok" : answer.message;
    };
    const head = { schema: 1, kind: "abiding-environment", name: "x" };
    assert.deepEqual([refuse("{"), refuse({ schema: 1 }), refuse({ ...head, schema: 2, facts: [] }), refuse({ ...head, facts: {} }), refuse({ ...head, facts: [{ trait: "colour", value: 1 }] }), refuse({ ...head, facts: [{ trait: "libstdcxx-abi", value: 2 }] }), refuse({ ...head, facts: [] })], [
      "/p.json is not valid JSON.",
      '/p.json is not a profile of an environment: write one with "abiding environment --format json".',
      "/p.json has schema 2; this version of Abiding reads schema 1.",
      '/p.json is a damaged profile: "name" must be a text and "facts" a list.',
      "/p.json is a damaged profile: fact 1 names no known trait.",
      '/p.json is a damaged profile: fact 1 has a value that "libstdcxx-abi" cannot have: 2.',
      "ok",
    ]);
  });
});
