/** What `scanSource` calls it when the type that a macro of ATen/Dispatch.h switches on is `tensor.type()`. */
export const dispatchOnTensorType = "Tensor::type() as the type of an AT_DISPATCH macro";

/** More text than this before the macro's name argument is no call of it. */
const maximumLength = 600;

const dispatchMacro = /^AT_DISPATCH_(?:SWITCH|(?:ALL|FLOATING|INTEGRAL|COMPLEX|REDUCED_FLOATING|INDEX|QINT)_[A-Z0-9_]+)$/;

/** True for the macros of ATen/Dispatch.h; projects have some of their own whose names begin alike. */
export function isDispatchMacro(name: string): boolean {
  return dispatchMacro.test(name);
}

/**
 * The word `type` in `AT_DISPATCH_FLOATING_TYPES(x.type(), "name", ...)`, where the macro's name ends at `from`. The
 * arguments before the string are the types. A `type()` of at::Scalar is a ScalarType and does not count.
 */
export function typeArgument(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  const open = /^\s*\(/.exec(text.slice(from, from + 40));
  if (open === null) return undefined;
  const begin = from + open[0].length;
  let depth = 0;
  let argument = begin;
  for (let at = begin; at < text.length && at < begin + maximumLength; at++) {
    const char = text[at];
    if (char === '"' || char === "{" || char === ";") return undefined;
    if (char === "(" || char === "[") depth++;
    else if (char === "]") depth--;
    else if (char === ")" && depth-- === 0) return undefined;
    else if (char === "," && depth === 0) {
      const found = /^(.*?)\s*(?:\.|->)\s*type\s*\(\s*\)\s*$/s.exec(text.slice(argument, at));
      const [, owner = ""] = found ?? [];
      if (found !== null && !isScalar(text, owner.trim())) {
        const start = text.lastIndexOf("type", at);
        return { start, end: start + "type".length };
      }
      argument = at + 1;
    }
  }
  return undefined;
}

function isScalar(text: string, owner: string): boolean {
  const name = /^\w+$/.exec(owner)?.[0];
  return name === undefined ? /Scalar\b/.test(owner) : new RegExp(`\\bScalar\\s*(?:const\\s*)?&?\\s*${name}\\b`).test(text);
}
