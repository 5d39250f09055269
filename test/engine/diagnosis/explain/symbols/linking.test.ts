import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { explain } from "../../../../../src/engine/diagnosis/explain/index.ts";
import { findProgram } from "../../../../harness/locations.ts";
import { ask, catalogue, says } from "./asking.ts";

const link = { isDemangled: true, when: "link", file: "build/ops.o" } as const;
const newString = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

describe("undefined references that a linker prints demangled", () => {
  it("in the std::string of either side", () => {
    says(ask({ ...link, symbol: `c10::Error::Error(c10::SourceLocation, ${newString})` }), "libstdcxx-abi likely", /^ops\.o was compiled with _GLIBCXX_USE_CXX11_ABI=1, and the libtorch that is linked is built with 0\.$/, /libtorch-cxx11-abi-shared-with-deps/);
    says(ask({ ...link, symbol: "c10::Error::Error(c10::SourceLocation, std::string)" }), "libstdcxx-abi likely", /ABI=0, and the libtorch that is linked is built with 1/);
    says(ask({ ...link, symbol: "torch::autograd::Node::name[abi:cxx11]() const" }), "libstdcxx-abi likely", /ABI=1/);
    says(ask({ ...link, symbol: `c10::Error::Error(c10::SourceLocation, ${newString.replace(" >", ">")})` }), "libstdcxx-abi likely", /ABI=1/);
  });

  it("with all the rest of torch: then torch is not linked", () => {
    const all = { others: ["vtable for c10::Error"] };
    says(ask({ ...link, symbol: `c10::Error::Error(c10::SourceLocation, ${newString})` }, all), "library-not-linked likely", /is in libc10, which ops\.o is not linked with/, /\$\{TORCH_LIBRARIES\}/);
  });

  it("with parameters that no release has: in the std::string of the rest", () => {
    const load = `torch::jit::load(${newString} const&, c10::optional<int>)`;
    const error = `c10::Error::Error(c10::SourceLocation, ${newString})`;
    says(ask({ ...link, symbol: error }, { others: [load] }), "libstdcxx-abi likely", /ABI=1, and the libtorch that is linked is built with 0/);
    says(ask({ ...link, symbol: load }, { others: [error] }), "libstdcxx-abi possible", /ABI=1, and the libtorch that is linked is built with 0/, /export a function of that name/);
    says(ask({ ...link, symbol: load }, { others: [error, "vtable for torch::jit::Operator", "torch::jit::Graph::dump() const"] }), "library-not-linked likely", /not linked with/);
  });

  it("of another version's headers", () => {
    says(ask({ ...link, symbol: "c10::SymInt::maybe_as_int_slow_path() const" }), "torch-drift likely", /compiled with headers of torch 2\.9 or newer; the libtorch that is linked is older/, /one Torch_DIR/);
    says(ask({ ...link, symbol: "torch::jit::load(std::string const&, c10::optional<c10::Device>, bool)" }), "torch-drift likely", /headers of torch [\d.]+ (?:to|or older)/);
  });

  it("of libraries that TORCH_LIBRARIES or a CPU torch lacks", () => {
    says(ask({ ...link, symbol: "THPVariable_Wrap(at::TensorBase const&)" }), "library-not-linked likely", /is in libtorch_python, which ops\.o is not linked with/);
    says(ask({ ...link, symbol: "c10::cuda::SetDevice(signed char)" }), "library-not-linked possible", /libc10_cuda/, /A torch for CPUs has no such library/, /2\.3 to 2\.7/);
    says(ask({ ...link, symbol: "cublasCreate_v2", isDemangled: false }), "library-not-linked likely", /libcublas/);
    says(ask({ ...link, symbol: "PyModule_Create2", isDemangled: false }), "library-not-linked likely", /belongs to Python/, /-Wl,--no-undefined/);
  });

  it("of other libraries: the ABI is torch's doing only where torch is linked and the old string is asked for", () => {
    const ros = "ros::init(int&, char**, std::string const&, unsigned int)";
    says(ask({ ...link, symbol: ros }, { text: "/usr/bin/ld: warning: libtorch/lib/libc10.so" }), "libstdcxx-abi likely", /Linking a libtorch of the old std::string made ops\.o ask ROS for it too/, /find_package\(Torch\)/);
    const failed = "make[2]: *** [node] Error 1";
    says(ask({ ...link, symbol: ros }, { text: failed }), "libstdcxx-abi possible", /^ops\.o was compiled with _GLIBCXX_USE_CXX11_ABI=0, and ROS is built with 1\.$/, /Whether ROS is on the link line/);
    says(ask({ ...link, symbol: ros }, { text: failed, others: ["ros::NodeHandle::NodeHandle(std::string const&)", "cv::waitKey(int)"] }), "libstdcxx-abi likely", /and ROS is built with 1/, /All 2 names of ROS/);
    says(ask({ ...link, symbol: ros }, { text: failed, others: ["ros::spin()"] }), "other-library-symbol likely", /belongs to ROS/);
    says(ask({ ...link, symbol: ros }, { text: "g++ -D_GLIBCXX_USE_CXX11_ABI=0 node.cpp", others: ["ros::spin()"] }), "libstdcxx-abi likely", /and ROS is built with 1/, /shows -D_GLIBCXX_USE_CXX11_ABI=0/);
    says(ask({ ...link, symbol: `ros::init(int&, char**, ${newString} const&, unsigned int)` }, { text: "libtorch" }), "other-library-symbol likely", /belongs to ROS/);
    says(ask({ ...link, symbol: "mylib::Reader::open(std::string const&)" }, { text: "libtorch" }), "own-symbol likely", /mylib::Reader::open/);
    says(ask({ ...link, symbol: "main", isDemangled: false, file: "Scrt1.o" }), "own-symbol likely", /none of its sources has a main/);
  });

  it("of macOS and Windows, which know one std::string", () => {
    const mac = { system: "macos" } as const;
    says(ask({ ...mac, symbol: "_ZN3c1013MessageLoggerC1EPKcii" }), "torch-drift likely", /torch 2\.9 or older|to 2\.9; /);
    says(ask({ ...mac, symbol: "_ZN3c105ErrorC1ENS_14SourceLocationENSt3__112basic_stringIcNS2_11char_traitsIcEENS2_9allocatorIcEEEE" }), "torch-drift possible", /another torch/, /Outside of Linux there is no _GLIBCXX_USE_CXX11_ABI/);
    says(ask({ ...mac, symbol: "_ZN3c105ErrorC1ENS_14SourceLocationENSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE" }), "torch-not-loaded likely", /was loaded without its torch/);
    const windows = { system: "windows", when: "link", file: "a.obj" } as const;
    says(ask({ ...windows, symbol: "??0Error@c10@@QEAA@USourceLocation@1@V?$basic_string@DU?$char_traits@D@std@@V?$allocator@D@2@@std@@@Z" }), "library-not-linked possible", /libc10/);
    says(ask({ ...windows, symbol: "?materialize_cow_storage@cow@impl@c10@@YAXAEAUStorageImpl@3@@Z" }), "torch-drift possible", /headers of torch 2\.3 to 2\.12/);
    says(ask({ ...windows, symbol: "?run@mylib@@YAXXZ" }), "own-symbol likely", /\?run@mylib/);
  });
});

describe("what the linkers of this machine print", { skip: findProgram("g++") === undefined }, () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "abiding-linking-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A library with undefined names, linked as one that may have none. */
  function linkerSays(abi: 0 | 1): string {
    const source = join(folder, "ops.cpp");
    writeFileSync(source, `
#include <string>
namespace c10 { struct SourceLocation { const char* function; const char* file; unsigned line; }; struct Error { Error(SourceLocation, std::string); }; }
namespace torch { namespace jit { struct Name; Name* parseSchemaOrName(const std::string&, bool); } }
namespace own { void table(int); }
void use() { c10::Error error({"", "", 1}, ""); torch::jit::parseSchemaOrName("", true); own::table(1); }`);
    try {
      execFileSync("g++", ["-shared", "-fPIC", `-D_GLIBCXX_USE_CXX11_ABI=${abi}`, "-Wl,--no-undefined", "ops.cpp", "-o", "ops.so"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, LC_ALL: "C" } });
    } catch (error) {
      return String((error as { readonly stderr: Buffer }).stderr);
    }
    return assert.fail("The link did not fail.");
  }

  for (const abi of [0, 1] as const) {
    it(`with _GLIBCXX_USE_CXX11_ABI=${abi}`, async () => {
      const { verdicts } = await explain(linkerSays(abi), { catalogue });
      const found = verdicts.map((one) => one.cause);
      assert.deepEqual(found, ["libstdcxx-abi", "own-symbol"]);
      assert.match(verdicts[0]?.headline ?? "", new RegExp(`ABI=${abi}\\b.* the libtorch that is linked is built with ${1 - abi}`));
      assert.match(verdicts[1]?.headline ?? "", /own::table\(int\)/);
    });
  }
});
