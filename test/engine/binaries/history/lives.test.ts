import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { overloadLives, symbolAnswer, symbolLives } from "../../../../src/engine/binaries/history/index.ts";
import type { SymbolLife } from "../../../../src/engine/binaries/history/index.ts";
import { loadSymbolHistory } from "../../../../src/engine/catalogue/index.ts";
import { made } from "./made.ts";

const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

/** "f(int) 2.1.0..2.2.0" of each life. */
function told(lives: readonly SymbolLife[]): readonly string[] {
  return lives.map((one) => `${one.demangled} ${one.since}..${one.until}`);
}

const overloads = {
  _ZN3c106device3setEi: "2.1.0 2.2.0",
  _ZN3c106device3setEa: "2.3.0 2.4.0",
  _ZN3c106device3setEab: "2.5.0",
  _ZNK3c106device4nameEv: "2.1.0 2.2.0 2.3.0 2.4.0 2.5.0",
  _ZN3c106device5setupEv: "2.2.0",
};

describe("the life of a symbol", () => {
  it("goes from the first to the last release that exports it, and tells the signatures before and after", () => {
    const [life, ...others] = symbolLives("_ZN3c106device3setEa", made({ exports: overloads }));
    assert.deepEqual(others, []);
    assert.deepEqual(life, {
      symbol: "_ZN3c106device3setEa", demangled: "c10::device::set(signed char)", since: "2.3.0", until: "2.4.0", gaps: [],
      unrecorded: { before: null, after: null, within: [] }, libraries: ["libc10.so"],
      spellings: [{ symbol: "_ZN3c106device3setEa", libstdcxxAbi: null, since: "2.3.0", until: "2.4.0" }],
      successor: { symbol: "_ZN3c106device3setEab", demangled: "c10::device::set(signed char, bool)", since: "2.5.0", until: null },
      predecessor: { symbol: "_ZN3c106device3setEi", demangled: "c10::device::set(int)", since: "2.1.0", until: "2.2.0" },
    });
  });

  it("is one for both spellings of std::string and all variants of a constructor", () => {
    const history = made({
      newStrings: "2.4.0",
      exports: {
        _ZN3c105ErrorC1ESs: "2.1.0 2.2.0 2.3.0", _ZN3c105ErrorC2ESs: "2.1.0 2.2.0 2.3.0",
        [`_ZN3c105ErrorC1E${newString}`]: "2.4.0 2.5.0", [`_ZN3c105ErrorC2E${newString}`]: "2.4.0 2.5.0",
        _ZNK3c105Error4textEv: "2.2.0 2.3.0", _ZNK3c105Error4textB5cxx11Ev: "2.4.0 2.5.0",
      },
    });
    const [life, ...others] = symbolLives("c10::Error::Error", history);
    assert.deepEqual([life?.since, life?.until, others], ["2.1.0", null, []]);
    assert.deepEqual(life?.spellings, [
      { symbol: "_ZN3c105ErrorC1ESs", libstdcxxAbi: 0, since: "2.1.0", until: "2.3.0" },
      { symbol: `_ZN3c105ErrorC1E${newString}`, libstdcxxAbi: 1, since: "2.4.0", until: null },
    ]);
    assert.equal(life.successor, undefined);
    assert.deepEqual(told(symbolLives("c10::Error::text", history)), ["c10::Error::text[abi:cxx11]() const 2.2.0..null"]);
    // A variant or spelling that no release exports is the same symbol.
    assert.deepEqual(symbolLives("_ZN3c105ErrorC2ESs", history).map((one) => [one.symbol, one.since, one.until]), [["_ZN3c105ErrorC2ESs", "2.1.0", null]]);
  });

  it("tells releases between that lack it, and those beside it of which nothing is recorded", () => {
    const history = made({ releases: "2.1.0 2.2.0 2.3.0 2.4.0 2.5.0", missing: ["1.13.1", "2.0.1", "2.2.1", "2.4.1", "nightly"], exports: { _ZN3c101fEv: "2.1.0 2.3.0 2.4.0", _ZN3c101gEv: "2.2.0", _ZN3c101hEv: "2.3.0 2.4.0 2.5.0" } });
    const [f, g, h] = ["f", "g", "h"].map((name) => symbolLives(`c10::${name}`, history)[0]);
    assert.deepEqual(f?.gaps, [{ since: "2.2.0", until: "2.2.0" }]);
    assert.deepEqual(f.unrecorded, { before: "2.0.1", after: "2.4.1", within: ["2.2.1"] });
    assert.deepEqual(g?.unrecorded, { before: null, after: "2.2.1", within: [] });
    assert.deepEqual(h?.unrecorded, { before: "2.2.1", after: null, within: ["2.4.1"] });
  });

  it("has no successor among other instantiations of a template, and none that came before or later", () => {
    const history = made({ exports: { _ZN3c103getIiEEvT_: "2.1.0", _ZN3c103getIlEEvT_: "2.2.0", _ZN3c103putEi: "2.1.0 2.2.0", _ZN3c103putEl: "2.1.0 2.2.0 2.3.0", _ZN3c103putEd: "2.4.0 2.5.0" } });
    assert.deepEqual(symbolLives("c10::get", history).map((one) => one.successor), [undefined, undefined]);
    const followed = symbolLives("c10::put", history).map((one) => [one.symbol, one.successor?.symbol, one.predecessor?.symbol]);
    assert.deepEqual(followed, [["_ZN3c103putEi", undefined, undefined], ["_ZN3c103putEl", "_ZN3c103putEd", undefined], ["_ZN3c103putEd", undefined, "_ZN3c103putEl"]]);
  });

  it("is found by every overload's name where the symbol itself is in no release", () => {
    assert.deepEqual(told(overloadLives("_ZN3c106device3setEl", made({ exports: overloads }))), ["c10::device::set(int) 2.1.0..2.2.0", "c10::device::set(signed char) 2.3.0..2.4.0", "c10::device::set(signed char, bool) 2.5.0..null"]);
  });

  it("does not count a nightly among releases", () => {
    const history = made({ preview: "2.6.0.dev20261101", exports: { _ZN3c101fEv: "2.4.0 2.5.0 2.6.0.dev20261101", _ZN3c101gEv: "2.6.0.dev20261101" } });
    assert.deepEqual([history.releases.at(-1), history.previews], ["2.5.0", ["2.6.0.dev20261101"]]);
    assert.deepEqual(told(symbolLives("c10::f", history)), ["c10::f() 2.4.0..null"]);
    assert.deepEqual(symbolLives("c10::g", history), []);
    assert.deepEqual(history.librariesOf("_ZN3c101gEv", "2.6.0.dev20261101"), ["libc10.so"]);
    assert.deepEqual(history.namesStartingWith("_ZN3c101gE", "2.6.0.dev20261101"), ["_ZN3c101gEv"]);
  });
});

describe("a question about a name", () => {
  const history = made({
    exports: {
      ...overloads, aoti_torch_made_up: "2.5.0", _Z9THPMadeUpRKN2at10TensorBaseE: "2.4.0 2.5.0", _ZTVN3c106deviceE: "2.1.0", _ZN3c10eqERKNS_6deviceES2_: "2.2.0", _ZN3c104ListIiE4sizeEv: "2.3.0",
      "_ZNKR2at6Tensor4itemEv/libtorch_cpu.so": "2.1.0", _ZN3c106deviceD1Ev: "2.1.0", _ZN3c106deviceD0Ev: "2.1.0", _ZNK3c106devicecvbEv: "2.4.0", _ZN3c106deviceclEi: "2.4.0",
    },
  });
  const found = (query: string): string => {
    const { asked, known, lives } = symbolAnswer(query, history);
    return `${asked} ${known} ${lives.map((one) => one.demangled).join("; ")}`;
  };

  it("is answered for names as C++ writes them", () => {
    assert.equal(found("c10::device::set"), "name found c10::device::set(int); c10::device::set(signed char); c10::device::set(signed char, bool)");
    assert.equal(found("c10::device::set(signed char,bool)"), "name found c10::device::set(signed char, bool)");
    assert.equal(found("::c10::device::name() const"), "name found c10::device::name() const");
    assert.equal(found("at::Tensor::item"), "name found at::Tensor::item() const &");
    assert.equal(found("c10::device::~device"), "name found c10::device::~device()");
    assert.equal(found("vtable for c10::device"), "name found vtable for c10::device");
    assert.equal(found("c10::operator=="), "name found c10::operator==(c10::device const&, c10::device const&)");
    assert.equal(found("c10::device::operator bool"), "name found c10::device::operator bool() const");
    assert.equal(found("c10::device::operator()"), "name found c10::device::operator()(int)");
    assert.equal(found("c10::List::size"), "name found c10::List<int>::size()");
    assert.equal(found("c10::List<int>::size()"), "name found c10::List<int>::size()");
    assert.equal(found("THPMadeUp"), "name found THPMadeUp(at::TensorBase const&)");
  });

  it("is about the template arguments and parameters that were written, in whichever words", () => {
    const typed = made({
      exports: {
        _ZNK2at10TensorBase8data_ptrIN3c104HalfEEEPT_v: "2.1.0", _ZNK2at10TensorBase8data_ptrIfEEPT_v: "2.2.0", _ZNK2at10TensorBase8data_ptrIlEEPT_v: "2.3.0",
        _ZN3c104warnERKNS_7WarningE: "2.1.0", _ZN3c104warnERNS_7WarningE: "2.2.0", _ZN3c103sumERKSt6vectorIPKN2at6TensorESaIS4_EEm: "2.1.0", _ZN3c104readEPKcj: "2.1.0",
        THPVariable_Wrap: "2.1.0", _Z16THPVariable_WrapRKN2at10TensorBaseE: "2.2.0 2.3.0",
      },
    });
    const lives = (query: string): string => symbolAnswer(query, typed).lives.map((one) => one.demangled).join("; ");
    assert.equal(lives("float* at::TensorBase::data_ptr<float>() const"), "float* at::TensorBase::data_ptr<float>() const");
    assert.equal(lives("at::TensorBase::data_ptr<int64_t>"), "long* at::TensorBase::data_ptr<long>() const");
    assert.equal(lives("at::TensorBase::data_ptr<scalar_t>").split("; ").length, 3);
    assert.equal(symbolLives("at::TensorBase::data_ptr<float>() const", typed)[0]?.symbol, "_ZNK2at10TensorBase8data_ptrIfEEPT_v");
    assert.deepEqual([lives("c10::warn(const c10::Warning&)"), lives("c10::warn(c10::Warning &)")], ["c10::warn(c10::Warning const&)", "c10::warn(c10::Warning&)"]);
    for (const query of ["c10::sum(std::vector<at::Tensor const*> const&, unsigned long)", "c10::sum(const std::vector<const at::Tensor*>&, size_t)", "c10::sum(std::vector<at::Tensor const*, std::allocator<at::Tensor const*> > const&, unsigned long)"]) assert.equal(lives(query), "c10::sum(std::vector<at::Tensor const*, std::allocator<at::Tensor const*> > const&, unsigned long)", query);
    assert.equal(lives("c10::read(const char*, uint32_t)"), "c10::read(char const*, unsigned int)");
    assert.deepEqual(symbolAnswer("THPVariable_Wrap", typed).lives.map((one) => [one.symbol, one.successor?.symbol]), [["THPVariable_Wrap", "_Z16THPVariable_WrapRKN2at10TensorBaseE"], ["_Z16THPVariable_WrapRKN2at10TensorBaseE", undefined]]);
  });

  it("is answered for mangled and C names, as loaders print them", () => {
    assert.equal(found("_ZN3c106device3setEi"), "symbol found c10::device::set(int)");
    assert.equal(found("_ZN3c106device3setEi@@LIBC10_1.0"), "symbol found c10::device::set(int)");
    assert.equal(found("__ZN3c106device3setEi"), "symbol found c10::device::set(int)");
    assert.equal(found("aoti_torch_made_up"), "symbol found aoti_torch_made_up");
  });

  it("is answered for parts of names", () => {
    assert.equal(found("_ZN3c106device3se"), "part found c10::device::set(int); c10::device::set(signed char); c10::device::set(signed char, bool)");
    assert.equal(found("device::set"), "part found c10::device::set(int); c10::device::set(signed char); c10::device::set(signed char, bool); c10::device::setup()");
    assert.equal(found("made_up"), "part found aoti_torch_made_up");
  });

  it("keeps apart what no release exports and what is not recorded, and names what is like it", () => {
    assert.equal(found("c10::device::set(long)"), "name none ");
    assert.deepEqual(symbolAnswer("c10::device::set(long)", history).suggestions, ["c10::device::set(int)", "c10::device::set(signed char)", "c10::device::set(signed char, bool)"]);
    assert.equal(found("_ZN3c106device3setEl"), "symbol none ");
    assert.equal(found("c10::device::naem"), "name none ");
    assert.deepEqual(symbolAnswer("c10::device::naem", history).suggestions, ["c10::device::name"]);
    assert.deepEqual(symbolAnswer("c10::device::Name", history).suggestions, ["c10::device::name"]);
    for (const other of ["vision::nms", "cudaMalloc", "_ZN6vision3nmsEv", "at::native::made::kernel", ""]) assert.equal(symbolAnswer(other, history).known, "not-recorded", other);
  });

  it("is no harm, however it is written", () => {
    for (const text of ["(", "::", "operator", "c10::operator", "_Z", "<>", "a".repeat(100_000), "c10::".repeat(2000), "c10::f(", "*", "\u001b[31m"]) assert.deepEqual(symbolAnswer(text, history).lives, [], text.slice(0, 20));
  });

  it("shows a limited number of names", () => {
    const many = made({ exports: Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`_ZN3c107numbers${`n${at}`.length}n${at}Ev`, "2.1.0"])) });
    const { lives, more } = symbolAnswer("numbers::n", many);
    assert.deepEqual([lives.length, more], [50, 30]);
  });
});

describe("the record of torch", () => {
  it("tells how c10::cuda::SetDevice changed", () => {
    const newest = "c10::cuda::SetDevice(signed char, bool) 2.8.0..null";
    assert.deepEqual(told(symbolLives("c10::cuda::SetDevice", loadSymbolHistory())), ["c10::cuda::SetDevice(int) 2.1.0..2.2.2", "c10::cuda::SetDevice(signed char) 2.3.0..2.7.1", newest]);
  });
});
