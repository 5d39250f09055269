import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { rollPins } from "../../../../src/workshop/combinations/index.ts";
import type { RollReport, RollRequest } from "../../../../src/workshop/combinations/index.ts";
import type { CombinationRecord } from "../../../../src/workshop/combinations/types.ts";
import { gitVersionOf, NightlyIndex } from "../../../support/nightlyIndex.ts";
import { scratchFolder } from "../../../support/nightlyTorch.ts";
import { clockWorkshop, patience } from "../nightlies/support.ts";
import { record, writeProject } from "./support.ts";

const scratch = scratchFolder();
let index: NightlyIndex;
let projects = 0;
before(async () => { index = await NightlyIndex.start({ first: "20261001", days: 12, holes: ["20261007"], releases: { "2.15.0": {}, "2.14.0": {} }, variants: ["cu130", "cpu"] }); });
after(async () => {
  await index.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});
const night = (day: number): string => `2.16.0.dev202610${String(day).padStart(2, "0")}`;
const now = new Date("2026-10-13T12:00:00.000Z");

function project(files: Readonly<Record<string, string>>, records: readonly CombinationRecord[] = []): string {
  projects += 1;
  const root = path.join(scratch, `project-${projects}`);
  writeProject(root, files, records);
  return root;
}

async function roll(root: string, request: Partial<RollRequest> = {}): Promise<RollReport> {
  return rollPins({
    root, write: false, records: path.join(root, ".abiding/combinations.jsonl"), wanted: { indexes: [index.nightly(), index.nightly("cpu"), index.simple], python: "3.11", platform: "linux-x86_64" },
    memory: path.join(scratch, "memory"), network: patience, ...request,
  }, clockWorkshop(() => now));
}

function changesOf(report: RollReport): readonly string[] {
  return report.changes.map((one) => `${path.relative(report.root, one.path)}:${one.line} ${one.what} ${one.from} -> ${one.to}`);
}

function leftOf(report: RollReport): readonly string[] {
  return report.left.map((one) => `${path.relative(report.root, one.path)}:${one.line} ${one.byHand ? "by hand" : "left"}: ${one.because}`);
}

describe("rollPins", () => {
  it("rolls three files as one, as torch-mlir has them: the nightlies by METADATA, torch's commit by its wheel", async () => {
    const page = `${index.nightly("cpu")}/torch/`;
    const root = project({
      "pytorch-requirements.txt": `-f ${page}\n--pre\ntorch==${night(2)}\n`,
      "torchvision-requirements.txt": `-f ${index.nightly("cpu")}/torchvision/\n--pre\ntorchvision==0.31.0.dev20261003 # goes with it\r\n`,
      "pytorch-hash.txt": `${gitVersionOf(night(2))}\n`,
      "requirements.txt": "-r pytorch-requirements.txt\n-r torchvision-requirements.txt\nnumpy==1.26.0\n",
    });
    const report = await roll(root, { to: night(8), write: true });
    assert.deepEqual(changesOf(report).toSorted(), [
      `pytorch-hash.txt:1 torch commit ${gitVersionOf(night(2))} -> ${gitVersionOf(night(8))}`,
      `pytorch-requirements.txt:3 torch ${night(2)} -> ${night(8)}`,
      "torchvision-requirements.txt:3 torchvision 0.31.0.dev20261003 -> 0.31.0.dev20261009",
    ]);
    assert.deepEqual([report.outcome, report.left, report.to?.index], ["written", [], index.nightly("cpu")]);
    assert.deepEqual(["pytorch-requirements.txt", "torchvision-requirements.txt", "pytorch-hash.txt", "requirements.txt"].map((name) => fs.readFileSync(path.join(root, name), "utf8")), [
      `-f ${page}\n--pre\ntorch==${night(8)}\n`,
      `-f ${index.nightly("cpu")}/torchvision/\n--pre\ntorchvision==0.31.0.dev20261009 # goes with it\r\n`,
      `${gitVersionOf(night(8))}\n`,
      "-r pytorch-requirements.txt\n-r torchvision-requirements.txt\nnumpy==1.26.0\n",
    ]);
    const again = await roll(root, { to: night(8) });
    assert.deepEqual([again.outcome, again.changes, again.patch], ["up-to-date", [], ""]);
  });

  it("changes nothing but versions in every kind of file, and git applies its diff", async () => {
    const root = project({
      "requirements.txt": `# pins\r\n--index-url ${index.simple}\r\ntorch == 2.14.0 ; python_version >= "3.10"  # not yet\r\ntorchvision[video]==0.29.0\r\n`,
      "constraints.txt": "torch==2.14.0",
      "pyproject.toml": '[build-system]\nrequires = [\n  "setuptools",\n  "torch==2.14.0", # built with it\n]\n[project]\nname = "ops"\nversion = "1"\ndependencies = ["torch==2.14.*", \'torchvision==0.29.0\']\n[tool.poetry.dependencies]\ntorch = "2.14.0"\n',
      "setup.py": 'from setuptools import setup\nsetup(name="ops", install_requires=["torch==2.14.0"], extras_require={"vision": ["torchvision==0.29.0"]})\n',
      "environment.yml": "channels: [conda-forge]\ndependencies:\n  - pytorch=2.14.0\n  - pip:\n    - torch==2.14.0\n",
      Dockerfile: "FROM python:3.11\nARG TORCH_VERSION=2.14.0\nRUN pip install torch==${TORCH_VERSION} \\\n    torchvision==0.29.0\n",
      ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      # torch==2.14.0 was the first\n      - run: pip install torch==2.14.0 torchvision==0.29.0 pytest\n",
    });
    const report = await roll(root, { to: "2.15.0" });
    assert.deepEqual(changesOf(report).toSorted(), [
      ".github/workflows/ci.yml:5 torch 2.14.0 -> 2.15.0", ".github/workflows/ci.yml:5 torchvision 0.29.0 -> 0.30.0",
      "Dockerfile:2 torch 2.14.0 -> 2.15.0", "Dockerfile:4 torchvision 0.29.0 -> 0.30.0",
      "constraints.txt:1 torch 2.14.0 -> 2.15.0",
      "environment.yml:3 torch 2.14.0 -> 2.15.0", "environment.yml:5 torch 2.14.0 -> 2.15.0",
      "pyproject.toml:11 torch 2.14.0 -> 2.15.0", "pyproject.toml:4 torch 2.14.0 -> 2.15.0", "pyproject.toml:9 torch 2.14 -> 2.15", "pyproject.toml:9 torchvision 0.29.0 -> 0.30.0",
      "requirements.txt:3 torch 2.14.0 -> 2.15.0", "requirements.txt:4 torchvision 0.29.0 -> 0.30.0",
      "setup.py:2 torch 2.14.0 -> 2.15.0", "setup.py:2 torchvision 0.29.0 -> 0.30.0",
    ]);
    assert.deepEqual(leftOf(report), []);
    const before = new Map(fs.readdirSync(root).filter((one) => fs.statSync(path.join(root, one)).isFile()).map((one) => [one, fs.readFileSync(path.join(root, one), "utf8")]));
    fs.writeFileSync(path.join(scratch, "one.patch"), report.patch);
    const copy = path.join(scratch, "copy");
    fs.cpSync(root, copy, { recursive: true });
    execFileSync("git", ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", path.join(scratch, "one.patch")], { cwd: copy });
    assert.equal((await roll(root, { to: "2.15.0", write: true })).outcome, "written");
    for (const [name, text] of before) {
      const now = fs.readFileSync(path.join(root, name), "utf8");
      assert.equal(now, text.replaceAll("2.14.", "2.15.").replaceAll("0.29.0", "0.30.0"), name);
      assert.equal(fs.readFileSync(path.join(copy, name), "utf8"), now, name);
    }
  });

  it("takes the newest that is recorded as working, with what was tried beside it, and says where the pin stands", async () => {
    const files = { "requirements.txt": `--index-url ${index.nightly()}\ntorch==${night(2)}+cu130\ntorchvision==0.31.0.dev20261003+cu130\n` };
    const none = await roll(project(files));
    assert.deepEqual([none.outcome, none.reason], ["stopped", `No record says that any nightly of torch works with this project. Try some with abiding combinations run, or name one with --to, as --to ${night(12)}+cu130, the newest that is known.`]);
    const records = [
      record(`${night(3)}+cu130`, "passed"), record(`${night(9)}+cu130`, "passed", { packages: { torchvision: "0.31.0.dev20261009+cu130" }, index: index.nightly(), when: "2026-10-11T10:00:00.000Z" }),
      record(`${night(10)}+cu130`, "failed", { reason: { message: "nightly_ops.materialize is missing.", test: "tests/test_ops.py::test_materialize" } }), record(`${night(11)}+cu130`, "conflict", { how: "predicted" }), record(`${night(12)}+cu130`, "no-conflict", { how: "predicted" }),
    ];
    const report = await roll(project(files, records));
    assert.deepEqual(changesOf(report), [`requirements.txt:2 torch ${night(2)}+cu130 -> ${night(9)}+cu130`, "requirements.txt:3 torchvision 0.31.0.dev20261003+cu130 -> 0.31.0.dev20261009+cu130"]);
    assert.equal(report.because, "smoke tests passed on 2026-10-11, Python 3.11, linux-x86_64");
    assert.deepEqual(report.notes, []);
    assert.equal(report.standing?.sentence, `The pin torch ${night(2)}+cu130 is 11 days old; 9 newer nightlies are known, and 2 of them are recorded as working, the newest is ${night(9)}+cu130. The first that fails is ${night(10)}+cu130 (smoke tests failed). nightly_ops.materialize is missing. Predicted, and not tested: 1 without a conflict in what was compared, 1 with one.`);
    const untested = await roll(project(files, records), { to: night(12) });
    assert.match(untested.reason ?? "", /^torchvision is pinned beside torch\. No wheel of torchvision asks for torch 2\.16\.0\.dev20261012\+cu130; .+ Nothing is rolled, for the pins would no longer go together\.$/);
    const back = await roll(project({ "requirements.txt": `torch==${night(11)}+cu130\n` }, records));
    assert.equal(back.reason, `The newest nightly that is recorded as working is ${night(9)}+cu130 (smoke tests passed on 2026-10-11, Python 3.11, linux-x86_64), which is older than the pin ${night(11)}. To go back to it, say --to ${night(9)}+cu130.`);
    const failing = await roll(project({ "requirements.txt": `torch==${night(2)}+cu130\n` }, records), { to: night(10) });
    assert.equal(failing.notes[0], `The records do not say that this project works with torch ${night(10)}+cu130: smoke tests failed on 2026-10-12.`);
  });

  it("says by file and line what it cannot rewrite, and what it leaves on purpose", async () => {
    const root = project({
      "requirements.txt": "torch==2.14.0 \\\n    --hash=sha256:aaaa\nnumpy\n",
      "requirements-dev.txt": "torch==2.14.0,!=2.15.0\ntorch<2.15\n",
      "requirements_2.13.txt": "torch==2.13.0\ntorchvision==0.28.0\n",
      Dockerfile: "FROM python:3.11\nARG TORCH_VER\nRUN pip install torch==${TORCH_VER}\n",
      "docs/requirements.txt": "torch==1.12.0+cpu\n",
      "pyproject.toml": '[project]\nname = "ops"\nversion = "1"\ndependencies = ["torch==2.14.0"]\n',
      "uv.lock": 'version = 1\n[[package]]\nname = "torch"\nversion = "2.14.0"\n',
      "wheels.txt": "",
      "requirements/linux.txt": `${index.simple.replace("/simple", "/files")}/torch-2.14.0-cp311-cp311-manylinux_2_28_x86_64.whl\n`,
    });
    const report = await roll(root, { to: "2.15.0" });
    assert.deepEqual(changesOf(report), [
      "pyproject.toml:4 torch 2.14.0 -> 2.15.0",
      `requirements/linux.txt:1 torch ${index.simple.replace("/simple", "/files")}/torch-2.14.0-cp311-cp311-manylinux_2_28_x86_64.whl -> ${index.wheel("torch", "2.15.0").url}`,
    ]);
    assert.deepEqual(leftOf(report).toSorted(), [
      "Dockerfile:3 by hand: Its version is computed while the package is built, so that nobody knows here whether it admits the new one.",
      "docs/requirements.txt:1 left: It pins 1.12.0+cpu, another torch than the 2.14.0 that is rolled; --from 1.12.0 rolls that one.",
      "requirements-dev.txt:1 by hand: Beside the version it has further conditions, and ==2.15.0,!=2.15.0 admits nothing.",
      "requirements-dev.txt:2 by hand: It does not admit torch 2.15.0, and is no pin that could be replaced.",
      "requirements.txt:1 by hand: It has --hash of the old files. Change it with the tool that wrote the hashes (pip-compile --generate-hashes, uv pip compile --generate-hashes).",
      "requirements_2.13.txt:1 left: It pins 2.13.0, another torch than the 2.14.0 that is rolled; --from 2.13.0 rolls that one.",
      "requirements_2.13.txt:2 left: It pins 0.28.0, which goes with another torch than the 2.14.0 that is rolled.",
      "uv.lock:3 left: A tool writes it: run uv lock when the pins are rolled.",
    ]);
    assert.deepEqual(report.notes[0], "No record says anything of this project with torch 2.15.0: it is not tested.");
    assert.deepEqual((await roll(root, { to: "2.15.0", from: "1.12.0" })).from, "1.12.0");
    assert.equal((await roll(root, { to: "2.15.0", from: "9.9" })).reason, "No file of the project pins torch 9.9; pinned are 2.14.0, 2.13.0, 1.12.0.");
    assert.equal((await roll(project({ "requirements.txt": "torch>=2\n" }), { to: "2.15.0" })).reason, "No file of the project pins torch to one version (torch==…), so that there is nothing to roll.");
    assert.match((await roll(root, { to: "7.0" })).reason ?? "", /^"7\.0" names no torch that is known for Python 3\.11, linux-x86_64\. The newest that are known are /);
  });

  it("is done where the pins are at the target already and the rest is left to hands", async () => {
    const root = project({ "requirements.txt": `torch==${night(2)}\n`, "pytorch-hash.txt": `${"a".repeat(40)}\n` });
    await roll(root, { to: night(2) });
    const report = await roll(root, { to: night(2), offline: true });
    assert.deepEqual([report.outcome, report.changes.length, leftOf(report)[0]], ["up-to-date", 0, `pytorch-hash.txt:1 by hand: The commit that torch ${night(2)}+cu130 was built from is not known: neither a record nor its wheel tells it.`]);
    const image = await roll(project({ Dockerfile: "FROM python:3.11\nARG TORCH_VERSION=2.14.0\nRUN pip install torch==${TORCH_VERSION}+cpu\n" }), { to: "2.15.0" });
    assert.deepEqual([image.outcome, ...leftOf(image)], ["stopped", "Dockerfile:3 by hand: It asks for the build cpu, and 2.15.0 is of no particular one: the index that was read may have others, and --index adds one."]);
  });

  it("keeps the labels of variants, takes another index where the set needs it, and never shows a password", async () => {
    const secret = index.nightly().replace("//", "//me:secret@");
    const root = project({
      "requirements-cpu.txt": `--index-url ${index.nightly("cpu")}\ntorch==${night(2)}+cpu\n`,
      "requirements-cuda.txt": `--index-url ${secret}\ntorch==${night(2)}+cu130\n`,
      "requirements-xpu.txt": `torch==${night(2)}+xpu\n`,
    });
    const report = await roll(root, { to: `${night(8)}+cu130`, write: true });
    assert.deepEqual(changesOf(report).filter((one) => one.includes(" torch ")), [`requirements-cpu.txt:2 torch ${night(2)}+cpu -> ${night(8)}+cpu`, `requirements-cuda.txt:2 torch ${night(2)}+cu130 -> ${night(8)}+cu130`]);
    assert.deepEqual(leftOf(report), [`requirements-xpu.txt:1 by hand: Whether there is a torch ${night(8)}+xpu is not known: no index that was read has it. --index adds one.`]);
    assert.equal(fs.readFileSync(path.join(root, "requirements-cuda.txt"), "utf8"), `--index-url ${secret}\ntorch==${night(8)}+cu130\n`);
    assert.equal(fs.readFileSync(path.join(root, "requirements-cpu.txt"), "utf8"), `--index-url ${index.nightly("cpu")}\ntorch==${night(8)}+cpu\n`);
    assert.ok(!JSON.stringify({ ...report, patch: "", fix: undefined }).includes("secret"));
    // An index may lack the variant of the pins: another one never takes its place.
    const lacking = await roll(project({ "requirements.txt": `--index-url ${index.nightly()}\ntorch==${night(2)}+cu118\n` }), { to: night(8), write: true });
    assert.deepEqual([lacking.outcome, lacking.reason], ["stopped", `The pins are of the build cu118, and no torch ${night(8)} of it is known; there are ${night(8)}+cu130, ${night(8)}+cpu. To change to another build, name it, as --to ${night(8)}+cu130, or name an index that has it with --index.`]);
    assert.deepEqual(changesOf(await roll(project({ "requirements.txt": `torch==${night(2)}+cu118\n` }), { to: `${night(8)}+cpu` })), [`requirements.txt:1 torch ${night(2)}+cu118 -> ${night(8)}+cpu`]);
    const release = await roll(project({ "requirements.txt": `--index-url ${index.nightly()}\ntorch==${night(2)}+cu130\n` }), { to: "2.15.0" });
    assert.deepEqual(changesOf(release), [`requirements.txt:2 torch ${night(2)}+cu130 -> 2.15.0`, `requirements.txt:1 index ${index.nightly()} -> ${index.simple}`]);
  });

  it("writes nothing when a file was changed meanwhile", async () => {
    const root = project({ "requirements.txt": "torch==2.14.0\n", "constraints.txt": "torch==2.14.0\n" });
    const workshop = clockWorkshop(() => now);
    // Somebody edits a file while the indexes are read.
    const step = (): void => { fs.writeFileSync(path.join(root, "constraints.txt"), "numpy\ntorch==2.14.0\n"); };
    const report = await rollPins({ root, write: true, to: "2.15.0", records: path.join(root, "none"), wanted: { indexes: [index.simple] }, memory: path.join(scratch, "fresh") }, { ...workshop, activity: { ...workshop.activity, step } });
    assert.deepEqual([report.outcome, report.reason], ["changed-meanwhile", `"Roll torch 2.14.0 to 2.15.0" was not applied: ${path.join(root, "constraints.txt")} was changed since it was checked, or cannot be read as UTF-8. Nothing was written.`]);
    assert.deepEqual(["requirements.txt", "constraints.txt"].map((name) => fs.readFileSync(path.join(root, name), "utf8")), ["torch==2.14.0\n", "numpy\ntorch==2.14.0\n"]);
  });
});
