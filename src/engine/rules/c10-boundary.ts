import type { Rule } from "./rule.ts";
import { includesOf, isUnstableTorchHeader, namesOf } from "./sources.ts";
import { capital, finding, groupBy, joinWords, targetsPhrase } from "./support.ts";

/** Names whose appearance in a signature carries C10 objects across the library's boundary. */
const crossing = new Set(["at::Tensor", "torch::Tensor", "c10::intrusive_ptr", "c10::IValue"]);

/** For libraries that mean to serve several frameworks or torch releases with one binary. */
export const c10Boundary: Rule = {
  name: "c10-boundary",
  severity: "info",
  summary: "A library meant to be framework-neutral uses C10 or ATen from C++.",
  optIn: true,
  check(context) {
    return context.declared.flatMap((body) => {
      const headers = includesOf(context, body).filter((use) => isUnstableTorchHeader(use.what));
      const first = headers[0];
      if (first === undefined) return [];
      const names = namesOf(context, body, (name) => crossing.has(name));
      const shown = [...groupBy(names, (use) => use.what)].map(([name, uses]) => `${name} (${uses.length === 1 ? "once" : `${uses.length} times`})`);
      const what = shown.length === 0 ? "" : ` and names ${joinWords(shown)}`;
      const distinct = [...groupBy([...headers, ...names], (use) => use.what).values()].flatMap((uses) => uses.slice(0, 1)).slice(1, 11);
      return [finding(this, {
        message: `${capital(targetsPhrase([body.name]))} includes ${headers.length === 1 ? "an unstable torch header" : `${headers.length} unstable torch headers`}, first ${first.what},${what}: C10 and ATen C++ crosses its boundary and binds the binary to one torch minor version. Where only tensors cross, take and give DLPack (DLManagedTensorVersioned, __dlpack__); where operators are registered or called, use torch's stable ABI (torch/csrc/stable, from torch 2.9).`,
        location: first.location,
        target: body.name,
        related: distinct.map((use) => ({ message: `${use.what} crosses here.`, location: use.location })),
      })];
    });
  },
};
