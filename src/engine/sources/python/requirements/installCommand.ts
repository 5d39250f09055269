import { dirname, resolve } from "node:path";
import { normaliseName } from "../../../model/index.ts";
import { distributionInLink } from "./collector.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { addCondaSpec, parseCondaSpec } from "./condaSpec.ts";
import type { ShellCommand, ShellWord } from "./shellWords.ts";

const pipValueOptions =
  /^(-r|--requirement|--requirements|-c|--constraint|--constraints|-i|--index-url|--extra-index-url|-f|--find-links|-e|--editable|-t|--target|--prefix|--root|--platform|--python-version|--implementation|--abi|--cache-dir|--python|-p|--index|--default-index|--index-strategy|--timeout|--retries|--trusted-host|--progress-bar|--log|--proxy|--only-binary|--no-binary|--upgrade-strategy|--global-option|--config-settings?|-C|--report|--src|--torch-backend|--prerelease|--link-mode|--group)$/;
const condaValueOptions = /^(-c|--channel|-n|--name|-p|--prefix|-f|--file|--solver)$/;

/** Reads `pip install`, `uv pip install`, `python -m pip install` and `conda install` in their spellings. */
export function readInstallCommand(source: SourceText, command: ShellCommand, collector: Collector, setting: RequirementSetting): void {
  const words = command.words;
  const complete: RequirementSetting = { ...setting, conditions: [...(setting.conditions ?? []), ...command.conditions] };
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]?.text ?? "";
    const program = word.slice(word.lastIndexOf("/") + 1);
    if (/^pip[\d.]*$/.test(program)) {
      const install = words.findIndex((one, index) => index > i && !one.text.startsWith("-"));
      if (words[install]?.text === "install") readPip(source, words.slice(install + 1), collector, complete);
      return;
    }
    if (/^(conda|mamba|micromamba)$/.test(program)) {
      const install = words.findIndex((one, index) => index > i && !one.text.startsWith("-"));
      if (words[install]?.text === "install" || words[install]?.text === "create") readConda(source, words.slice(install + 1), collector, complete);
      return;
    }
    // Anything that may stand before the program: assignments, interpreters, wrappers with their options.
    if (!/^([A-Za-z_]\w*=.*|python[\d.]*|uv|uvx|env|nice|-m|-[A-Za-z-]+|run|xvfb-run|bash|sh|"?\$\{?\w+\}?"?)$/.test(program) && !/^--(mount|network|security)=/.test(word)) return;
  }
}

function readPip(source: SourceText, words: readonly ShellWord[], collector: Collector, setting: RequirementSetting): void {
  const indexUrls = [...(setting.indexUrls ?? [])];
  const targets: ShellWord[] = [];
  const includes: { readonly word: ShellWord; readonly constraint: boolean }[] = [];
  let isolationOff: ShellWord | undefined;
  let replacesDefaultIndex = false;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (!word) continue;
    const assigned = /^(--[a-z-]+)=(.*)$/s.exec(word.text);
    const name = assigned?.[1] ?? word.text;
    if (name === "--no-build-isolation") isolationOff = word;
    if (pipValueOptions.test(name)) {
      const value = assigned ? { ...word, text: assigned[2] ?? "" } : words[(i += 1)];
      if (!value) break;
      if (/^(-i|--index-url|--default-index)$/.test(name)) replacesDefaultIndex = true;
      if (/^(-i|--index-url|--extra-index-url|-f|--find-links|--index|--default-index)$/.test(name)) indexUrls.push(value.text);
      else if (/^(-r|--requirements?|-c|--constraints?)$/.test(name)) includes.push({ word: value, constraint: /^(-c|--constraint)/.test(name) });
      continue;
    }
    if (name.startsWith("-")) continue;
    if (/^[\d]?>|^</.test(name)) break;
    targets.push(word);
  }
  const inForce = { ...setting, indexUrls, replacesDefaultIndex };
  const named: string[] = [];
  for (const target of targets) {
    const name = addTarget(source, target, collector, inForce);
    if (name !== undefined) named.push(name);
  }
  const conditions = setting.conditions ?? [];
  for (const { word, constraint } of includes) {
    const path = word.known ? nearest(source.path, word.text, collector) : undefined;
    if (path === undefined) continue;
    collector.observations.push({ kind: "requirement-include", path, constraint, evidence: source.evidence(word.start, word.end), conditions });
  }
  if (isolationOff) {
    collector.observations.push({ kind: "build-isolation", isolated: false, packages: named, evidence: source.evidence(isolationOff.start, isolationOff.end), conditions });
  }
}

function addTarget(source: SourceText, word: ShellWord, collector: Collector, setting: RequirementSetting): string | undefined {
  const { text, start, end } = word;
  if (/^([a-z+]+:\/\/|\.{0,2}\/|\.$|\.\[|\$)/i.test(text)) {
    const distribution = /^https?:/.test(text) ? distributionInLink(text) : undefined;
    if (!distribution) return undefined;
    collector.push({ name: distribution.name, specifier: `==${distribution.version}`, url: text, known: word.known, setting, location: source.location(start, end), text: source.text.slice(start, end) });
    return normaliseName(distribution.name);
  }
  const before = collector.requirements.length;
  const plain = source.text.slice(start, end);
  const quoted = /^(["'])(.*)\1$/s.exec(plain);
  const content = quoted ? start + 1 : start;
  const isVerbatim = source.text.startsWith(text, content) && (quoted ? quoted[2] === text : plain === text);
  if (isVerbatim) {
    collector.add(source, content, text, setting);
  } else {
    const match = /^([A-Za-z0-9][\w.-]*)(\[[^\]]*\])?\s*([=<>!~].*)?$/s.exec(text.split(";")[0]?.trim() ?? "");
    if (!match) return undefined;
    const specifier = match[3] ?? "";
    collector.push({ name: match[1] ?? "", specifier: word.known ? specifier : "", known: word.known, setting, location: source.location(start, end), text: plain });
  }
  return collector.requirements[before]?.name;
}

/** Climbs from the image file to find what was copied into the image: the name is kept, the place in the image is not. */
function nearest(from: string, name: string, collector: Collector): string | undefined {
  const wanted = name.replace(/^\/+(?:[\w.-]+\/)*/, (prefix) => (name.startsWith("/") ? "" : prefix));
  let folder = dirname(from);
  for (let i = 0; i < 5; i += 1) {
    const path = resolve(folder, wanted);
    if (collector.files.status(path)?.kind === "file") return path;
    if (collector.files.status(resolve(folder, ".git")) !== undefined) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

function readConda(source: SourceText, words: readonly ShellWord[], collector: Collector, setting: RequirementSetting): void {
  const channels: string[] = [];
  const targets: ShellWord[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (!word) continue;
    if (condaValueOptions.test(word.text)) {
      const value = words[(i += 1)];
      if (value && /^(-c|--channel)$/.test(word.text)) channels.push(value.text);
      continue;
    }
    if (word.text.startsWith("-")) continue;
    targets.push(word);
  }
  for (const word of targets) {
    const plain = source.text.slice(word.start, word.end);
    const complete = { ...setting, indexUrls: channels };
    if (plain === word.text) {
      addCondaSpec(source, word.start, word.text, complete, collector);
      continue;
    }
    const spec = parseCondaSpec(word.text);
    if (!spec) continue;
    const name = spec.name === "pytorch" ? "torch" : spec.name;
    collector.push({ name, specifier: word.known ? (spec.specifier ?? "") : "", known: word.known && spec.specifier !== undefined, setting: complete, location: source.location(word.start, word.end), text: plain });
  }
}
