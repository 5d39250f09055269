/** How often, and how long, whoever asked about a binary is told how far the answer is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver/node";
import { teller } from "../../../src/server/features/binaryProgress.ts";

test("progress is told at once, then not oftener than ten times a second, and not after the question was cancelled", (context) => {
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  const told: unknown[] = [];
  const connection = { sendNotification: (...sent: unknown[]) => {
    told.push(sent);
    return Promise.resolve();
  } };
  const cancellation = new CancellationTokenSource();
  const tell = teller(connection as never, "7", cancellation.token);
  for (const [at, message] of [[1000, "a"], [1099, "b"], [1100, "c"], [1150, "d"], [1200, "e"]] as const) {
    now = at;
    tell(message);
  }
  cancellation.cancel();
  now = 5000;
  tell("late");
  assert.deepEqual(told, ["a", "c", "e"].map((message) => ["abiding/binaryProgress", { question: "7", message }]));
});

test("who gave the question no name is told nothing", () => {
  const tell = teller({ sendNotification: () => assert.fail("It was told.") } as never, undefined, new CancellationTokenSource().token);
  tell("a");
});
