import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demangle, parseSymbol } from "../../../../src/engine/binaries/mangling/demangle.ts";
import { distinctNodes, encodeSymbol } from "../../../../src/engine/binaries/mangling/encode.ts";
import { compiledNames, filtered } from "./declarations.ts";

const string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

describe("demangle", () => {
  const known: Readonly<Record<string, string>> = {
    _ZN4shop4Item4shutEv: "shop::Item::shut()",
    _ZNK4shop4Item4shutERKS0_: "shop::Item::shut(shop::Item const&) const",
    _ZN4shop4ItemC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE: `shop::Item::Item(${string})`,
    _ZN4shop4ItemC2ESs: "shop::Item::Item(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
    _ZN4shop4ItemD0Ev: "shop::Item::~Item()",
    _ZN4shop4nameB5cxx11Ei: "shop::name[abi:cxx11](int)",
    _ZTVN4shop4ItemE: "vtable for shop::Item",
    _ZTTN4shop4ItemE: "VTT for shop::Item",
    _ZTIPKN4shop4ItemE: "typeinfo for shop::Item const*",
    _ZTSN4shop4ItemE: "typeinfo name for shop::Item",
    _ZTCN4shop4ItemE8_NS_5ThingE: "construction vtable for shop::Thing-in-shop::Item",
    _ZThn16_N4shop4ItemD1Ev: "non-virtual thunk to shop::Item::~Item()",
    _ZTv0_n24_N4shop4Item4shutEv: "virtual thunk to shop::Item::shut()",
    _ZTchn8_v0_n24_N4shop4Item4copyEv: "covariant return thunk to shop::Item::copy()",
    _ZGVZN4shop3useEvE4once: "guard variable for shop::use()::once",
    _ZTWN4shop4lastE: "TLS wrapper function for shop::last",
    _ZN12_GLOBAL__N_14helpEv: "(anonymous namespace)::help()",
    _ZZN4shop3useEvENKUlT_E_clIiEEDaS0_: "auto shop::use()::{lambda(auto:1)#1}::operator()<int>(int) const",
    _ZN4shop3useINS_4ItemEEEvT_: "void shop::use<shop::Item>(shop::Item)",
    _ZN4shop4takeIJiSsEEEvDpT_: "void shop::take<int, std::basic_string<char, std::char_traits<char>, std::allocator<char> > >(int, std::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
    _ZN4shop3putIiEEvRA3_KT_: "void shop::put<int>(int const (&) [3])",
    _Z3getPFivE: "get(int (*)())",
    _Z3getM3BoxKFvvE: "get(void (Box::*)() const)",
    _Z3getILb1ELj7ELln5EEvv: "void get<true, 7u, -5l>()",
    _Z3getILN4shop4KindE2EEvv: "void get<(shop::Kind)2>()",
    _ZN4shop3useEv$: "",
    "_ZN4shop3useEv.isra.0": "shop::use() [clone .isra.0]",
    "_ZN4shop3useEv.part.1.cold": "shop::use() [clone .part.1] [clone .cold]",
    _ZdlPvm: "operator delete(void*, unsigned long)",
    _Zli3_kmy: 'operator"" _km(unsigned long long)',
    _ZlsRSoRK3Box: "operator<<(std::basic_ostream<char, std::char_traits<char> >&, Box const&)",
    _Z1fDF16_Dv4_fDF16b: "f(_Float16, float __vector(4), std::bfloat16_t)",
    _ZSt4cout: "std::cout",
    _ZNSt3__16vectorIiEC1Ev: "std::__1::vector<int>::vector()",
  };
  for (const [symbol, text] of Object.entries(known)) {
    it(`reads ${symbol}`, () => assert.equal(demangle(symbol) ?? "", text));
  }

  it("agrees with c++filt on each of them", () => {
    const symbols = Object.keys(known);
    assert.deepEqual(symbols.map((symbol) => demangle(symbol) ?? symbol), filtered(symbols));
  });

  it("reads what is no mangled name as none", () => {
    for (const symbol of ["", "_Z", "main", "_ZN", "_ZN4shop", "_ZGVeN8v_Sleef_asin_u10", "_Z99999999999f", "_ZS5_", "_Z1f", "_Z1fT_", "__Z1fv", "_ZN4shop1xE.0"]) {
      const expected = symbol === "_Z1f" ? "f" : undefined;
      assert.equal(demangle(symbol), expected, symbol);
    }
  });

  it("prints what c++filt prints for what a compiler writes, and writes it back", () => {
    for (const which of ["grammar", "strings"] as const) {
      for (const abi of [0, 1]) {
        const names = compiledNames(which, `-D_GLIBCXX_USE_CXX11_ABI=${abi}`).filter((name) => name.startsWith("_Z"));
        assert.ok(names.length > 100, `${names.length} names`);
        assert.deepEqual(names.map((name) => demangle(name) ?? name), filtered(names));
        assert.deepEqual(names.map(written), names);
      }
    }
  });

  it("reads scopes as clang writes them too", () => {
    assert.equal(demangle("_Z3addIiENSt9enable_ifIXsr3std9is_signedIT_EE5valueES1_E4typeES1_"), "std::enable_if<std::is_signed<int>::value, int>::type add<int>(int)");
    assert.equal(demangle("_Z3addIiENSt9enable_ifIXsr9is_signedIT_E5valueES2_E4typeES2_"), "std::enable_if<is_signed<int>::value, int>::type add<int>(int)");
  });

  it("reads what newer compilers write and c++filt 2.40 does not", () => {
    assert.equal(demangle("_Z3addIiEvT_Q4GoodIS0_E"), "void add<int>(int) requires Good<int>");
    assert.equal(demangle("_Z3useIiEDTfL0p_ET_"), "decltype ({parm#1}) use<int>(int)");
  });
});

function written(symbol: string): string {
  const parsed = parseSymbol(symbol);
  return parsed === undefined ? "" : encodeSymbol(parsed, distinctNodes(parsed));
}
