import { compareVersions, exactVersion, localLabel, parseRequirementText, parseVersion, publicVersion, satisfies, valueOf } from "../model/index.ts";
import type { Evidence, Finding, InstalledBody, InstalledDistribution, Location, RelatedPlace, Requirement } from "../model/index.ts";
import type { TorchRelease } from "../catalogue/index.ts";
import { missingCuda } from "./binaries/dependencies.ts";
import { sameSaidOnce } from "./binaries/repeats.ts";
import { nameOf, placeOfFile } from "./binaries/subjects.ts";
import { symbolsPhrase, torchOfFit } from "./binaries/words.ts";
import { once } from "./once.ts";
import { actTogether, minorOf, packageOf, pinFix, releasesAllowed, requirementWords, wantedTorch } from "./pins/packages.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";
import { capital, finding, joinWords } from "./support.ts";
import { releaseEvidence, releasePart } from "./torch.ts";

/** Packages that are released for one torch each; the catalogue says which. triton is the one that torch itself requires. */
const companions = new Set(["torchvision", "torchaudio", "torchtext", "triton"]);

export const packagePair: Rule = {
  name: "package-pair",
  severity: "error",
  summary: "torchvision, torchaudio, triton or another package that was released for another torch.",
  check(context) {
    return [...pinnedPairs(context), ...installedPairs(context)];
  },
};

function pinnedPairs(context: RuleContext): readonly Finding[] {
  const torch = context.requirements.filter((one) => one.name === "torch" && one.known);
  return context.requirements.filter((one) => companions.has(one.name) && one.known && one.specifier !== "").flatMap((one) => {
    const partners = partnersOf(context, one, torch);
    if (partners.length === 0) return [];
    return nightlyPair(context, one, partners) ?? otherCuda(context, one, partners) ?? otherRelease(context, one, partners) ?? [];
  });
}

/** The torch requirements that stand in one list with a companion; else those of the package that the list belongs to. */
function partnersOf(context: RuleContext, one: Requirement, torch: readonly Requirement[]): readonly Requirement[] {
  const sameFile = torch.filter((other) => other.location.path === one.location.path && other.role === one.role && actTogether(one, other));
  const sameList = sameFile.filter((other) => other.group === one.group);
  if (sameList.length > 0) return one.role === "image" ? lastBefore(sameList, one) : sameList;
  if (one.role === "image" || one.role === "conda" || one.role === "constraint") return [];
  const install = sameFile.filter((other) => other.role === "install");
  if (install.length > 0) return install;
  const owner = packageOf(context, one.location.path);
  if (!owner || !isNear(one.location.path, owner.directory)) return [];
  return wantedTorch(context, owner).filter((other) => other.known && actTogether(one, other));
}

/** In an image the lines run in order: the line of the companion itself, or the last torch before it, counts. */
function lastBefore(torch: readonly Requirement[], one: Requirement): readonly Requirement[] {
  const line = one.location.range.start.line;
  const same = torch.filter((other) => other.location.range.start.line === line);
  if (same.length > 0) return same;
  const nearest = torch.filter((other) => other.location.range.start.line < line).at(-1);
  return nearest ? [nearest] : [];
}

function isNear(path: string, directory: string): boolean {
  const rest = path.slice(directory.length + 1).split(/[\\/]/);
  return rest.length === 1 || (rest.length === 2 && rest[0] === "requirements");
}

function dayOf(requirement: Requirement): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)$/.exec(String(parseVersion(exactVersion(requirement.specifier) ?? "")?.dev ?? ""));
  return match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) / 86_400_000 : undefined;
}

/** torchvision of one night requires the torch of the night before, so a day apart is how they are published. */
function nightlyPair(context: RuleContext, one: Requirement, partners: readonly Requirement[]): Finding | undefined {
  const day = dayOf(one);
  const other = partners.find((partner) => {
    const torchDay = dayOf(partner);
    return day !== undefined && torchDay !== undefined && Math.abs(day - torchDay) > 1;
  });
  if (!other) return undefined;
  return finding(packagePair, {
    message: `${requirementWords(context, one)} and ${requirementWords(context, other)} are nightlies of different nights: ${one.name} of one night is built for the torch of the night before, and its operators do not load with another.`,
    location: one.location,
    related: [{ message: "This is the torch beside it.", location: other.location }],
  });
}

function cudaOf(requirement: Requirement): { readonly label: string; readonly major: string } | undefined {
  const label = localLabel(exactVersion(requirement.specifier) ?? "");
  const digits = /^cu(\d+)\d$/.exec(label ?? "");
  return label !== undefined && digits?.[1] !== undefined ? { label, major: digits[1] } : undefined;
}

function otherCuda(context: RuleContext, one: Requirement, partners: readonly Requirement[]): Finding | undefined {
  const cuda = cudaOf(one);
  const other = partners.find((partner) => {
    const torch = cudaOf(partner);
    return cuda !== undefined && torch !== undefined && torch.major !== cuda.major;
  });
  if (!other || !cuda) return undefined;
  const label = cudaOf(other)?.label ?? "";
  return finding(packagePair, {
    message: `${requirementWords(context, one)} is built for CUDA ${cuda.major} and ${requirementWords(context, other)} for CUDA ${cudaOf(other)?.major ?? ""}: ${one.name} refuses to load beside a torch of another CUDA major version.`,
    location: one.location,
    related: [{ message: "This is the torch beside it.", location: other.location }],
    fixes: [pinFix(one, one.specifier.replace(cuda.label, label), `Require the ${label} build of ${one.name}`, true)],
  });
}

/** No torch that the partners allow was released with a companion that the requirement allows. */
function otherRelease(context: RuleContext, one: Requirement, partners: readonly Requirement[]): Finding | undefined {
  const releases = releasesAllowed(context, partners);
  const plain = one.specifier.replace(/\+[A-Za-z0-9._-]+/g, "");
  const [first] = partners;
  if (!releases || releases.length === 0 || !first || one.nightly || (one.name === "triton" && partners.some(needsNoTriton))) return undefined;
  const fitting = releases.filter((release) => satisfies(release.companions[one.name] ?? "", plain) === true);
  if (fitting.length > 0) return narrowing(context, one, first, releases, fitting);
  const wanted = context.catalogue.torchReleases.filter((release) => satisfies(release.companions[one.name] ?? "", plain) === true);
  const known = releases.filter((release) => release.companions[one.name] !== undefined);
  if (known.length < releases.length && !belongsElsewhere(one, wanted, releases)) return undefined;
  const right = known.length === 0 ? "" : `, which goes with ${one.name} ${rightCompanions(known, one.name)}`;
  const belongs = wanted.length > 0 ? ` ${capital(one.name)} of this version belongs to torch ${joinWords(wanted.slice(-3).map((release) => release.version), "or")}.` : "";
  // A torch release may have had several patch releases of a companion, of which the catalogue knows one.
  if (sameMinor(one, releases) && wanted.length === 0) return undefined;
  const pin = releases.length === 1 ? releases[0]?.companions[one.name] : undefined;
  return finding(packagePair, {
    message: `${requirementWords(context, one)} was not released for the torch beside it, ${requirementWords(context, first)}${right}.${belongs} ${consequence(one.name)}`,
    severity: sameMinor(one, releases) ? "warning" : "error",
    location: one.location,
    related: [{ message: "This is the torch beside it.", location: first.location }],
    against: releases.slice(-1).map(releaseEvidence),
    fixes: [pin === undefined ? undefined : pinFix(one, `==${withLabel(pin, one)}`, `Require ${one.name}==${withLabel(pin, one)}`, true)],
  });
}

/** The catalogue may lack the companion of a patch release, and still know that this one belongs to releases of other minor versions alone. */
function belongsElsewhere(one: Requirement, wanted: readonly TorchRelease[], releases: readonly TorchRelease[]): boolean {
  const minors = new Set(releases.map((release) => minorOf(release.version)));
  // An open range also admits releases that the catalogue does not know yet.
  const isOpen = satisfies("9999", one.specifier) === true;
  return one.name !== "triton" && !isOpen && wanted.length > 0 && wanted.every((release) => !minors.has(minorOf(release.version)));
}

/** Only the CUDA builds of torch require triton itself; ROCm and XPU builds require packages of other names. */
function needsNoTriton(torch: Requirement): boolean {
  const label = localLabel(exactVersion(torch.specifier) ?? "") ?? torch.indexUrls.map((url) => /\/whl\/(\w+)/.exec(url)?.[1]).find((one) => one !== undefined);
  return label !== undefined && /^(cpu|rocm|xpu)/.test(label);
}

function withLabel(version: string, one: Requirement): string {
  const label = localLabel(exactVersion(one.specifier) ?? "");
  return label === undefined ? version : `${version}+${label}`;
}

/** Another patch release: installers refuse the pair, and a forced pair mostly works. */
function sameMinor(one: Requirement, releases: readonly TorchRelease[]): boolean {
  const pin = exactVersion(one.specifier);
  return pin !== undefined && releases.some((release) => minorOf(release.companions[one.name] ?? "") === minorOf(publicVersion(pin) ?? ""));
}

/** An exact companion under a wide torch range decides which torch is installed, and an extension is bound to that one. */
function narrowing(context: RuleContext, one: Requirement, torch: Requirement, releases: readonly TorchRelease[], fitting: readonly TorchRelease[]): Finding | undefined {
  const minors = (list: readonly TorchRelease[]) => [...new Set(list.map((release) => minorOf(release.version)))];
  const native = packageOf(context, one.location.path)?.natives[0];
  const newestFits = fitting.at(-1)?.version === releases.at(-1)?.version;
  if (exactVersion(one.specifier) === undefined || !native || minors(fitting).length > 1 || minors(releases).length < 4 || newestFits) return undefined;
  return finding(packagePair, {
    severity: "warning",
    message: `${requirementWords(context, one)} belongs to torch ${minors(fitting).join(", ")} alone, while ${requirementWords(context, torch)} allows torch ${releases[0]?.version ?? ""} and every later one: whoever installs both gets torch ${minors(fitting).join(", ")}, and ${native.name}, compiled against a newer torch, does not load there.`,
    location: one.location,
    related: [{ message: "This is the torch requirement.", location: torch.location }],
    against: fitting.slice(-1).map(releaseEvidence),
  });
}

function rightCompanions(releases: readonly TorchRelease[], name: string): string {
  const versions = [...new Set(releases.map((release) => release.companions[name] ?? ""))].sort(compareVersions);
  return versions.length > 3 ? `${versions[0] ?? ""} to ${versions.at(-1) ?? ""}` : joinWords(versions, "or");
}

function consequence(name: string): string {
  return name === "triton" ? "torch requires its triton exactly, so installers refuse the pair or replace one of the two." : `${capital(name)}'s operators are compiled against one torch and do not load with another.`;
}


interface WrongPair {
  readonly distribution: InstalledDistribution;
  /** "its metadata requires torch==2.13.0". */
  readonly reason: string;
  readonly expected: string | undefined;
}

/** What stands installed beside torch, by name: its own metadata names the torch that it was built for; else the catalogue knows. */
export const wrongPairs: (context: RuleContext) => ReadonlyMap<string, WrongPair> = once((context) => {
  const { installed } = context;
  const version = installed && valueOf(installed.facts, "torch-version");
  const pairs = new Map<string, WrongPair>();
  if (!installed || version === undefined || installed.source === "catalogue") return pairs;
  for (const distribution of [...installed.distributions, ...ofBuiltFiles(context)]) {
    const { name } = distribution;
    const refused = refusedTorch(distribution.requires, version);
    const expected = companions.has(name) ? context.catalogue.torchRelease(version)?.companions[name] : undefined;
    const other = pinned(distribution.requires) === undefined && name !== "triton" && expected !== undefined && minorOf(publicVersion(distribution.version) ?? "") !== minorOf(expected);
    if (refused !== undefined) pairs.set(name, { distribution, reason: `its metadata requires torch${refused}`, expected });
    else if (other && !fits(context, name)) pairs.set(name, { distribution, reason: "it was released for another torch", expected });
  }
  return pairs;
});

/** Files that were looked into and load say more than a table: torch's stable ABI serves several releases. */
function fits(context: RuleContext, name: string): boolean {
  const files = context.built.filter((one) => one.distribution?.name === name && one.origin === "installed");
  return files.length > 0 && files.every((one) => one.fit?.verdict === "no-conflict");
}

/** The requirements of most distributions are read only when files of theirs are looked into. */
function ofBuiltFiles(context: RuleContext): readonly InstalledDistribution[] {
  const places = new Map(context.installed?.distributions.map((one) => [one.name, one.evidence]));
  return context.built.flatMap(({ distribution, origin, body }) => (distribution === undefined || origin !== "installed" ? [] : [{ ...distribution, evidence: places.get(distribution.name) ?? { kind: "file" as const, path: body.path, what: distribution.name } }]));
}

function installedPairs(context: RuleContext): readonly Finding[] {
  const { installed } = context;
  const version = installed && valueOf(installed.facts, "torch-version");
  if (!installed || version === undefined) return [];
  return [...wrongPairs(context).values()].map(({ distribution: one, reason, expected }) => {
    const right = expected === undefined ? "" : ` ${capital(one.name)} ${expected} belongs to torch ${releasePart(version)}.`;
    return finding(packagePair, {
      message: `${one.name} ${one.version} is installed in ${installed.name} beside torch ${version}, and ${reason}.${right} ${consequence(one.name)}`,
      location: placeOf(context, installed, one),
      related: witnesses(context, one.name),
      against: torchEvidence(installed),
    });
  });
}

function pinned(requires: readonly string[]): string | undefined {
  return requires.map((text) => parseRequirementText(text)).find((parsed) => parsed?.name === "torch" && exactVersion(parsed.specifier) !== undefined && parsed.marker === undefined)?.specifier;
}

/** The exact torch that a distribution's metadata requires, where the installed one is another; else undefined. */
function refusedTorch(requires: readonly string[], version: string): string | undefined {
  const specifier = pinned(requires);
  return specifier !== undefined && satisfies(version, specifier) === false && satisfies(releasePart(version), specifier) === false ? specifier : undefined;
}

/** Libraries of the distribution that do not load with this torch. */
function witnesses(context: RuleContext, name: string): readonly RelatedPlace[] {
  const files = context.built.filter((one) => one.distribution?.name === name && one.fit?.verdict === "conflict");
  return sameSaidOnce(files.map((file) => ({ message: `${nameOf(context, file)} ${reasonOf(file)}.`, location: placeOfFile(file) }))).slice(0, 5);
}

function reasonOf(file: BuiltFile): string {
  const missing = file.fit?.missing.filter((one) => one.binding === "global") ?? [];
  const needed = file.fit?.missingDependencies[0]?.name;
  if (missing.length > 0) return `needs ${symbolsPhrase(missing)}, which nothing here exports`;
  if (file.fit === undefined || needed === undefined) return "does not load with this torch";
  const isWithoutCuda = valueOf(file.fit.against.facts, "cuda-version") === null && missingCuda(file).some((one) => one.name === needed);
  return isWithoutCuda ? `needs ${needed}, and ${torchOfFit(file.fit)} is built without CUDA` : `needs ${needed}, which is not found`;
}

/** The line of the project that asks for the package, or the metadata file of the installed one. */
function placeOf(context: RuleContext, installed: InstalledBody, one: InstalledDistribution): Location {
  const asked = context.requirements.find((requirement) => requirement.name === one.name);
  if (asked) return asked.location;
  const start = { line: 0, character: 0 };
  const path = one.evidence.kind === "file" ? one.evidence.path : one.evidence.kind === "source" ? one.evidence.location.path : (installed.torchRoot ?? installed.prefix ?? context.root);
  return { path, range: { start, end: start } };
}

function torchEvidence(installed: InstalledBody): readonly Evidence[] {
  return installed.facts.find((fact) => fact.trait === "torch-version")?.evidence ?? [];
}
