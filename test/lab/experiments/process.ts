/**
 * Two torches in one process. The other one is Debian's, which lies elsewhere and has sonames of its own, and beside them
 * links without a version. torch 2.13 for CPU has RUNPATHs, which come after LD_LIBRARY_PATH: with Debian's libraries on that
 * path its Python half meets Debian's libtorch_python, and `import torch` ends in an AttributeError.
 */
import { loads, type Experiment, type Step } from "../experiment.ts";
import { probe } from "../recipe.ts";
import type { Torch } from "../torches.ts";

function second(name: string, about: string, steps: readonly Step[], expect: Experiment["expect"]): Experiment {
  return { id: `second-torch/${name}`, about, steps, file: "probe.so", inCi: false, otherTorch: "1.13", load: { how: "cdll", libraryPath: ["{1.13}"] }, onlyFor: (torch) => !torch.name.startsWith("1.13"), expect };
}

const isHijacked = (torch: Torch): boolean => torch.name === "2.13.0+cpu";

export const processes: readonly Experiment[] = [
  second("libtorch-cpu", "Linked with Debian's libtorch_cpu, which the loader finds, in a process that has another", probe({}, ["libtorch_cpu.so.1.13"]), () => ({ is: "dies", trait: "two-libtorch" })),
  second("libtorch-python", "Linked with Debian's libtorch_python", probe({}, ["libtorch_python.so.1.13"]), () => ({ is: "dies", trait: "two-libtorch" })),
  second("libc10", "Linked with Debian's libc10 alone", probe({}, ["libc10.so.1.13"]), (torch) => (isHijacked(torch) ? { is: "dies", trait: "two-libtorch" } : { is: "loads", disagrees: "two-libtorch", verdict: "conflict" })),
  second("on-the-path", "Debian's libraries are on the loader's path, and the file asks for the torch that is loaded", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libc10.so", "libtorch_cpu.so", "libtorch.so"]), (torch) => (isHijacked(torch) ? { is: "dies", trait: "two-libtorch" } : loads())),
  second("nothing-of-torch", "Debian's libraries are on the loader's path, and the file asks for none", probe({}), (torch) => (isHijacked(torch) ? { is: "beyond", why: "That torch cannot be imported is not the file's affair." } : loads())),
];
