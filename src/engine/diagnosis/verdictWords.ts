import type { FileFit, Verdict } from "../model/index.ts";

/** The answer, in a sentence. What was found to be in order is not called more than that. */
export function verdictHeadline(verdict: Verdict, torch: string): string {
  switch (verdict) {
    case "no-conflict":
      return `No conflict with ${torch} found in what was checked.`;
    case "conflict":
      return `Would not work with ${torch}.`;
    case "unknown":
      return `Could not be told for ${torch}.`;
  }
}

/** The words of glibc's loader: it looks for the libraries first, then for their versions, then binds symbols. */
export function loaderSays(fit: FileFit): string | undefined {
  const [dependency] = fit.missingDependencies;
  const [version] = fit.missingVersions;
  const symbol = fit.missing.find((one) => one.binding === "global");
  if (dependency !== undefined) {
    return dependency.refused ?? `${dependency.name}: cannot open shared object file: No such file or directory`;
  }
  if (version !== undefined) {
    return `${version.foundIn}: version \`${version.version}' not found (required by ${fit.file})`;
  }
  return symbol === undefined ? undefined : `${symbol.neededBy ?? fit.file}: undefined symbol: ${symbol.symbol}${symbol.version === undefined ? "" : `, version ${symbol.version}`}`;
}
