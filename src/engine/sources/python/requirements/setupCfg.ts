import { isLibrary } from "../libraries.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";

const lists: Readonly<Record<string, RequirementSetting>> = {
  install_requires: { role: "install" },
  setup_requires: { role: "setup-requires" },
  tests_require: { role: "development", group: "tests" },
};

/** Reads the requirements of a declarative setup.cfg. Source: setuptools.pypa.io, "Configuring setuptools using setup.cfg files". */
export function readSetupCfg(source: SourceText, collector: Collector): void {
  const { text } = source;
  let section = "";
  let setting: RequirementSetting | undefined;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end).replace(/\r$/, "");
    const start = at;
    at = end + 1;
    if (/^\s*([#;]|$)/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line);
    if (header) {
      section = (header[1] ?? "").trim();
      setting = undefined;
      continue;
    }
    if (/^\s/.test(line)) {
      if (section === "options.package_data") addFiles(source, start, line, collector);
      if (setting) addAll(source, start, line, collector, setting);
      continue;
    }
    const option = /^([^=:\s]+)\s*[=:]\s*/.exec(line);
    if (!option) continue;
    const name = (option[1] ?? "").replace(/-/g, "_");
    const value = line.slice(option[0].length);
    setting = section === "options" ? lists[name] : section === "options.extras_require" ? { role: "optional", group: option[1] ?? "" } : undefined;
    if (setting) addAll(source, start + option[0].length, value, collector, setting);
    const valueStart = start + option[0].length;
    if (section === "options.package_data") addFiles(source, valueStart, value, collector);
    if (section === "options" && name === "python_requires" && value.trim() !== "") {
      collector.observations.push({ kind: "python-range", specifier: value.trim(), evidence: source.evidence(valueStart, valueStart + value.trimEnd().length), conditions: [] });
    }
    if (section === "bdist_wheel" && name === "py_limited_api" && value.trim() !== "") {
      collector.observations.push({ kind: "wheel-tag", tag: value.trim(), evidence: source.evidence(valueStart, valueStart + value.trimEnd().length), conditions: [] });
    }
  }
}

/** One line may hold several requirements between semicolons only in very old files, so a line is one requirement. */
function addAll(source: SourceText, start: number, line: string, collector: Collector, setting: RequirementSetting): void {
  const text = line.replace(/\s#.*$/, "");
  if (text.trim() === "" || /^\s*file:/.test(text)) return;
  if (!collector.add(source, start, text, setting)) {
    collector.gap(source, start, start + line.length, `"${text.trim()}" in ${source.path} is not a requirement that could be read.`);
  }
}

/** Patterns of packaged files stand on lines of their own, or between commas. */
function addFiles(source: SourceText, start: number, line: string, collector: Collector): void {
  for (const match of line.matchAll(/[^\s,]+/g)) {
    if (!isLibrary(match[0])) continue;
    const at = start + match.index;
    collector.observations.push({ kind: "packaged-file", pattern: match[0], evidence: source.evidence(at, at + match[0].length), conditions: [] });
  }
}
