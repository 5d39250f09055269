/** Namespaces and C prefixes that extensions bind to: c10, at, torch, c10d, what c10 left in caffe2, and torch's functions without a namespace. */
const families = [
  /^_Z(?:T[VITW])?N[KVrRO]*(?:(?:3c10|2at|5torch|4c10d)(?:\D|[1-9])|6caffe2(?:8TypeMeta|6detail|9serialize))/,
  /^_Z\d+TH[PC][A-Z][a-z]/,
  // What pybind11 modules that take or give tensors take from libtorch_python.
  /^_ZNK?8pybind116detail11type_casterIN?(?:3c10|2at|5torch)/,
  /^(?:TH[PC][A-Z][a-z]|(?:aoti_torch_|torch_|AOTI|c10_)[A-Za-z])/,
];

/**
 * Inside of those: what has no name outside its file, parts of torch that are no interface, and what is in libraries that
 * `import torch` does not load, which the table is not about: since 1.12 libtorch_cuda_linalg has torch's use of cuSOLVER, and
 * libtorch_nvshmem that of NVSHMEM. Source: nm -D of both in torch 2.14.1.
 */
const leftOut = [
  /\d_GLOBAL__N_|[E\d]Ul\w*E\d*_/,
  /^_Z(?:T[VITW])?N[KVrRO]*(?:2at4meta|5torch3jit(?:10tensorexpr|4fuser)|5torch8nativert)/,
  /^_ZNK?2at(?:4cuda(?:6solver|28getCurrentCUDASolverDnHandle)|6native\d+\w*_(?:cusolver|cublas|gesvdj_convergence|cusolver_xgeev)E)/,
  /^_Z(?:T[VITW])?NK?4c10d(?:18nvshmem_extension|16symmetric_memory)/,
];

const nativeEntity = /^_Z(?:T[VITW])?N[KVrRO]*2at6native/;
const nativeFunction = /^_ZN2at6native(\d+)/;

/**
 * Whether the table of torch's exports has a row for a symbol whenever some release exports it. Of at::native, torch's
 * kernels, only plain functions are in it: extensions call some of them. The table is made with this same function.
 */
export function isRecordedSymbol(symbol: string): boolean {
  if (!families.some((pattern) => pattern.test(symbol)) || leftOut.some((pattern) => pattern.test(symbol))) return false;
  if (!nativeEntity.test(symbol)) return true;
  const name = nativeFunction.exec(symbol);
  return name !== null && symbol[name[0].length + Number(name[1])] === "E";
}
