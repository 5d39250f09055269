import { cudaLibrary, homeOfCudaSymbol } from "../../../../fit/cudaLibraries.ts";
import { explainSymbol } from "../../symbols/index.ts";
import type { SymbolError } from "../../symbols/index.ts";
import { fileName } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import { explainVersion } from "./versions.ts";

/** What it means that nobody provides a symbol: what its version says, what a flag of the link brings, what the environment's CUDA has; else what is known of the symbol. */
export function explainMissingSymbol(error: SymbolError, knowledge: Knowledge): Explanation {
  return byVersion(error, knowledge) ?? byFlag(error) ?? byInstalledCuda(error, knowledge) ?? explainSymbol(error, knowledge);
}

/** A symbol that is asked for in a version of a system's or another library. CUDA's libraries bear their own name as the version. */
function byVersion({ symbol, version, from, file, when }: SymbolError, knowledge: Knowledge): Explanation | undefined {
  const isCudas = from !== undefined && (cudaLibrary(from) !== undefined || from.startsWith("libcudnn")) || /^__nvJitLink/.test(symbol);
  return version === undefined || isCudas ? undefined : explainVersion({ version, library: from === version ? undefined : from, file, when, symbol }, knowledge);
}

interface Flag {
  readonly names: RegExp;
  readonly flag: string;
  readonly what: string;
}

/** Names of glibc before 2.34 (its NEWS: libpthread, libdl and librt became part of libc) and of GCC's libatomic. */
const flags: readonly Flag[] = [
  { names: /^pthread_/, flag: "-pthread", what: "POSIX threads" },
  { names: /^dl(?:open|sym|close|error)$/, flag: "-ldl", what: "the loader's interface" },
  { names: /^__atomic_/, flag: "-latomic", what: "GCC's atomics" },
  { names: /^shm_(?:open|unlink)$/, flag: "-lrt", what: "POSIX real-time functions" },
];

function byFlag({ symbol, when, file }: SymbolError): Explanation | undefined {
  const found = flags.find(({ names }) => names.test(symbol));
  return found === undefined ? undefined : {
    ...verdict("library-not-linked", when === "link" ? "certain" : "likely", `${fileName(file)} uses ${symbol} of ${found.what} and was linked without it.`, ["This is no ABI mismatch."], {
      fixes: [`Compile and link with ${found.flag}.`],
      copy: found.flag,
      needs: when === "link" ? [] : ["Whether the command of its link has the flag."],
      symbols: [{ symbol, demangled: symbol }],
    }),
    about: found.flag,
  };
}

/** A function of CUDA that an extension misses, where the environment's library of that function can be asked. */
function byInstalledCuda({ symbol, when, file }: SymbolError, knowledge: Knowledge): Explanation | undefined {
  const { environment } = knowledge;
  const home = when === "load" ? homeOfCudaSymbol(symbol) : undefined;
  const installed = home === undefined ? undefined : environment?.preloaded?.find((one) => cudaLibrary(one.soname ?? one.path)?.stem === home);
  const isVendors = file !== undefined && (cudaLibrary(file) !== undefined || /^lib(?:torch|c10)/.test(baseName(file)));
  if (home === undefined || installed === undefined || isVendors || (file !== undefined && knowledge.fitOf(file) !== undefined)) return undefined;
  const who = fileName(file);
  const symbols = [{ symbol, demangled: symbol }];
  if (!installed.defines(symbol)) {
    return verdict("cuda-library-skew", "certain", `${who} was built with a newer ${home} than the environment has: ${baseName(installed.path)} has no ${symbol}.`, [`${installed.path} does not export it.`, "This is no matter of torch's own symbols."], {
      fixes: ["Build it with the CUDA toolkit of the version that torch was built with, or take the build for that CUDA.", "Or install a torch for the newer CUDA."],
      symbols,
    });
  }
  const name = home.replace(/^lib/, "");
  return verdict("library-not-linked", "certain", `${who} uses ${symbol} of ${home} and is not linked with it.`, [`${installed.path} exports it; torch loads it for itself, which does not help: what Python loads is not global.`, "This is no ABI mismatch."], {
    fixes: [`Link it and build the file again: -l${name} (CMake: CUDA::${name}; setup.py: libraries=["${name}"]).`],
    copy: `-l${name}`,
    symbols,
  });
}
