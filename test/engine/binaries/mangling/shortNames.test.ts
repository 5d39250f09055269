import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shortNames } from "../../../../src/engine/binaries/mangling/index.ts";

describe("shortNames", () => {
  it("leaves out allocators, traits and deleters, and tells the two strings apart", () => {
    assert.equal(shortNames("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"), "f(std::__cxx11::string const&)");
    assert.equal(shortNames("f(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)"), "f(std::string)");
    assert.equal(shortNames("g(std::vector<std::vector<at::Tensor, std::allocator<at::Tensor> >, std::allocator<std::vector<at::Tensor, std::allocator<at::Tensor> > > > const&)"), "g(std::vector<std::vector<at::Tensor>> const&)");
    assert.equal(shortNames("h(std::unique_ptr<c10::X, std::default_delete<c10::X> >)"), "h(std::unique_ptr<c10::X>)");
  });

  it("leaves other text as it is, also when brackets do not close", () => {
    assert.equal(shortNames("c10::cuda::SetDevice(signed char, bool): a < b"), "c10::cuda::SetDevice(signed char, bool): a < b");
    assert.equal(shortNames("v(std::vector<int, std::allocator<"), "v(std::vector<int, std::allocator<");
    assert.equal(shortNames("k(std::map<int, char, std::less<int>, std::allocator<void (*)(int)->char> >)"), "k(std::map<int, char, std::less<int>>)");
  });
});
