import { factsOf, observationsOf, valueOf } from "../model/index.ts";
import type { Condition, DeclaredTarget, Finding, Language, Location } from "../model/index.ts";
import minimums from "../../../data/compiler-standards.json" with { type: "json" };
import { parseFlags } from "../sources/flags/index.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, finding, locationKey, torchName } from "./support.ts";

interface Compiler {
  readonly family: "gcc" | "clang";
  readonly major: number;
}

interface Choice {
  readonly text: string;
  readonly compiler: Compiler;
  readonly languages: readonly Language[];
  readonly location: Location;
  readonly conditions: readonly Condition[];
  readonly target?: string;
}

/** What nvcc accepts as a host compiler; `from` names where that is known from. */
interface Bounds {
  readonly cuda: string;
  readonly from: string;
  readonly gcc?: { readonly min?: number; readonly max?: number };
  readonly clang?: { readonly min?: number; readonly max?: number };
}

/** A compiler that the CUDA toolkit or torch's headers refuse. */
export const hostCompiler: Rule = {
  name: "host-compiler",
  severity: "error",
  summary: "The host compiler is one that nvcc or the torch headers refuse.",
  check(context) {
    const bounds = boundsInForce(context);
    const findings = new Map<string, Finding>();
    for (const choice of choices(context)) {
      const found = (bounds === undefined ? undefined : againstToolkit(context, choice, bounds)) ?? againstTorch(context, choice);
      if (found !== undefined && !findings.has(locationKey(choice.location))) findings.set(locationKey(choice.location), found);
    }
    return [...findings.values()];
  },
};

function choices(context: RuleContext): Choice[] {
  const result: Choice[] = [];
  for (const choice of observationsOf(context.observations, "host-compiler")) {
    const compiler = compilerOf(choice.compiler);
    // CUDA takes the C++ compiler where nothing else is said.
    const languages: readonly Language[] = choice.language === "CXX" ? ["CXX", "CUDA"] : [choice.language];
    if (compiler !== undefined && choice.language !== "C") result.push({ text: choice.compiler, compiler, languages, location: choice.evidence.location, conditions: choice.conditions });
  }
  return [...result, ...context.declared.flatMap(({ target }) => choicesByFlags(target))];
}

const choicesByFlags = once((target: DeclaredTarget): readonly Choice[] => parseFlags(target.arguments).filter((flag) => flag.kind === "host-compiler").flatMap((flag) => {
  const compiler = flag.value !== undefined ? compilerOf(flag.value) : undefined;
  return compiler === undefined ? [] : [{ text: flag.value ?? "", compiler, languages: ["CUDA"], location: flag.argument.evidence.location, conditions: flag.argument.conditions, target: target.name }];
}));

/** "g++-13", "/usr/bin/gcc-12", "clang++-17", "x86_64-linux-gnu-g++-11"; no version in the name is no statement. */
function compilerOf(name: string): Compiler | undefined {
  const match = /(?:^|[/\\-])(gcc|g\+\+|clang|clang\+\+)-(\d+)(?:\.\d+)*(?:\.exe)?$/.exec(name.trim());
  if (match === null) return undefined;
  return { family: match[1]?.startsWith("clang") ? "clang" : "gcc", major: Number(match[2]) };
}

/** The toolkit that the project names, else the one found on the machine, else the one that torch was built with. */
function boundsInForce(context: RuleContext): Bounds | undefined {
  const named = observationsOf(context.observations, "cuda-toolkit").find((one) => !one.minimum && one.version !== undefined)?.version;
  const found = context.toolchains.find((body) => typeof valueOf(body.facts, "cuda-version") === "string");
  if (found !== undefined && (named === undefined || found.path.includes(named))) {
    const own = factsOf(found.facts, "host-compiler-bounds")[0]?.value;
    const cuda = valueOf(found.facts, "cuda-version") ?? "";
    if (own !== undefined) return { cuda, from: `crt/host_config.h in ${found.path}`, ...own };
  }
  const torch = context.installed && valueOf(context.installed.facts, "cuda-version");
  const version = named ?? (found && valueOf(found.facts, "cuda-version")) ?? torch;
  const toolkit = typeof version === "string" ? context.catalogue.cudaToolkit(version) : undefined;
  if (toolkit === undefined) return undefined;
  return {
    cuda: toolkit.version,
    from: toolkit.source,
    gcc: { ...(toolkit.minimumGcc === undefined ? {} : { min: toolkit.minimumGcc }), ...(toolkit.maximumGcc === undefined ? {} : { max: toolkit.maximumGcc }) },
    ...(toolkit.maximumClang === undefined ? {} : { clang: { max: toolkit.maximumClang } }),
  };
}

function againstToolkit(context: RuleContext, choice: Choice, bounds: Bounds): Finding | undefined {
  if (!choice.languages.includes("CUDA") || !usesCuda(context)) return undefined;
  const limit = bounds[choice.compiler.family];
  const { major, family } = choice.compiler;
  const tooNew = limit?.max !== undefined && major > limit.max;
  const tooOld = limit?.min !== undefined && major < limit.min;
  if (!tooNew && !tooOld) return undefined;
  const allowed = context.declared.some(({ target }) => target.arguments.some((one) => /-allow-unsupported-compiler\b/.test(one.text)));
  const bound = tooNew ? `nothing above ${family} ${limit?.max ?? ""}` : `nothing below ${family} ${limit?.min ?? ""}`;
  const range = tooNew ? `${family} ${limit?.max ?? ""} or older` : `${family} ${limit?.min ?? ""} or newer`;
  const name = family === "gcc" ? "GNU" : "clang";
  const error = tooNew && !allowed ? ` nvcc stops with "#error -- unsupported ${name} version!".` : "";
  return finding(hostCompiler, {
    message: `The host compiler ${choice.text} is ${family} ${major}${conditionSuffix(choice.conditions)}, and CUDA ${bounds.cuda} accepts ${bound} (${bounds.from}).${error} Use ${range}, or a toolkit that knows ${family} ${major}.`,
    severity: allowed ? "warning" : "error",
    location: choice.location,
    ...(choice.target === undefined ? {} : { target: choice.target }),
  });
}

/** The headers demand a C++ standard; a compiler that does not know it cannot read them. */
function againstTorch(context: RuleContext, choice: Choice): Finding | undefined {
  const { installed } = context;
  const floor = installed && valueOf(installed.facts, "cxx-standard-floor");
  const row = minimums.standards.find((one) => one.standard === floor);
  if (installed === undefined || row === undefined || !context.declared.some(({ target }) => target.usesTorch === true)) return undefined;
  const minimum = row[choice.compiler.family];
  if (choice.compiler.major >= minimum) return undefined;
  return finding(hostCompiler, {
    message: `The compiler ${choice.text} is ${choice.compiler.family} ${choice.compiler.major}${conditionSuffix(choice.conditions)}, and the headers of ${torchName(installed)} demand C++${row.standard}, which ${choice.compiler.family} offers from version ${minimum} on.`,
    location: choice.location,
    against: [{ kind: "catalogue", table: "compiler-standards", row: `C++${row.standard}`, source: row.source }],
  });
}

function usesCuda(context: RuleContext): boolean {
  return context.declared.some(({ target }) => target.languages.includes("CUDA"));
}
