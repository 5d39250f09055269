import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";

/** What the user got wrong; its message is shown as it is, and the exit code is 2. */
export class UsageError extends Error {}

export type Format = "text" | "json" | "sarif" | "github";

const options = {
  against: { type: "string", multiple: true },
  format: { type: "string" },
  rule: { type: "string", multiple: true },
  "fail-on": { type: "string" },
  interpreter: { type: "string" },
  output: { type: "string", short: "o" },
  budget: { type: "string" },
  gpu: { type: "string" },
  root: { type: "string" },
  trust: { type: "boolean" },
  verify: { type: "boolean" },
  environment: { type: "boolean" },
  record: { type: "boolean" },
  "no-record": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  stdio: { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

export interface Arguments {
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly against: readonly string[];
  readonly format: string | undefined;
  readonly rules: readonly string[];
  readonly failOn: string | undefined;
  readonly interpreter: string | undefined;
  readonly output: string | undefined;
  /** Bytes that may be read from servers. */
  readonly budget: number | undefined;
  readonly verify: boolean;
  /** Compute capability times ten. */
  readonly gpu: number | undefined;
  /** The folder around which an environment is looked for. */
  readonly root: string | undefined;
  /** What is asked for may run the project's code. */
  readonly trust: boolean;
  /** Check what is installed, not a project. */
  readonly environment: boolean;
  /** Whether the answer becomes one of the project's records; absent: as the project keeps it. */
  readonly record: "record" | "no-record" | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

/** Reads the command line after the program's name. Throws UsageError. */
export function readArguments(argv: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    const [command, ...operands] = positionals;
    refuseOthers(command, Object.keys(values));
    return {
      command,
      operands,
      against: values.against ?? [],
      format: values.format,
      rules: (values.rule ?? []).flatMap((names) => names.split(",")).map((name) => name.trim()).filter((name) => name !== ""),
      failOn: values["fail-on"],
      interpreter: values.interpreter,
      output: values.output,
      budget: values.budget === undefined ? undefined : bytesOf(values.budget),
      verify: values.verify ?? false,
      gpu: values.gpu === undefined ? undefined : capabilityOf(values.gpu),
      root: values.root,
      trust: values.trust ?? false,
      environment: values.environment ?? false,
      record: recordChoice(values),
      help: values.help ?? false,
      version: values.version ?? false,
    };
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The options that mean something to each command. */
const meaning: Readonly<Record<string, readonly (keyof typeof options)[]>> = {
  check: ["against", "format", "rule", "fail-on", "interpreter", "output", "budget", "environment"],
  environment: ["against", "format", "interpreter", "output", "budget"],
  inspect: ["format", "output", "budget", "verify"],
  fits: ["against", "format", "interpreter", "output", "budget", "gpu", "verify", "record", "no-record"],
  explain: ["against", "format", "interpreter", "output", "budget", "root"],
  symbols: ["against", "format", "output", "budget"],
  lsp: ["stdio"],
  mcp: ["root", "trust", "against", "interpreter", "budget"],
};

/** An option that would be passed over in silence is a mistake of whoever wrote it. Throws UsageError. */
function refuseOthers(command: string | undefined, given: readonly string[]): void {
  const allowed = command === undefined ? undefined : meaning[command];
  const other = allowed === undefined ? undefined : given.find((name) => name !== "help" && name !== "version" && !allowed.some((one) => one === name));
  if (other !== undefined) {
    throw new UsageError(`--${other} means nothing to ${command}; it takes ${allowed?.map((one) => `--${one}`).join(", ")}.`);
  }
}

/** One of `allowed`, or a UsageError that lists them. */
export function oneOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[], otherwise: T): T {
  if (value === undefined) {
    return otherwise;
  }
  const found = allowed.find((one) => one === value);
  if (found === undefined) {
    throw new UsageError(`${option} must be one of ${allowed.join(", ")}; it is "${value}".`);
  }
  return found;
}

/** Throws UsageError where both are given. */
export function recordChoice(values: { readonly record?: boolean | undefined; readonly "no-record"?: boolean | undefined }): Arguments["record"] {
  if (values.record === true && values["no-record"] === true) {
    throw new UsageError("--record and --no-record are opposites; give one of them.");
  }
  return values.record === true ? "record" : values["no-record"] === true ? "no-record" : undefined;
}

/** "9.0" as 90. */
function capabilityOf(text: string): number {
  const [, major, minor] = /^\s*(?:sm_)?(\d{1,2})\.?(\d)\s*$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new UsageError(`--gpu must be a compute capability such as 9.0; it is "${text}".`);
  }
  return Number(major) * 10 + Number(minor);
}

const units: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KIB: 1024, MIB: 1024 ** 2, GIB: 1024 ** 3 };

/** "64MB" of --budget in bytes. Throws UsageError. */
export function bytesOf(text: string): number {
  const [, number = "", unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = units[unit.toUpperCase()];
  if (number === "" || factor === undefined) {
    throw new UsageError(`--budget must be a size such as 64MB; it is "${text}".`);
  }
  return Math.floor(Number(number) * factor);
}
