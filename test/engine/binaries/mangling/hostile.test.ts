import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { abiTwin, abiTwinCandidates, demangle, entityKey, familyOf, readMangled, variantsOf } from "../../../../src/engine/binaries/mangling/index.ts";
import { Random } from "../../../support/random.ts";
import { processorTime } from "../../../support/processorTime.ts";

/** Real names of the C++ run time and of common shapes, to be damaged. */
const seeds = [
  "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm", "_ZNSt8functionIFvRKSsS1_EEC1IZN4shop3useEvEUlS1_S1_E_vEET_",
  "_ZN4shop5TableIiLb1EJSsPFvvEA3_KcEE3getILi2EEEDTcldtptfpT3sizEET_", "_ZZNK4shop4Item4nameB5cxx11EvENKUlT_DpT0_E0_clIiJlcEEEDaS1_S3_",
  "_ZThn16_N4shop5ErrorC2EPKcjS2_RKSsS4_PKv", "_ZN4shop3addIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueES2_E4typeES2_",
  "_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_RKS8_", "_ZN4shop3runERKM4ItemKFviPKvDv4_fEOS0_.part.1",
] as const;
const tokens = [
  "S_", "S0_", "SZ_", "T_", "T0_", "I", "E", "N", "J", "X", "L", "Dp", "Dv4_", "R", "O", "K", "P", "F", "Ul", "Ut_", "cv", "cl", "sr", "Z", "St", "Ss", "St7__cxx11", "B5cxx11", "C1", "D0",
  "A3_", "M", "3foo", "nw", "fp_", "fL0p_", "il", "sZ", "sP", "fr", "pl", "Dt", "DO", "TV", "Th16_", "99999999999999", "rq", "Q", "UlTyE_",
] as const;

function ask(symbol: string): readonly unknown[] {
  const text = demangle(symbol);
  assert.ok(text === undefined || typeof text === "string");
  return [text, readMangled(symbol), abiTwin(symbol), abiTwinCandidates(symbol), variantsOf(symbol), familyOf(symbol), entityKey(symbol)];
}

function mutated(random: Random): string {
  let symbol: string = random.pick(seeds);
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = 2 + random.below(symbol.length);
    const end = at + random.below(6);
    switch (random.below(4)) {
      case 0: symbol = symbol.slice(0, at) + symbol.slice(end); break;
      case 1: symbol = symbol.slice(0, at) + random.pick(tokens) + symbol.slice(at); break;
      case 2: symbol = symbol.slice(0, at) + String.fromCharCode(33 + random.below(94)) + symbol.slice(at + 1); break;
      default: symbol = symbol.slice(0, at) + random.pick(seeds).slice(2 + random.below(20)); break;
    }
  }
  return symbol;
}

describe("names that nobody made", () => {
  it("neither throw nor take long", () => {
    const random = new Random(20260);
    let read = 0;
    for (let index = 0; index < 10_000; index++) {
      const symbol = mutated(random);
      const started = processorTime();
      if (ask(symbol)[0] !== undefined) read++;
      const elapsed = processorTime() - started;
      assert.ok(elapsed < 1000, `${elapsed} ms for ${symbol}`);
    }
    assert.ok(read > 500, `${read} of the mutants can still be read`);
  });

  const number = (index: number): string => index === 0 ? "S_" : `S${(index - 1).toString(36).toUpperCase()}_`;
  const list = (count: number, item: (index: number) => string): string => Array.from({ length: count }, (_, index) => item(index)).join("");
  const cases: Readonly<Record<string, string>> = {
    "60,000 pointers": `_Z1f${"P".repeat(60_000)}i`,
    "30,000 scopes": `_ZN${"1a".repeat(30_000)}E`,
    "a pointer to each type before": `_Z1fPi${list(8000, (index) => `P${number(index)}`)}`,
    "a reference to each type before": `_Z1fRi${list(8000, (index) => `O${number(index)}`)}`,
    "an expansion of all types before": `_Z1fPi${list(8000, (index) => `P${number(index)}`)}Dp${number(8000)}`,
    "each type twice the one before": `_Z1f3fooIiiE${list(60, (index) => `S_I${number(index + 1).repeat(2)}E`)}`,
    "each type twice the one before, of nothing": `_Z1fIJEEv3foo${list(60, (index) => `S0_I${number(index + 1).repeat(2)}E`)}`,
    "templates of templates": `_Z1f3fooIiE${list(8000, (index) => `${number(index + 1)}IiE`)}`,
    "conversions": `_Z1fIiE${"N1acvT_I".repeat(300)}${"E".repeat(900)}`,
    "scopes in expressions": `_Z1fIiEDT${"sr3fooIX".repeat(500)}${"E".repeat(100)}`,
    "packs": `_Z1fIJ${"i".repeat(1000)}EEv${"DpT_".repeat(1000)}`,
    "references to parameters": `_Z1fI${"R".repeat(550)}iEv${"RT_".repeat(2000)}`,
    "functions": `_Z1f${"PF".repeat(280)}vv${"Ev".repeat(279)}E`,
    "operators": `_Z1fIiEDT${"pl".repeat(500)}${"T_".repeat(501)}Ev`,
    "suffixes": `_Z1fv${".a".repeat(30_000)}`,
    "tags": `_Z1f${"B1a".repeat(20_000)}v`,
    "more than is read": `_Z70000${"a".repeat(70_000)}v`,
  };
  for (const [what, symbol] of Object.entries(cases)) {
    it(`stays bounded: ${what}`, () => {
      const started = processorTime();
      const [text] = ask(symbol);
      assert.ok(processorTime() - started < 10_000);
      assert.ok(text === undefined || (text as string).length <= 1_048_576);
    });
  }
});
