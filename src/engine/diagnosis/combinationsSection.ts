import type { Node } from "jsonc-parser";
import { choice, count, duration, listOf, object, text, texts } from "./jsonFields.ts";
import type { FieldContext, FieldReader, Values } from "./jsonFields.ts";

const compiler = object({ name: text, cc: text, cxx: text, cudaHost: text }, ["name"]);
const excluded = object({ torch: text, python: text, cuda: text, compiler: text, commit: text });
const container = object({ image: text, mounts: texts }, ["image"]);
const localExecutor = object({ kind: choice(["local"]), jobs: count }, ["kind"]);
const slurmExecutor = object({
  kind: choice(["slurm"]), partition: text, account: text, gpus: count, cpus: count, memory, timeLimit: duration, jobs: count, container, wrap: texts, modules: texts,
  arguments: texts, requeue: whole, node: text, cli: text,
}, ["kind"]);

const matrix = object({ torch: texts, python: listOf(version), cuda: texts, compiler: listOf((node, name, context) => (node.type === "object" ? compiler(node, name, context) : text(node, name, context))), commit: texts, exclude: listOf(excluded) });

export const combinationsFields = {
  records: text, indexes: listOf(address), packages: texts, install: texts,
  steps: listOf(choice(["install", "build", "load", "smoke", "benchmark"])),
  matrix, executor,
};

/** The section "combinations": what is tried, and where. The names and meanings are those of docs/schema/abiding.schema.json. */
export type CombinationsSection = Values<typeof combinationsFields>;

function executor(node: Node, name: string, context: FieldContext): NonNullable<ReturnType<typeof localExecutor> | ReturnType<typeof slurmExecutor>> | undefined {
  const kind = node.children?.find((one) => one.children?.[0]?.value === "kind")?.children?.[1]?.value as unknown;
  return kind === "slurm" ? slurmExecutor(node, name, context) : localExecutor(node, name, context);
}

/** "3.12"; the number 3.1 could have been 3.10, so that numbers are refused. */
function version(node: Node, name: string, context: FieldContext): string | undefined {
  if (typeof node.value === "string" && /^3\.\d{1,2}t?$/.test(node.value)) return node.value;
  context.complain(`${name} must hold versions of Python as texts, such as "3.12" or "3.13t".`, context.at(node));
  return undefined;
}

function address(node: Node, name: string, context: FieldContext): string | undefined {
  if (typeof node.value === "string" && URL.canParse(node.value) && /^(?:https?|file):/.test(node.value)) return node.value;
  context.complain(`${name} must hold addresses of package indexes, such as "https://download.pytorch.org/whl/nightly/cpu".`, context.at(node));
  return undefined;
}

/** As sbatch(1) takes it: a number and K, M, G or T. */
function memory(node: Node, name: string, context: FieldContext): string | undefined {
  if (typeof node.value === "string" && /^\d+[KMGT]?$/i.test(node.value)) return node.value;
  context.complain(`${name} must be a size as sbatch takes it, such as "16G".`, context.at(node));
  return undefined;
}

function whole(...[node, name, context]: Parameters<FieldReader<number>>): number | undefined {
  if (node.value === 0) return 0;
  return count(node, name, context);
}
