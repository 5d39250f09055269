import type { Variables } from "../process/types.ts";
import type { Workshop } from "../workshop.ts";
import type { Gpus } from "./circumstances.ts";
import type { StackTaker } from "./crash.ts";
import { importedBy } from "./explain.ts";
import type { Explainer } from "./explain.ts";
import { messagesIn } from "./messages.ts";
import type { Message } from "./messages.ts";
import type { SmokeEvent, SmokeRequest, TestCase, TestResult } from "./types.ts";

/** What everything that runs tests of one run shares. */
export interface Running {
  readonly workshop: Workshop;
  readonly request: SmokeRequest;
  /** What processes start from: that of the user with the Python environment laid over it. */
  readonly environment: Variables;
  readonly interpreter: string;
  readonly gpus: Gpus;
  readonly stacks: StackTaker;
  readonly explainer: Explainer;
  /** A folder for what is written during the run; removed after it. */
  readonly scratch: string;
  emit(event: SmokeEvent): void;
  /** Modules that a test told to have loaded, in their order. */
  imported(modules: readonly { readonly name: string; readonly file: string | undefined }[]): void;
}

/** What is known of a test when it has ended, before what its output says is read. */
export interface Ended extends Omit<TestResult, "id" | "label" | "plan" | "messages"> {
  /** Those that the test's own format gave; absent: the output is searched. */
  readonly messages?: readonly Message[];
}

const wantsGpu = /\b(?:gpus?|cuda|nvidia|cudnn|nccl|sm_\d+)\b/i;

/** Adds to a result what its output tells: places, whether a GPU was missing, and what explains a failure. */
export async function finish(running: Running, test: Pick<TestCase, "id" | "label" | "plan" | "labels">, ended: Ended, folder: string, loads: readonly string[] = []): Promise<TestResult> {
  const { messages, ...rest } = ended;
  const skipped = ended.outcome === "skipped" ? skipOf(running, test, ended) : undefined;
  const hasFailed = ended.outcome === "failed" || ended.outcome === "crashed" || ended.outcome === "timed-out";
  const told = hasFailed ? await running.explainer.explain(`${ended.output}\n${(messages ?? []).map((one) => one.message).join("\n")}`, folder, [...importedBy(ended.output, running.request.root), ...loads]) : undefined;
  const explanation = told?.explanation;
  const said = told === undefined || ended.reason?.includes(told.words) === true ? undefined : `It said: ${told.words}`;
  const reason = [skipped?.reason ?? ended.reason, said].filter((part) => part !== undefined && part !== "").join(" ");
  const result: TestResult = {
    id: test.id, label: test.label, plan: test.plan, ...rest,
    ...(reason === "" ? {} : { reason }),
    ...(skipped === undefined ? {} : { skipped: skipped.kind }),
    messages: messages ?? (hasFailed ? messagesIn(ended.output, folder) : []),
    ...(explanation === undefined ? {} : { explanation }),
  };
  running.emit({ kind: "ended", result });
  return result;
}

/** Whether a test was skipped because it wants a GPU and there is none; its own words are kept. */
function skipOf({ gpus }: Running, test: Pick<TestCase, "labels">, ended: Ended): { readonly kind: NonNullable<TestResult["skipped"]>; readonly reason: string } {
  if (ended.skipped === "disabled") return { kind: "disabled", reason: ended.reason ?? "It is disabled." };
  // What it printed says more than the way by which a program says so; pytest gives the reason itself.
  const words = ended.messages === undefined ? lastWords(ended.output) : "";
  const reason = words === "" ? (ended.reason ?? "") : ended.reason?.includes(words) === true || ended.output.trim() === "" ? (ended.reason ?? "") : `It said: ${words}`;
  const asks = test.labels.some((label) => /^(?:gpu|cuda)$/i.test(label)) || wantsGpu.test(reason) || wantsGpu.test(ended.output);
  return gpus.none !== undefined && asks ? { kind: "no-gpu", reason: `${reason}${/[.!?]$/.test(reason) || reason === "" ? "" : "."} ${gpus.none}`.trim() } : { kind: "other", reason };
}

/** The line in which a test says why it is skipped: one with that word, else the last. */
function lastWords(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "" && !/^\[[ A-Z=-]+\]/.test(line));
  const at = lines.findIndex((line) => /: Skipped$/.test(line));
  const said = at === -1 ? (lines.findLast((line) => /skip|gpu|cuda/i.test(line)) ?? lines.at(-1)) : lines[at + 1];
  return (said ?? "").slice(0, 300);
}
