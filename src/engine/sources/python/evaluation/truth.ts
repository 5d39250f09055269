import { opposite } from "./conditions.ts";
import type { Value } from "./values.ts";
import { render } from "./values.ts";

/** Whether Python counts the value as true; undefined when that cannot be known. */
export function truthOf(value: Value): boolean | undefined {
  switch (value.kind) {
    case "text":
      return value.known ? value.value !== "" : undefined;
    case "number":
      return value.value !== 0;
    case "boolean":
      return value.value;
    case "none":
      return false;
    case "list":
      if (value.elements.length === 0) return false;
      return value.elements.some((element) => element.conditions.length === 0 && !isSpread(element.value)) ? true : undefined;
    case "dict":
      if (value.entries.length === 0) return value.open ? undefined : false;
      return value.entries.some((entry) => entry.conditions.length === 0) ? true : undefined;
    case "unknown":
      return value.truth;
    case "choice": {
      const truths = new Set(value.alternatives.map((one) => truthOf(one.value)));
      return truths.size === 1 ? [...truths][0] : undefined;
    }
    case "external": case "method":
      return undefined;
    default:
      return true;
  }
}

/** A list that is empty or not as one test turns out, as that: true or false. */
export function asTruth(value: Value): Value {
  if (value.kind !== "list" || value.elements.length === 0) return value;
  const [test, ...more] = value.elements[0]?.conditions ?? [];
  if (test === undefined || more.length > 0 || value.elements.some((element) => isSpread(element.value) || element.conditions.length !== 1 || element.conditions[0]?.id !== test.id || element.conditions[0].branch !== test.branch)) return value;
  return { kind: "choice", alternatives: [{ value: { kind: "boolean", value: true }, conditions: [test] }, { value: { kind: "boolean", value: false }, conditions: [opposite(test)] }] };
}

/** An element that stands for any number of elements, also none. */
export function isSpread(value: Value): boolean {
  return value.kind === "unknown" && value.text.startsWith("*");
}

/** Whether a value asks torch which C++ library ABI it has. */
export function isAbiQuestion(value: Value): boolean {
  return /CXX11_ABI|compiled_with_cxx11_abi/i.test(render(value));
}
