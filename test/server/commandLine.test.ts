import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { folderOf, LspClient } from "./support/client.ts";

test("`abiding lsp` serves any editor", async () => {
  const folder = folderOf({ "abiding.json": '{ "rules": { "no-such-rule": "off" } }' });
  const client = await LspClient.start({ folders: [folder.root], command: [path.resolve(import.meta.dirname, "../../src/cli/main.ts"), "lsp"] });
  try {
    assert.equal(client.result?.serverInfo?.name, "Abiding");
    assert.deepEqual(client.result.capabilities.executeCommandProvider, { commands: ["abiding.server.showDocumentation"] });
    assert.deepEqual(await client.codes(folder.path("abiding.json")), ["unreadable-file 1"]);
  } finally {
    await client.stop();
    folder.remove();
  }
});
