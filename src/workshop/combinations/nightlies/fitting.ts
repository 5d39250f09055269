/** Which of the wheels that are known would be installed. */
import { fitOf, parseWheelFileName } from "../../../engine/binaries/remote/index.ts";
import type { WheelTarget } from "../../../engine/binaries/remote/index.ts";
import { compareVersions, localLabel, satisfies } from "../../../engine/model/index.ts";
import type { IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";

type Platform = NonNullable<WheelTarget["platform"]>;
const platforms: readonly string[] = ["linux-x86_64", "linux-aarch64", "macos-arm64", "macos-x86_64", "windows-amd64"] satisfies readonly Platform[];

/** Where wheels have to fit; this machine's platform unless another is named. */
export function targetOf(wanted: WheelWanted): WheelTarget {
  const platform = wanted.platform ?? ownPlatform();
  return { ...(wanted.python === undefined ? {} : { python: wanted.python }), ...(isPlatform(platform) ? { platform } : {}) };
}

function isPlatform(text: string): text is Platform {
  return platforms.includes(text);
}

function ownPlatform(): string {
  const system = { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string] ?? process.platform;
  const processor = process.arch === "arm64" ? (system === "linux" ? "aarch64" : "arm64") : system === "windows" ? "amd64" : "x86_64";
  return `${system}-${processor}`;
}

/** What is wanted of wheels, ready to be asked of many. */
export class Fitting {
  readonly #wanted: WheelWanted;
  readonly #target: WheelTarget;
  readonly #order: readonly string[];
  readonly #python: string | undefined;

  constructor(knowledge: IndexKnowledge, wanted: WheelWanted) {
    this.#wanted = wanted;
    this.#target = targetOf(wanted);
    // The indexes were named in the order of preference.
    this.#order = [...new Set(knowledge.indexes.map((one) => one.index))];
    this.#python = /^3\.\d+(?:\.\d+)?/.exec(wanted.python ?? "")?.[0];
  }

  /** Larger is better; undefined when it does not fit, or is no longer there. */
  #rank(wheel: KnownWheel): number | undefined {
    const name = parseWheelFileName(wheel.file);
    const { variant } = this.#wanted;
    if (name === undefined || wheel.gone !== undefined) return undefined;
    if (variant !== undefined && localLabel(wheel.version) !== variant && !isVariantOf(wheel, variant)) return undefined;
    if (this.#python !== undefined && wheel.requiresPython !== undefined && satisfies(this.#python, wheel.requiresPython) === false) return undefined;
    return fitOf(name, this.#target);
  }

  /** The best wheel of each version, the newest version first. */
  best(wheels: readonly KnownWheel[]): KnownWheel[] {
    const best = new Map<string, { readonly wheel: KnownWheel; readonly rank: number }>();
    for (const wheel of wheels) {
      const rank = this.#rank(wheel);
      const before = best.get(wheel.version);
      if (rank !== undefined && (before === undefined || this.#isBetter(wheel, rank, before))) best.set(wheel.version, { wheel, rank });
    }
    return [...best.values()].map((one) => one.wheel).sort((a, b) => compareVersions(b.version, a.version));
  }

  #isBetter(wheel: KnownWheel, rank: number, before: { readonly wheel: KnownWheel; readonly rank: number }): boolean {
    if (wheel.listed !== before.wheel.listed) return wheel.listed;
    if ((wheel.yanked === undefined) !== (before.wheel.yanked === undefined)) return wheel.yanked === undefined;
    const order = this.#order.indexOf(wheel.index) - this.#order.indexOf(before.wheel.index);
    return order === 0 ? rank > before.rank : order < 0;
  }
}

/** Versions without a label are of the variant that their index is for: ".../whl/cu130". */
function isVariantOf(wheel: KnownWheel, variant: string): boolean {
  return localLabel(wheel.version) === undefined && new URL(wheel.index).pathname.split("/").includes(variant);
}
