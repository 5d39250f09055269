import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "jsonc-parser";
import { readSettings } from "../../../../src/workshop/combinations/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

const isConfiguration = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(readFileSync("docs/schema/abiding.schema.json", "utf8")) as object);

function read(text: string): ReturnType<typeof readSettings> & { readonly isValid: boolean; readonly said: readonly string[] } {
  const found = readSettings("/p", new MemoryFiles({ "/p/abiding.json": text }));
  const said = found.problems.map(({ message, location }) => `${(location?.range.start.line ?? -1) + 1}:${(location?.range.start.character ?? -1) + 1} ${message}`);
  return { ...found, said, isValid: isConfiguration(parse(text)) };
}

describe('the section "combinations" of abiding.json', () => {
  it("says what is tried, and where; its schema takes the same", () => {
    const whole = {
      records: "records/torch.jsonl", indexes: ["https://download.pytorch.org/whl/nightly/cpu"], packages: ["torchvision"], install: ["numpy", "expecttest"], steps: ["build", "load"],
      matrix: { torch: ["release:2", ">=2.12,<2.15"], python: ["3.11", "3.13t"], cuda: ["cpu"], compiler: ["gcc-13", { name: "old", cxx: "/opt/g++", cudaHost: "/opt/g++" }], commit: [".", "v1"], exclude: [{ torch: "<2.13", python: "3.13t" }] },
      executor: { kind: "slurm", partition: "gpu", gpus: 1, cpus: 8, memory: "16G", timeLimit: 7_200_000, jobs: 4, container: { image: "a.sqsh", mounts: ["/data:/data"] }, wrap: ["nice"], modules: ["cuda/13"], arguments: ["--exclusive"], requeue: 0, account: "ours", node: "/opt/node", cli: "/opt/cli.js" },
    } as const;
    const { settings, said, isValid, isWritten } = read(JSON.stringify({ combinations: { ...whole, executor: { ...whole.executor, timeLimit: "2h" } } }));
    assert.deepEqual([settings, said, isValid, isWritten], [whole, [], true, true]);
  });

  it("takes one value where a list may stand", () => {
    const { settings, said, isValid } = read(`{ "combinations": { "indexes": "https://a.example/simple", "packages": "torchaudio", "steps": "build", "matrix": { "torch": "nightly:3", "python": "3.12", "compiler": "clang-18", "exclude": { "cuda": "cpu" } }, "executor": { "kind": "local", "jobs": 3 } } }`);
    assert.deepEqual([said, isValid], [[], true]);
    assert.deepEqual(settings, { indexes: ["https://a.example/simple"], packages: ["torchaudio"], steps: ["build"], matrix: { torch: ["nightly:3"], python: ["3.12"], compiler: ["clang-18"], exclude: [{ cuda: "cpu" }] }, executor: { kind: "local", jobs: 3 } });
  });

  it("reports each mistake at its place, and the rest counts", () => {
    const { settings, said, isValid } = read(`{ "combinations": {
  "record": "x",
  "indexes": ["download.pytorch.org", "https://a.example/simple"],
  "steps": ["compile"],
  "matrix": { "torch": 2.13, "python": [3.12, "3.13"], "gcc": "13", "compiler": [{ "cxx": "g++" }, 13] },
  "executor": { "kind": "slurm", "gpus": 0, "memory": "lots", "partition": "gpu", "container": { "mounts": [] } }
} }`);
    assert.deepEqual(said, [
      `2:3 "record" is not a setting of "combinations". It has "records", "indexes", "packages", "install", "steps", "matrix", "executor".`,
      `3:15 "indexes" must hold addresses of package indexes, such as "https://download.pytorch.org/whl/nightly/cpu".`,
      `4:13 "steps" must be one of "install", "build", "load", "smoke", "benchmark".`,
      `5:24 "torch" must be a text or a list of texts.`,
      `5:41 "python" must hold versions of Python as texts, such as "3.12" or "3.13t".`,
      `5:56 "gcc" is not a setting of "matrix". It has "torch", "python", "cuda", "compiler", "commit", "exclude".`,
      `5:82 "compiler" needs "name".`,
      `5:100 "compiler" must be a text that is not empty.`,
      `6:42 "gpus" must be a whole number from 1 on.`,
      `6:55 "memory" must be a size as sbatch takes it, such as "16G".`,
      `6:96 "container" needs "image".`,
    ]);
    assert.deepEqual(settings, { indexes: ["https://a.example/simple"], matrix: { python: ["3.13"] }, executor: { kind: "slurm", partition: "gpu" } });
    assert.equal(isValid, false);
    assert.deepEqual(read(`{ "combinations": { "executor": { "jobs": 2 } } }`).said, [`1:33 "executor" needs "kind".`]);
    assert.deepEqual(read(`{ "combinations": [] }`).said, [`1:19 "combinations" must be an object with "records", "indexes", "packages", "install", "steps", "matrix", "executor".`]);
  });

  it("need not be there", () => {
    assert.deepEqual(readSettings("/p", new MemoryFiles({})), { settings: {}, isWritten: false, problems: [] });
  });
});
