import * as path from "node:path";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Files } from "../../../engine/model/index.ts";

export interface ProjectName {
  readonly name: string;
  /** Where the files say it; a version that is computed is not known here. */
  readonly version?: string;
}

/**
 * What a project calls itself: its distribution (pyproject.toml, setup.cfg, setup.py), else its CMake project, else its folder.
 * A distribution without a version of its own has that of the CMake project beside it, from which build backends take it.
 */
export function projectNameOf(root: string, files: Files = new NodeFiles()): ProjectName {
  const read = (name: string): string => {
    const answer = files.readText(path.join(root, name));
    return answer.ok ? answer.text : "";
  };
  const cmake = ofCMake(read("CMakeLists.txt"));
  const distribution = ofPyproject(read("pyproject.toml")) ?? ofSetupCfg(read("setup.cfg")) ?? ofSetupPy(read("setup.py"));
  const name = distribution?.name ?? cmake?.name ?? path.basename(path.resolve(root));
  const version = distribution?.version ?? cmake?.version;
  return { name: name === "" ? "project" : name, ...(version === undefined ? {} : { version }) };
}

type Found = { readonly name: string; readonly version?: string } | undefined;

function found(name: unknown, version: unknown): Found {
  return typeof name !== "string" || name.trim() === "" ? undefined : { name: name.trim(), ...(typeof version === "string" && version.trim() !== "" ? { version: version.trim() } : {}) };
}

/** https://packaging.python.org/en/latest/specifications/pyproject-toml/ */
function ofPyproject(text: string): Found {
  if (!/^\s*\[\s*project\s*\]/m.test(text)) return undefined;
  try {
    const { project } = getStaticTOMLValue(parseTOML(text)) as { readonly project?: { readonly name?: unknown; readonly version?: unknown } };
    return found(project?.name, project?.version);
  } catch {
    // Whoever builds it will tell what is wrong with it.
    return undefined;
  }
}

/** https://setuptools.pypa.io/en/latest/userguide/declarative_config.html */
function ofSetupCfg(text: string): Found {
  const section = /^\[metadata\][^\n]*\n((?:(?!\[).*\n?)*)/m.exec(text)?.[1] ?? "";
  const value = (key: string): string | undefined => new RegExp(`^${key}\\s*[=:]\\s*(\\S.*)$`, "m").exec(section)?.[1];
  const version = value("version");
  return found(value("name"), version === undefined || /^(?:attr|file):/.test(version) ? undefined : version);
}

function ofSetupPy(text: string): Found {
  const call = /\bsetup\s*\(([^]*)/.exec(text.replaceAll(/^\s*#.*$/gm, ""))?.[1] ?? "";
  const value = (key: string): string | undefined => new RegExp(`(?:^|[\\s,(])${key}\\s*=\\s*(["'])([^"'\\n{}]+)\\1`).exec(call)?.[2];
  return found(value("name"), value("version"));
}

/** cmake-commands(7), project(). */
function ofCMake(text: string): Found {
  const [, name, rest = ""] = /^[ \t]*project\s*\(\s*"?([\w.+-]+)"?([^)]*)\)/im.exec(text.replaceAll(/#.*$/gm, "")) ?? [];
  return found(name, /\bVERSION\s+"?(\d[\w.]*)/.exec(rest)?.[1]);
}
