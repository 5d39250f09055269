import assert from "node:assert/strict";
import { test } from "node:test";
import { ScanProgress } from "../../src/server/progress.ts";

type Connection = ConstructorParameters<typeof ScanProgress>[0];

function client(fails = false): { readonly connection: Connection; readonly said: string[] } {
  const said: string[] = [];
  const reporter = {
    begin: (title: string, _: unknown, message: string) => said.push(`begin ${title}: ${message}`),
    report: (message: string) => said.push(`report ${message}`),
    done: () => said.push("done"),
  };
  const connection = {
    window: { createWorkDoneProgress: () => (fails ? Promise.reject(new Error("no")) : Promise.resolve(reporter)) },
    console: { debug: (message: string) => said.push(message) },
  } as unknown as Connection;
  return { connection, said };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a short scan says nothing", async () => {
  const { connection, said } = client();
  let now = 0;
  const progress = new ScanProgress(connection, "/work/ops", () => now);
  now = 200;
  progress.report("/work/ops/CMakeLists.txt");
  progress.done();
  await settled();
  assert.deepEqual(said, []);
});

test("a long scan names what it reads, now and then, and ends", async () => {
  const { connection, said } = client();
  let now = 0;
  const progress = new ScanProgress(connection, "/work/ops", () => now);
  for (const [time, next] of [[350, "/work/ops/a/CMakeLists.txt"], [360, "/work/ops/b/CMakeLists.txt"], [500, "cxx-standard"]] as const) {
    now = time;
    progress.report(next);
  }
  progress.done();
  await settled();
  assert.deepEqual(said, ["begin Abiding reads ops: a/CMakeLists.txt", "report a/CMakeLists.txt", "report cxx-standard", "done"]);
});

test("a client that refuses costs nothing but a line in the log", async () => {
  const { connection, said } = client(true);
  let now = 0;
  const progress = new ScanProgress(connection, "/work/ops", () => now);
  now = 400;
  progress.report("folders");
  progress.done();
  await settled();
  assert.deepEqual([...new Set(said)], ["The client did not show progress: Error: no"]);
});
