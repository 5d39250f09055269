/** The batch script of an array: each of its tasks tries one cell. */
import { commandLine, lockName } from "../../../process/index.ts";
import { resultFileName } from "../../cells/files.ts";
import type { SlurmExecutorSettings } from "../../types.ts";

/** Files that the script leaves in a task's folder, which lies in the cell's. */
export const traces = {
  /** A line for each attempt: "12_3 0 node7", the job, the restarts and the node. */
  attempts: "attempts",
  /** "139 none": the command's exit status, and whether there was a result. */
  exit: "exit",
  /** Why the cell could not be tried on this node, in a sentence. */
  problem: "problem",
  stdout: "stdout.log",
  stderr: "stderr.log",
} as const;

export interface ScriptWanted {
  readonly settings: SlurmExecutorSettings;
  /** Holds a link for each task, by its index, to the task's folder. Absolute. */
  readonly tasks: string;
  /** Node.js and cli.js, as the nodes have them. */
  readonly node: string;
  readonly cli: string;
  /** Folders that a container must see. */
  readonly mounts: readonly string[];
  readonly version: string;
}

export const defaultRequeue = 1;

/** Words that bash takes for exactly these. */
function words(...given: readonly string[]): string {
  return commandLine({ file: given[0] ?? "", arguments: given.slice(1), folder: "", environment: {} }, { shell: "sh" });
}

/**
 * The command that tries the cell, without its folder. A container is Pyxis's, whose options srun takes
 * (https://github.com/NVIDIA/pyxis); srun gets the processors by name, as it no longer inherits them since Slurm 22.05
 * (https://slurm.schedmd.com/srun.html, --cpus-per-task).
 */
function commandOf({ settings, node, cli, mounts }: ScriptWanted): readonly string[] {
  const { container, wrap = [], cpus } = settings;
  const all = [...new Set([...mounts, ...(container?.mounts ?? [])])].map((mount) => (mount.includes(":") ? mount : `${mount}:${mount}`));
  const inside = container === undefined ? [] : [
    "srun", "--ntasks=1", ...(cpus === undefined ? [] : [`--cpus-per-task=${cpus}`]),
    `--container-image=${container.image}`, `--container-mounts=${all.join(",")}`,
  ];
  return [...inside, ...wrap, node, cli, "combinations", "cell", "--task"];
}

function loadModules(modules: readonly string[]): string {
  return `
if ! command -v module > /dev/null; then
  give_up 'This node has no command "module", and environment modules are asked for.'
fi
if ! module load ${words(...modules)}; then
  give_up ${words(`The environment modules ${modules.join(", ")} could not be loaded; ${traces.stderr} says why.`)}
fi
`;
}

/**
 * A login shell where modules are wanted: that is where sites define them. Told to end, the script waits for the command, which
 * is told too, and leaves no word of its end: Slurm says why it was, and may begin it again.
 */
export function batchScript(wanted: ScriptWanted): string {
  const { settings: { modules = [], requeue = defaultRequeue }, tasks, version } = wanted;
  return `#!/bin/bash${modules.length === 0 ? "" : " -l"}
# Written by Abiding ${version}. Each task of this array tries one cell.
told=
trap 'told=1' TERM
tasks=${words(tasks)}
if ! task=$(readlink -- "$tasks/$SLURM_ARRAY_TASK_ID"); then
  echo "$(hostname) does not see $tasks: the folder of the run has to lie on a file system that all nodes share." >&2
  exit 74
fi
cell=\${task%/*}
restarts=\${SLURM_RESTART_COUNT:-0}
give_up() {
  printf '%s\\n' "$1" | tee "$task/${traces.problem}" >&2
  exit 75
}
# Queued again after it was done: nothing is left to do.
if [ -e "$task/${traces.exit}" ]; then exit 0; fi
printf '%s_%s %s %s\\n' "$SLURM_ARRAY_JOB_ID" "$SLURM_ARRAY_TASK_ID" "$restarts" "\${SLURMD_NODENAME:-$(hostname)}" >> "$task/${traces.attempts}" || exit 74
# The attempt before this one is dead, on whichever node it was.
if [ "$restarts" -gt 0 ]; then
  rm -rf -- "$cell/${lockName}" "$cell/${resultFileName}"
fi
if [ "$restarts" -gt ${requeue} ]; then
  give_up "Slurm has started it $((restarts + 1)) times, as its node failed or was taken away; \\"requeue\\" of the executor allows ${requeue}."
fi
${modules.length === 0 ? "" : loadModules(modules)}
${words(...commandOf(wanted))} "$cell"
status=$?
if [ -n "$told" ]; then exit "$status"; fi
result=none
if [ -e "$cell/${resultFileName}" ]; then result=there; fi
printf '%s %s\\n' "$status" "$result" > "$task/${traces.exit}"
exit "$status"
`;
}
