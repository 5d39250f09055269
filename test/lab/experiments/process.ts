/** Two torches in one process. The other one is Debian's, which lies elsewhere and has sonames of its own. */
import { loads, type Experiment, type Step } from "../experiment.ts";
import { probe } from "../recipe.ts";

function second(name: string, about: string, steps: readonly Step[], expect: Experiment["expect"]): Experiment {
  return { id: `second-torch/${name}`, about, steps, file: "probe.so", inCi: false, otherTorch: "1.13", load: { how: "cdll", libraryPath: ["{1.13}"] }, onlyFor: (torch) => !torch.name.startsWith("1.13"), expect };
}

export const processes: readonly Experiment[] = [
  second("libtorch-cpu", "Linked with Debian's libtorch_cpu, which the loader finds, in a process that has another", probe({}, ["libtorch_cpu.so.1.13"]), () => ({ is: "dies", trait: "two-libtorch" })),
  second("libtorch-python", "Linked with Debian's libtorch_python", probe({}, ["libtorch_python.so.1.13"]), () => ({ is: "dies", trait: "two-libtorch" })),
  second("libc10", "Linked with Debian's libc10 alone", probe({}, ["libc10.so.1.13"]), () => ({ is: "loads", disagrees: "two-libtorch" })),
  second("on-the-path", "Debian's libraries are on the loader's path, and the file asks for the torch that is loaded", probe({ calls: ["_ZN3c106detail14torchCheckFailEPKcS2_jS2_"] }, ["libc10.so", "libtorch_cpu.so", "libtorch.so"]), loads),
  second("nothing-of-torch", "Debian's libraries are on the loader's path, and the file asks for none", probe({}), loads),
];
