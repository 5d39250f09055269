/** Real extensions, built with the headers of a real torch. */
import { loads, type Expectation, type Experiment } from "../experiment.ts";
import { library, stub, type Library } from "../recipe.ts";
import type { Torch } from "../torches.ts";

const linkTo = (...names: string[]): string[] => names.map((name) => `stubs/lib${name}.so`);
const stubsOf = (...names: string[]) => names.flatMap((name) => stub(`lib${name}.so`));

interface Build { readonly headers: string; readonly source: string; readonly linked: readonly string[]; readonly flags?: readonly string[]; readonly compiler?: Library["compiler"]; readonly standard?: string; readonly how: Experiment["load"]["how"]; readonly call?: string; readonly inCi?: boolean }

function built(id: string, about: string, build: Build, expect: Experiment["expect"], more: Partial<Experiment> = {}): Experiment {
  const flags = [`-std=c++${build.standard ?? "17"}`, "-O0", "-isystem", "{include}", "-isystem", "{include}/torch/csrc/api/include", "-isystem", "{python}", ...(build.flags ?? [])];
  return {
    id: `headers/${id}`, about, file: "probe.so", headers: build.headers, inCi: build.inCi ?? false,
    steps: [...stubsOf(...build.linked), ...library({ file: "probe.so", compiler: build.compiler ?? "g++", module: false, source: build.source, flags, link: linkTo(...build.linked) })],
    load: { how: build.how, ...(build.call === undefined ? {} : { call: build.call }) }, expect, ...more,
  };
}

const operators = `
#include <torch/library.h>
#include <ATen/ATen.h>
static at::Tensor lab_twice(const at::Tensor &t) { TORCH_CHECK(t.dim() < 9, "too many"); return t + t; }
TORCH_LIBRARY(lab, m) { m.def("twice(Tensor t) -> Tensor", &lab_twice); }
`;
const callTwice = "torch.ops.lab.twice(torch.ones(2))";

const pybind = `
#include <torch/extension.h>
static at::Tensor lab_twice(const at::Tensor &t) { return t + t; }
PYBIND11_MODULE(probe, m) { m.def("twice", &lab_twice); m.def("inputs", [](const torch::jit::Graph &g) { return g.inputs().size(); }); }
`;

const stable = `
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/csrc/stable/ops.h>
using torch::stable::Tensor;
static Tensor lab_same(Tensor t) { return torch::stable::empty_like(t); }
STABLE_TORCH_LIBRARY(labstable, m) { m.def("same(Tensor t) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(labstable, CPU, m) { m.impl("same", TORCH_BOX(&lab_same)); }
`;
const callSame = "torch.ops.labstable.same(torch.ones(2))";

const is113 = (torch: Torch): boolean => torch.name.startsWith("1.13");
const is26 = (torch: Torch): boolean => torch.name.startsWith("2.6");
const is213 = (torch: Torch): boolean => torch.name.startsWith("2.13");
const missing = (symbol: string, kind: "abi-twin" | "drift" | "stable-shim" | "missing-library"): Expectation => ({ is: "symbol", symbol, kind });

/** With the headers of 2.13: as built, elsewhere, and with the old strings. What is missing first under other torches is told by their loaders. */
export const headers: readonly Experiment[] = [
  built("operators-2.13", "TORCH_LIBRARY and ATen, built with 2.13", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, inCi: true },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: is26(torch) ? ["abi-twin", "drift"] : "drift" } : is213(torch) ? loads() : { is: "loads", disagrees: "layout" })),
  built("operators-2.13-old-strings", "The same with the old strings", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"], inCi: true },
    (torch) => ({ is: "symbol", symbol: "*", kind: torch.stringAbi === 1 && !is113(torch) ? "abi-twin" : ["abi-twin", "drift"] })),
  built("operators-2.13-not-linked", "The same, linked with libc10 alone", { headers: "2.13", source: operators, linked: ["c10"], how: "ops" },
    (torch) => ({ is: "symbol", symbol: "*", kind: is113(torch) || is26(torch) ? ["drift", "abi-twin", "missing-library"] : "missing-library" })),
  built("operators-2.13-cxx20", "TORCH_LIBRARY and ATen in C++20", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", standard: "20", call: callTwice },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? loads() : { is: "loads", disagrees: "layout" })),
  built("operators-2.13-fabi", "TORCH_LIBRARY and ATen with -fabi-version=11", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-fabi-version=11"] },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? loads() : { is: "loads", disagrees: "layout" })),
  built("registered-twice", "The same namespace, registered by another library before", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops" },
    () => ({ is: "beyond", why: "Which namespaces are registered when it is loaded is not known." }),
    { onlyFor: is213, load: { how: "ops", before: [{ file: "second/other.so", global: false }] }, steps: [...stubsOf("c10", "torch_cpu", "torch"), ...["probe.so", "second/other.so"].flatMap((file) => library({ file, compiler: "g++", module: false, source: operators, flags: ["-std=c++17", "-O0", "-isystem", "{include}", "-isystem", "{python}"], link: linkTo("c10", "torch_cpu", "torch") }))] }),
  built("pybind11-2.13", "torch/extension.h, built with 2.13", { headers: "2.13", source: pybind, linked: ["c10", "torch_cpu", "torch", "torch_python"], how: "import", flags: ["-DTORCH_EXTENSION_NAME=probe", "-DTORCH_API_INCLUDE_EXTENSION_H"], call: "m.inputs(torch.jit.script(torch.nn.Linear(1, 1)).graph)" },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? loads() : { is: "loads", disagrees: "pybind11-internals" })),
  built("stable-2.10", "The stable ABI, for 2.10", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020a000000000000"], call: callSame, inCi: true },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: "stable-shim" } : loads())),
  built("stable-2.13", "The stable ABI, for 2.13", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020d000000000000"], call: callSame },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: "stable-shim" } : loads())),
  built("stable-old-strings", "The stable ABI with the old strings: it has none at the boundary", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-D_GLIBCXX_USE_CXX11_ABI=0"], call: callSame },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: "stable-shim" } : loads())),
  built("stable-2.14-on-its-own", "The stable ABI with the headers of 2.14, for 2.14", { headers: "2.14", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020e000000000000"], call: callSame, standard: "20" },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: "stable-shim" } : loads())),
  built("operators-2.14", "TORCH_LIBRARY and ATen, built with 2.14", { headers: "2.14", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, standard: "20" },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? { is: "loads", disagrees: "layout" } : loads())),
  built("operators-2.6", "TORCH_LIBRARY and ATen, built with 2.6 and its old strings", { headers: "2.6", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"] },
    (torch) => (is26(torch) ? loads() : { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] })),
  built("operators-2.6-new-strings", "TORCH_LIBRARY and ATen, built with 2.6 and the compiler's strings", { headers: "2.6", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-D_GLIBCXX_USE_CXX11_ABI=1"] },
    (torch) => (is26(torch) ? missing("*", "abi-twin") : { is: "symbol", symbol: "*", kind: "drift" })),
  built("operators-1.13", "TORCH_LIBRARY and ATen, built with 1.13", { headers: "1.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice },
    (torch) => (is113(torch) ? loads() : { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] })),
  built("operators-clang", "TORCH_LIBRARY and ATen, built by clang", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", compiler: "clang++-14", call: callTwice },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? loads() : { is: "loads", disagrees: "layout" }), { needs: ["clang++-14"] }),
  built("operators-gcc-11", "TORCH_LIBRARY and ATen, built by GCC 11", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", compiler: "g++-11", call: callTwice },
    (torch) => (is113(torch) || is26(torch) ? { is: "symbol", symbol: "*", kind: ["drift", "abi-twin"] } : is213(torch) ? loads() : { is: "loads", disagrees: "layout" }), { needs: ["g++-11"] }),
];
