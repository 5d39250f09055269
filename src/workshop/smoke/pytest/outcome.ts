import { stripVTControlCharacters } from "node:util";
import { lineOf } from "../places.ts";
import type { Message } from "../messages.ts";
import type { Ended } from "../running.ts";
import type { PytestPhase } from "./report.ts";

/** One test with its parameters, ended. */
export interface EndedInstance extends Ended {
  readonly name: string;
}

const titles = { setup: "Its set-up failed", call: "It failed", teardown: "It passed, and its tear-down failed" } as const;

/** What pytest said of a test's phases. */
export function outcomeOf(name: string, phases: readonly PytestPhase[], printed: string): EndedInstance {
  const milliseconds = Math.round(phases.reduce((sum, one) => sum + one.seconds, 0) * 1000);
  const failed = phases.filter((one) => one.outcome === "failed");
  const output = [printed, ...phases.map((one) => one.log), ...failed.map((one) => one.text ?? "")].filter((text) => text !== "").map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("");
  const [first] = failed;
  if (first !== undefined) {
    // Something that was expected to fail, and did not, by "strict".
    const said = (first.crash?.message ?? first.text ?? "").split("\n")[0] ?? "";
    return { name, outcome: "failed", reason: `${titles[first.when]}${said === "" ? "." : `: ${said}`}`, milliseconds, output, messages: failed.map(messageOf) };
  }
  const skipped = phases.find((one) => one.outcome === "skipped");
  if (skipped !== undefined) {
    const reason = skipped.xfail !== null ? `It fails, as it is expected to${skipped.xfail === "" ? "" : `: ${skipped.xfail}`}.` : (skipped.reason ?? "").replace(/^Skipped: /, "");
    return { name, outcome: "skipped", ...(reason === "" ? {} : { reason }), milliseconds, output, messages: [] };
  }
  return { name, outcome: "passed", milliseconds, output, messages: [] };
}

function messageOf({ crash, text, expected, actual }: PytestPhase): Message {
  const message = stripVTControlCharacters(crash?.message ?? text ?? "Failed");
  return {
    message,
    ...(crash === null ? {} : { location: lineOf(crash.path, crash.line) }),
    ...(expected === null || actual === null || !/^(?:AssertionError: )?assert /m.test(message) ? {} : { expected, actual }),
  };
}

const gravity: readonly Ended["outcome"][] = ["crashed", "timed-out", "failed", "cancelled", "not-run", "passed", "skipped"];

/** A test function with all its parameters: as grave as the gravest. */
export function together(instances: readonly EndedInstance[]): Ended {
  const [only] = instances;
  if (only !== undefined && instances.length === 1) return withoutName(only);
  const outcome = gravity.find((one) => instances.some((instance) => instance.outcome === one)) ?? "passed";
  const bad = outcome === "passed" ? [] : instances.filter((one) => one.outcome === outcome);
  const parameters = (name: string): string => /\[.*\]$/s.exec(name)?.[0] ?? name;
  const named = `${bad.slice(0, 5).map((one) => parameters(one.name)).join(", ")}${bad.length > 5 ? ", ..." : ""}`;
  const reason = bad.length === 0 ? undefined : outcome === "skipped" ? bad[0]?.reason : `${bad.length} of ${instances.length} with parameters: ${named}. ${bad[0]?.reason ?? ""}`.trim();
  const stack = bad.find((one) => one.stack !== undefined)?.stack;
  const ending = bad.find((one) => one.ending !== undefined)?.ending;
  return {
    outcome,
    ...(reason === undefined || reason === "" ? {} : { reason }),
    ...(ending === undefined ? {} : { ending }),
    ...(stack === undefined ? {} : { stack }),
    milliseconds: instances.reduce((sum, one) => sum + one.milliseconds, 0),
    output: (bad.length === 0 ? instances : bad).slice(0, 20).map((one) => (one.output === "" ? "" : `${parameters(one.name)}\n${one.output}`)).join(""),
    messages: bad.slice(0, 20).flatMap((one) => (one.messages ?? []).map((message) => ({ ...message, message: `${parameters(one.name)} ${message.message}` }))),
    cases: { total: instances.length, passed: instances.filter((one) => one.outcome === "passed").length, skipped: instances.filter((one) => one.outcome === "skipped").length },
  };
}

function withoutName({ name: _name, ...ended }: EndedInstance): Ended {
  return ended;
}
