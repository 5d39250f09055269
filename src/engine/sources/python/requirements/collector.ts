import { LineIndex, exactVersion, normaliseName, parseRequirementText, parseVersion } from "../../../model/index.ts";
import type { Condition, Files, Gap, Location, Observation, Reading, Requirement, SourceEvidence } from "../../../model/index.ts";

/** A text with the places of its lines, to turn offsets into ranges. */
export class SourceText {
  readonly path: string;
  readonly text: string;
  readonly #lines: LineIndex;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#lines = new LineIndex(text);
  }

  location(start: number, end: number): Location {
    return this.#lines.locate(this.path, start, end - start);
  }

  evidence(start: number, end: number): SourceEvidence {
    return { kind: "source", location: this.location(start, end), text: this.text.slice(start, end), via: [] };
  }
}

/** The circumstances that requirements of one list share. */
export interface RequirementSetting {
  readonly role: Requirement["role"];
  readonly group?: string;
  readonly indexUrls?: readonly string[];
  readonly replacesDefaultIndex?: boolean;
  readonly marker?: string;
  readonly conditions?: readonly Condition[];
}

/** More than this in one file is data, not a list that a person keeps. */
const mostRequirements = 5000;

/** Gathers what a reader finds in one file and the files it follows. */
export class Collector {
  readonly files: Files;
  readonly requirements: Requirement[] = [];
  readonly observations: Observation[] = [];
  readonly gaps: Gap[] = [];
  readonly #read = new Set<string>();

  constructor(files: Files) {
    this.files = files;
  }

  /** Reads a file once; undefined when it was read before or cannot be read, which then is a gap. */
  open(path: string): SourceText | undefined {
    if (this.#read.has(path)) return undefined;
    this.#read.add(path);
    const result = this.files.readText(path);
    if (!result.ok) {
      this.gaps.push({ kind: "file", path, message: result.message });
      return undefined;
    }
    return new SourceText(path, result.text);
  }

  /**
   * Adds a PEP 508 requirement that stands at `start` of the source. `text` is the specifier as it stands there.
   * False when the text is no requirement.
   */
  add(source: SourceText, start: number, text: string, setting: RequirementSetting): boolean {
    const parsed = parseRequirementText(text);
    if (!parsed) return false;
    const wheel = parsed.url === undefined ? undefined : versionInLink(parsed.url);
    this.push({
      name: parsed.name,
      extras: parsed.extras,
      specifier: wheel === undefined ? parsed.specifier : `==${wheel}`,
      marker: parsed.marker,
      url: parsed.url,
      known: !/\$[{(A-Za-z]|\{\{/.test(parsed.specifier),
      location: source.location(start + parsed.start, start + parsed.end),
      text: source.text.slice(start + parsed.start, start + parsed.end),
      specifierLocation: parsed.specifierStart < parsed.specifierEnd ? source.location(start + parsed.specifierStart, start + parsed.specifierEnd) : undefined,
      setting,
    });
    return true;
  }

  /** Adds a requirement whose parts the reader worked out itself. */
  push(entry: {
    readonly name: string;
    readonly extras?: readonly string[];
    readonly specifier: string;
    readonly marker?: string | undefined;
    readonly url?: string | undefined;
    readonly known: boolean;
    readonly location: Location;
    readonly text: string;
    readonly specifierLocation?: Location | undefined;
    readonly setting: RequirementSetting;
  }): void {
    if (this.requirements.length >= mostRequirements) {
      const message = `${entry.location.path} names more than ${mostRequirements} requirements; the rest was not read.`;
      if (!this.gaps.some((gap) => gap.message === message)) this.gaps.push({ kind: "file", path: entry.location.path, message });
      return;
    }
    const { setting } = entry;
    const marker = bothMarkers(setting.marker, entry.marker);
    const indexUrls = setting.indexUrls ?? [];
    const pinned = exactVersion(entry.specifier);
    const fromNightlyIndex = isTorchPackage(entry.name) && indexUrls.some(isNightlyIndex) && (pinned === undefined || isNightlyVersion(pinned));
    const nightly = fromNightlyIndex || /\.?dev\d{6,}/.test(entry.specifier) || /\/nightly(\/|$)/.test(entry.url ?? "");
    this.requirements.push({
      name: normaliseName(entry.name),
      extras: entry.extras ?? [],
      specifier: entry.specifier,
      ...(marker === undefined ? {} : { marker }),
      ...(entry.url === undefined ? {} : { url: entry.url }),
      role: setting.role,
      ...(setting.group === undefined ? {} : { group: setting.group }),
      indexUrls,
      ...(setting.replacesDefaultIndex === true ? { replacesDefaultIndex: true } : {}),
      nightly,
      known: entry.known,
      conditions: setting.conditions ?? [],
      location: entry.location,
      text: entry.text,
      ...(entry.specifierLocation === undefined ? {} : { specifierLocation: entry.specifierLocation }),
    });
  }

  gap(source: SourceText, start: number, end: number, message: string): void {
    this.gaps.push({ kind: "evaluation", path: source.path, location: source.location(start, end), message });
  }

  reading(): Reading {
    return { targets: [], observations: this.observations, requirements: this.requirements, gaps: this.gaps, files: [...this.#read] };
  }
}

/** The packages that the nightly index of torch serves; other packages in the same file come from elsewhere. */
function isTorchPackage(name: string): boolean {
  return /^(torch|torchvision|torchaudio|torchtext|torchdata|torchao|pytorch-triton.*|functorch)$/.test(name);
}

/** download.pytorch.org keeps nightly builds under /whl/nightly/. */
function isNightlyIndex(url: string): boolean {
  return /\/nightly(\/|$)/.test(url);
}

function isNightlyVersion(version: string): boolean {
  return parseVersion(version)?.dev !== undefined;
}

function bothMarkers(a: string | undefined, b: string | undefined): string | undefined {
  return a !== undefined && b !== undefined ? `(${a}) and (${b})` : (a ?? b);
}

/** The version in the name of a wheel or source archive that a link points to. */
export function versionInLink(url: string): string | undefined {
  return distributionInLink(url)?.version;
}

/** Name and version of the distribution that a link points to, from its file name (PEP 427, PEP 625). */
export function distributionInLink(url: string): { readonly name: string; readonly version: string } | undefined {
  let file = url.replace(/[?#].*$/, "");
  file = file.slice(file.lastIndexOf("/") + 1);
  try {
    file = decodeURIComponent(file);
  } catch {
    // A stray "%" is kept as it is.
  }
  const match = /^([A-Za-z0-9_.]+?)-(\d[^-]*)-.*\.whl$/.exec(file) ?? /^([A-Za-z0-9_.-]+)-(\d[^-]*)\.(?:tar\.gz|zip)$/.exec(file);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { name: match[1], version: match[2] };
}
