import assert from "node:assert/strict";
import * as os from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { describeGpus, fromNvidiaSmi } from "../../../src/workshop/benchmark/gpus.ts";
import { describeProcessor } from "../../../src/workshop/benchmark/machine.ts";
import { momentOf, noiseOf } from "../../../src/workshop/benchmark/noise.ts";
import { systemFiles } from "../../../src/workshop/benchmark/systemFiles.ts";
import { Project } from "./support.ts";

const cpus = "sys/devices/system/cpu";
const stat = "12 (a (strange) name) S 1 1 1 0 -1 0 0 0 0 0 10 20 30 40 20 0 1 0 100 0 0";

/** A laptop under a desktop system, in files. */
function laptop(): Project {
  const project = new Project();
  const files = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu sse2\n",
    "proc/stat": "cpu  1000 0 500 8000 100 0 50 350 0 0\ncpu0 1 2\n",
    "proc/self/stat": stat,
    "proc/self/cgroup": "0::/user.slice/job\n",
    "sys/fs/cgroup/user.slice/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/user.slice/job/cpu.max": "max 100000\n",
    [`${cpus}/cpu0/cpufreq/scaling_governor`]: "powersave\n",
    [`${cpus}/cpu1/cpufreq/scaling_governor`]: "powersave\n",
    [`${cpus}/cpu0/thermal_throttle/core_throttle_count`]: "3\n",
    [`${cpus}/intel_pstate/no_turbo`]: "0\n",
    [`${cpus}/smt/active`]: "1\n",
    [`${cpus}/cpu0/cache/index0/level`]: "1\n", [`${cpus}/cpu0/cache/index0/size`]: "48K\n", [`${cpus}/cpu0/cache/index0/type`]: "Data\n",
    [`${cpus}/cpu0/cache/index3/level`]: "3\n", [`${cpus}/cpu0/cache/index3/size`]: "12M\n", [`${cpus}/cpu0/cache/index3/type`]: "Unified\n",
    "sys/class/power_supply/AC/type": "Mains\n", "sys/class/power_supply/AC/online": "0\n",
    "sys/class/power_supply/BAT0/type": "Battery\n",
  };
  for (const [name, text] of Object.entries(files)) {
    project.file(name, text);
  }
  return project;
}

describe("a machine", () => {
  it("is described from the system's files", () => {
    using project = laptop();
    assert.deepEqual(describeProcessor(systemFiles(project.root)), {
      cpu: "Some CPU @ 3 GHz", cores: os.availableParallelism(), cpuLimit: 1.5, governor: "powersave", turbo: true, smt: true, memoryBytes: os.totalmem(),
      lastLevelCacheBytes: 12 * 1024 ** 2, system: `${os.type()} ${os.release()} ${os.arch()}`,
    });
  });

  it("that is virtual, in a container, or limited by control groups of version 1 is told so", () => {
    using project = new Project();
    project.file("proc/cpuinfo", "model name : X\nflags : fpu hypervisor\n");
    project.file(".dockerenv", "");
    project.file("sys/class/dmi/id/product_name", "KVM\n");
    project.file("proc/self/cgroup", "3:memory:/m\n2:cpu,cpuacct:/a/b\n");
    project.file("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    project.file("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    project.file("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n");
    project.file("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    const { virtual, cpuLimit, governor, turbo } = describeProcessor(systemFiles(project.root));
    assert.deepEqual({ virtual, cpuLimit, governor, turbo }, { virtual: "virtual machine KVM, container", cpuLimit: 0.5, governor: undefined, turbo: undefined });
  });

  it("without such files is what Node knows of it", () => {
    using project = new Project();
    const described = describeProcessor(systemFiles(project.root));
    assert.equal(described.memoryBytes, os.totalmem());
    assert.ok(described.cpu !== "" && described.lastLevelCacheBytes === undefined);
    assert.equal(momentOf(systemFiles(project.root)).ticks, undefined);
  });
});

describe("noise", () => {
  it("is what other processes, the host, the clock, the battery and heat do between two moments", () => {
    using project = laptop();
    const files = systemFiles(project.root);
    const before = momentOf(files);
    assert.deepEqual(before.ticks, { all: 10_000, busy: 1550, stolen: 350, ours: 100 });
    project.file("proc/stat", "cpu  1600 0 500 8350 100 0 50 400 0 0\n");
    project.file("proc/self/stat", stat.replace("10 20 30 40", "10 20 330 140"));
    project.file(`${cpus}/cpu0/thermal_throttle/core_throttle_count`, "5\n");
    const machine = { ...describeProcessor(files), cores: 4 };
    assert.deepEqual(noiseOf(machine, { ...before, load: 2.5 }, momentOf(files), files), [
      "The machine was busy before the first repetition: load 2.5 on 4 cores.",
      "Other processes used 20 % of the processors while it was measured.",
      "The host gave 5.0 % of the processors' time to other machines while it was measured.",
      "The frequency governor is \"powersave\"; with \"performance\" the clock does not depend on what ran before.",
      "The control group allows 1.5 of 4 cores: what runs on more threads is stopped for a part of the time.",
      "The machine runs on its battery.",
      "The processor was slowed down 2 times because it was hot.",
    ]);
  });

  it("is nothing on a quiet machine", () => {
    using project = new Project();
    const files = systemFiles(project.root);
    project.file("proc/stat", "cpu  1000 0 500 8000 100 0 50 350 0 0\n");
    project.file("proc/self/stat", stat);
    const before = { ...momentOf(files), load: 0.4 };
    project.file("proc/stat", "cpu  1400 0 500 8600 100 0 50 350 0 0\n");
    project.file("proc/self/stat", stat.replace("10 20 30 40", "10 20 400 40"));
    assert.deepEqual(noiseOf({ ...describeProcessor(files), cores: 1 }, before, momentOf(files), files), []);
  });
});

describe("GPUs", () => {
  it("are asked of nvidia-smi, with the clocks and what holds them down", async () => {
    using project = new Project();
    project.file("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580.65.06, 1980, 3201, 0x0000000000000001'\necho 'NVIDIA H200, 580.65.06, 345, 2619, 0x0000000000000044'\n");
    project.variables = { ...project.variables, PATH: `${join(project.root, "bin")}:/usr/bin:/bin` };
    assert.deepEqual(await describeGpus(systemFiles(project.root), project.workshop, project.root), {
      gpus: [{ name: "NVIDIA H200", driver: "580.65.06", clocks: "SM 1980 MHz, memory 3201 MHz" }, { name: "NVIDIA H200", driver: "580.65.06", clocks: "SM 345 MHz, memory 2619 MHz" }],
      throttled: ["The clocks of NVIDIA H200 are held down by its power cap.", "The clocks of NVIDIA H200 are held down by its temperature (hardware)."],
    });
    assert.deepEqual(fromNvidiaSmi("GRID A100, 535.1, [N/A], [N/A], [N/A]\n").gpus, [{ name: "GRID A100", driver: "535.1" }]);
  });

  it("are read from the driver's files where there is no nvidia-smi, and are none where there is no driver", async () => {
    using project = new Project();
    project.variables = { ...project.variables, PATH: "/nowhere" };
    assert.deepEqual(await describeGpus(systemFiles(project.root), project.workshop, project.root), { gpus: [], throttled: [] });
    project.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul\n");
    project.file("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H100 PCIe\nIRQ: 1\n");
    assert.deepEqual((await describeGpus(systemFiles(project.root), project.workshop, project.root)).gpus, [{ name: "NVIDIA H100 PCIe", driver: "580.65.06" }]);
  });
});
