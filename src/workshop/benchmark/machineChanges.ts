import type { Machine } from "./types.ts";

/** Memory that a kernel reports varies a little from one boot to the next. */
const memoryTolerance = 0.05;

/** In what two machines, or two states of one, differ: a measurement of one says nothing about one of the other. */
export function machineChanges(before: Machine, now: Machine): string[] {
  const changes: string[] = [];
  const tell = (what: string, a: string | undefined, b: string | undefined): void => {
    if (a !== b) {
      changes.push(`${what}: ${a ?? "unknown"}, now ${b ?? "unknown"}`);
    }
  };
  tell("processor", before.cpu, now.cpu);
  tell("cores", String(before.cores), String(now.cores));
  tell("limit of the control group", cores(before.cpuLimit), cores(now.cpuLimit));
  tell("frequency governor", before.governor, now.governor);
  tell("turbo", onOff(before.turbo), onOff(now.turbo));
  tell("simultaneous multithreading", onOff(before.smt), onOff(now.smt));
  if (Math.abs(before.memoryBytes - now.memoryBytes) > memoryTolerance * Math.max(before.memoryBytes, now.memoryBytes)) {
    tell("memory", gibibytes(before.memoryBytes), gibibytes(now.memoryBytes));
  }
  tell("system", before.system, now.system);
  tell("virtual machine", before.virtual ?? "none", now.virtual ?? "none");
  tell("GPUs", gpus(before), gpus(now));
  return changes;
}

function cores(limit: number | undefined): string {
  return limit === undefined ? "none" : `${limit} cores`;
}

function onOff(state: boolean | undefined): string | undefined {
  return state === undefined ? undefined : state ? "on" : "off";
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

function gpus(machine: Machine): string {
  return machine.gpus.map((gpu) => `${gpu.name}${gpu.driver === undefined ? "" : `, driver ${gpu.driver}`}`).join("; ") || "none";
}
