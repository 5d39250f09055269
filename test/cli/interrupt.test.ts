import assert from "node:assert/strict";
import * as fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-interrupt-"));
after(() => fs.rmSync(scratch, { recursive: true }));

describe("a run that is interrupted while a server is silent", () => {
  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    it(`ends at once with status ${status} on ${signal}, says so, and leaves nothing behind`, async () => {
      let arrived = (): void => undefined;
      const asked = new Promise<void>((resolve) => { arrived = resolve; });
      const server = createServer(() => { arrived(); });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slow-1.0-py3-none-any.whl`;
        const run = execa(process.execPath, [path.join(root, "src/cli/main.ts"), "inspect", url], { cwd: scratch, reject: false, env: { HOME: scratch, XDG_CACHE_HOME: undefined, TMPDIR: scratch } });
        await asked;
        const sent = performance.now();
        run.kill(signal);
        const { exitCode, stdout, stderr } = await run;
        assert.ok(performance.now() - sent < 5000);
        assert.deepEqual([exitCode, stdout], [status, ""]);
        assert.match(stderr, /^abiding: (?:interrupted|asked to end); nothing was reported\.$/);
        assert.deepEqual(fs.readdirSync(scratch, { recursive: true }).filter((name) => /spool|tmp/.test(String(name))), []);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }
});
