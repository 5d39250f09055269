import { isPrerelease, parseSpecifiers, parseVersion, satisfies } from "../../../engine/model/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationOutcome, CombinationRecord, Method } from "../types.ts";

/** Which records are wanted; an absent member wants all. */
export interface RecordFilter {
  /** A version ("2.13.0" has any label), a range (">=2.12,<2.15"), "release" or "nightly". */
  readonly torch?: string;
  readonly python?: string;
  readonly project?: string;
  /** Of the project. */
  readonly version?: string;
  /** The begin of a hash. */
  readonly commit?: string;
  readonly how?: readonly Method[];
  readonly outcome?: readonly CombinationOutcome[];
  readonly since?: Date;
  readonly platform?: string;
  /** A part of its name, in any case; "none": there was none. */
  readonly gpu?: string;
}

/** Whether a record is wanted. Throws `CannotDo` for a torch that names none. */
export function recordFilter(wanted: RecordFilter): (record: CombinationRecord) => boolean {
  const isTorch = torchFilter(wanted.torch);
  const since = wanted.since?.getTime();
  const gpu = wanted.gpu?.toLowerCase();
  return ({ combination, how, outcome, when }) => {
    const { project, torch, python, platform } = combination;
    return (wanted.how?.includes(how) ?? true) && (wanted.outcome?.includes(outcome) ?? true)
      && isEqual(wanted.python, python) && isEqual(wanted.platform, platform) && isEqual(wanted.project, project.name) && isEqual(wanted.version, project.version)
      && (wanted.commit === undefined || project.commit?.startsWith(wanted.commit.toLowerCase()) === true)
      && (since === undefined || Date.parse(when) >= since)
      && (gpu === undefined || (gpu === "none" ? combination.gpu === null : combination.gpu?.name.toLowerCase().includes(gpu) === true))
      && isTorch(torch.version);
  };
}

function isEqual(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted === value;
}

function torchFilter(text: string | undefined): (version: string) => boolean {
  const wanted = text?.trim();
  if (wanted === undefined) return () => true;
  if (wanted === "release" || wanted === "nightly") {
    return remembered((version) => {
      const parsed = parseVersion(version);
      return parsed !== undefined && (wanted === "nightly" ? parsed.dev !== undefined : !isPrerelease(parsed));
    });
  }
  const specifier = /^[=!<>~]/.test(wanted) ? wanted : `==${wanted}`;
  if (parseSpecifiers(specifier) === undefined) throw new CannotDo(`"${wanted}" names no torch: write a version (2.13.0), a range (">=2.12,<2.15"), "release" or "nightly".`);
  return remembered((version) => satisfies(version, specifier) === true);
}

/** Of a million records a few hundred versions differ. */
function remembered(answer: (version: string) => boolean): (version: string) => boolean {
  const known = new Map<string, boolean>();
  return (version) => {
    const before = known.get(version) ?? answer(version);
    known.set(version, before);
    return before;
  };
}
