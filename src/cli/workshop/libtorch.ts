import * as fs from "node:fs";
import * as path from "node:path";
import { buildLibtorch, fetchLibtorch, locate } from "../../workshop/libtorch/index.ts";
import type { LibtorchReport, LibtorchWanted } from "../../workshop/libtorch/index.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import { oneOf, UsageError } from "../arguments.ts";
import { jsonText } from "../reporters/jsonText.ts";
import { libtorchText } from "../reporters/libtorchText.ts";
import { printableLines } from "../reporters/printable.ts";
import type { Terminal } from "../terminal.ts";
import { withActivity } from "./activity.ts";
import { libtorchHelp } from "./libtorchHelp.ts";
import { readOptions, splitAtDashes } from "./options.ts";
import { makeWorkshop } from "./workshop.ts";

const shared = {
  "torch-version": { type: "string" },
  variant: { type: "string" },
  abi: { type: "string" },
  cache: { type: "string" },
  require: { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const interpreter = { type: "string" } as const;

const statuses: Readonly<Record<LibtorchReport["outcome"], number>> = { found: 0, "not-found": 1, failed: 2, cancelled: 130 };

/** `abiding libtorch locate|fetch|build`. Exit status: 0 found or made, 1 not found, 2 could not run. */
export async function libtorch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case "--help":
    case "-h":
      terminal.deliver(libtorchHelp.libtorch, undefined);
      return 0;
    case "locate":
      return locateCommand(rest, terminal);
    case "fetch":
      return fetchCommand(rest, terminal);
    case "build":
      return buildCommand(rest, terminal);
    default:
      throw new UsageError(`libtorch takes locate, fetch or build${action === undefined ? "" : `, and got "${action}"`}.`);
  }
}

async function locateCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("libtorch locate", argv, { ...shared, interpreter, prefix: { type: "string", multiple: true }, linkage: { type: "string" }, "without-caches": { type: "boolean" } });
  if (values.help === true) {
    terminal.deliver(libtorchHelp.locate, undefined);
    return 0;
  }
  if (positionals.length > 1) {
    throw new UsageError(`libtorch locate takes one path, and got ${positionals.length}: ${positionals.join(" ")}.`);
  }
  const linkage = values.linkage === undefined ? undefined : oneOf("--linkage", values.linkage, ["shared", "static"], "shared");
  return carryOut(values, terminal, async (workshop) => locate({
    root: terminal.workingDirectory,
    wanted: { ...wantedOf(values), ...(linkage === undefined ? {} : { linkage }) },
    prefixes: [...positionals, ...(values.prefix ?? [])].map((one) => path.resolve(terminal.workingDirectory, one)),
    ...(values["without-caches"] === true ? { withoutCaches: true } : {}),
    ...pathOf("interpreter", values.interpreter, terminal),
    ...pathOf("cacheFolder", values.cache, terminal),
  }, workshop));
}

async function fetchCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("libtorch fetch", argv, { ...shared, prefix: { type: "string" }, from: { type: "string" }, index: { type: "string" }, sha256: { type: "string" } });
  if (values.help === true) {
    terminal.deliver(libtorchHelp.fetch, undefined);
    return 0;
  }
  requireNoOperands("fetch", positionals);
  const version = values["torch-version"];
  if (version === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new UsageError(`libtorch fetch wants --torch-version with a whole release such as 2.13.0${version === undefined ? "" : `; it is "${version}"`}.`);
  }
  const sha256 = values.sha256?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new UsageError("--sha256 must be 64 hexadecimal digits.");
  }
  const wanted = wantedOf(values);
  const prefix = requiredPath("fetch", "--prefix", values.prefix, terminal);
  return carryOut(values, terminal, async (workshop) => fetchLibtorch({
    root: terminal.workingDirectory,
    wanted: { ...wanted, version },
    from: oneOf("--from", values.from, ["libtorch", "wheel"], "libtorch"),
    prefix,
    ...(values.index === undefined ? {} : { index: values.index }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(values.require === true ? { require: true } : {}),
    ...pathOf("cacheFolder", values.cache, terminal),
  }, workshop));
}

async function buildCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { own, others } = splitAtDashes(argv);
  const { values, positionals } = readOptions("libtorch build", own, {
    source: { type: "string" }, "build-dir": { type: "string" }, prefix: { type: "string" }, static: { type: "boolean" }, "fabi-version": { type: "string" },
    abi: shared.abi, interpreter, cache: shared.cache, require: shared.require, format: shared.format, output: shared.output, help: shared.help,
  });
  if (values.help === true) {
    terminal.deliver(libtorchHelp.build, undefined);
    return 0;
  }
  requireNoOperands("build", positionals);
  const gxx = values["fabi-version"];
  if (gxx !== undefined && !/^\d{1,2}$/.test(gxx)) {
    throw new UsageError(`--fabi-version must be a number such as 18, as -fabi-version of GCC takes it; it is "${gxx}".`);
  }
  const { abi } = wantedOf(values);
  const given = { source: requiredPath("build", "--source", values.source, terminal), buildFolder: requiredPath("build", "--build-dir", values["build-dir"], terminal), prefix: requiredPath("build", "--prefix", values.prefix, terminal) };
  const cache = values.cache === undefined ? undefined : cacheFile(path.resolve(terminal.workingDirectory, values.cache));
  return carryOut(values, terminal, async (workshop) => buildLibtorch({
    root: terminal.workingDirectory,
    ...given,
    linkage: values.static === true ? "static" : "shared",
    ...(abi === undefined ? {} : { abi }),
    ...(gxx === undefined ? {} : { gxxAbiVersion: Number(gxx) }),
    ...(cache === undefined ? {} : { cache }),
    arguments: others,
    ...(values.require === true ? { require: true } : {}),
    ...pathOf("interpreter", values.interpreter, terminal),
  }, workshop));
}

interface Common {
  readonly format?: string | undefined;
  readonly output?: string | undefined;
  readonly interpreter?: string | undefined;
  readonly require?: boolean | undefined;
}

/** In text, standard output gets the one argument for CMake and nothing else; what is to be said goes to standard error. */
async function carryOut(values: Common, terminal: Terminal, work: (workshop: Workshop) => Promise<LibtorchReport>): Promise<number> {
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  let report: LibtorchReport | undefined;
  const status = await withActivity(terminal, async (activity) => {
    report = await work(makeWorkshop(terminal, activity, values.interpreter === undefined ? undefined : path.resolve(terminal.workingDirectory, values.interpreter)));
    return statuses[report.outcome];
  });
  if (report === undefined) {
    return status;
  }
  if (format === "json") {
    terminal.deliver(jsonText(report), values.output);
    return status;
  }
  terminal.say(printableLines(libtorchText(report, values.require === true)));
  if (report.cmakeArgument !== undefined) {
    terminal.deliver(`${report.cmakeArgument}\n`, values.output);
  }
  return status;
}

function wantedOf(values: { readonly "torch-version"?: string | undefined; readonly variant?: string | undefined; readonly abi?: string | undefined }): LibtorchWanted {
  const version = values["torch-version"];
  if (version !== undefined && !/^\d+(?:\.\d+)*[\w.+]*$/.test(version)) {
    throw new UsageError(`--torch-version must be a release such as 2.13.0; it is "${version}".`);
  }
  const { variant } = values;
  if (variant !== undefined && !/^(?:cpu|cu\d{2,3}|rocm\d[\d.]*|xpu)$/.test(variant)) {
    throw new UsageError(`--variant must be cpu, or a label such as cu130 or rocm6.4; it is "${variant}".`);
  }
  const abi = values.abi === undefined ? undefined : oneOf("--abi", values.abi, ["0", "1"], "1");
  return { ...(version === undefined ? {} : { version }), ...(variant === undefined ? {} : { variant }), ...(abi === undefined ? {} : { abi: abi === "1" ? 1 : 0 }) };
}

function requireNoOperands(action: string, operands: readonly string[]): void {
  if (operands.length > 0) {
    throw new UsageError(`libtorch ${action} takes options only, and got ${operands.join(" ")}.`);
  }
}

function requiredPath(action: string, option: string, value: string | undefined, terminal: Terminal): string {
  if (value === undefined || value === "") {
    throw new UsageError(`libtorch ${action} wants ${option} with a folder.`);
  }
  return path.resolve(terminal.workingDirectory, value);
}

/** A build folder stands for its cache. */
function cacheFile(given: string): string {
  return fs.statSync(given, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(given, "CMakeCache.txt") : given;
}

function pathOf<K extends string>(key: K, value: string | undefined, terminal: Terminal): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: path.resolve(terminal.workingDirectory, value) } as { readonly [P in K]?: string });
}
