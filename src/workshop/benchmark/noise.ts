import * as os from "node:os";
import type { Machine } from "./types.ts";
import type { SystemFiles } from "./systemFiles.ts";

const cpus = "/sys/devices/system/cpu";

/** What the machine has done so far, as its counters say. */
export interface Moment {
  readonly load: number;
  /** Ticks since the start of the system; undefined where no counters are. */
  readonly ticks?: { readonly all: number; readonly busy: number; readonly stolen: number; readonly ours: number };
  readonly throttled: number;
}

export function momentOf(files: SystemFiles): Moment {
  const ticks = ticksOf(files);
  return {
    load: os.loadavg()[0] ?? 0,
    ...(ticks === undefined ? {} : { ticks }),
    throttled: files.names(cpus).filter((name) => /^cpu\d+$/.test(name)).reduce((sum, cpu) => sum + Number(files.text(`${cpus}/${cpu}/thermal_throttle/core_throttle_count`) ?? 0), 0),
  };
}

/** proc(5): `/proc/stat`, and `/proc/self/stat` for this process and the children it has waited for. */
function ticksOf(files: SystemFiles): Moment["ticks"] | undefined {
  const fields = /^cpu\s+(.+)$/m.exec(files.text("/proc/stat") ?? "")?.[1]?.split(/\s+/).map(Number);
  const own = files.text("/proc/self/stat");
  if (fields === undefined || own === undefined) {
    return undefined;
  }
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, stolen = 0] = fields;
  // The name of the program, in brackets, may hold blanks.
  const after = own.slice(own.lastIndexOf(")") + 2).split(" ").map(Number);
  const ours = [11, 12, 13, 14].reduce((sum, index) => sum + (after[index] ?? 0), 0);
  const busy = user + nice + system + irq + softIrq;
  return { all: busy + idle + wait + stolen, busy, stolen, ours };
}

/** A machine with this load per core before anything was started does something else as well. */
const busyLoad = 0.5;
/** Shares of the machine's time from which others disturb: a core of eight, one of a hundred taken by the host. */
const othersShare = 0.1;
const stolenShare = 0.01;

/** What makes measurements between two moments doubtful. */
export function noiseOf(machine: Omit<Machine, "gpus" | "load">, before: Moment, after: Moment, files: SystemFiles): string[] {
  const warnings: string[] = [];
  if (before.load > busyLoad * machine.cores) {
    warnings.push(`The machine was busy before the first repetition: load ${before.load.toFixed(1)} on ${machine.cores} cores.`);
  }
  if (before.ticks !== undefined && after.ticks !== undefined && after.ticks.all > before.ticks.all) {
    const all = after.ticks.all - before.ticks.all;
    const others = (after.ticks.busy - before.ticks.busy - (after.ticks.ours - before.ticks.ours)) / all;
    const stolen = (after.ticks.stolen - before.ticks.stolen) / all;
    if (others > othersShare) {
      warnings.push(`Other processes used ${percent(others)} of the processors while it was measured.`);
    }
    if (stolen > stolenShare) {
      warnings.push(`The host gave ${percent(stolen)} of the processors' time to other machines while it was measured.`);
    }
  }
  if (machine.governor !== undefined && machine.governor !== "performance") {
    warnings.push(`The frequency governor is "${machine.governor}"; with "performance" the clock does not depend on what ran before.`);
  }
  if (machine.cpuLimit !== undefined && machine.cpuLimit < machine.cores) {
    warnings.push(`The control group allows ${machine.cpuLimit} of ${machine.cores} cores: what runs on more threads is stopped for a part of the time.`);
  }
  if (onBattery(files)) {
    warnings.push("The machine runs on its battery.");
  }
  if (after.throttled > before.throttled) {
    warnings.push(`The processor was slowed down ${after.throttled - before.throttled} times because it was hot.`);
  }
  return warnings;
}

/** Documentation/ABI/testing/sysfs-class-power: a supply of type Mains that is not online, and none that is. */
function onBattery(files: SystemFiles): boolean {
  const online = files.names("/sys/class/power_supply").flatMap((name) => (files.text(`/sys/class/power_supply/${name}/type`) === "Mains" ? [files.text(`/sys/class/power_supply/${name}/online`)] : []));
  return online.length > 0 && online.every((one) => one === "0");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
