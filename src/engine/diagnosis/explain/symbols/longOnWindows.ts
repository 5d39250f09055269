import type { Judgement, Matter } from "./matter.ts";
import { demangledOf } from "./words.ts";

const ofLong = /^at::Tensor(?:Base)?::(?:(?:const_|mutable_)?data_ptr|data|item)<long(?: const)?>\(/;

/**
 * Elements of a tensor as `long`, on Windows: there it has 32 bits and is neither int nor int64_t, for which torch has these
 * functions (AT_FORALL_SCALAR_TYPES in c10/core/ScalarType.h).
 */
export function ofLongOnWindows({ error, name }: Matter): Judgement | undefined {
  const demangled = demangledOf(error);
  if (error.system !== "windows" || error.when !== "link" || !ofLong.test(demangled)) return undefined;
  return {
    cause: "source-error",
    confidence: "certain",
    headline: "The source reads elements of a tensor as long, which torch does not know on Windows: write int64_t.",
    because: [
      `${name} is asked for. On Windows long has 32 bits and is no int64_t; on 64-bit Linux and macOS it is as long, and the same source links there.`,
      "No library is missing, and no version or ABI disagrees.",
    ],
    fixes: ["Replace long by int64_t where elements of tensors are read (data_ptr<int64_t>(), item<int64_t>()) and where pointers to them are taken, and build again."],
    copy: "data_ptr<int64_t>()",
    symbols: [{ symbol: error.symbol, demangled }],
  };
}
