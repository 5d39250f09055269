import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entityKey, familyOf, readMangled, variantsOf } from "../../../../src/engine/binaries/mangling/index.ts";
import type { SymbolFamily } from "../../../../src/engine/model/index.ts";

describe("readMangled", () => {
  it("says what a constructor is", () => {
    assert.deepEqual(readMangled("_ZN4shop5ErrorC2ENS_5PlaceENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), {
      symbol: "_ZN4shop5ErrorC2ENS_5PlaceENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
      kind: "function",
      scope: ["shop", "Error", "Error"],
      qualifiedName: "shop::Error::Error",
      parameters: ["shop::Place", "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"],
      variant: "C2",
      stringAbi: 1,
      libcxx: false,
    });
  });

  const kinds = {
    _ZN4shop3useEi: "function", _ZN4shop4lastE: "data", _ZTVN4shop4ItemE: "vtable", _ZTTN4shop4ItemE: "vtt", _ZTIN4shop4ItemE: "typeinfo",
    _ZTSN4shop4ItemE: "typeinfo-name", _ZGVZN4shop3useEvE4once: "guard", _ZThn16_N4shop4ItemD1Ev: "thunk", _ZTv0_n24_N4shop4ItemD0Ev: "thunk",
    _ZTCN4shop4ItemE8_NS_5ThingE: "other", _ZTWN4shop4lastE: "other",
  };
  for (const [symbol, kind] of Object.entries(kinds)) it(`says that ${symbol} is ${kind}`, () => assert.equal(readMangled(symbol)?.kind, kind));

  it("gives the components without template arguments and tags", () => {
    assert.deepEqual(readMangled("_ZNK4shop5TableIiE3getB5cxx11ILb1EEEvv")?.scope, ["shop", "Table", "get"]);
    assert.deepEqual(readMangled("_ZN4shop5TableIiEC1Ev")?.scope, ["shop", "Table", "Table"]);
    assert.deepEqual(readMangled("_ZNSsD1Ev")?.scope, ["std", "basic_string", "~basic_string"]);
    assert.deepEqual(readMangled("_ZZN4shop3useEvE4once")?.scope, ["shop", "use", "once"]);
    assert.deepEqual(readMangled("_ZTVN4shop5TableIiEE")?.scope, ["shop", "Table"]);
    assert.deepEqual(readMangled("_ZN4shop4ItemplERKS0_")?.scope, ["shop", "Item", "operator+"]);
  });

  it("gives parameters, with what template parameters stand for", () => {
    assert.deepEqual(readMangled("_ZN4shop3setEab")?.parameters, ["signed char", "bool"]);
    assert.deepEqual(readMangled("_ZN4shop3setEv")?.parameters, []);
    assert.deepEqual(readMangled("_ZN4shop3setIJilEEEvDpT_PFvvE")?.parameters, ["int, long", "void (*)()"]);
    assert.equal(readMangled("_ZN4shop4lastE")?.parameters, undefined);
    assert.deepEqual(readMangled("_ZThn16_N4shop4Item3setEi")?.parameters, ["int"]);
  });

  it("tells the ABI of std::string by tokens", () => {
    const said = (symbol: string): unknown => readMangled(symbol)?.stringAbi;
    assert.equal(said("_Z1fSs"), 0);
    assert.equal(said("_Z1fSt4listIiSaIiEE"), 0);
    assert.equal(said("_Z1fSt18basic_stringstreamIcSt11char_traitsIcESaIcEE"), 0);
    assert.equal(said("_Z1fSbIwSt11char_traitsIwESaIwEE"), 0);
    assert.equal(said("_ZNK4shop4Node4nameB5cxx11Ev"), 1);
    assert.equal(said("_Z1fNSt7__cxx114listIiSaIiEEE"), 1);
    assert.equal(said("_ZN4shop3runIPFvSsEEEvT_"), 0);
    assert.equal(said("_Z1fSoSiSdSaIcE"), undefined);
    assert.equal(said("_Z1fSt6vectorIiSaIiEESt8optionalIiE"), undefined);
  });

  it("tells libc++", () => {
    assert.equal(readMangled("_Z1fNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE")?.libcxx, true);
    assert.equal(readMangled("_Z1fNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")?.libcxx, false);
  });
});

describe("variantsOf", () => {
  it("gives every form of a constructor or destructor", () => {
    assert.deepEqual(variantsOf("_ZN4shop4ItemC2ERKS0_"), ["_ZN4shop4ItemC2ERKS0_", "_ZN4shop4ItemC1ERKS0_", "_ZN4shop4ItemC3ERKS0_"]);
    assert.deepEqual(variantsOf("_ZN4shop4ItemD1Ev"), ["_ZN4shop4ItemD1Ev", "_ZN4shop4ItemD0Ev", "_ZN4shop4ItemD2Ev"]);
    assert.deepEqual(variantsOf("_ZN4shop7SpecialCI1NS_4ItemEEi"), ["_ZN4shop7SpecialCI1NS_4ItemEEi", "_ZN4shop7SpecialCI2NS_4ItemEEi"]);
    assert.deepEqual(variantsOf("_ZN4shop4ItemC1IiEET_"), ["_ZN4shop4ItemC1IiEET_", "_ZN4shop4ItemC2IiEET_", "_ZN4shop4ItemC3IiEET_"]);
  });

  it("gives only itself of anything else", () => {
    for (const symbol of ["_ZN4shop2C1Ev", "_ZN4shop2D1E", "_ZZN4shop4ItemC1EvE4once", "main", "_ZN4shop3useEv"]) assert.deepEqual(variantsOf(symbol), [symbol]);
  });
});

describe("familyOf", () => {
  const families: Readonly<Record<string, readonly string[]>> = {
    "torch": [
      "_ZN3c105ErrorC1Ev", "_ZNK2at6Tensor4sizeEl", "_ZTVN5torch8autograd4NodeE", "_ZTIN3c105ErrorE", "_ZTSN3c105ErrorE", "_ZTTN2at1AE", "_ZZN2at3useEvE4once",
      "_ZGVZN2at3useEvE4once", "_ZThn16_N3c105ErrorD1Ev", "_ZTv0_n24_N3c105ErrorD1Ev", "_ZN4c10d8TCPStoreE", "_ZN6caffe28TypeMetaE", "_ZN3c10lsERSoRKNS_6DeviceE",
      // Of std, but made of torch's types: libstdc++ has none of them.
      "_ZNSt6vectorIN2at6TensorESaIS1_EED2Ev", "_ZNSt8functionIFN3c106SymIntEvEED1Ev", "_ZN9__gnu_cxx13new_allocatorIN2at6TensorEE8allocateEmPKv",
      "THPVariableClass", "THCState_free", "_Z16THPVariable_WrapN2at10TensorBaseE",
    ],
    "torch-stable": ["aoti_torch_get_data_ptr", "torch_library_impl"],
    "python": ["PyLong_FromLong", "_Py_Dealloc", "_PyObject_New"],
    "cuda": ["cudaMalloc", "cuInit", "__cudaRegisterFatBinary", "cublasCreate_v2", "cudnnCreate", "ncclAllReduce", "cufftPlan1d", "curandCreateGenerator", "cusparseCreate", "cusolverDnCreate", "nvrtcCompileProgram", "nvJitLinkCreate", "__nvJitLinkCreate_12_0", "nvjpegCreateSimple"],
    "libstdcxx": [
      "_ZSt4cout", "_ZNSsC1Ev", "_ZNSt6vectorIiSaIiEED1Ev", "_ZTVN10__cxxabiv117__class_type_infoE", "__cxa_throw", "__gxx_personality_v0", "_Znwm", "_ZdaPvm", "_ZTIi", "_ZTIPKc",
      "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm", "_ZNKSt7codecvtIcc11__mbstate_tE5do_inERS0_PKcS4_RS4_PcS6_RS6_",
      "_ZNKSt8time_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE3putES3_RSt8ios_basecPK2tmcc",
    ],
    "glibc": ["__cxa_finalize", "__cxa_atexit"],
    "own-or-other": [
      // Near misses: the namespace is not the first component, or no namespace at all.
      "_ZN4shop5torch3useEv", "_ZN7my_c1003useEv", "_Z5torchv", "_Z2atRN2at6TensorE", "_ZTI2at", "_ZlsRSoRKN3c106DeviceE", "_ZN8pybind116objectD1Ev",
      "_ZN5torch6stable6TensorC1Ev", "_ZN5torch10headeronly4HalfE", "_ZNSt6vectorIN5torch6stable6TensorESaIS2_EED1Ev",
      "_ZNSt6vectorIN4shop4ItemESaIS1_EED1Ev", "_ZNSt6vectorI4ItemSaIS0_EED1Ev", "_ZNSt3__16vectorIiEC1Ev",
      "memcpy", "cufar", "custom_op", "Python", "THis", "torchvision_load", "",
    ],
  };
  for (const [family, symbols] of Object.entries(families) as readonly (readonly [SymbolFamily, readonly string[]])[]) {
    it(`knows ${family}`, () => {
      for (const symbol of symbols) assert.equal(familyOf(symbol), family, symbol);
    });
  }
});

describe("entityKey", () => {
  it("is the same for overloads and template arguments, and another for another kind of name", () => {
    assert.equal(entityKey("_ZN4shop3setEab"), "shop::set");
    assert.equal(entityKey("_ZN4shop3setEi"), "shop::set");
    assert.equal(entityKey("_ZN4shop3setB5cxx11IiEET_v"), "shop::set");
    assert.equal(entityKey("_ZN4shop5TableIiEC2ERKS1_"), "shop::Table::Table");
    assert.equal(entityKey("_ZTVN4shop4ItemE"), "vtable for shop::Item");
    assert.equal(entityKey("_ZNSs6appendEPKc"), "std::basic_string::append");
    assert.equal(entityKey("printf"), undefined);
    // What follows the name is not read.
    assert.equal(entityKey("_ZN4shop3setE?"), "shop::set");
  });
});
