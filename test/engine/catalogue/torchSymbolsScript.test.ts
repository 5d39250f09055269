import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { execa } from "execa";
import { gapsOf, openTable, packTable } from "../../../scripts/data/torchSymbolsTable.ts";
import { root } from "../../harness/locations.ts";

const scratch = mkdtempSync(join(tmpdir(), "abiding-symbols-script-"));
const table = join(scratch, "table.br");
const content = packTable({
  source: "a test", libraries: ["libc10.so"], releases: [{ version: "2.0.0", libstdcxxAbi: 0, needed: {} }], masks: new Map([["_ZN3c101fEv", Uint8Array.of(1)]]),
  missing: [{ version: "1.1.0", why: "Its libraries are others." }, { version: "nightly", why: "The index could not be read." }],
});
/** One index has wheels of torch for Windows only; in the other the wheel of a release is damaged. */
const server = createServer((request, response) => {
  const page = request.url === "/windows/torch/" ? "torch-2.1.0-cp311-cp311-win_amd64.whl" : request.url === "/linux/torch/" ? "torch-2.1.0-cp311-cp311-manylinux_2_28_x86_64.whl" : undefined;
  if (page === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/html" }).end(`<html><body><a href="/files/${page}">${page}</a></body></html>`);
});
let host = "";

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(scratch, { recursive: true });
});

async function run(...args: readonly string[]): Promise<{ readonly status: number | undefined; readonly out: string; readonly err: string }> {
  writeFileSync(table, content);
  const result = await execa(process.execPath, [join(root, "scripts/data/torch-symbols.ts"), "--table", table, "--folder", join(scratch, "read"), ...args], { reject: false, env: { HOME: scratch, XDG_CACHE_HOME: scratch } });
  return { status: result.exitCode, out: result.stdout, err: result.stderr };
}

describe("the script that makes the table of torch's exports", () => {
  it("says that an index is the wrong one, and keeps what the table says to be missing", async () => {
    const index = `${host}/windows`;
    const { status, out } = await run("--index", index, "--preview-index", index);
    assert.equal(status, 1);
    assert.match(out, /^recorded: 2\.0\.0\nto read: nothing\n1 releases, 1 symbols, \d+ bytes\nmissing: newer: The index could not be read: It has no wheel of torch for Linux on x86-64\.\nmissing: nightly: /);
    const { missing, masks } = openTable(readFileSync(table));
    assert.deepEqual(missing.map((one) => one.version), ["1.1.0", "newer", "nightly"]);
    assert.deepEqual([...masks.keys()], ["_ZN3c101fEv"]);
  });

  it("records a release whose wheel cannot be read as missing, without the address, and leaves nothing half-written", async () => {
    const index = `${host}/linux`;
    const { status, out } = await run("--index", index, "--preview-index", index);
    assert.equal(status, 1);
    assert.match(out, /\nmissing: 2\.1\.0: Its wheel could not be read: /);
    const [older, newer, ...others] = openTable(readFileSync(table)).missing;
    assert.deepEqual([older?.version, newer?.version, others], ["1.1.0", "2.1.0", []]);
    assert.doesNotMatch(newer?.why ?? "", /127\.0\.0\.1/);
    assert.deepEqual(readdirSync(scratch, { recursive: true, encoding: "utf8" }).filter((one) => /wheel\.json|table\.br./.test(one)), []);
  });

  it("only lists when asked to, and says what it does not understand", async () => {
    const listed = await run("--list", "--index", `${host}/linux`, "--preview-index", `${host}/linux`);
    assert.deepEqual([listed.status, listed.out], [0, "recorded: 2.0.0\nto read: 2.1.0"]);
    assert.ok(readFileSync(table).equals(content));
    const bad = await run("--lists");
    assert.equal(bad.status, 2);
    assert.match(bad.err, /^Unknown option '--lists'[^\n]*$/);
  });

  it("forgets a gap when the release is recorded", () => {
    const why = "x";
    assert.deepEqual(gapsOf([{ version: "1.1.0", why }, { version: "2.1.0", why }, { version: "newer", why }], new Map(), ["2.1.0"]), [{ version: "1.1.0", why }]);
  });
});
