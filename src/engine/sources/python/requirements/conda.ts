import { dirname, resolve } from "node:path";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { selectorBehind } from "./condaSelector.ts";
import { addCondaSpec } from "./condaSpec.ts";
import { readRequirementsTxt } from "./requirementsTxt.ts";
import { YamlFile } from "./yamlText.ts";

/** Whether a file of this name is read by itself. */
export type IsRead = (path: string) => boolean;

/** Reads a conda environment file: conda dependencies and the pip list inside. Source: docs.conda.io, "Creating an environment file manually". */
export function readCondaEnvironment(source: SourceText, collector: Collector, isRead: IsRead): void {
  const yaml = new YamlFile(source, collector);
  const channels = yaml.items(yaml.get(yaml.root, "channels")).flatMap((node) => yaml.text(node)?.value ?? []);
  for (const item of yaml.items(yaml.get(yaml.root, "dependencies"))) {
    const text = yaml.text(item);
    if (text) {
      addCondaSpec(source, text.start, text.value, { role: "conda", indexUrls: channels, ...selectorBehind(source, text) }, collector);
      continue;
    }
    readPipList(yaml, yaml.items(yaml.get(item, "pip")), collector, { role: "conda", group: "pip" }, isRead);
  }
}

/** A list of pip arguments, one a line, as in a conda environment or a rapids dependency list. Files that it names and no other reader takes up are read. */
export function readPipList(yaml: YamlFile, items: readonly unknown[], collector: Collector, setting: RequirementSetting, isRead: IsRead): void {
  const { source } = yaml;
  const texts = items.flatMap((item) => yaml.text(item) ?? []);
  const indexUrls = [...(setting.indexUrls ?? [])];
  let replacesDefaultIndex = false;
  for (const { value } of texts) {
    const index = /^(--index-url|--extra-index-url|--find-links|-i|-f)[=\s]+(\S+)/.exec(value.trim());
    if (index?.[2] !== undefined) indexUrls.push(index[2]);
    replacesDefaultIndex ||= /^(?:--index-url|-i)$/.test(index?.[1] ?? "");
  }
  for (const text of texts) {
    const { value, start, end } = text;
    const file = /^(?:-r|--requirement|-c|--constraint)[=\s]*(\S+)/.exec(value.trim());
    if (file?.[1] !== undefined) {
      const constraint = /^(-c|--constraint)/.test(value.trim());
      const path = resolve(dirname(source.path), file[1]);
      collector.observations.push({ kind: "requirement-include", path, constraint, evidence: source.evidence(start, end), conditions: setting.conditions ?? [] });
      const inner = isRead(path) || /^[a-z]+:\/\/|\$/i.test(file[1]) ? undefined : collector.open(path);
      if (inner) readRequirementsTxt(inner, collector, { ...setting, role: constraint ? "constraint" : "requirements-file", indexUrls, replacesDefaultIndex }, isRead, 1);
    } else if (!value.trim().startsWith("-")) {
      const selector = selectorBehind(source, text);
      collector.add(source, start, value, { ...setting, ...selector, conditions: [...(setting.conditions ?? []), ...(selector?.conditions ?? [])], indexUrls, replacesDefaultIndex });
    }
  }
}
