import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import table from "../../../data/smoke-environment.json" with { type: "json" };
import { findProgram, isSecret, shown } from "../process/index.ts";
import type { Variables } from "../process/types.ts";
import type { Workshop } from "../workshop.ts";
import type { SmokeCircumstances } from "./types.ts";

export interface Gpus {
  readonly names: readonly string[];
  /** Why there is none to use. */
  readonly none?: string;
}

/** Milliseconds that nvidia-smi may take. */
const patience = 10_000;

/**
 * The GPUs of NVIDIA that a test would meet: by the driver's files and devices, then by nvidia-smi where it is installed.
 * https://download.nvidia.com/XFree86/Linux-x86_64/latest/README/procinterface.html
 */
export async function findGpus(workshop: Workshop, environment: Variables, systemRoot = "/"): Promise<Gpus> {
  const hidden = environment.CUDA_VISIBLE_DEVICES;
  const driver = path.join(systemRoot, "proc", "driver", "nvidia");
  const names = list(path.join(driver, "gpus")).map((bus) => {
    const [, model] = /^Model:\s*(.+)$/m.exec(read(path.join(driver, "gpus", bus, "information"))) ?? [];
    return model?.trim() ?? `GPU at ${bus}`;
  });
  const devices = list(path.join(systemRoot, "dev")).filter((name) => /^nvidia\d+$/.test(name));
  const present = names.length > 0 && devices.length > 0 ? names : await askNvidiaSmi(workshop, environment);
  if (present.length === 0) {
    return { names: [], none: names.length > 0
      ? `The driver knows ${names.join(", ")}, but there is no /dev/nvidia0: a container does not pass the device on.`
      : "No NVIDIA GPU was found: neither its driver (/proc/driver/nvidia) nor a device (/dev/nvidia0) is there." };
  }
  if (hidden?.trim() === "" || hidden?.trim().startsWith("-1") === true) {
    return { names: present, none: `CUDA_VISIBLE_DEVICES="${hidden}" hides every GPU.` };
  }
  return { names: present };
}

async function askNvidiaSmi({ run, activity }: Workshop, environment: Variables): Promise<readonly string[]> {
  if (findProgram("nvidia-smi", environment) === undefined) return [];
  const result = await run({ file: "nvidia-smi", arguments: ["--query-gpu=name", "--format=csv,noheader"], folder: os.tmpdir(), environment }, { signal: activity.signal, timeLimit: patience, leftBehind: "end" });
  return result.ending.kind === "exited" && result.ending.code === 0 ? result.stdout.text.split("\n").map((line) => line.trim()).filter((line) => line !== "") : [];
}

/** The variables that matter to a test, by data/smoke-environment.json. */
export function environmentThatMatters(environment: Variables): SmokeCircumstances["environment"] {
  const exact = new Set(table.variables.map((row) => row.name));
  const starts = table.variables.flatMap((row) => (row.name.endsWith("*") ? [row.name.slice(0, -1)] : []));
  return Object.fromEntries(Object.entries(environment)
    .filter(([name]) => !isSecret(name) && (exact.has(name) || starts.some((start) => name.startsWith(start))))
    .map(([name, value]) => [name, shown(name, value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function hostOf(): SmokeCircumstances["host"] {
  return { system: `${os.type()} ${os.release()} ${os.machine()}`, cpu: os.cpus()[0]?.model.trim() || os.machine() };
}

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
