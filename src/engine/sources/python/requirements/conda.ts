import { dirname, resolve } from "node:path";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { addCondaSpec } from "./condaSpec.ts";
import { YamlFile } from "./yamlText.ts";

/** Reads a conda environment file: conda dependencies and the pip list inside. Source: docs.conda.io, "Creating an environment file manually". */
export function readCondaEnvironment(source: SourceText, collector: Collector): void {
  const yaml = new YamlFile(source, collector);
  const channels = yaml.items(yaml.get(yaml.root, "channels")).flatMap((node) => yaml.text(node)?.value ?? []);
  for (const item of yaml.items(yaml.get(yaml.root, "dependencies"))) {
    const text = yaml.text(item);
    if (text) {
      addCondaSpec(source, text.start, text.value, { role: "conda", indexUrls: channels }, collector);
      continue;
    }
    readPipList(yaml, yaml.items(yaml.get(item, "pip")), collector, { role: "conda", group: "pip" });
  }
}

/** A list of pip arguments, one a line, as in a conda environment or a rapids dependency list. */
export function readPipList(yaml: YamlFile, items: readonly unknown[], collector: Collector, setting: RequirementSetting): void {
  const { source } = yaml;
  const texts = items.flatMap((item) => yaml.text(item) ?? []);
  const indexUrls = [...(setting.indexUrls ?? [])];
  for (const { value } of texts) {
    const index = /^(?:--index-url|--extra-index-url|--find-links|-i|-f)[=\s]+(\S+)/.exec(value.trim());
    if (index?.[1] !== undefined) indexUrls.push(index[1]);
  }
  for (const { value, start, end } of texts) {
    const file = /^(?:-r|--requirement|-c|--constraint)[=\s]*(\S+)/.exec(value.trim());
    if (file?.[1] !== undefined) {
      const constraint = /^(-c|--constraint)/.test(value.trim());
      collector.observations.push({ kind: "requirement-include", path: resolve(dirname(source.path), file[1]), constraint, evidence: source.evidence(start, end), conditions: setting.conditions ?? [] });
    } else if (!value.trim().startsWith("-")) {
      collector.add(source, start, value, { ...setting, indexUrls });
    }
  }
}
