/** Every library of a real torch, against readelf and nm; and what its head alone tells. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { imageFromHead } from "../../../../src/engine/binaries/elf/index.ts";
import { open } from "./compile.ts";
import { compareWithTools } from "./readelf.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };

function libraries(): readonly string[] {
  const python = fs.readdirSync(path.join(prefix ?? "", "lib")).find((name) => name.startsWith("python")) ?? "python3";
  const torch = path.join(prefix ?? "", "lib", python, "site-packages", "torch");
  return [torch, path.join(torch, "lib")].flatMap((folder) => fs.readdirSync(folder).filter((name) => /\.so(?:\.|$)/.test(name)).map((name) => path.join(folder, name)));
}

describe("libraries of a real torch", options, () => {
  it("have the symbols, versions and needs that readelf and nm see", () => {
    let symbols = 0;
    for (const file of libraries()) {
      const compared = compareWithTools(file);
      assert.deepEqual(compared.differences, [], file);
      symbols += compared.symbols;
    }
    assert.ok(symbols > 50_000, String(symbols));
  });

  it("tell the same symbols by their heads, which are a small part of them", () => {
    for (const file of libraries()) {
      const whole = open(file);
      const descriptor = fs.openSync(file, "r");
      let found: ReturnType<typeof imageFromHead> = { needMore: true };
      let length = 32 * 1024;
      while (found !== undefined && "needMore" in found && length < whole.size * 2) {
        length *= 2;
        const bytes = new Uint8Array(Math.min(length, whole.size));
        fs.readSync(descriptor, bytes, 0, bytes.length, 0);
        found = imageFromHead(bytes, file);
      }
      fs.closeSync(descriptor);
      // A library whose tables patchelf moved says so by undefined.
      if (found !== undefined && !("needMore" in found) && found.exportsKnownBy === "names") {
        assert.deepEqual([...found.exportedNames()], [...whole.exportedNames()], file);
        assert.deepEqual([...(found.imports() ?? [])], [...whole.imports()], file);
        assert.deepEqual(found.versionNeeds(), whole.versionNeeds(), file);
        assert.ok(length <= Math.max(256 * 1024, whole.size / 8), `${file}: ${length} of ${whole.size}`);
      }
    }
  });

  it("are looked into quickly", () => {
    const largest = libraries().reduce((one, other) => (fs.statSync(one).size > fs.statSync(other).size ? one : other));
    const names = [...open(largest).exportedNames()].filter((_, index) => index % 373 === 0);
    // The processor's time, so that a busy machine does not fail it.
    const clock = (): number => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    const times = Array.from({ length: 5 }, () => {
      const started = clock();
      const elf = open(largest);
      assert.ok(names.every((name) => elf.defines(name) && !elf.defines(`${name}x`)));
      const looked = clock();
      assert.ok([...elf.exportedNames()].length > names.length);
      return { look: looked - started, list: clock() - looked };
    });
    assert.ok(Math.min(...times.map((one) => one.look)) < 30, JSON.stringify(times));
    assert.ok(Math.min(...times.map((one) => one.list)) < 100, JSON.stringify(times));
  });
});
