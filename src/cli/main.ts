/** The command line: reads arguments, calls the engine, writes reports. */
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { readArguments, UsageError } from "./arguments.ts";
import { keepCompiledCode } from "./compiledCode.ts";
import { help } from "./help.ts";
import { printableLines } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";
import { workshopCommands } from "./workshop/commands.ts";

keepCompiledCode();

const terminal: Terminal = {
  workingDirectory: process.cwd(),
  environment: process.env,
  version: manifest.version,
  colours: process.stdout.isTTY && (process.env.NO_COLOR ?? "") === "" && process.env.TERM !== "dumb",
  progress(text) {
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\u001b[K${text}`);
    }
  },
  say(text) {
    process.stderr.write(text);
  },
  deliver(text, file) {
    if (file === undefined) {
      process.stdout.write(text);
      return;
    }
    const target = path.resolve(process.cwd(), file);
    try {
      fs.writeFileSync(target, text);
    } catch (error) {
      throw new UsageError(`The report could not be written to ${target}: ${error instanceof Error ? error.message : String(error)}`);
    }
  },
};

async function run(argv: readonly string[]): Promise<number | undefined> {
  const workshopCommand = Object.hasOwn(workshopCommands, argv[0] ?? "") ? workshopCommands[argv[0] ?? ""] : undefined;
  if (workshopCommand !== undefined) {
    return (await workshopCommand())(argv.slice(1), terminal);
  }
  const given = readArguments(argv);
  if (given.version) {
    terminal.deliver(`${terminal.version}\n`, undefined);
    return 0;
  }
  if (given.help || given.command === "help") {
    terminal.deliver(help, undefined);
    return 0;
  }
  // Each command is loaded when it is called: `fits` needs no reader of build files, and `check` no protocol.
  switch (given.command) {
    case "check":
      return (await import("./check.ts")).check(given, terminal);
    case "environment":
      return (await import("./environment.ts")).describe(given, terminal);
    case "inspect":
      return (await import("./inspect.ts")).inspect(given, terminal);
    case "fits":
      return (await import("./fits.ts")).fits(given, terminal);
    case "explain":
      return (await import("./explain.ts")).explain(given, terminal);
    case "symbols":
      return (await import("./symbols.ts")).symbols(given, terminal);
    case "mcp":
      return (await import("./mcp.ts")).mcp(given, terminal);
    case "lsp":
      (await import("../server/stdio.ts")).startStdioServer();
      return undefined;
    case undefined:
      process.stderr.write(help);
      return 2;
    default:
      throw new UsageError(`There is no command "${given.command}". Commands: ${["check", "environment", "inspect", "fits", "explain", "symbols", ...Object.keys(workshopCommands), "lsp", "mcp"].join(", ")}.`);
  }
}

// Nobody reads what is said on the way: a closed pipe, a closed terminal.
process.stderr.on("error", () => undefined);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe may leave early (`| head`).
  process.exit(error.code === "EPIPE" ? 0 : 2);
});

void run(process.argv.slice(2)).then(
  (status) => {
    if (status !== undefined) {
      process.exitCode = status;
    }
  },
  (error: unknown) => {
    const message = error instanceof UsageError ? error.message : `Abiding failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    process.stderr.write(printableLines(`abiding: ${message}\n`));
    process.exitCode = 2;
  },
);
