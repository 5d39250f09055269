/** Wheels made for tests: archives whose RECORD is right unless the test makes it wrong, and libraries without ELF files. */
import { createHash } from "node:crypto";
import { openArchive } from "../../../../src/engine/binaries/archive/index.ts";
import type { Archive } from "../../../../src/engine/binaries/archive/index.ts";
import type { DynamicSymbol } from "../../../../src/engine/binaries/library.ts";
import { describeWheel } from "../../../../src/engine/binaries/wheel/index.ts";
import type { WheelLibrary, WheelOptions } from "../../../../src/engine/binaries/wheel/index.ts";
import type { RecordedSymbols } from "../../../../src/engine/catalogue/index.ts";
import type { BinaryProfile, Fact, WheelProfile } from "../../../../src/engine/model/index.ts";
import { profile } from "../../../support/built-file.ts";
import { MemorySource } from "../../../support/memory-source.ts";
import { build } from "../archive/build.ts";

export interface LibraryChanges {
  readonly profile?: Partial<BinaryProfile>;
  readonly imports?: readonly string[];
  readonly weak?: readonly string[];
  readonly defines?: readonly string[];
  readonly facts?: readonly Fact[];
}

/** A library that needs libc and nothing else, unless `changes` says so. */
export function library(member: string, changes: LibraryChanges = {}): WheelLibrary {
  const where = `/w/made.whl/${member}`;
  const described = profile(where, { needed: ["libc.so.6"], imports: {}, ...(/\.libs\/|\/lib[^/]*$/.test(member) ? { modules: [], kind: "shared-library" } : {}), ...changes.profile });
  const symbol = (name: string, binding: DynamicSymbol["binding"]): DynamicSymbol => ({ name, binding, type: "function", visibility: "default", defined: false, value: 0, size: 0 });
  const imports = [...(changes.imports ?? []).map((name) => symbol(name, "global")), ...(changes.weak ?? []).map((name) => symbol(name, "weak"))];
  return {
    member,
    size: 1000,
    body: { role: "built", name: member.split("/").at(-1) ?? member, path: where, profile: described, facts: changes.facts ?? [], notKnown: [] },
    image: {
      path: where, machine: 62, soname: described.soname, needed: described.needed, rpath: described.rpath, runpath: described.runpath, exportsKnownBy: "names",
      defines: (name) => changes.defines?.includes(name) === true, exportedNames: () => changes.defines ?? [], versionDefinitions: () => [], versionNeeds: () => described.versionNeeds, imports: () => imports,
    },
  };
}

export interface Made {
  readonly fileName?: string;
  readonly libraries?: readonly WheelLibrary[];
  /** More lines of METADATA. */
  readonly metadata?: string;
  /** Lines of WHEEL after its version. */
  readonly wheel?: string;
  /** Other members, and what they hold; undefined takes one away. */
  readonly members?: Readonly<Record<string, string | undefined>>;
  /** What RECORD says instead. */
  readonly record?: (right: string) => string;
}

export const platform = "manylinux_2_28_x86_64";

/** The archive of a wheel "ops 1.0". */
export async function archive({ fileName = `ops-1.0-cp311-cp311-${platform}.whl`, libraries = [], metadata = "", wheel, members = {}, record = (right) => right }: Made): Promise<Archive> {
  const [, , python = "", abi = "", tag = ""] = fileName.replace(/\.whl$/, "").split("-");
  const tags = python.split(".").flatMap((one) => abi.split(".").flatMap((two) => tag.split(".").map((three) => `Tag: ${one}-${two}-${three}\n`))).join("");
  const folder = "ops-1.0.dist-info";
  const texts: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(libraries.map((one) => [one.member, `content of ${one.member}`])),
    [`${folder}/METADATA`]: `Metadata-Version: 2.1\nName: ops\nVersion: 1.0\n${metadata}\nA description: of it\n`,
    [`${folder}/WHEEL`]: `Wheel-Version: 1.0\n${wheel ?? `Generator: test 1\nRoot-Is-Purelib: false\n${tags}`}`,
    ...members,
  };
  const present = Object.entries(texts).flatMap(([name, content]) => (content === undefined ? [] : [{ name, content }]));
  const rows = present.map(({ name, content }) => `${name},sha256=${createHash("sha256").update(content).digest("base64url")},${Buffer.byteLength(content)}\n`).join("");
  const right = `${rows}${folder}/RECORD,,\n`;
  return openArchive(new MemorySource(build([...present, { name: `${folder}/RECORD`, content: record(right) }]), `/w/${fileName}`));
}

export async function described(made: Made, options: WheelOptions = {}): Promise<WheelProfile> {
  return describeWheel(await archive(made), made.libraries ?? [], { history: history({}), ...options });
}

/** "error abi3: The name says ..." of each disagreement. */
export async function said(made: Made, options: WheelOptions = {}): Promise<readonly string[]> {
  return (await described(made, options)).disagreements.map((one) => `${one.weight} ${one.kind}: ${one.message}`);
}

/** A record of torch's exports: "2.8.0 2.9.0" by symbol. */
export function history(exports: Readonly<Record<string, string>>, releases: readonly string[] = ["2.7.0", "2.8.0", "2.9.0", "2.10.0"], abiOf: (release: string) => 0 | 1 = () => 1): RecordedSymbols {
  const of = (symbol: string) => exports[symbol]?.split(" ").filter((one) => one !== "") ?? [];
  return {
    releases, source: "a test", isRecorded: () => true, releasesExporting: of, librariesOf: () => ["libtorch_cpu.so"], libstdcxxAbiOf: abiOf, namesStartingWith: () => [], namesFrom: () => [], missing: [], previews: [], librariesOfRelease: () => [],
  };
}
