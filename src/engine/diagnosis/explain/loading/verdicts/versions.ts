import table from "../../../../../../data/gcc-libraries.json" with { type: "json" };
import { compareNumbers } from "../../../../fit/versions.ts";
import { fileName, inside } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import { seenVersion, withFit } from "./seen.ts";

/** A version of symbols that a library was asked for and does not have. */
export interface VersionError {
  /** "GLIBCXX_3.4.32". */
  readonly version: string;
  /** The library that was loaded, as the loader names it: a path, or a soname. */
  readonly library?: string | undefined;
  /** The file that asks. */
  readonly file?: string | undefined;
  readonly when: "load" | "link";
  /** The symbol where the error names one. */
  readonly symbol?: string | undefined;
}

/** What it means that a library lacks a version of symbols. */
export function explainVersion(error: VersionError, knowledge: Knowledge): Explanation {
  return withFit(ofSeries(error, knowledge), error.file, knowledge, seenVersion(error.version));
}

function ofSeries(error: VersionError, knowledge: Knowledge): Explanation {
  if (/^(?:GLIBCXX|CXXABI)_/.test(error.version)) return olderLibstdcxx(error, knowledge);
  if (/^GLIBC_(?:\d|PRIVATE|ABI)/.test(error.version)) return olderGlibc(error, knowledge);
  return olderLibrary(error);
}

/** The first GCC whose libstdc++ has a version: "13.2" for GLIBCXX_3.4.32; undefined: not in the table. */
function gccOf(version: string): string | undefined {
  const [series = "", number = ""] = version.split(/_(?=[\d.]+$)/);
  return series === "GLIBCXX" || series === "CXXABI" ? table.libstdcxx.find((row) => compareNumbers(row[series], number) >= 0)?.gcc : undefined;
}

function olderLibstdcxx(error: VersionError, knowledge: Knowledge): Explanation {
  const { version, library, file, when } = error;
  const who = fileName(file);
  const gcc = gccOf(version);
  const builtWith = gcc === undefined ? "a newer GCC" : `GCC ${gcc} or later`;
  const where = library === undefined || !/[\\/]/.test(library) ? "the libstdc++ that is found first" : library;
  const origin = originOf(library ?? "");
  const offered = offeredBy(library, version, knowledge);
  const copy = origin === "conda" && gcc !== undefined ? `conda install -c conda-forge "libstdcxx-ng>=${gcc}"` : undefined;
  return verdict("libstdcxx-too-old", "certain", `${who} needs ${version} of libstdc++ (${builtWith}), and ${where} is older${offered === undefined ? "" : `: it goes up to ${offered}`}.`, [
    `${version} came with the libstdc++ of ${gcc === undefined ? "a release that the table does not have" : `GCC ${gcc}`}: ${inside(who)} was ${when === "link" ? "built" : "compiled or linked"} with a newer compiler than the libstdc++ belongs to.`,
    ...(when === "load" ? ["The first libstdc++ that a process loads serves everything in it: which one that is depends on the search path and on what was imported before."] : []),
    ...whose[origin],
    "This is no disagreement with torch, and nothing about std::string's two ABIs.",
  ], {
    fixes: when === "link" ? ["Link with the compiler that the library was built with, or a newer one; or take a build of the library for your compiler."] : fixesOf(origin, gcc, who),
    copy,
    needs: knowledge.environment === undefined && origin === "other" ? ["Where the libstdc++ comes from that is loaded first: `ldd FILE | grep stdc++`, and LD_LIBRARY_PATH."] : [],
    ...(error.symbol === undefined ? {} : { symbols: [{ symbol: error.symbol, demangled: error.symbol }] }),
  });
}

type Origin = "conda" | "system" | "other";

/** Whose a library is, by its folder. */
function originOf(library: string): Origin {
  if (/(?:conda|mamba|miniforge|\/envs\/|\/\.pixi\/)/i.test(library)) return "conda";
  return /^(?:\/usr)?\/+(?:usr\/)?lib(?:64|32)?\//.test(library) && !/site-packages|dist-packages/.test(library) ? "system" : "other";
}

const whose: Readonly<Record<Origin, readonly string[]>> = {
  conda: ["The libstdc++ that is found is the conda environment's own; the system may have a newer one, which conda's Python does not look at."],
  system: ["The libstdc++ that is found is the system's."],
  other: [],
};

function fixesOf(origin: Origin, gcc: string | undefined, who: string): readonly string[] {
  const newer = gcc === undefined ? "a newer libstdcxx-ng" : `libstdcxx-ng ${gcc} or later`;
  const rebuild = `Or build ${inside(who)} with a compiler no newer than that libstdc++ (in conda: its own gxx_linux-64 package).`;
  if (origin === "conda") return [`Bring the conda environment's libstdc++ up: install ${newer} from conda-forge.`, rebuild];
  if (origin === "system") {
    return [
      `Take a build of ${inside(who)} for this system: a wheel with a manylinux tag, or one that you compile here with the system's GCC.`,
      `Or use an environment that brings a newer libstdc++: a conda environment with ${newer}, or a container of a newer distribution.`,
    ];
  }
  return [
    "Find out why this libstdc++ is found before the system's: a folder in LD_LIBRARY_PATH or an RPATH, or a package that brings its own. Take that folder out of the search path.",
    rebuild,
  ];
}

/** The highest version of the same series in the library that was found, where it can be read. */
function offeredBy(library: string | undefined, version: string, { environment }: Knowledge): string | undefined {
  const machine = environment?.machine;
  const path = library === undefined || machine === undefined ? undefined : library.includes("/") ? library : machine.cached(library, undefined);
  const series = version.replace(/[\d.]+$/, "");
  const offered = path === undefined ? undefined : machine?.open(path)?.versionDefinitions().filter((one) => one.startsWith(series)).sort(compareNumbers).at(-1);
  // Another machine's text may name a path that this one has too, with what it lacked there.
  return offered !== undefined && compareNumbers(offered, version) < 0 ? offered : undefined;
}

/** Libraries of torch itself. */
const torchs = /^lib(?:c10|torch)(?:_\w+)?\./;

function olderGlibc(error: VersionError, knowledge: Knowledge): Explanation {
  const { version, file, library, when } = error;
  const who = fileName(file);
  const offered = offeredBy(library ?? "libc.so.6", version, knowledge);
  // Some nodes name a feature and no release.
  const number = table.glibcFeatures.find((one) => one.version === version)?.glibc ?? (/^GLIBC_\d/.test(version) ? version.replace(/^GLIBC_/, "") : undefined);
  const systems = number === undefined ? undefined : systemsWith(number);
  const newer = `Or move to a ${systems === undefined ? "newer distribution" : "distribution or container that has it"}.`;
  return verdict("glibc-too-old", "certain", `${who} needs ${number === undefined ? `${version} of glibc` : `glibc ${number}`}, and this system's is ${offered === undefined ? "older" : offered.replace("GLIBC_", "")}.`, [
    when === "link" ? `It was built on a newer Linux than the one that links it: ${version} is a version of symbols in ${baseName(library ?? "libc.so.6")}.` : `It was built on a newer Linux than the one that loads it, and asks ${baseName(library ?? "libc.so.6")} for ${version}.`,
    ...(systems === undefined ? [] : [`Systems with that glibc: ${systems}.`]),
    "glibc comes with the distribution: neither pip nor conda can bring another one, and replacing it by hand breaks the system.",
    "torch's version and CUDA have no part in it.",
  ], {
    fixes: /^libstdc\+\+\./.test(who) ? ["Let the system's own libstdc++ be found: take the folder of this one, of a newer GCC, out of LD_LIBRARY_PATH and RPATH; or build that GCC on this system.", newer] : [
      torchs.test(who) ? "Take an older release of torch: its wheels are built for glibc 2.17 up to 2.5, and for 2.28 later." : `Build ${inside(who)} on this system (pip install --no-binary for that package), or take an older build of it whose wheel has a lower manylinux tag.`,
      newer,
      ...(torchs.test(who) ? [] : ["If you publish it: build in a manylinux image, and let auditwheel set the tag."]),
    ],
  });
}

function systemsWith(version: string): string | undefined {
  const rows = table.glibc.filter((row) => compareNumbers(row.glibc, version) >= 0).slice(0, 3);
  const names = rows.flatMap((row) => row.systems.map((one) => `${one} (${row.glibc})`)).slice(0, 4);
  return names.length === 0 ? undefined : `${names.join(", ")}, and newer ones`;
}

function olderLibrary({ version, library, file, when, symbol }: VersionError): Explanation {
  const who = fileName(file);
  const isNamed = library !== undefined && /\.so\b/.test(library);
  const name = isNamed ? baseName(library) : "the library that defines it";
  const wanted = symbol === undefined ? version : `${symbol} in version ${version}`;
  const folder = isNamed && library.includes("/") ? library.slice(0, library.lastIndexOf("/")) : undefined;
  return verdict("library-too-old", isNamed ? "certain" : "likely", `${who} needs ${wanted}${isNamed ? ` of ${name}` : ""}, and ${isNamed ? `the ${name}` : "the library"} that is found is another release without it.`, [
    `${who} was linked against another release of ${name} than the one ${folder === undefined ? "that is found" : `in ${folder}`}.`,
    ...(folder === undefined || originOf(`${folder}/`) === "system" ? [] : ["It is not the system's copy: a folder in LD_LIBRARY_PATH, an RPATH or a package brings it."]),
  ], {
    fixes: [
      when === "link" ? "Link against the release that the others were linked against." : "Let the release be found that it was linked against: look for another copy in LD_LIBRARY_PATH and in the environment, and update or remove that one.",
      `Or rebuild ${inside(who)} against the one that is there.`,
    ],
    needs: isNamed ? [] : [`Whose version ${version} is: \`objdump -p ${file ?? "FILE"}\` lists it below the library under "Version References".`],
    ...(symbol === undefined ? {} : { symbols: [{ symbol, demangled: symbol }] }),
  });
}
