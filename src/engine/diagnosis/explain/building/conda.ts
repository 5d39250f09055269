/** What the solvers of conda and mamba say where no set of packages satisfies a request with torch (libmamba, solver/problems_graph.cpp). */
import { verdict } from "../reading.ts";
import type { Explanation, Recogniser } from "../types.ts";
import { printed } from "./reading.ts";

const torchs = "(?:pytorch|libtorch|torchvision|torchaudio|pytorch-cuda|pytorch-gpu)";

const excluded = printed(new RegExp(`package (${torchs})-(\\d[\\w.]{0,40})-(\\S{1,80}) requires ([\\w-]{1,60}(?: [^,\\n]{1,80}?(?:,[<>=!][^,\\n]{1,60}?){0,3})?), but none of the providers can be installed`), ({ match, text }) => {
  const [, name = "", version = "", , needed = ""] = match;
  return { words: text.slice(0, 300), subject: { package: name }, explain: () => unsatisfied(`conda cannot install ${name} ${version}: it needs ${needed}, which another request or an installed package excludes.`) };
});

const absent = printed(new RegExp(`nothing provides (?:requested )?([\\w-]{1,60}(?: [^\\n]{1,80}?)?) needed by (${torchs})-(\\d[\\w.]{0,40})-\\S{1,80}`), ({ match, text }) => {
  const [, needed = "", name = "", version = ""] = match;
  return { words: text.slice(0, 300), subject: { package: name }, explain: () => unsatisfied(`conda cannot install ${name} ${version}: no channel that is asked has ${needed}, which it needs.`) };
});

/** The tree that newer solvers print. */
const notInstallable = printed(new RegExp(`(${torchs}) \\[?(\\d[\\w.]{0,40})[^\\n]{0,80}? is not installable because (?:it requires|it conflicts|there are no viable options)`), ({ match, text }) => {
  const [, name = "", version = ""] = match;
  return { words: text.slice(0, 300), subject: { package: name }, explain: () => unsatisfied(`conda cannot install ${name} ${version} beside what else is asked for.`) };
});

function unsatisfied(headline: string): Explanation {
  return verdict("torch-requirement", "certain", headline, ["The solver says so before anything is installed: ABI has no part in it.", "The builds of one version differ by their Python and CUDA, which stand in the build's name (cuda126_py312_…)."], {
    fixes: [
      "Ask for torch, Python and CUDA in one command in a new environment, with versions for which a build exists (conda search pytorch -c conda-forge).",
      "Where a virtual package is missing (__cuda), the machine that solves has no driver: set CONDA_OVERRIDE_CUDA to the CUDA version of the machine that will run it.",
      "Take torch and what is built against it from one channel: the pytorch channel has ended with 2.5, conda-forge goes on.",
    ],
  });
}

export const condaRecognisers: readonly Recogniser[] = [excluded, absent, notInstallable];
