/** Every mangled name of a real torch, against `c++filt` of this machine. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { demangle, parseSymbol } from "../../../../src/engine/binaries/mangling/demangle.ts";
import { distinctNodes, encodeSymbol } from "../../../../src/engine/binaries/mangling/encode.ts";
import { entityKey, familyOf, readMangled } from "../../../../src/engine/binaries/mangling/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { filtered } from "./declarations.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };

function namesOfTorch(): readonly string[] {
  const names = new Set<string>();
  const files = new NodeFiles();
  for (const file of globSync(path.join(prefix ?? "", "lib", "python3*", "site-packages", "torch", "**", "*.so*"))) {
    const opened = openElf(file, files);
    if (!opened.ok) continue;
    for (const name of opened.elf.exportedNames()) names.add(name);
    for (const symbol of opened.elf.imports()) names.add(symbol.name);
  }
  return [...names].filter((name) => name.startsWith("_Z")).sort();
}

describe("the names of a real torch", () => {
  it("are printed as c++filt prints them and written back as they were", options, () => {
    const names = namesOfTorch();
    assert.ok(names.length > 30_000, `${names.length} names`);
    const texts = filtered(names);
    const different: string[] = [];
    const rewritten: string[] = [];
    let unread = 0;
    names.forEach((name, index) => {
      if ((demangle(name) ?? name) !== texts[index]) different.push(name);
      const parsed = parseSymbol(name);
      if (parsed === undefined) unread++;
      else if (encodeSymbol(parsed, distinctNodes(parsed)) !== name) rewritten.push(name);
    });
    assert.deepEqual(different, []);
    assert.deepEqual(rewritten, []);
    // The names of the vector function ABI (_ZGVeN8v_Sleef_asin_u10) look mangled and are not.
    assert.equal(unread, names.filter((name) => /^_ZGV[a-e][NM]\d/.test(name)).length);
  });

  it("speak of one std::string ABI, and have a key and a family", options, () => {
    const names = namesOfTorch();
    const abis = new Map<unknown, number>();
    for (const name of names) {
      const read = readMangled(name);
      if (read === undefined) continue;
      abis.set(read.stringAbi, (abis.get(read.stringAbi) ?? 0) + 1);
      assert.notEqual(entityKey(name), undefined, name);
      if (["c10", "at", "caffe2"].includes(read.scope[0] ?? "")) assert.equal(familyOf(name), "torch", name);
    }
    assert.equal(abis.get("both") ?? 0, 0);
    assert.ok((abis.get(1) ?? 0) > 1000);
  });
});
