import type { SymbolFamily } from "../../model/index.ts";

/** Whose a symbol is and which string ABI its name speaks, roughly; `mangling` does both by the grammar. */
export function familyOf(symbol: string): SymbolFamily {
  if (/^(?:aoti_torch_|torch_(?:library_impl|call_dispatcher|list_|string_|new_|delete_|get_|set_|parallel_for))/.test(symbol)) return "torch-stable";
  if (/^(?:_ZT[VISTN])?(?:_Z)?N?[KVRO]*(?:2at|3c10|5torch|6caffe2)/.test(symbol.replace(/^_ZN/, "_ZN")) || /^THP/.test(symbol) || /^_ZNK?[RO]?(?:2at|3c10|5torch|6caffe2)/.test(symbol)) return "torch";
  if (/^_?Py/.test(symbol)) return "python";
  if (/^(?:__)?(?:cuda|cublas|cudnn|curand|cusolver|cusparse|cufft|nvrtc|nvjpeg)|^cu[A-Z]/.test(symbol)) return "cuda";
  if (/^_ZN?K?S[tsabiod]|^_ZT[VIST]S|^__cxa_|^__gxx_|^_Zn[wa]|^_Zd[la]/.test(symbol)) return "libstdcxx";
  return "own-or-other";
}

export function stringAbiOf(symbol: string): 0 | 1 | "both" | undefined {
  return /NSt7__cxx11|B5cxx11/.test(symbol) ? 1 : /(?:[EvRPK_]|^_ZNK?)Ss/.test(symbol) ? 0 : undefined;
}
