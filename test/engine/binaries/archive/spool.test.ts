import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { execa } from "execa";
import { ArchiveError, ByteSourceError, openArchive, Spool } from "../../../../src/engine/binaries/archive/index.ts";
import type { Member } from "../../../../src/engine/binaries/archive/index.ts";
import { MemorySource } from "../../../support/memory-source.ts";
import { build } from "./build.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-test-"));
const before = process.env["TMPDIR"];
after(() => fs.rmSync(scratch, { recursive: true }));
afterEach(() => {
  if (before === undefined) {
    delete process.env["TMPDIR"];
  } else {
    process.env["TMPDIR"] = before;
  }
});

async function opened(): Promise<{ readonly archive: Awaited<ReturnType<typeof openArchive>>; readonly member: Member }> {
  const archive = await openArchive(new MemorySource(build([{ name: "a/lib.so", content: "x".repeat(300_000) }])));
  const [member] = archive.members.values();
  assert.ok(member !== undefined);
  return { archive, member };
}

describe("Spool", () => {
  it("unpacks into a folder of its own and removes it", async () => {
    process.env["TMPDIR"] = scratch;
    const { archive, member } = await opened();
    const told: number[] = [];
    const spool = new Spool({ progress: (done) => { told.push(done); } });
    const file = await spool.unpack(archive, member);
    assert.equal(fs.readFileSync(file, "utf8"), "x".repeat(300_000));
    assert.equal(told.at(-1), 300_000);
    assert.equal(fs.statSync(path.dirname(file)).mode & 0o777, 0o700);
    spool.dispose();
    assert.deepEqual(fs.readdirSync(scratch), []);
  });

  it("says what is wrong with the temporary folder, and whose fault it is", async () => {
    process.env["TMPDIR"] = path.join(scratch, "missing");
    const { archive, member } = await opened();
    await assert.rejects(new Spool().unpack(archive, member), (error) => error instanceof ArchiveError && error.entry === "a/lib.so" && error.message.includes("300000 bytes are needed in the temporary folder") && error.message.includes("ENOENT"));
  });

  it("stops when it is told to", async () => {
    process.env["TMPDIR"] = scratch;
    const { archive, member } = await opened();
    const spool = new Spool({ signal: AbortSignal.abort() });
    await assert.rejects(spool.unpack(archive, member), (error) => error instanceof ByteSourceError && error.problem === "cancelled");
    spool.dispose();
    assert.deepEqual(fs.readdirSync(scratch), []);
  });

  it("removes what killed runs left behind more than a day ago, and nothing else", async () => {
    process.env["TMPDIR"] = scratch;
    for (const [name, days] of [["abiding-spool-old", 2], ["abiding-spool-young", 0], ["abiding-else", 2]] as const) {
      fs.mkdirSync(path.join(scratch, name));
      fs.utimesSync(path.join(scratch, name), new Date(), new Date(Date.now() - days * 24 * 60 * 60 * 1000));
    }
    const { archive, member } = await opened();
    const spool = new Spool();
    await spool.unpack(archive, member);
    spool.dispose();
    assert.deepEqual(fs.readdirSync(scratch).sort(), ["abiding-else", "abiding-spool-young"]);
    fs.rmSync(path.join(scratch, "abiding-else"), { recursive: true });
    fs.rmSync(path.join(scratch, "abiding-spool-young"), { recursive: true });
  });

  it("leaves nothing behind when the process ends in the middle", async () => {
    const folder = path.join(scratch, "exit");
    fs.mkdirSync(folder);
    const here = (file: string): string => JSON.stringify(path.resolve(import.meta.dirname, file));
    const script = `
      const { openArchive, Spool } = await import(${here("../../../../src/engine/binaries/archive/index.ts")});
      const { MemorySource } = await import(${here("../../../support/memory-source.ts")});
      const { build } = await import(${here("build.ts")});
      const archive = await openArchive(new MemorySource(build([{ name: "a.so", content: "x".repeat(300000) }])));
      await new Spool({ progress: () => process.exit(7) }).unpack(archive, archive.members.get("a.so"));`;
    const { exitCode } = await execa(process.execPath, ["--input-type=module", "-e", script], { reject: false, env: { TMPDIR: folder } });
    assert.equal(exitCode, 7);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});
