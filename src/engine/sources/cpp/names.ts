import type { Catalogue } from "../../catalogue/index.ts";

/** Macros and names that say which interfaces a source uses. */
const interfaceNames = [
  "PYBIND11_MODULE", "PYBIND11_MAKE_OPAQUE", "TORCH_LIBRARY", "TORCH_LIBRARY_IMPL", "TORCH_LIBRARY_FRAGMENT",
  "STABLE_TORCH_LIBRARY", "STABLE_TORCH_LIBRARY_IMPL", "STABLE_TORCH_LIBRARY_FRAGMENT",
  "THPVariable_Wrap", "THPVariable_Unpack", "THPVariable_Check", "THPVariableClass",
  "at::Tensor", "torch::Tensor", "Tensor", "torch::stable", "c10::intrusive_ptr", "c10::IValue", "DLManagedTensor", "DLManagedTensorVersioned",
  "findSchemaOrThrow", "torch_call_dispatcher", "aoti_torch_call_dispatcher",
] as const;

/** Every name that `scanSource` should look for on behalf of the rules. */
export function namesOfInterest(catalogue: Catalogue): readonly string[] {
  const removed = catalogue.removedApis.filter((api) => api.kind !== "header").map((api) => api.what);
  return [...new Set([...interfaceNames, ...removed])];
}
