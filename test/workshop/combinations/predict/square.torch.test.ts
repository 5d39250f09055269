/** The square of torchvision 0.28 and 0.29 with torch 2.13 and 2.14: predicted from real wheels that a local index serves, and loaded where that can be done. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { predict } from "../../../../src/workshop/combinations/index.ts";
import type { Prediction } from "../../../../src/workshop/combinations/types.ts";
import { cacheFolder } from "../../../harness/locations.ts";
import { RangeServer } from "../../../support/rangeServer.ts";
import { projectFolder, workshopIn } from "./support.ts";

interface Column {
  readonly torch: string;
  readonly wheel: string | undefined;
  readonly environment: string | undefined;
}

const columns: readonly Column[] = [
  { torch: "2.13.0", wheel: process.env["ABIDING_TEST_TORCH_WHEEL"], environment: process.env["ABIDING_TEST_TORCH"] },
  // Its wheel has 550 MB: whoever has it names it.
  { torch: "2.14.1", wheel: process.env["ABIDING_TEST_TORCH_2_14_WHEEL"], environment: process.env["ABIDING_TEST_TORCH_2_14"] },
];

/** The wheel of a torchvision, where it was prepared (scripts/prerequisites/releasedWheels.ts). */
function torchvision(version: string): string | undefined {
  const folder = path.join(cacheFolder(), "wheels", `torchvision-${version}`);
  const name = fs.existsSync(folder) ? fs.readdirSync(folder).find((one) => one.endsWith(".whl")) : undefined;
  return name === undefined ? undefined : path.join(folder, name);
}

/** The operators of a torchvision, with what its wheel brings beside them. */
function unpacked(wheel: string, python: string): readonly string[] {
  const to = projectFolder();
  execFileSync(python, ["-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])", wheel, to]);
  return fs.readdirSync(path.join(to, "torchvision")).filter((name) => /^_C.*\.so$/.test(name)).map((name) => path.join(to, "torchvision", name));
}

/** What the loader says, in a process that has imported torch; "" when it loads. */
function loaded(python: string, file: string): string {
  const script = "import ctypes, sys, torch\ntry:\n    ctypes.CDLL(sys.argv[1])\nexcept OSError as error:\n    print(error)";
  return execFileSync(python, ["-c", script, file], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** What is known of the four corners, of builds with CUDA. */
const expected: Readonly<Record<string, Prediction["verdict"]>> = { "0.28.0 2.13.0": "no-conflict", "0.28.0 2.14.1": "conflict", "0.29.1 2.13.0": "no-conflict", "0.29.1 2.14.1": "no-conflict" };

for (const { torch, wheel, environment } of columns) {
  const missing = wheel === undefined || environment === undefined ? `no wheel and no environment of torch ${torch} are named (ABIDING_TEST_TORCH${torch === "2.13.0" ? "" : "_2_14"}_WHEEL and ABIDING_TEST_TORCH${torch === "2.13.0" ? "" : "_2_14"})` : false;
  describe(`torchvision with torch ${torch}`, { skip: missing }, () => {
    for (const version of ["0.28.0", "0.29.1"]) {
      const vision = torchvision(version);
      it(`is predicted for ${version} as the loader has it`, { skip: vision === undefined ? `the wheel of torchvision ${version} was not prepared` : false }, async () => {
        const python = path.join(environment ?? "", "bin", "python");
        const server = await RangeServer.start();
        after(() => server.stop());
        const name = path.basename(wheel ?? "");
        server.serve(`/simple/torch/${encodeURIComponent(name)}`, { content: wheel ?? "", etag: '"released"' });
        server.serve("/simple/torch/", { content: Buffer.from(`<!DOCTYPE html><a href="${encodeURIComponent(name)}">${name}</a>`), type: "text/html" });
        const files = unpacked(vision ?? "", python);
        assert.equal(files.length, 1);
        const root = projectFolder();
        const report = await predict({
          root, files, torch: [torch], wanted: { indexes: [`${server.origin}/simple`], python: /-cp3(\d+)-/.exec(name)?.[1]?.replace(/^/, "3.") ?? "" }, settings: undefined,
          budget: 20e6, offline: false, record: false, cacheFolder: path.join(root, ".cache"),
        }, workshopIn(root).workshop);
        const [prediction] = report.predictions;
        assert.ok(prediction !== undefined, report.reason);
        // A hundredth of the wheel at most, and what was reckoned.
        assert.ok(report.spent < 8e6, `${report.spent} bytes`);
        const words = loaded(python, files[0] ?? "");
        const { verdict, reason } = prediction;
        assert.deepEqual([verdict, words === ""], verdict === "conflict" ? ["conflict", false] : ["no-conflict", true], `${reason?.message}\n${words}`);
        if (reason?.symbols !== undefined) assert.ok(words.endsWith(`undefined symbol: ${reason.symbols[0]}`), words);
        else if (verdict === "conflict") assert.match(words, /^lib(?:cudart|c10_cuda|torch_cuda)\.so[\d.]*: cannot open shared object file/);
        // A build with CUDA does not load with a torch without, whatever its symbols.
        if (reason?.rule !== "cuda-version") assert.equal(verdict, expected[`${version} ${torch}`]);
      });
    }
  });
}
