import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { abiTwin, abiTwinCandidates, readMangled } from "../../../../src/engine/binaries/mangling/index.ts";
import { compiledNames } from "./declarations.ts";

const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

describe("abiTwin", () => {
  // [old, new]: exact in both directions.
  const pairs: readonly (readonly [string, string])[] = [
    ["_ZN4shop5ErrorC1ENS_5PlaceESs", `_ZN4shop5ErrorC1ENS_5PlaceE${newString}`],
    ["_ZN4shop6detail4failEPKcS2_jRKSs", "_ZN4shop6detail4failEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"],
    ["_ZN4shop5ErrorC1EPKcjS2_RKSsS4_PKv", "_ZN4shop5ErrorC1EPKcjS2_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESA_PKv"],
    ["_Z1fSt6vectorISsSaISsEE", "_Z1fSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE"],
    ["_Z1fSt4listIiSaIiEE", "_Z1fNSt7__cxx114listIiSaIiEEE"],
    ["_Z1fSbIwSt11char_traitsIwESaIwEE", "_Z1fNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE"],
    // char_traits<char> stands there already: the new spelling refers to it.
    ["_Z1fSt17basic_string_viewIcSt11char_traitsIcEESs", "_Z1fSt17basic_string_viewIcSt11char_traitsIcEENSt7__cxx1112basic_stringIcS1_SaIcEEE"],
    ["_ZNSs6appendERKSs", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_"],
    ["_ZTIN4shop5TableISsEE", "_ZTIN4shop5TableINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEE"],
    ["_ZN4shop3wayERKNSt10filesystem4pathE", "_ZN4shop3wayERKNSt10filesystem7__cxx114pathE"],
  ];
  for (const [old, new_] of pairs) {
    it(`goes from ${old} and back`, () => {
      assert.equal(abiTwin(old), new_);
      assert.equal(abiTwin(new_), old);
    });
  }

  it("drops the tag, and offers it where a return type may have it", () => {
    assert.equal(abiTwin("_ZNK4shop4Node4nameB5cxx11Ev"), "_ZNK4shop4Node4nameEv");
    assert.equal(abiTwin("_ZNK4shop4Node4nameEv"), undefined);
    assert.deepEqual(abiTwinCandidates("_ZNK4shop4Node4nameEv"), ["_ZNK4shop4Node4nameB5cxx11Ev"]);
    assert.deepEqual(abiTwinCandidates("_ZN4shop4joinESs"), [`_ZN4shop4joinE${newString}`, `_ZN4shop4joinB5cxx11E${newString}`]);
    // A template's return type is in its name, a constructor has none.
    assert.deepEqual(abiTwinCandidates("_Z4showIiESsT_"), ["_Z4showIiENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEET_"]);
    assert.deepEqual(abiTwinCandidates("_ZN4shop4NodeC1Ev"), []);
  });

  it("knows a variable of the global namespace, which is mangled only for its tag", () => {
    assert.equal(abiTwin("_Z4wordB5cxx11"), "word");
  });

  it("has no twin for what depends on neither ABI", () => {
    for (const symbol of ["_ZN4shop3setEab", "_ZN4shop5printERSo", "_ZN4shop4pushESt6vectorIiSaIiEE", "_ZTVN4shop4NodeE", "main", "_Z1fSt6localeSiSd"]) assert.equal(abiTwin(symbol), undefined, symbol);
  });

  it("has no twin for a name with both", () => {
    assert.equal(readMangled(`_Z1f${newString}Ss`)?.stringAbi, "both");
    assert.equal(abiTwin(`_Z1f${newString}Ss`), undefined);
  });

  it("is not taken in by text that looks like a token", () => {
    // An identifier that contains Ss, a namespace of somebody's own called __cxx11.
    for (const symbol of ["_ZN4shop6ClassSE", "_ZN4shop7__cxx114listE", "_ZN4shop9B5cxx11EvEi", "_Z1fN4shop4listE"]) {
      assert.equal(readMangled(symbol)?.stringAbi, undefined, symbol);
      assert.equal(abiTwin(symbol), undefined, symbol);
    }
  });

  describe("against a compiler", () => {
    let old: ReadonlySet<string>;
    let new_: ReadonlySet<string>;
    before(() => {
      old = new Set(compiledNames("strings", "-D_GLIBCXX_USE_CXX11_ABI=0"));
      new_ = new Set(compiledNames("strings", "-D_GLIBCXX_USE_CXX11_ABI=1"));
    });
    const isShops = (name: string): boolean => readMangled(name)?.scope[0] === "shop";

    it("finds each declaration's new name in the old ABI", () => {
      const names = [...new_].filter((name) => isShops(name) && readMangled(name)?.stringAbi !== undefined);
      assert.ok(names.length >= 25, `${names.length} names`);
      assert.deepEqual(names.filter((name) => !old.has(abiTwin(name) ?? "")), []);
    });

    it("finds each declaration's old name in the new ABI, tagged or not", () => {
      const names = [...old].filter((name) => isShops(name) && !new_.has(name));
      assert.ok(names.length >= 25, `${names.length} names`);
      assert.deepEqual(names.filter((name) => !abiTwinCandidates(name).some((candidate) => new_.has(candidate))), []);
    });

    it("reads each ABI from the names that show it", () => {
      for (const name of new_) assert.ok([undefined, 1].includes(readMangled(name)?.stringAbi as 1 | undefined), name);
      for (const name of old) assert.ok([undefined, 0].includes(readMangled(name)?.stringAbi as 0 | undefined), name);
    });
  });
});
