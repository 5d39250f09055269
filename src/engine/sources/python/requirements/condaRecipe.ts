import type { Condition } from "../../../model/index.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";
import { selectorBehind } from "./condaSelector.ts";
import { addCondaSpec, parseCondaSpec } from "./condaSpec.ts";
import { YamlFile } from "./yamlText.ts";
import type { YamlText } from "./yamlText.ts";

/** What the template tags of a recipe say, gathered before the YAML is parsed. */
interface Template {
  /** The text with template tags replaced by text of the same length that YAML accepts. */
  readonly masked: string;
  /** Variables with one literal value. */
  readonly variables: ReadonlyMap<string, string>;
  readonly branches: readonly { readonly start: number; readonly end: number; readonly condition: Condition }[];
}

/**
 * Reads meta.yaml (conda-build) and recipe.yaml (rattler-build). Template tags are not run: literal variables are filled in,
 * anything else leaves a requirement of unknown version. Sources: docs.conda.io/projects/conda-build, "Defining metadata";
 * rattler-build.prefix.dev, "Recipe file".
 */
export function readCondaRecipe(source: SourceText, collector: Collector): void {
  const template = readTemplate(source);
  const yaml = new YamlFile(source, collector, template.masked);
  const variables = new Map(template.variables);
  for (const [name, node] of yaml.entries(yaml.get(yaml.root, "context"))) {
    const value = yaml.text(node)?.value;
    if (value !== undefined && !value.includes("{{")) variables.set(name, value);
  }
  const recipe = new RecipeReader(yaml, template, variables, collector);
  recipe.section(yaml.get(yaml.root, "requirements"), "");
  for (const output of yaml.items(yaml.get(yaml.root, "outputs"))) {
    const name = yaml.text(yaml.get(output, "name") ?? yaml.get(yaml.get(output, "package"), "name"))?.value;
    recipe.section(yaml.get(output, "requirements"), name === undefined ? "" : `${name} `);
  }
}

class RecipeReader {
  readonly #yaml: YamlFile;
  readonly #template: Template;
  readonly #variables: ReadonlyMap<string, string>;
  readonly #collector: Collector;

  constructor(yaml: YamlFile, template: Template, variables: ReadonlyMap<string, string>, collector: Collector) {
    this.#yaml = yaml;
    this.#template = template;
    this.#variables = variables;
    this.#collector = collector;
  }

  section(requirements: unknown, prefix: string): void {
    for (const [list, node] of this.#yaml.entries(requirements)) {
      const constrained = list === "run_constrained" || list === "run_constraints";
      this.#items(this.#yaml.items(node), { role: constrained ? "constraint" : "conda", group: `${prefix}${list}` }, []);
    }
    // A bare list under `requirements` is the run list of an output.
    this.#items(this.#yaml.items(requirements), { role: "conda", group: `${prefix}run` }, []);
  }

  #items(items: readonly unknown[], setting: RequirementSetting, conditions: readonly Condition[]): void {
    for (const item of items) {
      const text = this.#yaml.text(item);
      if (text) this.#requirement(text, setting, conditions);
      const test = this.#yaml.text(this.#yaml.get(item, "if"));
      if (!test || conditions.length > 10) continue;
      const { source } = this.#yaml;
      const condition = (branch: number): Condition => ({ text: test.value, id: `${source.path}:${test.start}`, branch, location: source.location(test.start, test.end) });
      for (const [branch, key] of ["then", "else"].entries()) {
        const node = this.#yaml.get(item, key);
        const list = this.#yaml.items(node);
        this.#items(list.length > 0 || node === undefined ? list : [node], setting, [...conditions, condition(branch)]);
      }
    }
  }

  #requirement(text: YamlText, setting: RequirementSetting, outer: readonly Condition[]): void {
    const { source } = this.#yaml;
    const within = this.#template.branches.filter((one) => one.start <= text.start && text.start < one.end).map((one) => one.condition);
    const selector = selectorBehind(source, text);
    const conditions = [...outer, ...within, ...(selector?.conditions ?? [])];
    const complete: RequirementSetting = { ...setting, ...selector, conditions };
    if (!/\{\{/.test(text.value)) {
      addCondaSpec(source, text.start, text.value, complete, this.#collector);
      return;
    }
    const filled = text.value.replace(/\$?\{\{\s*(\w+)\s*\}\}/g, (tag, name: string) => this.#variables.get(name) ?? tag);
    const parsed = parseCondaSpec(filled.includes("{{") ? filled.slice(0, filled.indexOf("{{")).replace(/\$$/, "") : filled);
    if (!parsed) return;
    const known = !filled.includes("{{") && parsed.specifier !== undefined;
    this.#collector.push({
      name: parsed.name === "pytorch" ? "torch" : parsed.name,
      specifier: known ? (parsed.specifier ?? "") : "",
      known, setting: complete, location: source.location(text.start, text.end), text: text.value,
    });
  }
}

function readTemplate(source: SourceText): Template {
  const values = new Map<string, Set<string | undefined>>();
  const branches: { start: number; end: number; condition: Condition }[] = [];
  const open: { id: string; branch: number; from: number; condition: Condition }[] = [];
  const close = (at: number) => {
    const top = open.pop();
    if (top) branches.push({ start: top.from, end: at, condition: top.condition });
    return top;
  };
  const enter = (id: string, branch: number, text: string, start: number, end: number) => {
    open.push({ id, branch, from: end, condition: { text, id, branch, location: source.location(start, end) } });
  };
  for (const match of source.text.matchAll(/\{%-?\s*(\w+)\s*([^%]*?)\s*-?%\}/g)) {
    const [whole, word = "", rest = ""] = match;
    const start = match.index;
    const end = start + whole.length;
    if (word === "set") {
      const literal = /^(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\d[\d.]*))$/.exec(rest);
      const name = /^\w+/.exec(rest)?.[0];
      if (name !== undefined) values.set(name, (values.get(name) ?? new Set()).add(literal ? (literal[2] ?? literal[3] ?? literal[4]) : undefined));
    } else if (word === "if") {
      enter(`${source.path}:${start}`, 0, rest, start, end);
    } else if (word === "elif" || word === "else") {
      const previous = close(start);
      if (previous) enter(previous.id, previous.branch + 1, word === "else" ? "else" : rest, start, end);
    } else if (word === "endif") {
      close(start);
    }
  }
  const variables = new Map<string, string>();
  for (const [name, set] of values) {
    const [only] = set;
    if (set.size === 1 && only !== undefined) variables.set(name, only);
  }
  return { masked: mask(source.text), variables, branches };
}

/** Template tags made harmless to YAML without moving anything. */
function mask(text: string): string {
  const blank = (tag: string) => tag.replace(/[^\r\n]/g, " ");
  return text
    .replace(/\{#[^]*?#\}/g, blank)
    .replace(/\{%[^]*?%\}/g, blank)
    .replace(/^[ \t]*\{\{[^\n]*\}\}[ \t]*(?=\r?$)/gm, blank)
    .replace(/\$?\{\{[^\n]*?\}\}/g, (tag) => tag.replace(/[^\w]/g, "_"));
}
