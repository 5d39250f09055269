/** Real extensions, built with the headers of a real torch. */
import type { MissingKind } from "../../../src/engine/fit/types.ts";
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

const is213 = (torch: Torch): boolean => torch.release === 213;
const missing = (...kind: readonly MissingKind[]): Expectation => ({ is: "symbol", symbol: "*", kind });

/** Built with 2.13, whose inline functions call what 2.10 brought; 2.14 has every symbol, and other layouts. */
const operators213: Experiment["expect"] = (torch) => (torch.release < 210 ? missing("drift", "abi-twin") : is213(torch) ? loads() : { is: "loads", disagrees: "layout" });
const since = (release: number): Experiment["expect"] => (torch) => (torch.release < release ? missing("stable-shim") : loads());

/** What is missing first under other torches is told by their loaders. */
export const headers: readonly Experiment[] = [
  built("operators-2.13", "TORCH_LIBRARY and ATen, built with 2.13", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, inCi: true },
    operators213),
  built("operators-2.13-old-strings", "The same with the old strings", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"], inCi: true },
    (torch) => ({ is: "symbol", symbol: "*", kind: torch.release >= 210 ? "abi-twin" : ["abi-twin", "drift"] })),
  built("operators-2.13-not-linked", "The same, linked with libc10 alone", { headers: "2.13", source: operators, linked: ["c10"], how: "ops" },
    (torch) => (torch.release < 210 ? missing("drift", "abi-twin", "missing-library") : missing("missing-library"))),
  built("operators-2.13-cxx20", "TORCH_LIBRARY and ATen in C++20", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", standard: "20", call: callTwice },
    operators213),
  built("operators-2.13-fabi", "TORCH_LIBRARY and ATen with -fabi-version=11", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-fabi-version=11"] },
    operators213),
  built("registered-twice", "The same namespace, registered by another library before", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops" },
    () => ({ is: "beyond", why: "Which namespaces are registered when it is loaded is not known." }),
    { onlyFor: is213, load: { how: "ops", before: [{ file: "second/other.so", global: false }] }, steps: [...stubsOf("c10", "torch_cpu", "torch"), ...["probe.so", "second/other.so"].flatMap((file) => library({ file, compiler: "g++", module: false, source: operators, flags: ["-std=c++17", "-O0", "-isystem", "{include}", "-isystem", "{python}"], link: linkTo("c10", "torch_cpu", "torch") }))] }),
  built("pybind11-2.13", "torch/extension.h, built with 2.13", { headers: "2.13", source: pybind, linked: ["c10", "torch_cpu", "torch", "torch_python"], how: "import", flags: ["-DTORCH_EXTENSION_NAME=probe", "-DTORCH_API_INCLUDE_EXTENSION_H"], call: "m.inputs(torch.jit.script(torch.nn.Linear(1, 1)).graph)" },
    (torch) => (torch.release < 210 ? missing("drift", "abi-twin") : is213(torch) ? loads() : { is: "loads", disagrees: "pybind11-internals" })),
  built("stable-2.10", "The stable ABI, for 2.10", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020a000000000000"], call: callSame, inCi: true },
    since(210)),
  built("stable-2.13", "The stable ABI, for 2.13", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020d000000000000"], call: callSame },
    since(213)),
  built("stable-old-strings", "The stable ABI with the old strings: it has none at the boundary", { headers: "2.13", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-D_GLIBCXX_USE_CXX11_ABI=0"], call: callSame },
    since(210)),
  built("stable-2.14-on-its-own", "The stable ABI with the headers of 2.14, for 2.14", { headers: "2.14", source: stable, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-DTORCH_TARGET_VERSION=0x020e000000000000"], call: callSame, standard: "20" },
    since(213)),
  built("operators-2.14", "TORCH_LIBRARY and ATen, built with 2.14", { headers: "2.14", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, standard: "20" },
    (torch) => (torch.release < 210 ? missing("drift", "abi-twin") : torch.release < 214 ? { is: "loads", disagrees: "layout" } : loads())),
  built("operators-2.6", "TORCH_LIBRARY and ATen, built with 2.6 and its old strings", { headers: "2.6", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice, flags: ["-D_GLIBCXX_USE_CXX11_ABI=0"] },
    (torch) => (torch.release === 206 ? loads() : missing("drift", "abi-twin"))),
  built("operators-2.6-new-strings", "TORCH_LIBRARY and ATen, built with 2.6 and the compiler's strings", { headers: "2.6", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", flags: ["-D_GLIBCXX_USE_CXX11_ABI=1"] },
    (torch) => (torch.release === 206 ? missing("abi-twin") : torch.release === 209 ? { is: "dies", trait: "layout" } : missing("drift"))),
  built("operators-1.13", "TORCH_LIBRARY and ATen, built with 1.13", { headers: "1.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", call: callTwice },
    (torch) => (torch.release === 113 ? loads() : missing("drift", "abi-twin"))),
  built("operators-clang", "TORCH_LIBRARY and ATen, built by clang", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", compiler: "clang++-14", call: callTwice },
    operators213, { needs: ["clang++-14"] }),
  built("operators-gcc-11", "TORCH_LIBRARY and ATen, built by GCC 11", { headers: "2.13", source: operators, linked: ["c10", "torch_cpu", "torch"], how: "ops", compiler: "g++-11", call: callTwice },
    operators213, { needs: ["g++-11"] }),
];
