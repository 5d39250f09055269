/** Files that nvcc makes: read and loaded; no GPU is needed for that. */
import { loads, type Experiment } from "../experiment.ts";
import { library } from "../recipe.ts";

const kernel = `
__global__ void lab_kernel(float *x) { x[threadIdx.x] += 1; }
extern "C" int lab_launch(float *x) { lab_kernel<<<1, 32>>>(x); return (int)cudaGetLastError(); }
`;

function cuda(name: string, about: string, flags: readonly string[], expect: Experiment["expect"], source = kernel, link: readonly string[] = []): Experiment {
  return { id: `cuda/${name}`, about, file: "probe.so", load: { how: "cdll" }, inCi: false, needs: ["nvcc"], expect, steps: library({ file: "probe.so", compiler: "nvcc", module: false, source, flags, link }) };
}

const major13: Experiment["expect"] = (torch) => (torch.cuda?.startsWith("13.") === true || torch.hasLibrary("libcudart.so.13") ? loads() : { is: "library", library: "libcudart.so.13" });

export const cudas: readonly Experiment[] = [
  cuda("static-runtime", "The CUDA runtime linked statically", ["-arch=sm_90"], loads),
  cuda("shared-runtime", "The CUDA runtime linked dynamically", ["-arch=sm_90", "-cudart=shared"], major13),
  cuda("no-runtime", "No CUDA runtime linked: a torch with CUDA has one loaded globally, of whatever major", ["-arch=sm_90", "-cudart=none"], (torch) => (torch.cuda !== undefined ? loads() : { is: "symbol", symbol: "*", kind: ["other-library", "missing-library"] })),
  cuda("several-architectures", "Several architectures and PTX", ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_90,code=compute_90"], loads),
  cuda("architecture-specific", "Only code of one architecture's own features", ["-gencode", "arch=compute_90a,code=sm_90a"], loads),
  cuda("host-only", "A .cu file with host code alone", ["-arch=sm_90", "-cudart=shared"], major13, "extern \"C\" int lab_count(void) { int n = 0; cudaGetDeviceCount(&n); return n; }"),
  cuda("missing-launcher", "Host code whose kernel file is not linked", ["-arch=sm_90"], () => ({ is: "symbol", symbol: "_Z12lab_launcherPfi", kind: "own" }), "void lab_launcher(float *, int); extern \"C\" void lab_use(float *x) { lab_launcher(x, 1); }"),
  cuda("torch-not-linked", "A kernel beside a function of libc10 that is not linked", ["-arch=sm_90"], () => ({ is: "symbol", symbol: "_ZN3c106detail14torchCheckFailEPKcS2_jS2_", kind: "missing-library" }), "namespace c10 { namespace detail { void torchCheckFail(const char *, const char *, unsigned, const char *); } } extern \"C\" void lab_use() { c10::detail::torchCheckFail(\"\", \"\", 1, \"\"); }"),
];
