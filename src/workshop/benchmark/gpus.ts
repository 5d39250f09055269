import type { Machine } from "./types.ts";
import type { Workshop } from "../workshop.ts";
import type { SystemFiles } from "./systemFiles.ts";

export interface Gpus {
  readonly gpus: Machine["gpus"];
  /** Why clocks are lower than they could be; idle and clocks that were set are no such reasons. */
  readonly throttled: readonly string[];
}

/** Bits of the reasons (nvml.h, `nvmlClocksEventReason…`). */
const reasons: readonly (readonly [bigint, string])[] = [
  [0x4n, "its power cap"],
  [0x8n, "a hardware slowdown"],
  [0x20n, "its temperature (driver)"],
  [0x40n, "its temperature (hardware)"],
  [0x80n, "an external power brake"],
];

/** The GPUs with their clocks at this moment: by nvidia-smi where it is, otherwise what the driver's files name. */
export async function describeGpus(files: SystemFiles, workshop: Workshop, folder: string): Promise<Gpus> {
  const query = "name,driver_version,clocks.sm,clocks.mem,clocks_throttle_reasons.active";
  const result = await workshop.run(
    { file: "nvidia-smi", arguments: [`--query-gpu=${query}`, "--format=csv,noheader,nounits"], folder, environment: workshop.environment },
    { timeLimit: 20_000, signal: workshop.activity.signal });
  if (result.ending.kind === "exited" && result.ending.code === 0) {
    return fromNvidiaSmi(result.stdout.text);
  }
  const driver = /Kernel Module\s+(\d+(?:\.\d+)+)/.exec(files.text("/proc/driver/nvidia/version") ?? "")?.[1];
  const gpus = files.names("/proc/driver/nvidia/gpus").map((bus) => ({
    name: /^Model:\s*(.+)$/m.exec(files.text(`/proc/driver/nvidia/gpus/${bus}/information`) ?? "")?.[1]?.trim() ?? "NVIDIA GPU",
    ...(driver === undefined ? {} : { driver }),
  }));
  return { gpus, throttled: [] };
}

/** Lines of `nvidia-smi --query-gpu … --format=csv,noheader,nounits`. */
export function fromNvidiaSmi(text: string): Gpus {
  const throttled: string[] = [];
  const gpus = text.split(/\r?\n/).filter((line) => line.includes(",")).map((line) => {
    const [name = "", driver = "", sm = "", memory = "", active = ""] = line.split(",").map((cell) => cell.trim());
    const bits = /^0x[0-9a-f]+$/i.test(active) ? BigInt(active) : 0n;
    throttled.push(...reasons.filter(([bit]) => (bits & bit) !== 0n).map(([, reason]) => `The clocks of ${name} are held down by ${reason}.`));
    return { name, driver, ...(Number(sm) > 0 ? { clocks: `SM ${sm} MHz, memory ${memory} MHz` } : {}) };
  });
  return { gpus, throttled };
}
