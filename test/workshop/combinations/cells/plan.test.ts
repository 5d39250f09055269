import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planCells } from "../../../../src/workshop/combinations/index.ts";
import type { CombinationSettings, IndexKnowledge, KnownWheel } from "../../../../src/workshop/combinations/types.ts";

const address = "https://index.example/whl/nightly/cpu";

function wheel(packageName: string, version: string, python = "cp311", changes: Partial<KnownWheel> = {}): KnownWheel {
  const file = `${packageName}-${version}-${python}-${python}-manylinux_2_28_x86_64.whl`;
  const day = /\.dev(\d{8})/.exec(version)?.[1];
  return {
    package: packageName, version, file, url: `${address}/${encodeURIComponent(file)}`, index: address, python, abi: python, platforms: ["manylinux_2_28_x86_64"],
    firstSeen: "2026-11-01T00:00:00Z", lastSeen: "2026-11-30T00:00:00Z", listed: true, ...(day === undefined ? {} : { day }), ...changes,
  };
}

function knowing(...wheels: readonly KnownWheel[]): IndexKnowledge {
  return { wheels, indexes: [{ index: address, package: "torch", readAt: "2026-11-30T00:00:00Z" }], problems: [] };
}

const some = knowing(
  wheel("torch", "2.12.0+cpu"), wheel("torch", "2.13.0+cpu"), wheel("torch", "2.13.0+cpu", "cp313"), wheel("torch", "2.13.0+cu130"), wheel("torch", "2.14.0.dev20261101+cpu"), wheel("torch", "2.14.0.dev20261102+cpu"),
  wheel("torchvision", "0.28.0+cpu", "cp311", { requires: ["torch==2.13.0"] }),
);

function plan(settings: CombinationSettings, defaults: { readonly torch?: string; readonly python?: string; readonly commits?: ReadonlyMap<string, string> } = {}): { readonly cells: readonly string[]; readonly leftOut: readonly string[] } {
  const { cells, leftOut } = planCells(settings, some, { python: "3.11", commits: new Map(), ...defaults }, "linux-x86_64");
  return { cells: cells.map((one) => one.label), leftOut: leftOut.map((one) => `${one.label}: ${one.because}`) };
}

describe("the matrix", () => {
  it("is every torch with every Python, the rows the same for each; what has no wheel is left out with the reason", () => {
    assert.deepEqual(plan({ matrix: { torch: ["release:2"], python: ["3.11", "3.13"], cuda: ["cpu"] } }), {
      cells: ["torch 2.13.0+cpu, Python 3.11", "torch 2.12.0+cpu, Python 3.11", "torch 2.13.0+cpu, Python 3.13"],
      leftOut: [`torch 2.12.0+cpu, Python 3.13: ${address} is not known to have a wheel of torch 2.12.0+cpu for Python 3.13 on this platform.`],
    });
  });

  it("has each variant that is named; without one the installed, else the plain, else the one for processors", () => {
    assert.deepEqual(plan({ matrix: { torch: ["2.13.0"], cuda: ["cpu", "cu130"] } }).cells, ["torch 2.13.0+cpu, Python 3.11", "torch 2.13.0+cu130, Python 3.11"]);
    assert.deepEqual(plan({ matrix: { torch: ["2.13.0"] } }).cells, ["torch 2.13.0+cpu, Python 3.11"]);
    assert.deepEqual(plan({ matrix: { torch: ["2.13.0"] } }, { torch: "2.9.0+cu130" }).cells, ["torch 2.13.0+cu130, Python 3.11"]);
    assert.deepEqual(plan({ matrix: { torch: ["2.13.0+cu130", ">=2.12"] } }, { torch: "2.13.0+cpu" }).cells, ["torch 2.13.0+cu130, Python 3.11", "torch 2.12.0+cpu, Python 3.11"]);
  });

  it("is by default the torch that is installed, the newest release and the newest nightly", () => {
    assert.deepEqual(plan({}, { torch: "2.12.0+cpu" }).cells, ["torch 2.14.0.dev20261102+cpu, Python 3.11", "torch 2.13.0+cpu, Python 3.11", "torch 2.12.0+cpu, Python 3.11"]);
    assert.deepEqual(plan({}, { torch: "2.15.0a0+git123" }).cells, ["torch 2.14.0.dev20261102+cpu, Python 3.11", "torch 2.13.0+cpu, Python 3.11"]);
  });

  it("takes packages that ask for exactly the torch, and leaves out torches that none does", () => {
    const { cells, leftOut } = plan({ packages: ["torchvision"], matrix: { torch: ["2.13.0+cpu", "2.12.0"] } });
    assert.deepEqual(cells, ["torch 2.13.0+cpu, torchvision 0.28.0+cpu, Python 3.11"]);
    assert.deepEqual(leftOut, ["torch 2.12.0+cpu, Python 3.11: No wheel of torchvision asks for torch 2.12.0+cpu; the newest are 0.28.0+cpu (torch==2.13.0)."]);
  });

  it("has compilers and commits as axes, and leaves out what is excluded by every value that is named", () => {
    const commits = new Map([["v1.0", "1".repeat(40)]]);
    const { cells, leftOut } = plan({ matrix: { torch: ["2.13.0+cpu", "2.12.0"], compiler: ["gcc-13", { name: "old", cxx: "/opt/old/g++" }], commit: [".", "v1.0"], exclude: [{ torch: "<2.13", compiler: "old" }, { torch: ">=2.13", commit: "v1.0" }] } }, { commits });
    assert.deepEqual(cells, ["torch 2.13.0+cpu, Python 3.11, gcc-13", "torch 2.13.0+cpu, Python 3.11, old", "torch 2.12.0+cpu, Python 3.11, gcc-13", "torch 2.12.0+cpu, Python 3.11, gcc-13, v1.0 (1111111111)"]);
    assert.equal(leftOut.length, 4);
    assert.equal(leftOut[0], `torch 2.13.0+cpu, Python 3.11, gcc-13, v1.0 (1111111111): Excluded by abiding.json: {"torch":">=2.13","commit":"v1.0"}.`);
    assert.deepEqual(plan({ matrix: { torch: ["nightly:2", "2.13.0+cpu"], exclude: [{ torch: "nightly" }, { torch: "2.13.0", cuda: "cu130" }] } }).cells, ["torch 2.14.0.dev20261101+cpu, Python 3.11", "torch 2.13.0+cpu, Python 3.11"]);
    assert.throws(() => plan({ matrix: { torch: ["2.13.0+cpu"], commit: ["v9"] } }), /The project has no commit, tag or branch "v9"\./);
  });

  it("says which text names nothing, and refuses one that cannot", () => {
    assert.deepEqual(plan({ matrix: { torch: ["2.99.0", "2.13.0+cpu"] } }), {
      cells: ["torch 2.13.0+cpu, Python 3.11"],
      leftOut: [`torch 2.99.0: "2.99.0" names no torch that is known for linux-x86_64. The newest that are known are 2.14.0.dev20261102+cpu, 2.14.0.dev20261101+cpu, 2.13.0+cu130.`],
    });
    assert.throws(() => plan({ matrix: { torch: ["the newest"] } }), /"the newest" names no torch/);
  });

  it("gives a cell the same id from run to run, another for whatever it asks for besides, and one fit for a folder", () => {
    const ids = (settings: CombinationSettings): readonly string[] => planCells(settings, some, { python: "3.11", commits: new Map() }, "linux-x86_64").cells.map((one) => one.id);
    assert.deepEqual(ids({ matrix: { torch: ["2.13.0+cpu"] } }), ids({ matrix: { torch: ["2.13.0+cpu"] }, install: ["numpy"] }));
    const different = ids({ matrix: { torch: ["2.13.0+cpu", "2.12.0"], compiler: ["gcc-12", { name: "gcc-12", cxx: "/a/b c/g++" }] } });
    assert.equal(new Set(different).size, 4);
    assert.ok(different.every((one) => /^[\w.-]{1,90}$/.test(one)), different.join(" "));
  });

  it("refuses a matrix that nobody could mean", () => {
    const compiler = Array.from({ length: 700 }, (_, at) => `gcc-${at}`);
    assert.throws(() => plan({ matrix: { torch: ["2.13.0+cpu", "2.12.0", "nightly"], compiler } }), /asks for 2100 cells, and more than 2000 are not tried in one run/);
  });
});
