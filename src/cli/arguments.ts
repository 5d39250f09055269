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
  readonly help: boolean;
  readonly version: boolean;
}

/** Reads the command line after the program's name. Throws UsageError. */
export function readArguments(argv: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    const [command, ...operands] = positionals;
    return {
      command,
      operands,
      against: values.against ?? [],
      format: values.format,
      rules: (values.rule ?? []).flatMap((names) => names.split(",")).map((name) => name.trim()).filter((name) => name !== ""),
      failOn: values["fail-on"],
      interpreter: values.interpreter,
      output: values.output,
      help: values.help ?? false,
      version: values.version ?? false,
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
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
