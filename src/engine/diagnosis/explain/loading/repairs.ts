/** What auditwheel and delocate say when a wheel cannot be made portable (auditwheel/repair.py, auditwheel/main_repair.py; delocate/libsana.py). */
import { torchLibraryStem } from "../../../catalogue/index.ts";
import { cudaLibrary } from "../../../fit/cudaLibraries.ts";
import { baseName } from "../orderMatters.ts";
import { clueOf, verdict } from "../reading.ts";
import { recogniserOf } from "../running/sayings.ts";
import type { Saying } from "../running/sayings.ts";
import type { Explanation, Recogniser } from "../types.ts";

const notLocated: Saying = {
  pattern: /Cannot repair wheel, because required library "(?<elf>[^"\s]{1,300})" could not be located|@rpath\/(?<macho>[\w.+-]{1,200}\.dylib) not found:?$/,
  read(said) {
    const { elf, macho } = said.match.groups ?? {};
    const library = baseName(elf ?? macho ?? "");
    return clueOf(said, () => explainNotLocated(library, macho === undefined), { words: said.match[0], subject: { library } });
  },
};

function explainNotLocated(library: string, isElf: boolean): Explanation {
  const tool = isElf ? "auditwheel" : "delocate";
  const isTorchs = torchLibraryStem(library.replace(/\.dylib$/, ".so")) !== undefined;
  const isCuda = cudaLibrary(library) !== undefined;
  if (!isTorchs && !isCuda) {
    return verdict("library-missing", "certain", `${tool} does not find ${library}, which files in the wheel need.`, ["It copies what the files need into the wheel, and looks for it where the loader does. Versions and ABI have no part in it."], {
      fixes: ["Install it in the image that builds, or let the folder that has it be searched (LD_LIBRARY_PATH, DYLD_LIBRARY_PATH) for this command.", `Of a library that users have by another package: leave it out with --exclude ${library}.`],
    });
  }
  return verdict(isTorchs ? "torch-library-missing" : "cuda-runtime-missing", "certain", `${tool} does not find ${library}, which files in the wheel need and which ${isTorchs ? "torch" : "torch's CUDA packages"} bring.`, [
    "Such libraries do not belong into the wheel: import torch loads them into the process, and a copy beside the wheel would be a second libtorch or CUDA run time.",
    "No version and no ABI disagrees: the tool looks where the loader does, and torch lies elsewhere.",
  ], {
    fixes: [isElf
      ? "Leave them out: auditwheel repair with --exclude for libc10.so, libtorch.so, libtorch_cpu.so, libtorch_python.so, of CUDA also libc10_cuda.so, libtorch_cuda.so and the lib…so.N of the toolkit."
      : "Leave them out: delocate-wheel with --exclude libc10 --exclude libtorch.", "Do not put torch's folder on the search path for it: then the libraries are copied into the wheel."],
    copy: `--exclude ${library}`,
  });
}

const tooRecent: Saying = {
  pattern: /cannot repair "(?<wheel>[^"]{1,400}\.whl)" to "(?<tag>\w{1,60})" ABI because of the presence of too-recent versioned symbols/,
  read(said) {
    const { wheel = "", tag = "" } = said.match.groups ?? {};
    const file = baseName(wheel);
    return clueOf(said, () => verdict("wheel-tag", "certain", `${file} was built on a newer Linux than ${tag} allows.`, [
      "Its files ask for versions of glibc's or libstdc++'s symbols that the systems of that tag do not have; with the tag they would fail there when they are loaded.",
      "torch's version and the std::string ABI have no part in it.",
    ], {
      fixes: [
        `Build it in the manylinux image of that tag, or ask for a newer one (auditwheel repair --plat manylinux_2_28_${/(?:x86_64|aarch64)$/.exec(tag)?.[0] ?? "x86_64"}): torch's own wheels are manylinux_2_28 since 2.7.`,
      ],
      needs: [`Which symbols: auditwheel show ${file}`],
    }), { words: said.match[0], subject: { package: file.split("-")[0] ?? "", file } });
  },
};

export const repairRecognisers: readonly Recogniser[] = [recogniserOf(/Cannot repair wheel|cannot repair "|\.dylib not found/, [notLocated, tooRecent])];
