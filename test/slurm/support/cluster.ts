/** A cluster of one node on this machine: munged, slurmctld and slurmd of our own in a scratch folder, on free ports. */
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import type { Variables } from "../../../src/workshop/process/types.ts";

/** Where Debian and Ubuntu have the daemons. */
export const path = `${process.env.PATH ?? ""}:/usr/sbin:/sbin`;

export interface Cluster extends AsyncDisposable {
  readonly folder: string;
  /** With what leads Slurm's programs to this cluster. */
  readonly environment: Variables;
  /** Runs one of Slurm's programs; what it printed. Throws when it fails. */
  ask(program: string, ...parameters: string[]): Promise<string>;
  /** Everything on the node ends as if it lost its power, the controller is told, and it comes back. */
  loseNode(): Promise<void>;
  stopController(): Promise<void>;
  startController(): Promise<void>;
  readonly node: string;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return server;
  }));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
  return ports;
}

class Daemon {
  readonly #folder: string;
  readonly #argv: readonly [string, ...string[]];
  readonly #environment: Variables;
  #child: ChildProcess | undefined;

  constructor(folder: string, environment: Variables, ...argv: [string, ...string[]]) {
    this.#folder = folder;
    this.#argv = argv;
    this.#environment = environment;
  }

  start(): void {
    const [program, ...parameters] = this.#argv;
    const log = openSync(join(this.#folder, `${program}.log`), "a");
    this.#child = spawn(program, parameters, { cwd: this.#folder, env: this.#environment, stdio: ["ignore", log, log] });
    this.#child.on("error", () => undefined);
    closeSync(log);
  }

  get isRunning(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const gone = new Promise((resolve) => void child.once("exit", resolve));
    child.kill(signal);
    const impatient = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await gone;
    clearTimeout(impatient);
  }
}

/** Processes of jobs, which have the cluster's configuration in their environment, and the slurmstepd that watch over them in its folder. */
function jobProcesses(folder: string, configuration: string): number[] {
  return readdirSync("/proc").map(Number).filter((id) => {
    if (!(id > 0)) return false;
    try {
      const environment = readFileSync(`/proc/${id}/environ`, "latin1");
      const isWatching = readFileSync(`/proc/${id}/cmdline`, "latin1").startsWith("slurmstepd") && readlinkSync(`/proc/${id}/cwd`) === folder;
      return isWatching || (environment.includes(configuration) && environment.includes("SLURM_JOB_ID="));
    } catch {
      return false;
    }
  });
}

/** Starts a cluster, and resolves when its node takes jobs. `settings`: further lines of slurm.conf. */
export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "abiding-slurm-")));
  // munge wants its socket where everybody may look.
  chmodSync(folder, 0o755);
  for (const name of ["munge", "state", "spool"]) mkdirSync(join(folder, name), { mode: 0o755 });
  writeFileSync(join(folder, "munge.key"), randomBytes(128), { mode: 0o600 });
  const [controllerPort, nodePort] = await freePorts(2);
  const [node = "localhost"] = hostname().split(".");
  const user = userInfo().username;
  const configuration = join(folder, "slurm.conf");
  const socket = join(folder, "munge", "socket");
  writeFileSync(configuration, [
    "ClusterName=abiding", `SlurmctldHost=${node}(127.0.0.1)`, `SlurmUser=${user}`, `SlurmdUser=${user}`,
    `SlurmctldPort=${controllerPort}`, `SlurmdPort=${nodePort}`, `SlurmctldPidFile=${join(folder, "slurmctld.pid")}`, `SlurmdPidFile=${join(folder, "slurmd.pid")}`,
    // A job that is queued again waits for as long as its credential lives.
    "AuthType=auth/munge", "CredType=cred/munge", `AuthInfo=socket=${socket},cred_expire=5`,
    `StateSaveLocation=${join(folder, "state")}`, `SlurmdSpoolDir=${join(folder, "spool")}`,
    "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "JobAcctGatherType=jobacct_gather/none",
    "AccountingStorageType=accounting_storage/none", "JobCompType=jobcomp/none", "MailProg=/bin/true",
    // More processors than there may be: these cells hardly use one.
    "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "SlurmdParameters=config_overrides",
    "ReturnToService=2", "SlurmdTimeout=5", "KillWait=5", "SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0",
    `NodeName=${node} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN`, "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP", ...settings, "",
  ].join("\n"));
  const { stdout: version } = await execa("slurmd", ["-V"], { env: { PATH: path }, stdin: "ignore" });
  const isBefore2302 = Number(/\d+\.\d+/.exec(version)?.[0]) < 23.02;
  // This machine's control groups are not this cluster's to manage.
  writeFileSync(join(folder, "cgroup.conf"), `CgroupPlugin=${isBefore2302 ? `cgroup/v1\nCgroupMountpoint=${join(folder, "cgroup")}` : "disabled"}\n`);
  const environment: Variables = { ...Object.fromEntries(Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined)), PATH: path, SLURM_CONF: configuration };
  const munged = new Daemon(folder, environment, "munged", "--foreground", `--key-file=${join(folder, "munge.key")}`, `--socket=${socket}`, `--pid-file=${join(folder, "munge", "pid")}`, `--seed-file=${join(folder, "munge", "seed")}`, `--log-file=${join(folder, "munge", "log")}`);
  const controller = new Daemon(folder, environment, "slurmctld", "-D", "-f", configuration);
  const worker = new Daemon(folder, environment, "slurmd", "-D", "-f", configuration);
  const ask = async (program: string, ...parameters: string[]): Promise<string> => (await execa(program, parameters, { env: environment, extendEnv: false, stdin: "ignore" })).stdout;
  const isReady = async (): Promise<boolean> => /^(?:idle|mixed|allocated)$/m.test(await ask("sinfo", "--noheader", "--format=%T").catch(() => ""));
  const untilReady = async (): Promise<void> => {
    for (const end = performance.now() + 60_000; !await isReady(); await delay(100)) {
      if (performance.now() > end || !controller.isRunning || !worker.isRunning) throw new Error(`The cluster did not come up:\n${["munged", "slurmctld", "slurmd"].map((name) => readFileSync(join(folder, `${name}.log`), "utf8").slice(-2000)).join("\n")}`);
    }
  };
  const stop = async (): Promise<void> => {
    await ask("scancel", "--user", user).catch(() => undefined);
    for (const end = performance.now() + 15_000; performance.now() < end && await ask("squeue", "--noheader").catch(() => "") !== ""; await delay(100));
    for (const daemon of [worker, controller, munged]) await daemon.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  munged.start();
  controller.start();
  worker.start();
  await untilReady().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    folder, environment, ask, node,
    async loseNode() {
      await worker.end("SIGKILL");
      for (const id of jobProcesses(folder, configuration)) process.kill(id, "SIGKILL");
      // The controller would notice by itself, after a time that is too long for a test.
      await ask("scontrol", "update", `nodename=${node}`, "state=down", "reason=lost");
      worker.start();
      await untilReady();
    },
    stopController: () => controller.end("SIGTERM"),
    async startController() {
      controller.start();
      await untilReady();
    },
    [Symbol.asyncDispose]: stop,
  };
}
