import graph from "../../../../../data/torch-library-graph.json" with { type: "json" };
import { torchLibraryStem } from "../../../catalogue/index.ts";
import { familyOfMatter } from "./family.ts";
import { askFits } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { range } from "./words.ts";

const own: ReadonlySet<string> = new Set(["libc10", ...Object.keys(graph.needed)]);

/** Whether a file is one of torch's own libraries, by its name; torch's module is told by its folder. */
function isOfTorch(file: string | undefined): boolean {
  return file !== undefined && (own.has(torchLibraryStem(file.replace(/\.dylib$/, ".so")) ?? "") || /[\\/]torch[\\/]_C\.[^\\/]*$/.test(file));
}

/** A library of torch misses a name of torch, with which it was linked: the two are of different builds. */
export function ofOwnLibrary(matter: Matter): Judgement | undefined {
  const { error, life, file, name, knowledge: { history } } = matter;
  if (error.when !== "load" || !isOfTorch(error.file) || familyOfMatter(matter) !== "torch") {
    return undefined;
  }
  const homes = life.homes.filter((one) => `${one}.so` !== file);
  return {
    cause: "duplicate-libtorch",
    confidence: "likely",
    headline: `Libraries of two torches are mixed: ${file} is torch's own, and ${homes.length === 0 ? "the libtorch" : `the ${homes.join(" or ")}`} that was loaded lacks ${name}.`,
    because: [
      `${file} comes with the libraries that it needs${life.either.length === 0 ? "" : `: official wheels of torch ${range(life.either, history.releases)} have the name`} (${history.source}). No extension has a part in this.`,
      "Another copy is found before them: one in LD_LIBRARY_PATH, of a second torch in the same environment (pip beside conda), of an installation over an older one, or of a build from source in an old build folder.",
    ],
    fixes: [
      "Unset LD_LIBRARY_PATH, or take the folder with the other libtorch out of it.",
      "If that does not do, install torch into a fresh environment, by one of pip and conda.",
      "If you built it: delete its build folder and build again.",
    ],
    needs: ["Which copies are loaded: LD_DEBUG=libs python -c \"import torch\" 2>&1 | grep -E 'libc10|libtorch'.", askFits(matter)],
  };
}
