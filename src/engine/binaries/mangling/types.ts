/** What a mangled name of the Itanium C++ ABI says (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling). */
export interface MangledName {
  readonly symbol: string;
  readonly kind: "function" | "data" | "vtable" | "vtt" | "typeinfo" | "typeinfo-name" | "guard" | "thunk" | "other";
  /** Components of the qualified name without template arguments and ABI tags: ["c10", "Error", "Error"]. For a vtable those of its class. */
  readonly scope: readonly string[];
  /** Demangled, without parameters: "c10::Error::Error". */
  readonly qualifiedName: string;
  /** Demangled parameter types; undefined for what is no function. */
  readonly parameters: readonly string[] | undefined;
  /** "C1", "C2", "D0" ... of constructors and destructors. */
  readonly variant: string | undefined;
  /** By tokens of the grammar: 1 where __cxx11 types or the [abi:cxx11] tag occur, 0 where the old std::string or list, undefined where neither, "both" where both. */
  readonly stringAbi: 0 | 1 | "both" | undefined;
  /** Uses libc++ (std::__1). */
  readonly libcxx: boolean;
}
