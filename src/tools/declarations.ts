/** One member of a tool's input, in the part of JSON Schema that all hosts of agents understand. */
export interface InputMember {
  readonly type: "string" | "integer" | "boolean" | "array";
  readonly description: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: "string"; readonly enum?: readonly string[] };
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, InputMember>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

/** The outline of a report: what its schema in docs/schema says in full would fill a model's context. */
export interface OutputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: string | readonly string[]; readonly description?: string }>>;
  readonly required: readonly string[];
}

export interface ToolDeclaration {
  /** Of the Model Context Protocol; VS Code's language-model tool is called "abiding_" and this. */
  readonly name: string;
  readonly title: string;
  /** Written for a model: what it answers, when to use it, what to hand it. */
  readonly description: string;
  readonly input: InputSchema;
  readonly output: OutputSchema;
  /** false: reads files only. true: runs a project's own code, and writes. */
  readonly runs: boolean;
}

const against: InputMember = {
  type: "string",
  description: "The environment that runs the code: folder of a virtual or conda environment, a Python executable, a torch or libtorch folder, a torch wheel, or \"torch==2.8.0+cu128\" for a release. Default: the project's own choice, else the environment found around the project.",
};
const root: InputMember = { type: "string", description: "Absolute path of the project's folder. Default: the folder that the server works in." };
const text = { type: "string" } as const;
const list = { type: "array" } as const;
const object = { type: "object" } as const;

/** The tools for agents, in the order in which they are shown. Their answers are the JSON of the commands of the same name. */
export const declarations = [
  {
    name: "explain",
    title: "Explain an error around PyTorch extensions",
    description: "Says what an error text means: undefined symbol, ImportError or OSError of a shared library, linker, nvcc, CMake, pip or cpp_extension failures, pybind11 TypeError, CUDA run-time errors, version checks of packages. Use it first when importing, building or running a PyTorch C++/CUDA extension fails; hand it the whole output, from the first error on, not a summary. Answers verdicts, the first cause first: headline, evidence (because), fixes (the best first), copy (a line to run or paste, where known), needs (what would settle it, or what the remedy depends on) and confidence. It reads files that the text names and runs nothing. No verdict means that nothing was recognised: then do not guess ABI or version skew from it.",
    input: {
      type: "object",
      properties: {
        text: { type: "string", description: "The output or log with the error, as it was printed." },
        file: { type: "string", description: "A file with the log, in place of text." },
        against: { ...against, description: `${against.description} Name the one in which it failed: then the answer is settled by what is installed there.` },
        root,
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, against: { type: ["object", "null"] }, verdicts: list, notChecked: list }, required: ["schema", "against", "verdicts", "notChecked"] },
    runs: false,
  },
  {
    name: "check",
    title: "Check a project for ABI and version skew",
    description: "Reads the build files of a project with native code for PyTorch (CMake, setup.py, pyproject.toml, requirements, conda) and what was built from them, and reports where they disagree with each other or with the torch that will load them: C++ ABI flags, C++ standard, CUDA version and architectures, removed APIs, stale builds, wrong pins. Use it before building and after changing build files. Nothing is built or run. Each finding has rule, severity, message, location and, where known, fixes with edits.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The project's folder, or one of its files to see its findings only. Default: the folder that the server works in." },
        against: { type: "array", items: { type: "string" }, description: `${against.description} Several are checked one after another.` },
        rules: { type: "array", items: { type: "string" }, description: "Only these rules, as libstdcxx-abi or torch-symbols. Default: all." },
        targets: { type: "array", items: { type: "string" }, description: "Names of targets or built files of which all that is known is to be listed in bodies. Default: none, only what is installed." },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, root: text, against: { type: ["object", "null"] }, bodies: list, findings: list, suppressed: { type: "integer" }, notChecked: list }, required: ["schema", "root", "findings", "notChecked"] },
    runs: false,
  },
  {
    name: "fits",
    title: "Would this shared library or wheel load with a torch?",
    description: "Compares a built .so or a wheel with a torch without loading it: whether every symbol, library and version that it needs is there. Use it after a build, before installing a wheel, or to settle an explanation. Answers verdict (no-conflict, conflict, unknown), missing symbols with their kind, the releases of torch that would do, and what was not checked.",
    input: {
      type: "object",
      properties: {
        file: { type: "string", description: "A shared library or a wheel; of a wheel on a server its address." },
        against,
        gpu: { type: "string", description: "Compute capability of the GPU that would run it, as 9.0." },
        root,
      },
      required: ["file"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, file: text, against: object, verdict: text, missing: list, findings: list, releasesThatWouldDo: { type: ["array", "null"] }, notChecked: list }, required: ["schema", "file", "against", "verdict", "missing", "findings", "notChecked"] },
    runs: false,
  },
  {
    name: "inspect",
    title: "What a shared library or wheel is and needs",
    description: "Reads a .so or a wheel without loading it: what it imports and exports, the libraries and versions that it needs, C++ ABI, pybind11, CUDA architectures, compilers, platform and Python tags. Use it to see what a binary was built with; whether it would load says fits.",
    input: {
      type: "object",
      properties: { file: { type: "string", description: "A shared library or a wheel; of a wheel on a server its address." }, root },
      required: ["file"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, file: text, kind: text, binaries: list, problems: list }, required: ["schema", "file", "kind", "binaries", "problems"] },
    runs: false,
  },
  {
    name: "symbols",
    title: "Which releases of torch export a symbol",
    description: "The life of a C++ symbol of torch: the first and the last release that exports it, in which library, and what followed it. Use it for a name from \"undefined symbol\" or \"undefined reference\".",
    input: {
      type: "object",
      properties: {
        name: { type: "string", description: "Mangled, as _ZN3c106detail14torchCheckFailEPKcS2_jRKSs, or as C++ writes it, as c10::detail::torchCheckFail." },
        against: { ...against, description: "Also says what this environment has of it, as for fits. Default: only releases are asked." },
      },
      required: ["name"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, known: text, lives: list, against: { type: ["object", "null"] }, recorded: object }, required: ["schema", "known", "lives", "against", "recorded"] },
    runs: false,
  },
  {
    name: "combinations_list",
    title: "What is recorded to work together",
    description: "The project's records of what was built, loaded and tested with which torch, CUDA and Python, the newest first, with the outcome and the reason of failures. Use it before choosing a torch version for the project.",
    input: {
      type: "object",
      properties: {
        root,
        torch: { type: "string", description: "Only records of this torch, as 2.8 or 2.8.0+cu128." },
        python: { type: "string", description: "Only records of this Python, as 3.12." },
        outcome: { type: "array", items: { type: "string", enum: ["no-conflict", "conflict", "passed", "failed", "unknown"] }, description: "Only these outcomes." },
        limit: { type: "integer", minimum: 1, maximum: 1000, description: "At most so many records, the newest. Default: 50." },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, root: text, file: text, total: { type: "integer" }, matching: { type: "integer" }, records: list, problems: list }, required: ["schema", "root", "file", "total", "matching", "records", "problems"] },
    runs: false,
  },
  {
    name: "combinations_predict",
    title: "Predict with which torches a built extension would load",
    description: "Compares what is built, or the named libraries and wheels, with several releases and nightlies of torch, from the symbols that they export, without installing any. Reads the package indexes that the project names. Use it to find the versions that are worth trying.",
    input: {
      type: "object",
      properties: {
        root,
        files: { type: "array", items: { type: "string" }, description: "Shared libraries or wheels. Default: what is built in the project." },
        torch: { type: "array", items: { type: "string" }, description: "Torches, as 2.8.0, \">=2.6\" or nightly. Default: those of the project's matrix, else the newest releases and nightlies." },
        offline: { type: "boolean", description: "Ask no server: only what earlier predictions have read counts." },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, outcome: text, predictions: list }, required: ["schema", "outcome", "predictions"] },
    runs: false,
  },
  {
    name: "combinations_run",
    title: "Try the project with torches",
    description: "Installs torches into environments of their own, builds the project with each, loads it and runs its tests, and records what came out. It RUNS THE PROJECT'S CODE, downloads gigabytes and takes minutes to hours: only when the user asked for it, and only in a trusted workspace. Name few torches.",
    input: {
      type: "object",
      properties: {
        root,
        torch: { type: "array", items: { type: "string" }, description: "Torches, as 2.8.0. Default: the project's matrix." },
        python: { type: "array", items: { type: "string" }, description: "Pythons, as 3.12." },
        steps: { type: "array", items: { type: "string", enum: ["install", "build", "load", "smoke", "benchmark"] }, description: "Default: all that the project has." },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: { schema: { type: "integer" }, outcome: text, results: list }, required: ["schema", "outcome"] },
    runs: true,
  },
] as const satisfies readonly ToolDeclaration[];

export type ToolName = (typeof declarations)[number]["name"];
