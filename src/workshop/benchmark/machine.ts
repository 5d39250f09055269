import * as os from "node:os";
import type { Machine } from "./types.ts";
import type { SystemFiles } from "./systemFiles.ts";

const cpus = "/sys/devices/system/cpu";

/** The machine without its GPUs and load. On other systems than Linux only what Node knows. */
export function describeProcessor(files: SystemFiles): Omit<Machine, "gpus" | "load"> {
  const info = files.text("/proc/cpuinfo") ?? "";
  const governors = [...new Set(files.names(cpus).filter((name) => /^cpu\d+$/.test(name)).flatMap((cpu) => files.text(`${cpus}/${cpu}/cpufreq/scaling_governor`) ?? []))];
  const smt = files.text(`${cpus}/smt/active`);
  const limit = cpuLimit(files);
  const cache = lastLevelCache(files);
  const turbo = turboOf(files);
  const virtual = virtualOf(files, info);
  return {
    cpu: field(info, "model name") ?? os.cpus()[0]?.model.trim() ?? armModel(info) ?? os.arch(),
    cores: os.availableParallelism(),
    ...(limit === undefined ? {} : { cpuLimit: limit }),
    ...(governors.length === 0 ? {} : { governor: governors.join(", ") }),
    ...(turbo === undefined ? {} : { turbo }),
    ...(smt === undefined ? {} : { smt: smt === "1" }),
    memoryBytes: os.totalmem(),
    ...(cache === undefined ? {} : { lastLevelCacheBytes: cache }),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    ...(virtual === undefined ? {} : { virtual }),
  };
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}\\s*:\\s*(.+)$`, "m").exec(info)?.[1]?.trim();
}

/** The kernel names no model on ARM, only numbers of designer and part. */
function armModel(info: string): string | undefined {
  const part = field(info, "CPU part");
  return part === undefined ? undefined : `ARM ${field(info, "CPU implementer") ?? ""} ${part}`;
}

/** Documentation/admin-guide/pm/intel_pstate.rst and cpufreq.rst of the kernel ("boost"). */
function turboOf(files: SystemFiles): boolean | undefined {
  const noTurbo = files.text(`${cpus}/intel_pstate/no_turbo`);
  const boost = files.text(`${cpus}/cpufreq/boost`);
  return noTurbo !== undefined ? noTurbo === "0" : boost !== undefined ? boost === "1" : undefined;
}

/** All the last-level caches of one socket are not added up: a core's data go into its own. */
function lastLevelCache(files: SystemFiles): number | undefined {
  let level = 0;
  let bytes: number | undefined;
  for (const index of files.names(`${cpus}/cpu0/cache`).filter((name) => name.startsWith("index"))) {
    const own = Number(files.text(`${cpus}/cpu0/cache/${index}/level`));
    const [, size = "", unit = ""] = /^(\d+)([KMG]?)$/.exec(files.text(`${cpus}/cpu0/cache/${index}/size`) ?? "") ?? [];
    if (own >= level && size !== "" && files.text(`${cpus}/cpu0/cache/${index}/type`) !== "Instruction") {
      level = own;
      bytes = Number(size) * ({ K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1);
    }
  }
  return bytes;
}

/** The least of the limits from the control group up to its root, in cores: `cpu.max` of version 2, the CFS quota of version 1. */
function cpuLimit(files: SystemFiles): number | undefined {
  const limits: number[] = [];
  for (const line of (files.text("/proc/self/cgroup") ?? "").split("\n")) {
    const [, controllers = "", group = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isSecond = controllers === "";
    if (!isSecond && !controllers.split(",").includes("cpu")) {
      continue;
    }
    const base = isSecond ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    for (let at = group; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
      const [quota, period] = isSecond
        ? (files.text(`${base}${at}/cpu.max`) ?? "").split(" ").map(Number)
        : [Number(files.text(`${base}${at}/cpu.cfs_quota_us`)), Number(files.text(`${base}${at}/cpu.cfs_period_us`))];
      if (quota !== undefined && period !== undefined && quota > 0 && period > 0) {
        limits.push(quota / period);
      }
      if (at === "" || at === "/") {
        break;
      }
    }
  }
  return limits.length === 0 ? undefined : Math.min(...limits);
}

function virtualOf(files: SystemFiles, info: string): string | undefined {
  const product = files.text("/sys/class/dmi/id/product_name");
  const isVirtual = /^flags\s*:.*\bhypervisor\b/m.test(info) || files.exists("/sys/hypervisor/type");
  const container = files.exists("/.dockerenv") || files.exists("/run/.containerenv") ? "container" : undefined;
  const machine = isVirtual ? ["virtual machine", files.text("/sys/hypervisor/type") ?? product].filter((one) => one !== undefined).join(" ") : undefined;
  return [machine, container].filter((one) => one !== undefined).join(", ") || undefined;
}
