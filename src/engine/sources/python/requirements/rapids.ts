import type { Condition } from "../../../model/index.ts";
import type { Collector, SourceText } from "./collector.ts";
import { readPipList } from "./conda.ts";
import type { IsRead } from "./conda.ts";
import { addCondaSpec } from "./condaSpec.ts";
import { YamlFile } from "./yamlText.ts";

/**
 * Reads a dependencies.yaml of rapids-dependency-file-generator. Each cell of a matrix is a choice of its own: its requirements
 * carry a condition whose branches exclude each other, so that two cells are never held against each other.
 * Source: github.com/rapidsai/dependency-file-generator, README.
 */
export function readRapidsDependencies(source: SourceText, collector: Collector, isRead: IsRead): void {
  const yaml = new YamlFile(source, collector);
  const branches = new Map<string, number>();
  const cell = (text: string, node: unknown): Condition => {
    const branch = branches.get(text) ?? branches.size;
    branches.set(text, branch);
    const span = yaml.span(node) ?? { start: 0, end: 0 };
    return { text, id: `${source.path}#matrix`, branch, location: source.location(span.start, span.end) };
  };
  for (const [group, dependency] of yaml.entries(yaml.get(yaml.root, "dependencies"))) {
    for (const block of yaml.items(yaml.get(dependency, "common"))) {
      readPackages(yaml, block, yaml.get(block, "packages"), group, [], collector, isRead);
    }
    for (const block of yaml.items(yaml.get(dependency, "specific"))) {
      const outputs = outputTypes(yaml, block).join("+");
      for (const entry of yaml.items(yaml.get(block, "matrices"))) {
        const matrix = yaml.get(entry, "matrix");
        const coordinates = yaml.entries(matrix).flatMap(([key, value]) => `${key}=${yaml.text(value)?.value ?? "*"}`).sort();
        const text = `${outputs}: ${coordinates.join(", ") || "otherwise"}`;
        readPackages(yaml, block, yaml.get(entry, "packages"), group, [cell(text, matrix ?? entry)], collector, isRead);
      }
    }
  }
}

function outputTypes(yaml: YamlFile, block: unknown): readonly string[] {
  const node = yaml.get(block, "output_types");
  const single = yaml.text(node);
  return single ? [single.value] : yaml.items(node).flatMap((item) => yaml.text(item)?.value ?? []);
}

function readPackages(yaml: YamlFile, block: unknown, packages: unknown, group: string, conditions: readonly Condition[], collector: Collector, isRead: IsRead): void {
  const outputs = outputTypes(yaml, block);
  const pipList: unknown[] = [];
  for (const item of yaml.items(packages)) {
    const nested = yaml.items(yaml.get(item, "pip"));
    if (nested.length > 0) readPipList(yaml, nested, collector, { role: "conda", group: `${group} (pip)`, conditions }, isRead);
    const text = yaml.text(item);
    if (!text) continue;
    if (outputs.length > 0 && outputs.every((one) => one === "conda")) {
      addCondaSpec(yaml.source, text.start, text.value, { role: "conda", group, conditions }, collector);
    } else {
      pipList.push(item);
    }
  }
  readPipList(yaml, pipList, collector, { role: "requirements-file", group, conditions }, isRead);
}
