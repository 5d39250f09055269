import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings, readSettings } from "../../src/server/settings.ts";

test("absent settings are the defaults", () => {
  for (const raw of [undefined, null, {}, { rules: null, environment: "" }]) {
    assert.deepEqual(readSettings(raw), { settings: defaultSettings, problems: [] });
  }
});

test("settings are read as VS Code sends them", () => {
  const { settings, problems } = readSettings({ enable: false, environment: "torch==2.8.0+cu128", rules: { "native-arch": "off" }, inlayHints: { targets: false, torch: true }, codeLens: { enable: false } });
  assert.deepEqual(problems, []);
  assert.deepEqual(settings, { enable: false, environment: "torch==2.8.0+cu128", rules: { "native-arch": "off" }, inlayHints: { targets: false, torch: true }, codeLens: false });
});

test("each setting that is not understood is named, and the others count", () => {
  const { settings, problems } = readSettings({ enable: "yes", environment: 3, rules: { "native-arch": "loud", "cxx-standard": "info" } });
  assert.deepEqual(settings.rules, { "cxx-standard": "info" });
  assert.equal(settings.enable, true);
  assert.deepEqual(problems, [
    'The setting abiding.enable must be true or false, not "yes"; true is used.',
    'The setting abiding.environment must be text (a path or torch==VERSION), not 3; it is ignored.',
    'The setting abiding.rules gives native-arch the severity "loud"; it must be one of error, warning, info, hint, off. The rule keeps its default.',
  ]);
});

test("settings of another shape altogether are refused with a reason", () => {
  assert.deepEqual(readSettings([1]).problems, ["The abiding settings must be an object, not a list."]);
});
