import type { Stack } from "../crash.ts";
import { judgeEnding } from "../ctest/judge.ts";
import { BothEnds, liveText } from "../limits.ts";
import type { PytestPlan } from "../../project/types.ts";
import { messagesIn } from "../messages.ts";
import { finish } from "../running.ts";
import type { Running } from "../running.ts";
import type { TestCase, TestResult } from "../types.ts";
import { outcomeOf, together } from "./outcome.ts";
import type { EndedInstance } from "./outcome.ts";
import type { PytestLine, PytestPhase } from "./report.ts";
import { commandOfOne, runSession } from "./session.ts";
import type { Session, SessionOptions, Wanted } from "./session.ts";
import { PytestNames } from "./tests.ts";

/** Processes of one run: each further one follows a crash or a time-out. */
const mostSessions = 100;

interface Current {
  readonly file: string;
  readonly name: string;
  readonly began: number;
  readonly phases: PytestPhase[];
  readonly printed: BothEnds;
  readonly live: (text: string) => void;
}

/** A function with its parameters, until all of them have ended. */
interface Waiting {
  readonly item: TestCase;
  readonly left: Set<string>;
  readonly ended: EndedInstance[];
}

/**
 * Runs tests of pytest in one process as long as that lives. When it crashes or a test takes too long, that is the result of
 * the test that ran, and the rest runs in a new process.
 */
export class PytestRun {
  readonly #running: Running;
  readonly #plan: PytestPlan;
  readonly #names: PytestNames;
  readonly #known: ReadonlyMap<string, TestCase>;
  readonly #onResult: (result: TestResult) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #announced = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #done = new Map<string, Set<string>>();
  readonly #found = new Map<string, Set<string>>();
  readonly #broken = new Set<string>();
  readonly #pending: Promise<void>[] = [];
  /** The interpreter itself, where the one that is started is a script that chooses it. */
  #python: string | undefined;
  #current: Current | undefined;
  #collecting: string | undefined;
  #collected = false;
  #failed = false;
  #finished: number | undefined;
  #outside = new BothEnds();

  /** `known`: the tests that were listed before, by id. */
  constructor(running: Running, plan: PytestPlan, known: ReadonlyMap<string, TestCase>, onResult: (result: TestResult) => void) {
    this.#running = running;
    this.#plan = plan;
    this.#names = new PytestNames(plan);
    this.#known = known;
    this.#onResult = onResult;
  }

  /** `ids`: absent: all of the plan. Answers why nothing could be run, in a sentence. */
  async run(ids: readonly string[] | undefined): Promise<string | undefined> {
    let wanted = ids === undefined ? undefined : this.#wantedOf(ids);
    const ignored: string[] = [];
    for (let sessions = 1; ; sessions++) {
      this.#collected = false;
      this.#collecting = undefined;
      this.#finished = undefined;
      this.#outside = new BothEnds();
      const session = await runSession(this.#plan, this.#options(wanted, ignored));
      await Promise.all(this.#pending.splice(0));
      const problem = await this.#afterSession(session, wanted, ignored);
      if (problem !== undefined) return problem.message;
      wanted = this.#collected ? this.#remaining() : without(wanted, ignored);
      if (wanted !== undefined && wanted.size === 0) return undefined;
      if (sessions === mostSessions) {
        await this.#giveUp(wanted);
        return undefined;
      }
    }
  }

  #options(wanted: Wanted | undefined, ignored: readonly string[]): SessionOptions {
    const { workshop, environment, interpreter, scratch, request } = this.#running;
    return {
      run: workshop.run, environment, interpreter, scratch, signal: workshop.activity.signal, timeLimit: request.timeLimit,
      ...(wanted === undefined ? {} : { wanted }), ignored,
      onLine: (line) => this.#line(line),
      onText: (text) => {
        if (this.#current === undefined) {
          this.#outside.add(text);
          this.#running.emit({ kind: "output", text });
        } else {
          this.#current.printed.add(text);
          this.#current.live(text);
        }
      },
    };
  }

  #line(line: PytestLine): void {
    switch (line.event) {
      case "python":
        this.#python = line.executable;
        break;
      case "collecting":
        this.#collecting = line.file;
        break;
      case "collect-failed":
        this.#collectFailed(line.node, line.text);
        break;
      case "found":
        this.#foundTest(line);
        break;
      case "collected":
        this.#collected = true;
        this.#collecting = undefined;
        break;
      case "start": {
        const id = this.#names.id(line.file, line.name);
        if (!this.#announced.has(id)) {
          this.#announced.add(id);
          this.#running.emit({ kind: "started", id });
        }
        this.#current = { file: line.file, name: line.name, began: performance.now(), phases: [], printed: new BothEnds(), live: liveText((text) => this.#running.emit({ kind: "output", id, text })) };
        break;
      }
      case "report":
        this.#current?.phases.push(line);
        break;
      case "end":
        if (this.#current !== undefined) this.#ended(outcomeOf(this.#current.name, this.#current.phases, this.#current.printed.text));
        break;
      case "finish":
        this.#finished = line.status;
        this.#running.imported(line.imported.map(({ name, file }) => ({ name, file: file ?? undefined })));
        break;
    }
  }

  #foundTest({ file, name, line, markers }: Extract<PytestLine, { event: "found" }>): void {
    add(this.#found, file, name);
    const key = `${file}::${name}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const id = this.#names.id(file, name);
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      waiting.left.add(key);
      return;
    }
    const known = this.#known.get(id);
    const item = known ?? this.#names.test(file, name, line === null ? undefined : line + 1, markers);
    if (known === undefined) this.#running.emit({ kind: "found", tests: this.#known.has(this.#names.fileId(file)) ? [item] : [this.#names.group(file), item] });
    this.#waiting.set(id, { item, left: new Set([key]), ended: [] });
  }

  /** The test that runs has ended. */
  #ended(instance: EndedInstance): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    add(this.#done, current.file, current.name);
    const waiting = this.#waiting.get(this.#names.id(current.file, current.name));
    if (waiting === undefined) return;
    waiting.ended.push(instance);
    waiting.left.delete(`${current.file}::${current.name}`);
    if (waiting.left.size === 0) this.#report(waiting.item, together(waiting.ended));
  }

  #report(item: TestCase, ended: Omit<EndedInstance, "name">, parent?: string): void {
    this.#failed ||= ended.outcome === "failed";
    this.#pending.push(finish(this.#running, item, { ...ended, ...(parent === undefined ? {} : { parent }) }, this.#plan.folder).then(this.#onResult));
  }

  #collectFailed(node: string, text: string): void {
    // Of a folder's or package's failure the files are told one by one.
    if (this.#collecting === undefined || node === "" || !node.includes(".py")) return;
    this.#fileFailed(this.#collecting, { outcome: "failed", reason: "It could not be imported.", milliseconds: 0, output: `${text}\n`, messages: failureOf(text, this.#plan.folder) });
  }

  /** None of a file's tests can run: one result for the file, and those of it that were asked for were not run. */
  #fileFailed(file: string, ended: Omit<EndedInstance, "name">): void {
    if (this.#broken.has(file)) return;
    this.#broken.add(file);
    const group = this.#names.group(file);
    this.#running.emit({ kind: "found", tests: [group] });
    this.#running.emit({ kind: "started", id: group.id });
    this.#report(group, ended);
    for (const item of this.#known.values()) {
      if (item.parent === group.id) this.#report(item, { outcome: "not-run", reason: `${group.label} could not be imported.`, milliseconds: 0, output: "", messages: [] }, group.id);
    }
  }

  /** What the end of the process means for the test that ran; answers a message when nothing more can be run, an empty one when all has been. */
  async #afterSession(session: Session, wanted: Wanted | undefined, ignored: string[]): Promise<{ readonly message: string | undefined } | undefined> {
    const { result, timedOut } = session;
    const { timeLimit } = this.#running.request;
    const cancelled = result.ending.kind === "cancelled" && !timedOut;
    const isCurrent = this.#current !== undefined;
    if (this.#current !== undefined) {
      const current = this.#current;
      this.#ended({ name: current.name, ...(await this.#endOf(session, current)) });
    } else if (!cancelled && this.#finished === undefined && this.#collecting !== undefined) {
      const file = this.#collecting;
      const judgement = timedOut ? { outcome: "timed-out" as const, reason: "Importing it took too long, and was ended." } : judgeEnding(result, timeLimit);
      const stack = result.ending.kind === "signalled" && !timedOut ? await this.#stackOf(session, result.ending.signal, file, "") : undefined;
      const ended = { outcome: "failed" as const, reason: "pytest ended while it imported this file.", ...judgement };
      this.#fileFailed(file, { ...ended, ...(stack === undefined ? {} : { stack: stack.frames, reason: `${ended.reason} ${stack.note}` }), ending: timedOut ? { kind: "timed-out", limit: timeLimit } : result.ending, milliseconds: Math.round(result.duration), output: this.#outside.text });
      ignored.push(file);
      await Promise.all(this.#pending.splice(0));
      return undefined;
    }
    await Promise.all(this.#pending.splice(0));
    if (cancelled) {
      for (const { item, ended, left } of this.#waiting.values()) if (left.size > 0 && ended.length > 0) this.#report(item, together(ended));
      await Promise.all(this.#pending.splice(0));
      return { message: undefined };
    }
    if (this.#collected && this.#current === undefined && !isCurrent) {
      await this.#endedOutside(session);
      return { message: undefined };
    }
    if (!this.#collected) {
      return this.#broken.size > 0 && this.#finished !== undefined ? { message: undefined } : { message: this.#whyNothing(session) };
    }
    return wanted === undefined || this.#remaining().size > 0 ? undefined : { message: undefined };
  }

  /** No test ran when it ended: all is well, or it is about the whole of pytest, a crash at the exit of Python among it. */
  async #endedOutside({ result, timedOut, command, processId }: Session): Promise<void> {
    const { timeLimit } = this.#running.request;
    const ending = timedOut ? { kind: "timed-out" as const, limit: timeLimit } : result.ending;
    const judgement = judgeEnding({ ...result, ending }, timeLimit)
      ?? (ending.kind === "exited" && ending.code !== 0 && ending.code !== 5 && !this.#failed ? { outcome: "failed" as const, reason: `pytest ended with the exit status ${ending.code}, though no test failed.` } : undefined);
    if (judgement === undefined) return;
    const item: TestCase = { id: this.#plan.id, label: this.#plan.label, kind: "group", plan: this.#plan.id, labels: [] };
    const stack = ending.kind === "signalled" ? await this.#running.stacks.take({ ...command, file: this.#python ?? command.file }, ending.signal, result.started, processId, timeLimit) : undefined;
    this.#report(item, {
      ...judgement, ending, milliseconds: Math.round(result.duration), output: this.#outside.text, messages: messagesIn(this.#outside.text, this.#plan.folder),
      reason: [judgement.outcome === "failed" ? undefined : "No test ran at that moment:", judgement.reason, stack?.note].filter((part) => part !== undefined).join(" "),
      ...(stack === undefined ? {} : { stack: stack.frames }),
    });
    await Promise.all(this.#pending.splice(0));
  }

  #stackOf({ result, processId }: Session, signal: string, file: string, name: string): Promise<Stack | undefined> {
    const command = commandOfOne(this.#plan, this.#options(undefined, []), file, name);
    return this.#running.stacks.take({ ...command, file: this.#python ?? command.file }, signal, result.started, processId, this.#running.request.timeLimit);
  }

  async #endOf(session: Session, current: Current): Promise<Omit<EndedInstance, "name">> {
    const { result, timedOut } = session;
    const { timeLimit } = this.#running.request;
    const ending = timedOut ? { kind: "timed-out" as const, limit: timeLimit } : result.ending;
    const judgement = judgeEnding({ ...result, ending }, timeLimit) ?? { outcome: "failed" as const, reason: `It ended the process of pytest${ending.kind === "exited" ? ` with the exit status ${ending.code}` : ""}.` };
    const stack = ending.kind === "signalled" ? await this.#stackOf(session, ending.signal, current.file, current.name) : undefined;
    const output = current.printed.text;
    return {
      ...judgement, ending, output,
      milliseconds: Math.round(performance.now() - current.began),
      messages: messagesIn(output, this.#plan.folder),
      ...(result.ended === 0 || timedOut ? {} : { leftBehind: result.ended }),
      ...(stack === undefined ? {} : { stack: stack.frames, reason: `${judgement.reason ?? ""} ${stack.note}`.trim() }),
    };
  }

  #whyNothing({ result, timedOut, command }: Session): string {
    const { ending } = result;
    if (timedOut) return "It took pytest too long to find the tests, and it was ended. --time-limit gives it more time.";
    if (ending.kind === "not-started") return `pytest could not be started: ${ending.message}`;
    if (/No module named '?pytest'?/.test(result.stderr.text)) return `pytest is not installed for ${command.file}. Install it into that environment, or choose another interpreter.`;
    const said = result.output.text.trim().split("\n").filter((line) => !line.includes("\u001e")).slice(-4).join(" ");
    return `pytest ended before it had found the tests${ending.kind === "exited" ? `, with the exit status ${ending.code}` : ending.kind === "signalled" ? `, by the signal ${ending.signal}` : ""}: ${said === "" ? "it printed nothing." : said}`;
  }

  /** Tests that were found and have not run. */
  #remaining(): Wanted {
    const left = new Map<string, Set<string>>();
    for (const [file, names] of this.#found) for (const name of names) if (this.#done.get(file)?.has(name) !== true && !this.#broken.has(file)) add(left, file, name);
    return left;
  }

  async #giveUp(left: Wanted | undefined): Promise<void> {
    for (const [file, names] of left ?? []) {
      for (const name of names) {
        const waiting = this.#waiting.get(this.#names.id(file, name));
        if (waiting === undefined || !waiting.left.delete(`${file}::${name}`)) continue;
        waiting.ended.push({ name, outcome: "not-run", reason: `pytest was started ${mostSessions} times, and each time a test ended it; this one was not reached.`, milliseconds: 0, output: "", messages: [] });
        if (waiting.left.size === 0) this.#report(waiting.item, together(waiting.ended));
      }
    }
    await Promise.all(this.#pending.splice(0));
  }

  #wantedOf(ids: readonly string[]): Wanted {
    const wanted = new Map<string, Set<string>>();
    for (const id of ids) {
      const { file, name } = this.#names.split(id);
      add(wanted, file, name);
    }
    return wanted;
  }
}

/** What is wanted further when a file could not even be imported; all of the plan stays all, with the file ignored. */
function without(wanted: Wanted | undefined, ignored: readonly string[]): Wanted | undefined {
  return wanted === undefined ? undefined : new Map([...wanted].filter(([file]) => !ignored.includes(file)));
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

/** pytest prints an import's failure as "file:line: in ..." and "E   Error: words". */
function failureOf(text: string, folder: string): EndedInstance["messages"] {
  const places = [...text.matchAll(/^(.+?):(\d+): (?:in |\w)/gm)];
  const said = [...text.matchAll(/^E\s+(.*)$/gm)].map(([, words]) => words ?? "").join("\n");
  const inner = places.findLast(([, file = ""]) => !/site-packages|dist-packages|[/\\]lib[/\\]python\d/.test(file)) ?? places.at(-1);
  const [place] = inner === undefined ? [] : messagesIn(`${inner[1] ?? ""}:${inner[2] ?? ""}: Failure`, folder);
  return [{ message: said === "" ? (text.trim().split("\n").at(-1) ?? "") : said, ...(place?.location === undefined ? {} : { location: place.location }) }];
}

