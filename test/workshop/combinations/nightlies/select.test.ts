import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newestFirst, selectTorches, torchSets, unmatched } from "../../../../src/workshop/combinations/index.ts";
import type { IndexKnowledge, KnownWheel, WheelWanted } from "../../../../src/workshop/combinations/types.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";

const indexes = ["https://example.org/whl/nightly/cu130", "https://example.org/whl/cpu", "https://pypi.org/simple"] as const;

function wheel(version: string, more: Partial<KnownWheel> & { readonly tags?: string } = {}): KnownWheel {
  const { tags = "cp311-cp311-manylinux_2_28_x86_64", ...rest } = more;
  const [python = "", abi = "", platform = ""] = tags.split("-");
  const name = rest.package ?? "torch";
  const file = `${name}-${version}-${tags}.whl`;
  const day = /dev(\d{8})/.exec(version)?.[1];
  const index = rest.index ?? (version.includes("+cu130") ? indexes[0] : version.includes("+cpu") ? indexes[1] : indexes[2]);
  return { package: name, version, file, url: `${index}/${file}`, index, python, abi, platforms: [platform], firstSeen: "2026-10-01T00:00:00.000Z", lastSeen: "2026-10-01T00:00:00.000Z", listed: true, ...(day === undefined ? {} : { day }), ...rest };
}

function knowledge(wheels: readonly KnownWheel[]): IndexKnowledge {
  return { wheels, indexes: indexes.map((index) => ({ index, package: "torch" })), problems: [] };
}

const wanted: WheelWanted = { indexes: [], python: "3.11", platform: "linux-x86_64" };
const all = knowledge([
  wheel("2.13.0"), wheel("2.14.0", { yanked: "broken" }), wheel("2.14.1"), wheel("2.14.1", { tags: "cp312-cp312-manylinux_2_28_x86_64" }), wheel("2.15.0rc2"), wheel("2.15.0"), wheel("2.15.0+cpu"),
  wheel("2.16.0.dev20261001+cu130"), wheel("2.16.0.dev20261002+cu130", { listed: false }), wheel("2.16.0.dev20261003+cu130", { gone: "2026-10-09T00:00:00.000Z" }), wheel("2.16.0.dev20261004+cu130", { tags: "cp312-cp312-manylinux_2_28_x86_64" }),
  wheel("2.16.0.dev20261005+cu130"), wheel("2.16.0.dev20261005+cpu"), wheel("2.17.0.dev20261006+cu130", { tags: "cp311-cp311-win_amd64" }),
]);
const chosen = (texts: readonly string[], where: WheelWanted = wanted): readonly string[] => selectTorches(all, where, texts).map((one) => one.version);

describe("selectTorches", () => {
  it("knows versions, ranges, the newest few of each kind, and days", () => {
    assert.deepEqual(chosen(["2.13.0"]), ["2.13.0"]);
    assert.deepEqual(chosen(["2.15.0"]), ["2.15.0+cpu", "2.15.0"]);
    assert.deepEqual(chosen(["2.15.0+cpu", "2.16.0.dev20261005"]), ["2.16.0.dev20261005+cu130", "2.16.0.dev20261005+cpu", "2.15.0+cpu"]);
    assert.deepEqual(chosen([">=2.13,<2.15"]), ["2.14.1", "2.13.0"]);
    assert.deepEqual(chosen(["release:2"]), ["2.15.0+cpu", "2.15.0", "2.14.1"]);
    assert.deepEqual(chosen(["release"], { ...wanted, variant: "cpu" }), ["2.15.0+cpu"]);
    assert.deepEqual(chosen(["nightly"], { ...wanted, variant: "cu130" }), ["2.16.0.dev20261005+cu130"]);
    assert.deepEqual(chosen(["nightly:2"], { ...wanted, variant: "cu130" }), ["2.16.0.dev20261005+cu130", "2.16.0.dev20261002+cu130"]);
    assert.deepEqual(chosen(["nightly:20261001..20261004"]), ["2.16.0.dev20261002+cu130", "2.16.0.dev20261001+cu130"]);
    assert.deepEqual(chosen(["nightly:20261004"], { ...wanted, python: "3.12" }), ["2.16.0.dev20261004+cu130"]);
  });

  it("takes what was withdrawn only by its version, and nothing that is gone", () => {
    assert.deepEqual(chosen([">=2.14,<2.14.1"]), []);
    assert.deepEqual(chosen(["2.14.0", "==2.14.0"]), ["2.14.0"]);
    assert.deepEqual(chosen(["nightly:20261003"]), []);
  });

  it("says what names nothing, and refuses what makes no sense", () => {
    assert.deepEqual(unmatched(all, { ...wanted, variant: "cu130" }, ["9.9", "nightly", "release"]), [
      '"9.9" names no torch that is known for Python 3.11, linux-x86_64, cu130. The newest that are known are 2.16.0.dev20261005+cu130, 2.16.0.dev20261002+cu130, 2.16.0.dev20261001+cu130.',
      '"release" names no torch that is known for Python 3.11, linux-x86_64, cu130. The newest that are known are 2.16.0.dev20261005+cu130, 2.16.0.dev20261002+cu130, 2.16.0.dev20261001+cu130.',
    ]);
    for (const text of ["newest", "nightly:0", "nightly:many", "release:20261001", ">=two", ""]) {
      assert.throws(() => chosen([text]), (error) => error instanceof CannotDo && error.message.startsWith(`"${text}" names no torch: write a version`), text);
    }
  });
});

describe("where nothing fits", () => {
  it("says what is asked for that no torch is, and what there is", () => {
    const because = (where: Partial<WheelWanted>): string => (unmatched(all, { ...wanted, ...where }, ["release"])[0] ?? "").replace(/^"release" names no torch that is known for [^.]*(?:3\.\d+)?[^.]*\. /, "");
    assert.equal(because({ variant: "cu118" }), "Of the build cu118 no torch is known; there are cu130, cpu, those without a label.");
    assert.equal(because({ python: "3.9" }), "For Python 3.9 no torch is known; there are wheels for cp312, cp311.");
    assert.equal(because({ platform: "linux-aarch64" }), "No torch for linux-aarch64 is known; there are wheels for manylinux_2_28_x86_64, win_amd64.");
    assert.deepEqual(unmatched(knowledge([]), wanted, ["release"]), ['"release" names no torch that is known for Python 3.11, linux-x86_64. No torch is known at all.']);
    assert.throws(() => chosen(["nightly:20261031..20261001"]), (error) => error instanceof CannotDo && error.message === '"nightly:20261031..20261001" ends before it begins; write nightly:20261001..20261031.');
  });
});

describe("newestFirst", () => {
  it("takes the best wheel of each version: listed, not withdrawn, from the first index", () => {
    const same = knowledge([wheel("2.15.0", { yanked: "" }), wheel("2.15.0", { index: indexes[1] }), wheel("2.15.0", { index: indexes[0], listed: false }), wheel("2.14.1", { tags: "cp310-abi3-manylinux_2_28_x86_64" }), wheel("2.14.1")]);
    assert.deepEqual(newestFirst(same, wanted).map((one) => `${one.version} ${one.abi} ${one.index}`), ["2.15.0 cp311 https://example.org/whl/cpu", "2.14.1 cp311 https://pypi.org/simple"]);
    assert.deepEqual(newestFirst(same, { ...wanted, platform: "linux-aarch64" }), []);
    assert.deepEqual(newestFirst(knowledge([wheel("2.15.0", { requiresPython: ">=3.12" })]), wanted), []);
    // Indexes of one variant may leave the label out.
    assert.deepEqual(newestFirst(knowledge([wheel("2.15.0", { index: indexes[1] }), wheel("2.14.0")]), { ...wanted, variant: "cpu" }).map((one) => one.version), ["2.15.0"]);
  });
});

describe("torchSets", () => {
  const vision = (version: string, requires: readonly string[] | undefined, more: Partial<KnownWheel> = {}): KnownWheel => wheel(version, { package: "torchvision", ...(requires === undefined ? {} : { requires }), ...more });

  it("prefers a pin, then the nearest lower bound, and never another variant", () => {
    const sets = torchSets(knowledge([
      wheel("2.14.0"), wheel("2.14.1"), wheel("2.15.0"), wheel("2.15.0+cpu"),
      vision("0.28.0", ["torch==2.13.0"]), vision("0.29.0", ["numpy", "torch==2.14.0"]), vision("0.29.1", ["torch>=2.14.0"]), vision("0.29.2", ["torch>=2.14.0"]), vision("0.20.0", ["torch"]), vision("0.30.0+cpu", ["torch==2.15.0"]), vision("0.31.0", ["torch>=2.14"], { yanked: "" }),
    ]), wanted, ["torchvision"]);
    assert.deepEqual(sets.map((one) => [one.torch.version, ...one.siblings.map((sibling) => sibling.version)]), [["2.15.0+cpu", "0.30.0+cpu"], ["2.15.0", "0.29.2"], ["2.14.1", "0.29.2"], ["2.14.0", "0.29.0"]]);
  });

  it("says why there is none, and does not guess where METADATA was not read", () => {
    const of = (...wheels: readonly KnownWheel[]): readonly string[] => torchSets(knowledge([wheel("2.15.0"), ...wheels]), wanted, ["torchvision"]).flatMap((one) => one.without.map((two) => two.because));
    assert.deepEqual(of(), ["No wheel of torchvision that fits is known."]);
    assert.deepEqual(of(vision("0.30.0", undefined), vision("0.29.0", ["torch==2.14.0"])), ["No wheel of torchvision asks for torch 2.15.0; the newest are 0.29.0 (torch==2.14.0). What one wheel asks for is not known."]);
    assert.deepEqual(of(vision("0.30.0+cu130", ["torch==2.15.0"])), ["No wheel of torchvision for this index is known; there are 0.30.0+cu130."]);
  });

  it("takes from torch what torch asks for", () => {
    const torch = wheel("2.15.0", { requires: ['triton==3.5.0; platform_system == "Linux"'] });
    const [set] = torchSets(knowledge([torch, wheel("3.4.0", { package: "triton" }), wheel("3.5.0", { package: "triton" })]), wanted, ["triton"]);
    assert.equal(set?.installLine, "pip install torch==2.15.0 triton==3.5.0");
  });
});
