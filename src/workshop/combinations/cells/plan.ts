import { localLabel, publicVersion, satisfies } from "../../../engine/model/index.ts";
import { CannotDo } from "../../workshop.ts";
import { newestFirst, selectTorches, torchSets, unmatched } from "../nightlies/index.ts";
import type { Cell, CombinationSettings, CompilerChoice, IndexKnowledge, KnownWheel, RunReport, TorchSet, WheelWanted } from "../types.ts";
import { compilerChoice } from "./compilers.ts";
import { cellOf } from "./identity.ts";

/** What stands where the settings leave something open. */
export interface Defaults {
  /** The torch of the project's environment. */
  readonly torch?: string;
  /** The Python of that environment, else the one on PATH: "3.12". */
  readonly python?: string;
  /** Hashes of the commits that the matrix names; "." is not among them. */
  readonly commits: ReadonlyMap<string, string>;
}

export interface PlannedCells {
  readonly cells: readonly Cell[];
  /** Of each cell the torch as the indexes have it. */
  readonly wheels: ReadonlyMap<string, KnownWheel>;
  readonly leftOut: RunReport["leftOut"];
}

type Matrix = NonNullable<CombinationSettings["matrix"]>;

/** More than this is a slip in a range rather than a wish: days of work for a machine. */
const mostCells = 2000;

/**
 * The matrix as cells: every torch with every Python, variant, compiler and commit that wheels are known for. The torches are
 * chosen once for all Pythons, so that the rows are the same; what has no wheel, or is excluded, is left out with the reason.
 * Throws CannotDo for texts that name nothing, and for a matrix beyond all measure.
 */
export function planCells(settings: CombinationSettings, knowledge: IndexKnowledge, defaults: Defaults, platform?: string): PlannedCells {
  const matrix = settings.matrix ?? {};
  const indexes = settings.indexes ?? [];
  const pythons = oneOrMore(matrix.python, defaults.python);
  const variants = oneOrMore(matrix.cuda, undefined);
  const compilers = oneOrMore(matrix.compiler, undefined).map((one) => (one === undefined ? undefined : compilerChoice(one)));
  const commits = oneOrMore(matrix.commit, ".");
  const leftOut: { label: string; because: string }[] = [];
  const cells = new Map<string, Cell>();
  const wheels = new Map<string, KnownWheel>();
  for (const variant of variants) {
    const wanted: WheelWanted = { indexes, ...(platform === undefined ? {} : { platform }), ...(variant === undefined ? {} : { variant }) };
    const texts = matrix.torch === undefined || matrix.torch.length === 0 ? defaultTexts(knowledge, wanted, defaults) : matrix.torch;
    leftOut.push(...unmatched(knowledge, wanted, texts).map((because) => ({ label: `torch ${/"([^"]*)"/.exec(because)?.[1] ?? ""}${variant === undefined ? "" : `, ${variant}`}`, because })));
    const exclude = (matrix.exclude ?? []).map((rule) => ({ rule, is: excluder(rule, knowledge, wanted) }));
    const rows = rowsOf(selectTorches(knowledge, wanted, texts), texts, variant, defaults.torch);
    for (const python of pythons) {
      const offered = { ...wanted, ...(python === undefined ? {} : { python }) };
      const best = new Map(newestFirst(knowledge, offered).map((one) => [one.version, one]));
      const sets = new Map(torchSets(knowledge, offered, settings.packages ?? []).map((one) => [one.torch.version, one]));
      for (const row of rows) {
        const set = best.has(row.version) ? sets.get(row.version) : undefined;
        const name = `torch ${row.version}${python === undefined ? "" : `, Python ${python}`}`;
        if (set === undefined) {
          leftOut.push({ label: name, because: `${row.index} is not known to have a wheel of torch ${row.version}${python === undefined ? "" : ` for Python ${python}`} on this platform.` });
          continue;
        }
        if (set.without.length > 0) {
          leftOut.push({ label: name, because: set.without.map((one) => one.because).join(" ") });
          continue;
        }
        for (const compiler of compilers) {
          for (const commit of commits) {
            const cell = made(set, python, variant, compiler, commit, defaults);
            const rule = exclude.find((one) => one.is(cell, commit))?.rule;
            if (rule !== undefined) {
              leftOut.push({ label: cell.label, because: `Excluded by abiding.json: ${JSON.stringify(rule)}.` });
            } else {
              cells.set(cell.id, cell);
              wheels.set(cell.id, set.torch);
            }
          }
        }
      }
    }
  }
  if (cells.size > mostCells) {
    throw new CannotDo(`The matrix asks for ${cells.size} cells, and more than ${mostCells} are not tried in one run. Narrow it in abiding.json, or with --torch and --python.`);
  }
  return { cells: [...cells.values()], wheels, leftOut };
}

/** An axis that has no values is one that was left open. */
function oneOrMore<T, D>(values: readonly T[] | undefined, otherwise: D): readonly (T | D)[] {
  return values === undefined || values.length === 0 ? [otherwise] : values;
}

function made({ torch, siblings }: TorchSet, python: string | undefined, variant: string | undefined, compiler: CompilerChoice | undefined, commit: string, { commits }: Defaults): Cell {
  const hash = commit === "." ? undefined : commits.get(commit);
  if (commit !== "." && hash === undefined) {
    throw new CannotDo(`The project has no commit, tag or branch "${commit}".`);
  }
  return cellOf({
    torch: torch.version, index: torch.index, packages: Object.fromEntries(siblings.map((one) => [one.package, one.version])),
    ...(python === undefined ? {} : { python }), ...(variant === undefined ? {} : { cuda: variant }), ...(compiler === undefined ? {} : { compiler }), ...(hash === undefined ? {} : { commit: hash }),
  }, commit);
}

/** Without a wish: the torch that the project has, and the newest release and nightly that its indexes offer. */
function defaultTexts(knowledge: IndexKnowledge, wanted: WheelWanted, { torch }: Defaults): readonly string[] {
  const installed = torch === undefined ? undefined : publicVersion(torch);
  const known = new Set(newestFirst(knowledge, wanted).map((one) => publicVersion(one.version)));
  const channels = ["release", "nightly"].filter((one) => selectTorches(knowledge, wanted, [one]).length > 0);
  return [...(installed === undefined || !known.has(installed) ? [] : [installed]), ...(channels.length === 0 ? ["release"] : channels)];
}

/**
 * One row for each version. Where no variant was asked for, it is the one that a text names, else the one that is installed, else
 * the one without a label, else the one for processors alone.
 */
function rowsOf(torches: readonly KnownWheel[], texts: readonly string[], variant: string | undefined, installed: string | undefined): readonly KnownWheel[] {
  if (variant !== undefined) {
    return torches;
  }
  const named = new Set(texts.map((one) => one.replace(/^===?/, "").trim()));
  const preferred = [installed === undefined ? undefined : localLabel(installed) ?? "", "", "cpu"];
  const rank = ({ version }: KnownWheel): number => {
    const at = preferred.indexOf(localLabel(version) ?? "");
    return at < 0 ? preferred.length : at;
  };
  const versions = new Set(torches.map((one) => publicVersion(one.version)));
  return [...versions].flatMap((version) => {
    const group = torches.filter((one) => publicVersion(one.version) === version);
    const byName = group.filter((one) => localLabel(one.version) !== undefined && named.has(one.version));
    return byName.length > 0 ? byName : group.toSorted((a, b) => rank(a) - rank(b)).slice(0, 1);
  });
}

/** A torch is excluded by its version, by a range, or as one of the newest: "nightly:3". */
function excluder(rule: NonNullable<Matrix["exclude"]>[number], knowledge: IndexKnowledge, wanted: WheelWanted): (cell: Cell, commit: string) => boolean {
  const { torch: text } = rule;
  const newest = text === undefined || !/^(?:release|nightly)/.test(text) ? undefined : new Set(selectTorches(knowledge, wanted, [text]).map((one) => one.version));
  const isTorch = (version: string): boolean => text === undefined || version === text || (newest === undefined ? satisfies(version, /^[=!<>~]/.test(text) ? text : `==${text}`) === true : newest.has(version));
  return ({ torch, python, cuda, compiler }, commit) => isTorch(torch)
    && (rule.python === undefined || rule.python === python)
    && (rule.cuda === undefined || rule.cuda === (cuda ?? localLabel(torch)))
    && (rule.compiler === undefined || rule.compiler === compiler?.name)
    && (rule.commit === undefined || rule.commit === commit);
}
