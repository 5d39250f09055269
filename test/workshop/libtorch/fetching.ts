/** What the tests of fetching share: a mirror with an archive of a libtorch, and for each test a store and a prefix of its own. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, beforeEach } from "node:test";
import { fetchLibtorch } from "../../../src/workshop/libtorch/index.ts";
import type { FetchRequest, LibtorchReport } from "../../../src/workshop/libtorch/index.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { archive, entriesOf } from "./archives.ts";
import type { Entry } from "./archives.ts";
import { writeLibtorch } from "./reducedTorch.ts";
import { scratchFolder, workshopOf } from "./support.ts";
import type { Told } from "./support.ts";

export const scratch = scratchFolder("fetch");
export const made = path.join(scratch, "made");
writeLibtorch(made);
fs.symlinkSync("libtorch.so", path.join(made, "lib", "libtorch.so.2"));
fs.symlinkSync("../lib/libc10.so", path.join(made, "bin", "c10"));
export const entries = entriesOf(made, "libtorch");
// What does not pack makes the archive long enough to be cut.
export const filler = Buffer.from(Array.from({ length: 400_000 }, (_, at) => (at * at * 31 + (at >> 3) * 7 + (at >> 7)) & 255));
export const whole = archive([...entries, { name: "libtorch/share/filler", content: filler, mode: 0o100644, stored: true }]);
export const sha256 = createHash("sha256").update(whole).digest("hex");

export const server = await RangeServer.start();
after(async () => server.stop());
export const address = `/mirror/cpu/${encodeURIComponent("libtorch-shared-with-deps-2.13.0+cpu.zip")}`;
let count = 0;
/** Of each test its own. */
export const place = { store: "", prefix: "" };
beforeEach(() => {
  count += 1;
  place.store = path.join(scratch, `store-${count}`);
  place.prefix = path.join(scratch, `out ${count}`, "libtorch");
  fs.mkdirSync(path.dirname(place.prefix));
  server.files.clear();
  server.seen.length = 0;
  server.ignoresRanges = false;
  server.trick = () => false;
  server.serve(address, { content: whole, etag: '"one"' });
});

const quick = { silence: 400, retries: 1, backOff: 10 };

function request(more: Partial<FetchRequest> = {}): FetchRequest {
  return { root: scratch, wanted: { version: "2.13.0" }, from: "libtorch", index: `${server.origin}/mirror`, prefix: place.prefix, cacheFolder: place.store, ...more };
}

export async function run(more: Partial<FetchRequest> = {}, prepare: (told: Told) => void = () => undefined, variables: Variables = {}): Promise<{ readonly report: LibtorchReport; readonly told: Told }> {
  const { workshop, told } = workshopOf(scratch, variables);
  prepare(told);
  return { report: await fetchLibtorch(request(more), workshop, quick), told };
}

/** Nothing of an attempt that failed is beside the prefix. */
export function assertAbsent(): void {
  assert.deepEqual(fs.readdirSync(path.dirname(place.prefix)), []);
}

export function serve(content: Uint8Array | readonly Entry[]): void {
  server.serve(address, { content: content instanceof Uint8Array ? content : archive(content), etag: '"one"' });
}
