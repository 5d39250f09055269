import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { commandLine, codeOf, CouldNotWrite, exclusively, explainedFailure, makeFolder, sentenceOf, variable, writeWhole } from "../process/index.ts";
import type { Command } from "../process/types.ts";
import { CannotDo } from "../workshop.ts";
import type { FailureExplanation, Workshop } from "../workshop.ts";
import { abiFlags, optionsOf } from "./carry.ts";
import type { Options } from "./carry.ts";
import { checkoutState, requireFolders, requireSubmodules } from "./checkout.ts";
import type { CheckoutState } from "./checkout.ts";
import { compilerOf, readCacheEntries } from "./cmakeCache.ts";
import type { CacheEntry } from "./cmakeCache.ts";
import { describeLibtorch } from "./describe.ts";
import { found, warningsOf } from "./locate.ts";
import { askCompiler, compileCommand } from "./measure.ts";
import type { CompilerFacts } from "./measure.ts";
import { namesIn, readRecord, recordName } from "./record.ts";
import type { LibtorchRecord } from "./record.ts";
import { requireWritable } from "./space.ts";
import { besidePrefix, lockFolder, rememberPrefix, removeLeftovers, storeFolder } from "./store.ts";
import type { BuildLibtorchRequest, CarriedEntry, LibtorchCandidate, LibtorchReport, LibtorchStep } from "./types.ts";
import { mismatch, variantOf } from "./wanted.ts";
import { splitWords } from "./words.ts";

/**
 * Builds libtorch from a checkout of PyTorch: configured outside of the source, with the compilers and options of the cache that
 * asks; installed into the prefix only, which is whole or absent. The ABI is measured, with the compiler and flags of the build
 * before anything is compiled and on the libraries afterwards, and compared with what was asked. Never throws but for defects.
 */
export async function buildLibtorch(request: BuildLibtorchRequest, workshop: Workshop): Promise<LibtorchReport> {
  const work = new Work(request, workshop);
  try {
    return await work.done();
  } catch (error) {
    if (workshop.activity.signal.aborted) {
      return work.report("cancelled", "The build was cancelled. Its build folder stays, and the next build goes on from there.");
    }
    if (error instanceof CannotDo || error instanceof CouldNotWrite) {
      return work.report("failed", error.message);
    }
    if (codeOf(error) !== undefined) {
      return work.report("failed", sentenceOf(error, `make ${request.prefix}`));
    }
    throw error;
  }
}

class Work {
  readonly #request: BuildLibtorchRequest;
  readonly #workshop: Workshop;
  readonly #steps: LibtorchStep[] = [];
  readonly #warnings: string[] = [];
  #carried: readonly CarriedEntry[] = [];
  #explanation: FailureExplanation | undefined;

  constructor(request: BuildLibtorchRequest, workshop: Workshop) {
    this.#request = request;
    this.#workshop = workshop;
  }

  report(outcome: LibtorchReport["outcome"], reason: string): LibtorchReport {
    return { schema: 1, action: "build", outcome, reason, ...(this.#explanation === undefined ? {} : { explanation: this.#explanation }), candidates: [], steps: this.#steps, carried: this.#carried, warnings: this.#warnings };
  }

  async done(): Promise<LibtorchReport> {
    const request = this.#request;
    const held = this.#held();
    if (request.require === true) {
      const refused = held === undefined ? `${request.prefix} holds no libtorch, and --require forbids to build one.` : held.refused ?? mismatch(held, { linkage: request.linkage, ...(request.abi === undefined ? {} : { abi: request.abi }) });
      return held === undefined || refused !== undefined
        ? this.report("not-found", refused ?? "")
        : { schema: 1, action: "build", outcome: "found", ...found(held), candidates: [held], warnings: warningsOf(held, this.#workshop.environment) };
    }
    this.#requireFree(held);
    if (request.abi !== undefined && process.platform === "darwin") {
      throw new CannotDo("--abi means nothing on macOS: only the GNU C++ library has two ABIs.");
    }
    requireFolders(request);
    requireWritable(request.prefix);
    const cache = this.#askingCache();
    return exclusively(request.buildFolder, "abiding libtorch build", this.#workshop.activity, async () => this.#build(cache));
  }

  /** Throws CannotDo when the prefix holds something else than an earlier build of ours: nobody's files are replaced. */
  #requireFree(held: LibtorchCandidate | undefined): void {
    const { prefix } = this.#request;
    if (held === undefined) {
      return;
    }
    const record = readRecord(prefix);
    const isOurs = typeof record === "object" && record.source.kind === "checkout" && held.refused === undefined;
    if (!isOurs) {
      throw new CannotDo(`${prefix} is not empty and holds no libtorch that Abiding built there as it is; nothing in it was changed. Name another prefix, or remove this one.${held.refused === undefined ? "" : ` ${held.refused}`}`);
    }
    if (record.names !== namesIn(prefix)) {
      throw new CannotDo(`Files were added to ${prefix}, or removed, since Abiding built a libtorch there; nothing in it was changed. Name another prefix, or remove this one.`);
    }
  }

  /** What the prefix holds; undefined when it is free. */
  #held(): LibtorchCandidate | undefined {
    const { prefix } = this.#request;
    const status = fs.statSync(prefix, { throwIfNoEntry: false });
    return status === undefined || (status.isDirectory() && fs.readdirSync(prefix).length === 0) ? undefined : describeLibtorch(prefix, "the prefix");
  }

  #askingCache(): ReadonlyMap<string, CacheEntry> {
    const { cache } = this.#request;
    if (cache === undefined) {
      return new Map();
    }
    const entries = readCacheEntries(cache);
    if (entries.size === 0) {
      throw new CannotDo(`${cache} is no CMakeCache.txt that can be read.`);
    }
    return entries;
  }

  async #build(cache: ReadonlyMap<string, CacheEntry>): Promise<LibtorchReport> {
    const request = this.#request;
    const { activity } = this.#workshop;
    const before = await checkoutState(request.source, this.#workshop);
    if ((before.changes?.length ?? 0) > 0) {
      this.#warnings.push(`The source ${request.source} is changed against its commit; the record says so.`);
    }
    const asked = await this.#compilerBefore(cache);
    const options = optionsOf(request, cache, abiFlags(request, asked?.kind ?? "gcc"), this.#workshop.environment);
    this.#carried = options.carried;
    requireSubmodules(request.source, options.definitions);
    const cmake = cache.get("CMAKE_COMMAND")?.value;
    const program = cmake !== undefined && fs.existsSync(cmake) ? cmake : "cmake";
    activity.step("Configuring libtorch");
    await this.#run("configure", program, configureArguments(request, options));
    const measured = await this.#measure();
    activity.step("Building libtorch");
    await this.#run("build", program, ["--build", request.buildFolder, "--config", options.definitions.get("CMAKE_BUILD_TYPE") ?? "Release", "--parallel", String(jobs(this.#workshop.environment))]);
    const store = storeFolder(request.cacheFolder, this.#workshop.environment);
    const chosen = await exclusively(lockFolder(store, request.prefix), "abiding libtorch build", activity, async () => this.#install(program, options, measured, before), request.prefix);
    await rememberPrefix(store, request.prefix);
    await this.#compareSource(before);
    return { schema: 1, action: "build", outcome: "found", ...found(chosen), candidates: [chosen], steps: this.#steps, carried: this.#carried, warnings: [...this.#warnings, ...warningsOf(chosen, this.#workshop.environment)] };
  }

  /** Which compiler will be taken decides how the ABI version is set; without that, nothing has to be known of it. */
  async #compilerBefore(cache: ReadonlyMap<string, CacheEntry>): Promise<CompilerFacts | undefined> {
    if (this.#request.gxxAbiVersion === undefined) {
      return undefined;
    }
    const given = this.#request.arguments.map((one) => /^-DCMAKE_CXX_COMPILER(?::[A-Za-z]+)?=(.*)$/.exec(one)?.[1]).findLast((one) => one !== undefined);
    // Without any of these CMake takes the first of these names (CMakeDetermineCXXCompiler.cmake).
    const words = given?.split(";") ?? compilerOf(cache, "CXX") ?? compilerOf(readCacheEntries(path.join(this.#request.buildFolder, "CMakeCache.txt")), "CXX");
    // All of them may hold arguments too, and a launcher before the compiler.
    const [first = "c++", ...rest] = words ?? splitWords(variable(this.#workshop.environment, "CXX") ?? "");
    return askCompiler(first, rest, this.#workshop);
  }

  async #run(name: LibtorchStep["name"], program: string, args: readonly string[], environment: Readonly<Record<string, string>> = this.#workshop.environment): Promise<void> {
    const { activity } = this.#workshop;
    activity.signal.throwIfAborted();
    const command: Command = { file: program, arguments: args, folder: path.dirname(this.#request.buildFolder), environment };
    const logFile = path.join(this.#request.buildFolder, ".abiding", `${name}.log`);
    await makeFolder(path.dirname(logFile));
    const line = commandLine(command, { environment: this.#workshop.environment });
    activity.note(line);
    const result = await this.#workshop.run(command, { signal: activity.signal, logFile, onText: (text) => activity.output(text) });
    this.#steps.push({ name, line, folder: command.folder, ending: result.ending, milliseconds: result.duration, ...(result.log === undefined ? {} : { log: result.log.path }) });
    if (result.log?.problem !== undefined) {
      this.#warnings.push(`The log ${result.log.path} is not whole: ${result.log.problem}`);
    }
    activity.signal.throwIfAborted();
    if (result.ending.kind !== "exited" || result.ending.code !== 0) {
      this.#explanation = await explainedFailure(result, this.#request.source, [], this.#workshop);
      throw new CannotDo(`${doing[name]} failed: ${endingText(result.ending)}${lastError(result.output.text)} ${result.log === undefined ? "" : `All of its output is in ${result.log.path}.`}`.trimEnd());
    }
  }

  /** Compares what the compiler does with the flags of the configured build with what was asked, before an hour is spent. */
  async #measure(): Promise<CompilerFacts> {
    const command = compileCommand(this.#request.buildFolder);
    if (command === undefined) {
      throw new CannotDo(`${path.join(this.#request.buildFolder, "CMakeCache.txt")} names no C++ compiler, so the ABI of the build cannot be measured.`);
    }
    const { abi, gxxAbiVersion } = this.#request;
    const facts = await askCompiler(command.compiler, command.flags, this.#workshop);
    const sides = [
      abi === undefined || facts.abi === abi ? undefined : `_GLIBCXX_USE_CXX11_ABI=${abi} was asked for; ${facts.name} compiles with ${facts.abi === undefined ? "a C++ library that is not GNU's" : `_GLIBCXX_USE_CXX11_ABI=${facts.abi}`}.`,
      gxxAbiVersion === undefined || facts.gxxAbiVersion === 1000 + gxxAbiVersion ? undefined : `__GXX_ABI_VERSION ${1000 + gxxAbiVersion} was asked for; ${facts.name} compiles with ${facts.gxxAbiVersion ?? "none"}.`,
    ].filter((one) => one !== undefined);
    if (sides.length > 0) {
      throw new CannotDo(`With the flags of the configured build, nothing was compiled yet: ${sides.join(" ")} The project sets other flags behind those that were given.`);
    }
    return facts;
  }

  /** Installs beside the prefix as if it were the prefix, looks at what came out, and puts it in its place. */
  async #install(program: string, options: Options, measured: CompilerFacts, before: CheckoutState): Promise<LibtorchCandidate> {
    const request = this.#request;
    const { activity } = this.#workshop;
    await makeFolder(path.dirname(request.prefix));
    removeLeftovers(request.prefix);
    const stage = besidePrefix(request.prefix);
    const staged = path.join(stage, request.prefix);
    try {
      activity.step("Installing libtorch");
      // DESTDIR: files that name the prefix name the one where they will be.
      await this.#run("install", program, ["--install", request.buildFolder, "--config", options.definitions.get("CMAKE_BUILD_TYPE") ?? "Release", "--prefix", request.prefix], { ...this.#workshop.environment, DESTDIR: stage });
      const made = describeLibtorch(staged, "built");
      const refused = made.refused ?? mismatch(made, { linkage: request.linkage, ...(request.abi === undefined ? {} : { abi: request.abi }) });
      if (refused !== undefined) {
        throw new CannotDo(`What was built is not what was asked for, and ${request.prefix} was not made. ${refused.replaceAll(staged, request.prefix)}`);
      }
      await writeWhole(path.join(staged, recordName), `${JSON.stringify(this.#record(made, options, measured, before, staged), undefined, 2)}\n`);
      this.#sayStrays(stage);
      this.#replace(staged, stage);
    } finally {
      fs.rmSync(stage, { recursive: true, force: true });
    }
    return describeLibtorch(request.prefix, `built from ${request.source}`);
  }

  /** What the install puts outside of the prefix lies in the stage as well; it goes away with it. */
  #sayStrays(stage: string): void {
    const strays: string[] = [];
    let folder = stage;
    for (const part of this.#request.prefix.split(path.sep).filter((one) => one !== "")) {
      strays.push(...fs.readdirSync(folder).filter((name) => name !== part).map((name) => path.join("/", path.relative(stage, folder), name)));
      folder = path.join(folder, part);
    }
    if (strays.length > 0) {
      this.#warnings.push(`The install of PyTorch has files outside of the prefix, which were left out: ${strays.join(", ")}.`);
    }
  }

  /** An earlier build of ours goes away only when the new one is ready to take its place. */
  #replace(staged: string, stage: string): void {
    const { prefix } = this.#request;
    this.#requireFree(this.#held());
    if (fs.existsSync(prefix)) {
      fs.renameSync(prefix, path.join(stage, "before"));
    }
    fs.renameSync(staged, prefix);
  }

  #record(made: LibtorchCandidate, options: Options, measured: CompilerFacts, before: CheckoutState, staged: string): LibtorchRecord {
    const variant = variantOf(made);
    const gitVersion = made.gitVersion ?? before.commit;
    return {
      schema: 1,
      ...(made.version === undefined ? {} : { version: made.version }),
      ...(gitVersion === undefined ? {} : { gitVersion }),
      ...(variant === undefined ? {} : { variant }),
      ...(made.cuda === undefined ? {} : { cuda: made.cuda }),
      ...(made.abi === undefined ? {} : { abi: made.abi }),
      ...(measured.gxxAbiVersion === undefined ? {} : { gxxAbiVersion: measured.gxxAbiVersion }),
      compiler: measured.name,
      linkage: this.#request.linkage,
      ...(made.platform === undefined ? {} : { platform: made.platform }),
      source: {
        kind: "checkout",
        ...(before.commit === undefined ? {} : { commit: before.commit }),
        ...(before.changes === undefined ? {} : { modified: before.changes.length > 0 }),
        arguments: configureArguments(this.#request, options).slice(4),
      },
      names: namesIn(staged),
      made: this.#workshop.now().toISOString(),
      madeBy: this.#workshop.version,
    };
  }

  /** Upstream's build may write into its sources all the same; that is said. */
  async #compareSource(before: CheckoutState): Promise<void> {
    const after = await checkoutState(this.#request.source, this.#workshop);
    const fresh = (after.changes ?? []).filter((line) => !(before.changes ?? []).includes(line)).map((line) => line.slice(3));
    if (fresh.length > 0) {
      this.#warnings.push(`The build of PyTorch itself changed files of its source: ${fresh.slice(0, 8).join(", ")}${fresh.length > 8 ? ` and ${fresh.length - 8} more` : ""}.`);
    }
  }
}

const doing: Readonly<Record<LibtorchStep["name"], string>> = { configure: "Configuring", build: "Building", install: "Installing" };

function configureArguments(request: BuildLibtorchRequest, options: Options): readonly string[] {
  return ["-S", request.source, "-B", request.buildFolder, ...options.generator, ...[...options.definitions].map(([name, value]) => `-D${name}=${value}`), ...options.others];
}

/** MAX_JOBS, as PyTorch's own build has it, or CMake's own variable; else one for each core: some generators start as many as they have targets. */
function jobs(environment: Readonly<Record<string, string>>): number {
  const given = ["MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL"].map((name) => variable(environment, name) ?? "").find((text) => /^[1-9]\d*$/.test(text));
  return given === undefined ? os.availableParallelism() : Number(given);
}

function endingText(ending: LibtorchStep["ending"]): string {
  switch (ending.kind) {
    case "exited":
      return `it ended with ${ending.code}.`;
    case "signalled":
      return `it was ended by ${ending.signal}.`;
    case "timed-out":
      return `it took longer than ${ending.limit / 1000} seconds.`;
    case "cancelled":
      return "it was cancelled.";
    case "not-started":
      return ending.message;
  }
}

/** The first place where a tool says that something is wrong, with what follows. */
function lastError(output: string): string {
  const lines = output.split("\n").map((line) => line.trimEnd());
  const at = lines.findIndex((line) => /\berror\b|^FAILED/i.test(line));
  return at < 0 ? "" : ` It says: ${lines.slice(at, at + 4).filter((line) => line !== "").map((line) => line.trim()).join(" ")}`.slice(0, 1200);
}
