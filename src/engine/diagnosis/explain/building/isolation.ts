/** Builds in an environment of their own, which lacks what the build scripts import. */
import { verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { isNear, near, printed } from "./reading.ts";

/** Folders of temporary build environments: pip, build, uv, poetry. */
const buildFolder = /pip-build-env-|[\\/]build-env-\w|[\\/]builds-v0[\\/]|\buv[\\/]builds|[\\/]overlay[\\/]lib|[\\/]hatch[\\/]env[\\/].{0,80}build/i;
/** What front ends say around a build backend's failure. */
const buildPhase = /Getting requirements to build (?:wheel|editable)|Preparing (?:metadata|editable metadata)|get_requires_for_build_|prepare_metadata_for_build|pyproject_hooks|[\\/]setuptools[\\/]build_meta\.py|_in_process\.py|Call to `[\w.:]{1,120}` failed|(?:Failed to build|The build backend returned an error|Build backend failed)|python setup\.py (?:egg_info|bdist_wheel)|scikit_build_core|PEP517|ChefBuildError|Backend subprocess exited/;

/** uv's hint; a package of no index is named by its address. */
const undeclared = /This error likely indicates that `([\w.-]{1,80}|[\w+.-]{1,12}:\/\/[^`\s@]{1,200})(?:@[^`]{1,60})?` depends on `([\w.-]{1,80})`, but doesn't declare/;

const missingModule = printed(/^\s*(?:ModuleNotFoundError|ImportError): No module named ['"]?([\w.]{1,80})['"]?/, ({ log, at, match, text }) => {
  const module = match[1] ?? "";
  const top = module.split(".")[0] ?? module;
  const declared = near(log, at, 0, 30, undeclared);
  if (declared?.[2] !== top && !isNear(log, at, 60, 8, buildPhase) && !isNear(log, at, 60, 0, buildFolder)) {
    return isNear(log, at, 12, 0, /^\s*File "(?:[^"]{0,300}[\\/])?setup\.py", line \d+/) ? { words: text, subject: { module: top }, explain: () => notBuiltByInstaller(top) } : undefined;
  }
  const isIsolated = isNear(log, at, 60, 0, buildFolder) || isNear(log, at, 0, 30, /doesn't declare it as a build dependency|build isolation/);
  const legacy = isNear(log, at, 60, 20, /python setup\.py egg_info/) && !isIsolated;
  const name = declared?.[1] ?? packageOf(log, at);
  // What a package itself should have brought was not built: its build asks nobody for it.
  if (declared === undefined && name !== undefined && top.toLowerCase().startsWith(name.replaceAll("-", "_").toLowerCase())) return undefined;
  const folder = name === undefined && isNear(log, at, 120, 0, /^\s*(?:Processing |Obtaining file:\/\/)\S{0,300}$|^\s*(?:\$ )?pip3? install (?:-\S+ )*\.(?:\s|$)/);
  return { words: text, subject: { module: top, ...(name === undefined ? {} : { package: name }) }, explain: (knowledge) => explainMissing(top, folder ? "." : name, legacy ? "legacy" : isIsolated ? "isolated" : "unclear", knowledge) };
});

/** uv's own words, where its message does not show the traceback. */
const uvHint = printed(undeclared, ({ match, text }) => ({
  words: text, subject: { module: match[2] ?? "", package: match[1] ?? "" },
  explain: (knowledge) => explainMissing(match[2] ?? "", match[1], "isolated", knowledge),
}));

/** A setup.py that catches the failed import of torch and says so in words of its own, which uv wraps. */
const wantsTorchFirst = printed(/^\s*(?:[A-Za-z]\w* ){1,6}requires (?:PyTorch|torch)\b.{0,60}being installed, please install (?:PyTorch|torch) first/i, ({ log, at, text }) => {
  if (!isNear(log, at, 60, 8, buildPhase) || !isNear(log, at, 0, 2, /module named ['"]?torch\b/)) {
    return undefined;
  }
  const name = packageOf(log, at);
  return { words: text.trim(), subject: { module: "torch", ...(name === undefined ? {} : { package: name }) }, explain: (knowledge) => explainMissing("torch", name, "unclear", knowledge) };
});

export const isolationRecognisers: readonly Recogniser[] = [missingModule, uvHint, wantsTorchFirst];

/** The distribution that was being built: pip's "Building wheel for x", "Failed to build `x @ ...`", "Collecting x". */
function packageOf(log: Log, at: number): string | undefined {
  const above = near(log, at, 60, 12, /(?:Failed to (?:build|download and build)|Building wheel for|Failed building wheel for|× Failed to build) [`'"]?([A-Za-z][\w.-]{0,80}?)(?:==[\w.+!-]{1,40}|\s@|[`'" (]|$)/)?.[1];
  if (above !== undefined && !/^(?:installable|wheel|editable)$/.test(above)) {
    return above;
  }
  for (let index = at; index >= Math.max(0, at - 80); index -= 1) {
    const collecting = /^\s*Collecting ([A-Za-z][\w.-]{0,80})/.exec(log.lines[index]?.text.slice(0, 300) ?? "")?.[1];
    if (collecting !== undefined) {
      return collecting;
    }
  }
  return undefined;
}

function notBuiltByInstaller(module: string): Explanation {
  return verdict("module-missing", "certain", `setup.py imports ${module}, and the Python that runs it has none.`, ["setup.py was run by itself, not by pip or uv in an environment of their own."], { fixes: [`Activate the environment that holds ${module}, or install it; then build with \`pip install --no-build-isolation .\`.`], copy: "pip install --no-build-isolation ." });
}

function explainMissing(module: string, name: string | undefined, where: "isolated" | "unclear" | "legacy", knowledge: Knowledge): Explanation {
  const what = name === undefined || name === "." ? "the package" : name;
  const target = name ?? "<package>";
  const torch = knowledge.environment?.body.distributions.find((one) => one.name === "torch")?.version;
  const isTorch = module === "torch";
  if (where === "legacy") {
    return verdict("build-isolation", "likely", `${what === "the package" ? "The package" : what}'s setup.py imports ${module}, which the environment of the build does not hold.`, ["pip runs `setup.py egg_info` to learn the package's metadata, before it installs requirements. A package with a pyproject.toml is built in an environment of its own instead."], {
      needs: ["Which pip: from 23.1 on it builds every package in an environment of its own."],
      fixes: [`Install ${module} first, then the package with --no-build-isolation.`], copy: `pip install ${module} && pip install --no-build-isolation ${target}`,
    });
  }
  return verdict("build-isolation", where === "isolated" ? "certain" : "likely", `The build of ${what} imports ${module}, which is not in the environment that it is built in.`, [
    where === "isolated"
      ? `pip, uv and build make a fresh environment with what [build-system] requires names, and nothing else: that ${module} is installed beside it does not count.`
      : `The front end built it without a temporary environment, or does not show one: the environment that builds lacks ${module}.`,
    ...(isTorch && torch !== undefined ? [`The environment compared with holds torch ${torch}.`] : []),
  ], {
    fixes: isTorch
      ? [
        `Build against the torch that is installed: \`pip install --no-build-isolation ${target}\` (with torch, setuptools, wheel, packaging and ninja installed); for uv name it in no-build-isolation-package, or torch in [tool.uv.extra-build-dependencies] with match-runtime = true.`,
        "Of your own package: name the same torch in [build-system] requires and in dependencies, both pinned to one minor release. An unpinned torch there takes the newest one, and the extension then fails at import.",
      ]
      : [`Install ${module} and build with --no-build-isolation, if the package builds against torch anyway; else name ${module} in [build-system] requires of the package.`],
    ...(name === undefined ? {} : { copy: isTorch ? `pip install --no-build-isolation ${target}` : `pip install ${module} && pip install --no-build-isolation ${target}` }),
    needs: where === "unclear" ? ["Whether it was built with --no-build-isolation."] : [],
  });
}
