/** When the panel's page is told something, whichever of VS Code and the page tells first that it is there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Presence } from "../../../src/extension/panel/presence.ts";
import { FakeFrame, settled, stage, uri } from "../binary/stage.ts";

const { Panel } = await import("../../../src/extension/panel/panel.ts");

test("a page that says that it is ready is there, also while VS Code has it for hidden", () => {
  const presence = new Presence(false);
  assert.equal(presence.isThere, false);
  presence.ready();
  assert.equal(presence.isThere, true);
  // It has everything that was told since.
  assert.deepEqual([presence.seen(true), presence.isThere], [false, true]);
  assert.deepEqual([presence.seen(false), presence.isThere], [false, false]);
});

test("a panel that comes into sight is asked once whether its page was there all the time", () => {
  const presence = new Presence(true);
  presence.ready();
  assert.equal(presence.seen(true), false);
  assert.deepEqual([presence.seen(false), presence.seen(true), presence.seen(true)], [false, true, false]);
  assert.equal(presence.isThere, true);
});

test("the panel answers a page that is ready before VS Code shows it, and asks one that missed something", async () => {
  const frame = new FakeFrame();
  const panel = new Panel({ host: { context: { extensionUri: uri("/ext") }, log: { error: (text: string) => stage.errors.push(text) } } } as never, frame as never, undefined);
  const types = (): readonly string[] => frame.told.splice(0).map((one) => one.type);
  frame.visible = false;
  assert.deepEqual(types(), []);
  frame.says({ type: "ready" });
  await settled();
  // There is no folder here, of which it is told in place of a state.
  assert.deepEqual(types(), ["failed"]);
  frame.visible = true;
  assert.deepEqual(types(), []);
  frame.visible = false;
  frame.visible = true;
  assert.deepEqual(types(), ["shown"]);
  panel.dispose();
  assert.deepEqual(stage.errors, []);
});
