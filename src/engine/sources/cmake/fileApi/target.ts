import { absolute } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { Backtraces } from "./backtrace.ts";
import type { LineReader } from "./backtrace.ts";
import type { CacheEntry } from "./cache.ts";
import { index, list, object, objects, text } from "./json.ts";
import type { Json } from "./json.ts";
import type { CompileArgument, DeclaredTarget, Language, LinkedLibrary, SourceEvidence, TargetSource } from "../../../model/index.ts";

const kinds: Readonly<Record<string, DeclaredTarget["kind"]>> = {
  STATIC_LIBRARY: "static", SHARED_LIBRARY: "shared", MODULE_LIBRARY: "module", OBJECT_LIBRARY: "object", INTERFACE_LIBRARY: "interface", EXECUTABLE: "executable",
};

const languagesKnown: readonly string[] = ["C", "CXX", "CUDA", "HIP"] satisfies readonly Language[];

export interface TargetInput {
  readonly reply: Reply;
  readonly target: Json;
  /** Names of the project's targets by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly cache: ReadonlyMap<string, CacheEntry>;
  readonly lines: LineReader;
}

/** One target of the codemodel; undefined for utilities, which compile nothing. */
export function targetOf({ reply, target, names, cache, lines }: TargetInput): DeclaredTarget | undefined {
  const name = text(target["name"]);
  const kind = kinds[text(target["type"]) ?? ""];
  if (name === undefined || kind === undefined) return undefined;
  const backtraces = new Backtraces(target, reply.sourceDirectory, lines);
  const made = backtraces.evidence(target["backtrace"]) ?? { kind: "source", location: lines.location(`${reply.sourceDirectory}/CMakeLists.txt`, 0), text: "", via: [], command: undefined };
  const groups = objects(target["compileGroups"]).filter((group) => languagesKnown.includes(text(group["language"]) ?? ""));
  const links = linksOf(target, names, backtraces, made);
  const includes = [...new Set(groups.flatMap((group) => objects(group["includes"]).flatMap((one) => text(one["path"]) ?? [])))];
  const limited = /\.abi3\./.test(text(target["nameOnDisk"]) ?? "");
  return {
    name,
    builder: "cmake",
    kind,
    location: made.location,
    languages: [...new Set(groups.map((group) => text(group["language"]) as Language))],
    sources: sourcesOf(reply, target, groups, objects(target["compileGroups"]), backtraces, made),
    arguments: distinctArguments(groups.flatMap((group) => argumentsOf(group, backtraces, cache, made))),
    links,
    includeDirectories: includes,
    usesTorch: links.some((link) => /(?:^|[/\\])(?:lib)?(?:torch|c10)(?:_\w+)?(?:\.\w+)*$/.test(link.name)) || includes.some((path) => /[/\\]torch[/\\]include\b|[/\\]libtorch[/\\]include\b/.test(path)),
    madeBy: made.command ?? "add_library",
    ...(limited ? { pyLimitedApi: { value: true, evidence: evidenceOnly(made) } } : {}),
    conditions: [],
  };
}

function argumentsOf(group: Json, backtraces: Backtraces, cache: ReadonlyMap<string, CacheEntry>, made: SourceEvidence): CompileArgument[] {
  const language = text(group["language"]) as Language;
  const make = (argument: string, origin: CompileArgument["origin"], evidence: SourceEvidence): CompileArgument => ({ text: argument, known: true, languages: [language], origin, conditions: [], evidence: evidenceOnly(evidence) });
  const result: CompileArgument[] = [];
  for (const define of objects(group["defines"])) {
    const value = text(define["define"]);
    if (value !== undefined) result.push(make(`-D${value}`, "definition", backtraces.evidence(define["backtrace"]) ?? made));
  }
  const standard = object(group["languageStandard"]);
  const standardEvidence = backtraces.evidence(list(standard?.["backtraces"])[0]);
  for (const fragment of objects(group["compileCommandFragments"])) {
    const place = backtraces.evidence(fragment["backtrace"]);
    for (const word of splitWords(text(fragment["fragment"]) ?? "")) {
      const origin = originOf(word, place !== undefined);
      const cached = origin === "flags-variable" ? cachedFlag(cache, language, word) : undefined;
      result.push(make(word, origin, place ?? (origin === "standard" ? standardEvidence : cached) ?? made));
    }
  }
  const year = text(standard?.["standard"]);
  // CMake leaves the flag out where the compiler's default is enough; the target is compiled with it all the same.
  if (year !== undefined && (language === "CXX" || language === "CUDA") && !result.some((one) => /^--?std[=:]/.test(one.text))) {
    result.push(make(`-std=gnu++${year}`, "standard", standardEvidence ?? made));
  }
  return result;
}

function originOf(word: string, hasPlace: boolean): CompileArgument["origin"] {
  if (hasPlace) return "option";
  if (/^--?std[=:]/.test(word)) return "standard";
  return /^--?(?:generate-code|gencode|arch)\b/.test(word) ? "architecture" : "flags-variable";
}

/** The cache entry that holds a flag of CMAKE_<LANG>_FLAGS, if the flag came from there. */
function cachedFlag(cache: ReadonlyMap<string, CacheEntry>, language: Language, word: string): SourceEvidence | undefined {
  const entry = cache.get(`CMAKE_${language}_FLAGS`);
  return entry !== undefined && splitWords(entry.value).includes(word) ? { kind: "source", location: entry.location, text: entry.text, via: [] } : undefined;
}

function linksOf(target: Json, names: ReadonlyMap<string, string>, backtraces: Backtraces, made: SourceEvidence): readonly LinkedLibrary[] {
  const links = new Map<string, LinkedLibrary>();
  const add = (name: string, isProjectTarget: boolean, backtrace: unknown): void => {
    if (!links.has(name)) links.set(name, { name, isProjectTarget, conditions: [], evidence: evidenceOnly(backtraces.evidence(backtrace) ?? made) });
  };
  for (const dependency of objects(target["dependencies"])) {
    const name = names.get(text(dependency["id"]) ?? "");
    if (name !== undefined) add(name, true, dependency["backtrace"]);
  }
  for (const fragment of objects(object(target["link"])?.["commandFragments"])) {
    if (fragment["role"] !== "libraries") continue;
    for (const word of splitWords(text(fragment["fragment"]) ?? "")) {
      const library = /^-l(.+)$/.exec(word)?.[1] ?? (word.startsWith("-") ? undefined : word);
      // A path relative to the build folder is a product of this build, which the dependencies name.
      if (library !== undefined && (/^-l/.test(word) || /^(?:\/|[A-Za-z]:)/.test(library))) add(library, false, fragment["backtrace"]);
    }
  }
  return [...links.values()];
}

function sourcesOf(reply: Reply, target: Json, groups: readonly Json[], all: readonly Json[], backtraces: Backtraces, made: SourceEvidence): readonly TargetSource[] {
  return objects(target["sources"]).flatMap((source): TargetSource[] => {
    const path = text(source["path"]);
    const group = all[index(source["compileGroupIndex"]) ?? -1];
    if (path === undefined || group === undefined || !groups.includes(group)) return [];
    return [{ path: absolute(reply.sourceDirectory, path), language: text(group["language"]) as Language, conditions: [], location: (backtraces.evidence(source["backtrace"]) ?? made).location }];
  });
}

/** Sources of one language may have options of their own; what all of them share is listed once. */
function distinctArguments(all: readonly CompileArgument[]): readonly CompileArgument[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const key = `${one.languages.join()} ${one.text}`;
    // Options that come in pairs repeat their first half on purpose.
    if (/^-(?:Xcompiler|gencode|Xcudafe|arch|code)$/.test(one.text)) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function evidenceOnly(evidence: SourceEvidence): SourceEvidence {
  return { kind: "source", location: evidence.location, text: evidence.text, via: evidence.via };
}

/** Splits a command line fragment as a shell would: quotes group and go, a backslash keeps the next character. */
export function splitWords(fragment: string): readonly string[] {
  const words = fragment.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double: string | undefined, single: string | undefined, escaped: string | undefined) => double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? ""));
}
