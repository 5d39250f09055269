import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { ArchiveError } from "../../../src/engine/binaries/archive/index.ts";
import { unpackLibtorch } from "../../../src/workshop/libtorch/unpack.ts";
import { archive } from "./archives.ts";
import type { Entry } from "./archives.ts";
import { scratchFolder, workshopOf } from "./support.ts";

const scratch = scratchFolder("hostile");
const config: Entry = { name: "libtorch/share/cmake/Torch/TorchConfig.cmake", content: "#" };
let count = 0;

async function unpack(content: Uint8Array | readonly Entry[]): Promise<{ readonly target: string; readonly problem: string }> {
  count += 1;
  const file = path.join(scratch, `${count}.zip`);
  const target = path.join(scratch, String(count), "target");
  fs.mkdirSync(path.dirname(target));
  fs.writeFileSync(file, content instanceof Uint8Array ? content : archive([config, ...content]));
  try {
    await unpackLibtorch(file, "x.zip", target, workshopOf(scratch).workshop.activity);
    return { target, problem: "" };
  } catch (error) {
    assert.ok(error instanceof ArchiveError, String(error));
    return { target, problem: error.message };
  }
}

/** Nothing was written outside of the target. */
function assertInside(target: string): void {
  assert.deepEqual(fs.readdirSync(path.dirname(target)).filter((name) => name !== "target"), []);
}

describe("a hostile archive", () => {
  const link = 0o120777;
  const cases: readonly (readonly [string, readonly Entry[], RegExp])[] = [
    ["a name that climbs out", [{ name: "libtorch/../../evil", content: "x" }], /"libtorch\/\.\.\/\.\.\/evil" has a name that leads out of the archive/],
    ["an absolute name", [{ name: "/tmp/evil", content: "x" }], /"\/tmp\/evil" has a name that leads out of the archive/],
    ["a link to an absolute path", [{ name: "libtorch/lib", content: "/etc", mode: link }], /"libtorch\/lib" is a link that leads out of the archive: "\/etc"/],
    ["a link that climbs out", [{ name: "libtorch/lib/a", content: "../../b", mode: link }], /is a link that leads out of the archive: "\.\.\/\.\.\/b"/],
    ["a link that climbs after it went down", [{ name: "libtorch/a", content: "lib/../..", mode: link }], /is a link that leads out of the archive/],
    ["a file behind a link", [{ name: "libtorch/lib", content: "include", mode: link }, { name: "libtorch/lib/evil", content: "x" }], /"libtorch\/lib\/evil" would be written through the link "lib"/],
    ["a device", [{ name: "libtorch/null", content: "", mode: 0o020666 }], /"libtorch\/null" is neither a file nor a link/],
    ["a bomb", [{ name: "libtorch/big", content: Buffer.alloc(100), claims: 2 ** 31 }], /claims to unpack to 2147483648 bytes from \d+, which its method cannot do/],
    ["the same name twice", [{ name: "libtorch/a", content: "1" }, { name: "libtorch/a", content: "2" }], /"libtorch\/a" occurs twice/],
    ["more than it claims", [{ name: "libtorch/a", content: Buffer.alloc(5000), claims: 4000 }], /unpacks to more than the 4000 bytes that the directory says/],
  ];
  for (const [name, entries, reason] of cases) {
    it(`with ${name} is refused`, async () => {
      const { target, problem } = await unpack(entries);
      assert.match(problem, reason);
      assertInside(target);
    });
  }

  it("that is cut, or no archive, or holds no libtorch, is refused", async () => {
    const bytes = archive([config, { name: "libtorch/a", content: "x" }]);
    assert.match((await unpack(bytes.subarray(0, bytes.length - 30))).problem, /is no zip archive, or is cut off/);
    assert.match((await unpack(Buffer.from("<html>404</html>".repeat(10)))).problem, /is no zip archive/);
    assert.equal((await unpack(archive([{ name: "readme", content: "x" }]))).problem, "x.zip holds no libtorch: no share/cmake/Torch/TorchConfig.cmake is in it.");
  });

  it("whose content was changed is refused", async () => {
    const bytes = archive([config, { name: "libtorch/a", content: "the content", stored: true }]);
    bytes.write("THE", bytes.indexOf("the content"));
    assert.match((await unpack(bytes)).problem, /"libtorch\/a" has other content than its checksum says/);
  });
});

describe("an archive as libtorch's are", () => {
  it("with 64-bit sizes, stored and packed members, modes and links is unpacked", async () => {
    const { target, problem } = await unpack([
      { name: "libtorch/lib/libc10.so", content: "c10", mode: 0o100755, wide: true },
      { name: "libtorch/lib/libtorch.so", content: Buffer.alloc(3_000_000, 7), mode: 0o104644, wide: true, stored: true },
      { name: "libtorch/lib/libtorch.so.2", content: "libtorch.so", mode: 0o120777 },
      { name: "libtorch/bin/protoc", content: "../lib/libc10.so", mode: 0o120777 },
      { name: "libtorch/include/read-only.h", content: "x", mode: 0o100444 },
      { name: "libtorch/include/", content: "", mode: 0o040755 },
      { name: "other/file", content: "not of it" },
    ]);
    assert.equal(problem, "");
    const mode = (name: string): number => fs.statSync(path.join(target, name)).mode & 0o7777 & ~0o022;
    assert.deepEqual([mode("lib/libc10.so"), mode("lib/libtorch.so"), mode("include/read-only.h")], [0o755, 0o644, 0o644]);
    assert.equal(fs.readlinkSync(path.join(target, "lib/libtorch.so.2")), "libtorch.so");
    assert.equal(fs.readFileSync(path.join(target, "bin/protoc"), "utf8"), "c10");
    assert.deepEqual(fs.readdirSync(target).sort(), ["bin", "include", "lib", "share"]);
  });
});
