import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Command, ProcessResult, Variables } from "../../process/types.ts";
import type { PytestPlan } from "../../project/types.ts";
import type { RunProcess } from "../../process/types.ts";
import { pluginModule, pluginSource } from "./plugin.ts";
import { LineReader, MarkedStreams } from "./report.ts";
import type { PytestLine } from "./report.ts";

/** What is run: by file, the names of functions or of tests with their parameters; "" all of the file, "!name" not that one. */
export type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

export interface SessionOptions {
  readonly run: RunProcess;
  readonly environment: Variables;
  readonly interpreter: string;
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Milliseconds for each test. */
  readonly timeLimit: number;
  /** Absent: all that the plan's arguments choose. */
  readonly wanted?: Wanted;
  /** Files that are not imported. */
  readonly ignored?: readonly string[];
  readonly collectOnly?: boolean;
  onLine(line: PytestLine): void;
  onText(text: string): void;
}

export interface Session {
  readonly result: ProcessResult;
  readonly command: Command;
  /** What took longer than the time limit. */
  readonly timedOut: boolean;
  readonly processId?: number;
}

/** One process of pytest, with the plugin that tells what happens in it. */
export async function runSession(plan: PytestPlan, options: SessionOptions): Promise<Session> {
  const { scratch, signal, timeLimit } = options;
  const plugins = path.join(scratch, "pytest");
  fs.mkdirSync(plugins, { recursive: true });
  fs.writeFileSync(path.join(plugins, `${pluginModule}.py`), pluginSource);
  const report = path.join(plugins, `report-${randomBytes(6).toString("hex")}.jsonl`);
  fs.writeFileSync(report, "");
  const mark = `\u001e${randomBytes(12).toString("hex")} `;
  const command = commandOf(plan, options, plugins, report, mark);

  // A test that takes too long ends its whole process, by us: only the time limit of the test decides, not of the run.
  const stop = new AbortController();
  let timedOut = false;
  let timer: NodeJS.Timeout | undefined;
  const arm = (limit: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timedOut = true;
      stop.abort();
    }, Math.min(limit, 2 ** 31 - 1));
  };
  // The start of Python, imports and the end of the session belong to no test.
  const outside = Math.max(timeLimit, shortestOutside);
  const lines = new LineReader(report);
  const waiting: PytestLine[] = [];
  /** The lines up to the one that a mark stands for; what was written later is about later output. */
  const passLines = (until: string | undefined): void => {
    waiting.push(...lines.read());
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      if (line.event === "start") arm(timeLimit);
      if (line.event === "end") arm(outside);
      options.onLine(line);
      if (line.event === until) return;
    }
  };
  const streams = new MarkedStreams(mark, (text) => options.onText(text), passLines);
  let processId: number | undefined;
  arm(outside);
  try {
    const result = await options.run(command, {
      signal: AbortSignal.any([signal, stop.signal]),
      leftBehind: "end",
      onStart: (id) => {
        processId = id;
      },
      onText: (text, stream) => streams.add(text, stream),
    });
    clearTimeout(timer);
    streams.end();
    passLines(undefined);
    return { result, command, timedOut: timedOut && !signal.aborted, ...(processId === undefined ? {} : { processId }) };
  } finally {
    clearTimeout(timer);
    fs.rmSync(report, { force: true });
  }
}

/** The command of one test, for a debugger that starts it by itself. */
export function commandOfOne(plan: PytestPlan, options: Omit<SessionOptions, "onLine" | "onText" | "run" | "signal" | "timeLimit">, file: string, name: string): Command {
  const plugins = path.join(options.scratch, "pytest");
  return commandOf(plan, { ...options, wanted: new Map([[file, new Set([name])]]) }, plugins, path.join(plugins, "again.jsonl"), "\u001eagain ");
}

function commandOf(plan: PytestPlan, options: Omit<SessionOptions, "onLine" | "onText" | "run" | "signal" | "timeLimit">, plugins: string, report: string, mark: string): Command {
  const { wanted, environment, ignored = [] } = options;
  const wantedFile = path.join(plugins, "wanted.json");
  if (wanted !== undefined) fs.writeFileSync(wantedFile, JSON.stringify(Object.fromEntries([...wanted].map(([file, names]) => [file, [...names]]))));
  const files = wanted === undefined ? undefined : [...wanted].filter(([, names]) => names.size > 0).map(([file]) => path.relative(plan.folder, file));
  const { marker } = plan;
  return {
    file: options.interpreter,
    arguments: [
      "-m", "pytest", ...plan.arguments, "-p", pluginModule, "--capture=no",
      // One file that cannot be imported is one failure, not the end.
      "--continue-on-collection-errors",
      ...(marker === undefined ? [] : ["-m", marker]),
      ...(options.collectOnly === true ? ["--collect-only", "-q"] : []),
      ...ignored.map((file) => `--ignore=${file}`),
      // A file that was named is taken though its name is no test's; folders stay folders, where many files are wanted.
      ...(files === undefined || files.length > mostFiles ? plan.paths : files),
    ],
    folder: plan.folder,
    environment: {
      ...environment, ...plan.variables,
      PYTHONPATH: [plugins, plan.variables.PYTHONPATH ?? environment.PYTHONPATH ?? ""].filter((one) => one !== "").join(path.delimiter),
      PYTHONUNBUFFERED: "1",
      ABIDING_PYTEST_REPORT: report,
      ABIDING_PYTEST_MARK: mark,
      ...(wanted === undefined ? {} : { ABIDING_PYTEST_WANTED: wantedFile }),
    },
  };
}

/** Milliseconds that pytest has at least to import all tests, however short they are. */
const shortestOutside = 60_000;

/** Named on a command line at most. */
const mostFiles = 200;
