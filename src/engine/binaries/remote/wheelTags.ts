/** Where a wheel shall be installed. Absent members: anywhere. */
export interface WheelTarget {
  /** "3.11", "3.13t", "cp311", or a full version. */
  readonly python?: string;
  /** As the catalogue names platforms. */
  readonly platform?: "linux-x86_64" | "linux-aarch64" | "macos-arm64" | "macos-x86_64" | "windows-amd64";
  /** "2.28": manylinux tags above it do not fit. */
  readonly glibc?: string;
}

/** The name of a wheel, taken apart. Source: packaging.python.org, "Binary distribution format". */
export interface WheelName {
  /** As written, "_" for "-". */
  readonly distribution: string;
  readonly version: string;
  readonly pythons: readonly string[];
  readonly abis: readonly string[];
  readonly platforms: readonly string[];
}

const manylinuxNames: Readonly<Record<string, string>> = { manylinux1: "2_5", manylinux2010: "2_12", manylinux2014: "2_17" };

export function parseWheelFileName(name: string): WheelName | undefined {
  const parts = name.length > 400 ? [] : name.replace(/\.whl$/i, "").split("-");
  if (!/\.whl$/i.test(name) || parts.length < 5 || parts.length > 6) {
    return undefined;
  }
  const [distribution = "", version = ""] = parts;
  const [pythons = "", abis = "", platforms = ""] = parts.slice(-3);
  return { distribution, version, pythons: pythons.split("."), abis: abis.split("."), platforms: platforms.split(".") };
}

/**
 * How well a wheel fits, larger is better; undefined when it does not. The order is PEP 425's: the Python's own ABI, the
 * stable ABI from new to old, no ABI; within them the platform tag that asks for most.
 */
export function fitOf(wheel: WheelName, target: WheelTarget): number | undefined {
  const pythons = wheel.pythons.flatMap((python) => wheel.abis.flatMap((abi) => pythonFit(python, abi, target.python) ?? []));
  const platforms = wheel.platforms.flatMap((platform) => platformFit(platform, target) ?? []);
  return pythons.length === 0 || platforms.length === 0 ? undefined : Math.max(...pythons) * 100_000 + Math.max(...platforms);
}

function pythonFit(python: string, abi: string, wanted: string | undefined): number | undefined {
  const tag = /^(cp|py)(\d)(\d*)$/.exec(python);
  if (tag === null) {
    return undefined;
  }
  const [, implementation, major, digits = ""] = tag;
  const minor = digits === "" ? 0 : Number(digits);
  if (wanted === undefined) {
    // The newest Python first; free-threaded ones only when they are asked for.
    return major !== "3" ? undefined : abi === "none" ? minor : abi === "abi3" ? 100 + minor : abi.endsWith("t") ? 1 : 500 + minor;
  }
  const match = /^(?:cp)?3[._]?(\d+)(?:\.\d+)*(t?)$/.exec(wanted);
  if (match === null || major !== "3") {
    return undefined;
  }
  const own = Number(match[1]);
  const isFree = match[2] === "t";
  if (implementation === "cp" && abi === `cp3${own}${isFree ? "t" : ""}`) {
    return minor === own ? 1000 : undefined;
  }
  // CPython 3.7 and before had an "m" for pymalloc in the ABI tag.
  if (implementation === "cp" && abi === `cp3${own}m`) {
    return minor === own && own <= 7 ? 1000 : undefined;
  }
  if (implementation === "cp" && abi === "abi3") {
    return !isFree && minor <= own ? 500 + minor : undefined;
  }
  if (abi !== "none") {
    return undefined;
  }
  return implementation === "cp" && digits !== "" ? (minor === own ? 400 : undefined) : minor <= own ? 100 + minor : undefined;
}

function platformFit(platform: string, target: WheelTarget): number | undefined {
  if (platform === "any") {
    return 0;
  }
  if (target.platform === undefined) {
    return /^(?:many)?linux/.test(platform) ? 2 + (platform.endsWith("_x86_64") ? 1 : 0) : 1;
  }
  const [system = "", architecture = ""] = target.platform.split(/-(.*)/);
  if (system === "linux") {
    const match = /^(linux|manylinux1|manylinux2010|manylinux2014|manylinux_(\d+)_(\d+))_(.+)$/.exec(platform);
    if (match === null || match[4] !== architecture) {
      return undefined;
    }
    const [major = 0, minor = 0] = match[1] === "linux" ? [0, 0] : (match[2] === undefined ? (manylinuxNames[match[1] ?? ""] ?? "0_0").split("_") : [match[2], match[3]]).map(Number);
    const needed = major * 1000 + minor;
    const [haveMajor = 0, haveMinor = 0] = (target.glibc ?? "9999.0").split(".").map(Number);
    return needed > haveMajor * 1000 + haveMinor ? undefined : 1 + needed;
  }
  if (system === "macos") {
    return new RegExp(`^macosx_\\d+_\\d+_(?:${architecture}|universal2)$`).test(platform) ? 1 : undefined;
  }
  return platform === `win_${architecture}` ? 1 : undefined;
}
