/** Bisects over nightlies of a local index: by symbols for real; what would be tried is told by the test where only the search is at stake. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { bisect } from "../../../../src/workshop/combinations/index.ts";
import type { BisectRequest, MakeTrier } from "../../../../src/workshop/combinations/index.ts";
import type { BisectReport, CellResult, KnownWheel } from "../../../../src/workshop/combinations/types.ts";
import { exclusively } from "../../../../src/workshop/process/index.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { gitVersionOf } from "../../../support/nightlyIndex.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { plantedSymbols } from "../../../support/nightlyTorch.ts";
import { extension, indexOf, projectFolder, recordsOf, workshopIn } from "../predict/support.ts";

type Fate = "passed" | "failed" | "unknown";

interface Trials {
  readonly make: MakeTrier;
  /** Days, in the order in which they were tried. */
  readonly days: string[];
}

/** Torches whose fate is known by their day. */
function trials(fate: (day: string) => Fate, meanwhile: (day: string) => void = () => undefined): Trials {
  const days: string[] = [];
  const tries = (torch: KnownWheel, by: "build" | "smoke" | "benchmark"): Promise<{ readonly result: CellResult }> => {
    const day = torch.day?.slice(4) ?? torch.version;
    days.push(day);
    meanwhile(day);
    const outcome = fate(day);
    const reason = outcome === "passed" ? {} : { reason: { message: outcome === "failed" ? `It broke on ${day}.` : "It did not install.", ...(outcome === "failed" ? { test: "tests::one" } : {}) } };
    const combination = { project: { name: "nightly_ops" }, torch: { version: torch.version }, platform: "linux-x86_64" };
    return Promise.resolve({ result: {
      schema: 1, cell: { id: day, label: day, torch: torch.version, packages: {} }, outcome, ...reason, started: "2026-11-30T12:00:00.000Z", milliseconds: 1,
      steps: [{ name: outcome === "unknown" ? "install" : by, outcome, ...reason, milliseconds: 1 }],
      records: outcome === "unknown" ? [] : [{ schema: 1, combination, how: by === "build" ? "built" : by, outcome, when: "2026-11-30T12:00:00.000Z", by: "1.2.3", ...reason }],
    } });
  };
  return { days, make: () => ({ tries, end: () => Promise.resolve() }) };
}

const nothingTried = trials(() => { throw new Error("nothing is to be tried"); });

function requestOf(root: string, index: NightlyIndex, changes: Partial<BisectRequest> = {}): BisectRequest {
  return {
    root, files: [], good: "20261001", bad: "20261016", by: "fits", wanted: { indexes: [index.nightly()] }, settings: undefined, budget: 300e6, offline: false, record: true, restart: false,
    cacheFolder: path.join(root, ".cache"), network: { silence: 2000, retries: 1, backOff: 1 }, ...changes,
  };
}

async function bisected(root: string, index: NightlyIndex, changes: Partial<BisectRequest> = {}, tried: Trials = nothingTried, told = workshopIn(root)): Promise<BisectReport> {
  return bisect(requestOf(root, index, changes), told.workshop, tried.make);
}

function days(report: BisectReport): readonly string[] {
  return report.steps.map(({ torch, by, verdict, resumed }) => `${/dev\d{4}(\d{4})/.exec(torch)?.[1]} ${by} ${verdict}${resumed === true ? " again" : ""}`);
}

function bounds({ lastGood, firstBad }: BisectReport): readonly (string | undefined)[] {
  return [lastGood?.day?.slice(4), firstBad?.day?.slice(4)];
}

function stateFiles(root: string): readonly string[] {
  const folder = path.join(root, ".abiding", "local", "combinations");
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => /^bisect-[0-9a-f]{12}\.json$/.test(name)) : [];
}

describe("a bisect by symbols", () => {
  it("finds the planted day, torch's commits and the symbol, and records it", async () => {
    const index = await indexOf({ days: 16, since: { changed: "20261006" } });
    const root = projectFolder();
    extension(root, ["changed", "removed"]);
    const report = await bisected(root, index);
    assert.equal(report.outcome, "found", report.reason);
    assert.deepEqual(bounds(report), ["1005", "1006"]);
    const [from, to] = ["20261005", "20261006"].map((day) => gitVersionOf(index.version(day)));
    assert.deepEqual(report.range, { from, to, url: `https://github.com/pytorch/pytorch/compare/${from}...${to}` });
    assert.deepEqual(report.symbols, [{ symbol: plantedSymbols.changed, demangled: "c10::DeviceTypeName[abi:cxx11](c10::DeviceType, bool)", nearest: "c10::DeviceTypeName[abi:cxx11](c10::DeviceType)" }]);
    // The ends, four halvings, and two looks beyond what was found.
    assert.deepEqual(days(report).slice(0, 2), ["1001 fits good", "1016 fits bad"]);
    assert.ok(report.steps.length <= 8, days(report).join(", "));
    assert.equal(report.reason, undefined);
    const last = recordsOf(root).at(-1);
    assert.deepEqual([last?.how, last?.outcome, last?.combination.torch.version, last?.note], ["predicted", "conflict", index.version("20261006"), `First bad torch of a bisect; the last good one is ${index.version("20261005")}. ${report.range?.url}`]);
    assert.deepEqual(stateFiles(root), []);
  });

  it("goes back in time too, passes over what was withdrawn, and says which days have no torch", async () => {
    const index = await indexOf({ days: 16, since: { removed: "20261006" }, holes: ["20261005"] });
    const root = projectFolder();
    extension(root);
    index.bad.yanked = { "2.16.0.dev20261006": "broken" };
    const report = await bisected(root, index);
    assert.deepEqual([bounds(report), report.skipped], [["1004", "1007"], [index.version("20261006")]]);
    assert.equal(report.reason, "Between the last good and the first bad torch lies one that could not be told: it broke with that one or with the first bad one. The indexes have no torch of one day between them.");

    const other = projectFolder();
    extension(other, ["removed"]);
    const back = await bisected(other, index, { good: "20261004", bad: "20261001" });
    assert.deepEqual([back.outcome, back.reason], ["inconclusive", `torch ${index.version("20261001")} was said to be bad, and symbols predicted no conflict for it. What breaks there does not show in the symbols: --by build or --by smoke tries it.`]);
    const ends = await bisected(other, index, { good: "20261016", bad: "20261001" });
    assert.equal(ends.outcome, "inconclusive");
    assert.match(ends.reason ?? "", new RegExp(`^torch ${index.version("20261016").replace("+", "\\+")} was said to be good, and symbols predicted a conflict for it\\. `));
  });

  it("notices that it did not break once and for all", async () => {
    const removed = { removed: true };
    const index = await indexOf({ days: 1, releases: { "2.10.0": {}, "2.11.0": removed, "2.12.0": removed, "2.13.0": {}, "2.14.0": removed, "2.15.0": removed } });
    const root = projectFolder();
    extension(root);
    const report = await bisected(root, index, { good: "2.10.0", bad: "2.15.0", wanted: { indexes: [index.simple] } });
    assert.deepEqual([report.lastGood?.version, report.firstBad?.version, report.reason], ["2.10.0", "2.11.0", "It did not break once and for all: torch 2.13.0 is good. What was found is one of several changes."]);
  });

  it("refuses ends that are not known, or the same", async () => {
    const index = await indexOf({ days: 3 });
    const root = projectFolder();
    await assert.rejects(bisected(root, index), (error: unknown) => error instanceof CannotDo && error.message.startsWith(`Nothing that uses torch was found built in ${root}, and so there are no symbols to compare.`));
    extension(root);
    await assert.rejects(bisected(root, index), (error: unknown) => error instanceof CannotDo && error.message.startsWith('"nightly:20261016" names no torch that is known for Python 3.11, linux-x86_64.'));
    await assert.rejects(bisected(root, index, { bad: "20261001" }), (error: unknown) => error instanceof CannotDo && error.message === "20261001 and 20261001 are the same torch; a bisect needs a good one and a bad one.");
    await assert.rejects(bisected(root, index, { bad: "nightly:2" }), (error: unknown) => error instanceof CannotDo && error.message === '"nightly:2" names 2 torches; a bisect needs one good and one bad version.');
  });
});

describe("a bisect by trying", () => {
  it("needs two runs where symbols are right", async () => {
    const index = await indexOf({ days: 16, since: { removed: "20261006" } });
    const root = projectFolder();
    extension(root);
    const tried = trials((day) => (day >= "1006" ? "failed" : "passed"));
    const report = await bisected(root, index, { by: "smoke" }, tried);
    assert.deepEqual([tried.days, bounds(report), report.failing], [["1006", "1005"], ["1005", "1006"], { message: "It broke on 1006.", test: "tests::one" }]);
    assert.deepEqual(report.symbols.map((one) => one.symbol), [plantedSymbols.removed]);
    assert.deepEqual(recordsOf(root).filter((record) => record.how === "smoke").map((record) => [record.outcome, record.note !== undefined]), [["failed", false], ["passed", false], ["failed", true]]);
  });

  it("searches on where symbols are wrong, on either side of where they break", async () => {
    const index = await indexOf({ days: 16, since: { removed: "20261006" } });
    const root = projectFolder();
    extension(root);
    const earlier = trials((day) => (day >= "1003" ? "failed" : "passed"));
    assert.deepEqual(bounds(await bisected(root, index, { by: "build" }, earlier)), ["1002", "1003"]);
    assert.deepEqual(earlier.days, ["1006", "1005", "1001", "1003", "1002"]);
    const later = trials((day) => (day >= "1012" ? "failed" : "passed"));
    assert.deepEqual(bounds(await bisected(root, index, { by: "build" }, later)), ["1011", "1012"]);
    assert.deepEqual(later.days, ["1006", "1016", "1011", "1013", "1012"]);
  });

  it("tries the ends first where there are no symbols, and says when they are not what they were said to be", async () => {
    const index = await indexOf({ days: 16 });
    const root = projectFolder();
    const python = { indexes: [index.nightly()], python: "3.11" };
    const tried = trials((day) => (day >= "1006" ? "failed" : "passed"));
    assert.deepEqual(bounds(await bisected(root, index, { by: "build", wanted: python }, tried)), ["1005", "1006"]);
    assert.deepEqual(tried.days.slice(0, 2), ["1001", "1016"]);
    const allGood = await bisected(root, index, { by: "build", wanted: python }, trials(() => "passed"));
    assert.deepEqual([allGood.outcome, allGood.reason], ["inconclusive", `torch ${index.version("20261016")} was said to be bad, and by build it is good.`]);
    const allBad = await bisected(root, index, { by: "build", wanted: python }, trials(() => "failed"));
    assert.deepEqual([allBad.outcome, allBad.reason, allBad.steps.length], ["inconclusive", `torch ${index.version("20261001")} was said to be good, and by build it is bad. It broke on 1001.`, 1]);
    const untold = await bisected(root, index, { by: "build", wanted: python }, trials((day) => (day === "1016" ? "unknown" : "passed")));
    assert.deepEqual([untold.outcome, untold.reason], ["inconclusive", `torch ${index.version("20261016")} was said to be bad, and by build it could not be told. It did not install.`]);
  });

  it("ends with suspects where what lies at the boundary does not install", async () => {
    const index = await indexOf({ days: 16 });
    const root = projectFolder();
    const tried = trials((day) => (day >= "1005" && day <= "1007" ? "unknown" : day >= "1006" ? "failed" : "passed"));
    const report = await bisected(root, index, { by: "build", wanted: { indexes: [index.nightly()], python: "3.11" } }, tried);
    assert.deepEqual([report.outcome, bounds(report), report.skipped.map((one) => one.slice(14, 18)), report.reason], ["found", ["1004", "1008"], ["1005", "1006", "1007"],
      "Between the last good and the first bad torch lie 3 that could not be told: it broke with one of those or with the first bad one."]);
  });

  it("goes on after an interruption, and begins anew when asked to", async () => {
    const index = await indexOf({ days: 16, since: { removed: "20261003" } });
    const root = projectFolder();
    extension(root);
    const fate = (day: string): Fate => (day >= "1009" ? "failed" : "passed");
    const told = workshopIn(root);
    const first = trials(fate, (day) => { if (day === "1016") told.stop.abort(); });
    const cut = await bisected(root, index, { by: "smoke" }, first, told);
    assert.deepEqual([cut.outcome, cut.reason, first.days], ["cancelled", "It was cancelled.", ["1003", "1016"]]);
    assert.equal(stateFiles(root).length, 1);

    const second = trials(fate);
    const on = workshopIn(root);
    const report = await bisected(root, index, { by: "smoke" }, second, on);
    assert.deepEqual(bounds(report), ["1008", "1009"]);
    assert.ok(!second.days.includes("1003"), second.days.join(" "));
    assert.ok(days(report).includes("1003 smoke good again"));
    assert.match(on.notes.join("\n"), /Going on from a bisect of 2026-11-30 12:00 UTC that had asked \d+ torches; --restart begins anew\./);
    assert.deepEqual(stateFiles(root), []);

    const again = workshopIn(root);
    await bisected(root, index, { by: "smoke" }, trials(fate, () => again.stop.abort()), again);
    const [state = ""] = stateFiles(root);
    const anew = trials(fate);
    assert.deepEqual(bounds(await bisected(root, index, { by: "smoke", restart: true }, anew)), ["1008", "1009"]);
    assert.ok(anew.days.includes("1003"));

    // A file that a power cut spoilt is none.
    fs.writeFileSync(path.join(root, ".abiding", "local", "combinations", state), '{"schema":1,"steps":[{"torch":');
    assert.deepEqual(bounds(await bisected(root, index, { by: "smoke" }, trials(fate))), ["1008", "1009"]);
  });

  it("clears up after a bisect that was killed, and leaves one that is at work alone", async () => {
    const index = await indexOf({ days: 4, since: { removed: "20261003" } });
    const root = projectFolder();
    extension(root);
    const [killed = "", atWork = ""] = ["bisect-0123456789ab", "bisect-ba9876543210"].map((name) => {
      const folder = path.join(root, ".abiding", "local", "combinations", name);
      for (const one of ["source", "cells/1/environment", "cells/1/build", "cells/1/source"]) {
        fs.mkdirSync(path.join(folder, one), { recursive: true });
        fs.writeFileSync(path.join(folder, one, "large"), "");
      }
      fs.writeFileSync(path.join(folder, "cells/1/result.json"), "{}");
      return folder;
    });
    const { workshop } = workshopIn(root);
    let done = (): void => undefined;
    const working = exclusively(atWork, "a test", workshop.activity, async () => new Promise<void>((resolve) => { done = resolve; }));
    const report = await bisected(root, index, { bad: "20261004" });
    done();
    await working;
    assert.deepEqual(bounds(report), ["1002", "1003"]);
    assert.deepEqual(fs.readdirSync(killed, { recursive: true }).sort(), ["cells", "cells/1", "cells/1/result.json"]);
    assert.ok(fs.existsSync(path.join(atWork, "source", "large")));
  });

  it("says that the project has nothing of the kind", async () => {
    const index = await indexOf({ days: 8 });
    const root = projectFolder();
    const wanted = { indexes: [index.nightly()], python: "3.11" };
    const without: MakeTrier = () => ({ end: () => Promise.resolve(), tries: async (torch, by) => {
      const { result } = await trials(() => "passed").make({ folder: root, wanted, knowledge: { wheels: [], indexes: [], problems: [] } }).tries(torch, by);
      return { result: { ...result, steps: [] } };
    } });
    const none = await bisect(requestOf(root, index, { by: "smoke", wanted, bad: "20261008" }), workshopIn(root).workshop, without);
    assert.deepEqual([none.outcome, none.reason], ["inconclusive", `The project has nothing that --by smoke could ask: no step "smoke" was run with torch ${index.version("20261001")}.`]);
  });
});
