import * as vscode from "vscode";
import type { Project } from "../../workshop/project/types.ts";
import type { DiscoveredTests, TestCase } from "../../workshop/smoke/types.ts";
import { rangeOf } from "./decision.ts";

/** What an item of the Testing view stands for. */
export type TestNode =
  | { readonly kind: "folder"; readonly root: string }
  | { readonly kind: "plan"; readonly root: string; readonly plan: string }
  | { readonly kind: "case"; readonly root: string; readonly plan: string; readonly test: TestCase }
  | { readonly kind: "benchmarks"; readonly root: string; readonly plan: string }
  | { readonly kind: "benchmark"; readonly root: string; readonly plan: string; readonly name: string };

/** Which items a profile can run. */
export const smokeTag = new vscode.TestTag("abiding.smoke");
export const benchmarkTag = new vscode.TestTag("abiding.benchmark");

/** What is known of a project's tests. */
interface Known {
  readonly project: Project;
  readonly tests: Map<string, TestCase>;
  readonly problems: DiscoveredTests["problems"];
  /** Names of what was measured, by plan: a benchmark is known by name only once it has run. */
  readonly measured: Map<string, Set<string>>;
}

/** An item as it should be. */
interface Wanted {
  readonly id: string;
  readonly label: string;
  readonly node: TestNode;
  readonly tags: readonly vscode.TestTag[];
  readonly children: readonly Wanted[];
  readonly uri?: vscode.Uri;
  readonly range?: vscode.Range;
  readonly description?: string;
  readonly error?: vscode.MarkdownString;
  /** Another id that results and output may come under. */
  readonly alias?: string;
}

/**
 * The items of the Testing view. They are changed in place: an item that is made anew loses its last result, and a tree of
 * thousands that is rebuilt freezes the window.
 */
export class TestTree {
  readonly #controller: vscode.TestController;
  readonly #known = new Map<string, Known>();
  readonly #nodes = new WeakMap<vscode.TestItem, TestNode>();
  /** By root, then by the id of a case. */
  readonly #cases = new Map<string, Map<string, vscode.TestItem>>();

  constructor(controller: vscode.TestController) {
    this.#controller = controller;
  }

  get roots(): readonly string[] {
    return [...this.#known.keys()];
  }

  nodeOf(item: vscode.TestItem): TestNode | undefined {
    return this.#nodes.get(item);
  }

  itemOf(root: string, id: string): vscode.TestItem | undefined {
    return this.#cases.get(root)?.get(id);
  }

  project(root: string): Project | undefined {
    return this.#known.get(root)?.project;
  }

  /** The item of something measured; made when it is new. */
  measurement(root: string, plan: string, name: string): vscode.TestItem | undefined {
    const known = this.#known.get(root);
    const names = known?.measured.get(plan) ?? new Set<string>();
    if (known !== undefined && !names.has(name)) {
      known.measured.set(plan, names.add(name));
      this.#show();
    }
    return this.#cases.get(root)?.get(measurementId(plan, name));
  }

  /** What a reading of the project found takes the place of what was known. */
  set(root: string, project: Project, discovered: DiscoveredTests): void {
    const measured = this.#known.get(root)?.measured ?? new Map<string, Set<string>>();
    this.#known.set(root, { project, tests: byId(discovered.tests), problems: discovered.problems, measured });
    this.#show();
  }

  /** Tests that a run found are added to those that are known. */
  add(root: string, tests: readonly TestCase[]): void {
    const known = this.#known.get(root);
    if (known === undefined || tests.length === 0) {
      return;
    }
    tests.forEach((test) => known.tests.set(test.id, test));
    this.#show();
  }

  remove(root: string): void {
    this.#known.delete(root);
    this.#cases.delete(root);
    this.#show();
  }

  #show(): void {
    const roots = [...this.#known].map(([root, known]) => this.#wantedOf(root, known));
    const [only] = roots;
    this.#cases.clear();
    // A single project needs no item that stands for it.
    this.#apply(this.#controller.items, roots.length === 1 && only !== undefined ? only.children : roots.filter((one) => one.children.length > 0));
  }

  #wantedOf(root: string, { project, tests, problems, measured }: Known): Wanted {
    const children = new Map<string, TestCase[]>();
    for (const test of tests.values()) {
      const parent = test.parent !== undefined && tests.has(test.parent) ? test.parent : `plan ${test.plan}`;
      children.set(parent, [...children.get(parent) ?? [], test]);
    }
    const caseOf = (test: TestCase): Wanted => ({
      id: test.id, label: test.label, node: { kind: "case", root, plan: test.plan, test },
      tags: [smokeTag, ...test.labels.map((label) => new vscode.TestTag(label))],
      children: (children.get(test.id) ?? []).map(caseOf),
      ...(test.location === undefined ? {} : { uri: vscode.Uri.file(test.location.path), range: rangeOf(test.location.range) }),
      ...(test.disabled === undefined ? test.unlisted === undefined ? {} : { description: test.unlisted } : { description: test.disabled }),
    });
    const smoke = project.smoke.map((plan): Wanted => {
      const top = children.get(`plan ${plan.id}`) ?? [];
      // A group that holds all of a plan is the plan.
      const whole = top.length === 1 && top[0]?.kind === "group" ? top[0] : undefined;
      const said = problems.filter((one) => one.plan === plan.id).map((one) => one.message);
      return {
        id: plan.id, label: plan.label, node: { kind: "plan", root, plan: plan.id }, tags: [smokeTag],
        uri: vscode.Uri.file(plan.shownBy.path), range: rangeOf(plan.shownBy.range),
        children: (whole === undefined ? top : children.get(whole.id) ?? []).map(caseOf),
        ...(whole === undefined ? {} : { alias: whole.id }),
        ...(said.length === 0 ? {} : { error: problemText(said, project.builds.length > 0) }),
      };
    });
    const benchmarks = project.benchmarks.map((plan): Wanted => ({
      id: plan.id, label: plan.label, node: { kind: "benchmarks", root, plan: plan.id }, tags: [benchmarkTag],
      uri: vscode.Uri.file(plan.shownBy.path), range: rangeOf(plan.shownBy.range), description: vscode.l10n.t("benchmarks"),
      children: [...measured.get(plan.id) ?? []].map((name) => ({ id: measurementId(plan.id, name), label: name, node: { kind: "benchmark", root, plan: plan.id, name }, tags: [benchmarkTag], children: [] })),
    }));
    return { id: root, label: vscode.workspace.getWorkspaceFolder(vscode.Uri.file(root))?.name ?? root, node: { kind: "folder", root }, tags: [smokeTag, benchmarkTag], children: [...smoke, ...benchmarks] };
  }

  #apply(collection: vscode.TestItemCollection, wanted: readonly Wanted[]): void {
    let isSame = collection.size === wanted.length;
    const items = wanted.map((one) => {
      const existing = collection.get(one.id);
      if (existing !== undefined && existing.uri?.toString() === one.uri?.toString()) {
        this.#update(existing, one);
        return existing;
      }
      isSame = false;
      const item = this.#controller.createTestItem(one.id, one.label, one.uri);
      this.#update(item, one);
      return item;
    });
    if (!isSame) {
      collection.replace(items);
    }
  }

  #update(item: vscode.TestItem, wanted: Wanted): void {
    const { node } = wanted;
    this.#nodes.set(item, node);
    if (node.kind !== "folder") {
      const cases = this.#cases.get(node.root) ?? new Map<string, vscode.TestItem>();
      this.#cases.set(node.root, cases.set(wanted.id, item));
      if (wanted.alias !== undefined) {
        cases.set(wanted.alias, item);
      }
    }
    // Each assignment is a message to the window.
    if (item.label !== wanted.label) item.label = wanted.label;
    if (item.description !== wanted.description) item.description = wanted.description;
    if (wanted.range !== undefined && item.range?.isEqual(wanted.range) !== true) item.range = wanted.range;
    if (idsOf(item.tags) !== idsOf(wanted.tags)) item.tags = wanted.tags;
    if (errorOf(item.error) !== errorOf(wanted.error)) item.error = wanted.error;
    this.#apply(item.children, wanted.children);
  }
}

function byId(tests: readonly TestCase[]): Map<string, TestCase> {
  return new Map(tests.map((test) => [test.id, test]));
}

function measurementId(plan: string, name: string): string {
  return `${plan} ${name}`;
}

function idsOf(tags: readonly vscode.TestTag[]): string {
  return tags.map((tag) => tag.id).join("\0");
}

function errorOf(error: string | vscode.MarkdownString | undefined): string | undefined {
  return typeof error === "object" ? error.value : error;
}

function problemText(messages: readonly string[], canBuild: boolean): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(messages.join("\n"));
  if (canBuild) {
    text.appendMarkdown(`\n\n[${vscode.l10n.t("Build")}](command:abiding.build)`);
    text.isTrusted = { enabledCommands: ["abiding.build"] };
  }
  return text;
}
