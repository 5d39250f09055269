/**
 * The words of the machine's own loader, as experiments of the lab make it say them, explained: from the text alone, with the
 * torch under which it failed, and with the file read. What is true of each is known by the way it is built.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { explain, fitReader } from "../../src/engine/diagnosis/explain/index.ts";
import type { CauseName } from "../../src/engine/diagnosis/explain/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { environmentOf } from "../../src/engine/fit/index.ts";
import type { FitEnvironment, MissingKind } from "../../src/engine/fit/index.ts";
import { resolveAgainst } from "../../src/engine/installed/index.ts";
import type { ExplainVerdict } from "../../src/engine/model/index.ts";
import { resultsFolder } from "../harness/locations.ts";
import { experiments, runLab, torchAt, type Observation } from "./index.ts";
import type { Torch } from "./torches.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
if (prefix === undefined || prefix === "") throw new Error("ABIDING_TEST_TORCH names no environment; `npm test -- --tier lab` prepares one.");

const files = new NodeFiles();
const catalogue = loadCatalogue();

/** What a kind of missing symbol has as its causes. */
const causesOf: Readonly<Record<MissingKind, readonly CauseName[]>> = {
  "abi-twin": ["libstdcxx-abi"],
  drift: ["torch-drift", "torch-build"],
  "missing-library": ["library-not-linked", "torch-not-loaded", "torch-cpu-only"],
  "stable-shim": ["stable-shim", "torch-cpu-only"],
  own: ["own-symbol"],
  "other-library": ["other-library-symbol", "python-abi", "cuda-library-skew", "library-not-linked", "libstdcxx-too-old", "glibc-too-old", "library-too-old"],
};

/** Themes whose failures are symbols of torch or of the project; others have tests of their own. */
const themes = /^(?:twin|drift|missing-library|stable|own|sample)\//;

const torch = await torchAt(prefix);
const outcome = await runLab(experiments.filter((one) => themes.test(one.id) && (one.inCi ?? true)), [torch]);
const environment = environmentFor(torch);

interface Explained { readonly observation: Observation; readonly wanted: readonly CauseName[]; readonly alone: ExplainVerdict | undefined; readonly against: ExplainVerdict | undefined; readonly read: ExplainVerdict | undefined }

const all: Explained[] = [];
for (const observation of outcome.observations) {
  const { expected, reality, path } = observation;
  if (expected.is === "symbol" && reality.outcome === "symbol") {
    const kinds = typeof expected.kind === "function" ? expected.kind(reality.first ?? "") : [expected.kind].flat();
    const text = `Traceback (most recent call last):\n  File "run.py", line 3, in <module>\n    import probe\n${reality.text.replaceAll("…", dirname(path))}`;
    all.push({
      observation, wanted: kinds.flatMap((kind) => causesOf[kind]),
      alone: (await explain(text, { catalogue })).verdicts[0],
      against: (await explain(text, { catalogue, environment })).verdicts[0],
      read: (await explain(text, { catalogue, environment, fit: fitReader({ environment, catalogue, files, roots: [dirname(path)] }) })).verdicts[0],
    });
  }
}
const share = (which: "alone" | "against" | "read"): number => all.filter((one) => isRight(one, which)).length / all.length;
mkdirSync(resultsFolder, { recursive: true });
writeFileSync(join(resultsFolder, "lab-explain.json"), JSON.stringify({ texts: all.length, alone: share("alone"), against: share("against"), read: share("read"), wrong: all.filter((one) => !isRight(one, "alone")).map((one) => ({ id: one.observation.experiment.id, wanted: one.wanted, alone: one.alone?.cause })) }, undefined, 1));

function environmentFor({ against, env }: Torch): FitEnvironment {
  const answer = resolveAgainst(against, { root: against, files, catalogue, environment: {} });
  if (!answer.ok) throw new Error(answer.message);
  return environmentOf(answer.body, files, { environment: { ...env } });
}

function isRight(one: Explained, which: "alone" | "against" | "read"): boolean {
  const cause = one[which]?.cause;
  return one.wanted.some((wanted) => wanted === cause);
}

describe("the loader's words in the lab, explained", () => {
  it("are many", () => {
    assert.ok(all.length >= 40, `${all.length}`);
  });

  it("are understood without anything else in nine of ten, or told as a guess", () => {
    const wrong = all.filter((one) => !isRight(one, "alone"));
    const list = wrong.map((one) => `${one.observation.experiment.id}: ${one.alone?.confidence ?? ""} ${one.alone?.cause ?? "nothing"}`).join("\n");
    // The lab's torch has the new string only; a new spelling of a name of old releases is met elsewhere as a matter of both.
    assert.ok(wrong.filter((one) => one.alone?.confidence !== "possible").length <= 0.1 * all.length, list);
    assert.ok(share("alone") >= 0.85, list);
    for (const { observation, alone } of all) assert.notEqual(alone?.confidence, "certain", `${observation.experiment.id}: ${alone?.headline ?? ""}`);
  });

  for (const one of all) {
    const { observation: { experiment }, read } = one;
    it(`${experiment.id} with the file: ${experiment.about}`, () => {
      assert.ok(isRight(one, "read"), `${one.wanted.join(" or ")} was meant: ${read?.cause ?? "nothing"}: ${read?.headline ?? ""}`);
      // Of a name like torch's that no release ever had it stays open whose it is.
      assert.equal(read?.confidence, /neither .* nor any recorded release/.test(read?.headline ?? "") ? "likely" : "certain", read?.because.join("\n"));
      assert.ok(read?.symbols?.some(({ symbol }) => symbol === one.observation.reality.first));
    });
  }
});
