import type { Condition } from "./evidence.ts";
import type { Location } from "./text.ts";

/**
 * One requirement line of a build, install, conda or image file.
 */
export interface Requirement {
  /** PEP 503 normalised name: "torch", "nvidia-nccl-cu12". */
  readonly name: string;
  readonly extras: readonly string[];
  /** PEP 440 specifiers as written: ">=2.1,<2.9", "==2.8.0+cu128". Conda specifiers are translated. Empty: any version. */
  readonly specifier: string;
  /** PEP 508 marker as written. */
  readonly marker?: string;
  readonly url?: string;
  /** Where it takes effect. */
  readonly role: "build" | "install" | "optional" | "development" | "requirements-file" | "constraint" | "conda" | "image" | "setup-requires" | "uv-build";
  /** Group, extra or file that it belongs to: "dev", "requirements/cuda.txt". */
  readonly group?: string;
  /** Index options in force for that line. */
  readonly indexUrls: readonly string[];
  /** `--index-url` is given for that line, so that PyPI is not searched unless `indexUrls` names it. */
  readonly replacesDefaultIndex?: boolean;
  readonly nightly: boolean;
  /** False when the version part is computed and could not be evaluated. */
  readonly known: boolean;
  /** The version part is asked from this body while the package is built: `torch==` the torch that is installed then. */
  readonly follows?: "torch" | "environment";
  readonly conditions: readonly Condition[];
  readonly location: Location;
  readonly text: string;
  /** The range of the version part alone, for fixes; absent when there is none. */
  readonly specifierLocation?: Location;
}
