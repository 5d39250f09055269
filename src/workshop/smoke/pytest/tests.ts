import * as fs from "node:fs";
import * as path from "node:path";
import { lineOf } from "../places.ts";
import type { PytestPlan } from "../../project/types.ts";
import type { TestCase } from "../types.ts";
import { fitsMarkers } from "./marker.ts";
import { scanPytest } from "./scan.ts";

/** How the tests of a plan are called: files relative to the plan's folder, with "/", as pytest's node ids have them. */
export class PytestNames {
  readonly plan: PytestPlan;
  readonly #folder: string;

  constructor(plan: PytestPlan) {
    this.plan = plan;
    // pytest speaks of the real path of the folder that it runs in.
    this.#folder = real(plan.folder);
  }

  fileId(file: string): string {
    return `${this.plan.id}::${this.relative(file)}`;
  }

  /** Of the function, whatever the parameters. */
  id(file: string, name: string): string {
    return `${this.fileId(file)}::${functionOf(name)}`;
  }

  relative(file: string): string {
    const relative = path.relative(this.#folder, file);
    return (relative.startsWith("..") ? path.relative(this.plan.folder, file) : relative).split(path.sep).join("/");
  }

  /** As pytest has it, from an id of this plan; "" is the whole file. */
  split(id: string): { readonly file: string; readonly name: string } {
    const rest = id.slice(this.plan.id.length + 2);
    const at = rest.indexOf("::");
    return { file: path.join(this.#folder, at === -1 ? rest : rest.slice(0, at)), name: at === -1 ? "" : rest.slice(at + 2) };
  }

  test(file: string, name: string, line: number | undefined, markers: readonly string[]): TestCase {
    const shown = functionOf(name);
    return {
      id: this.id(file, name), parent: this.fileId(file), label: shown, kind: "pytest", plan: this.plan.id, labels: markers, folder: this.plan.folder,
      ...(line === undefined ? {} : { location: lineOf(file, line) }),
    };
  }

  group(file: string): TestCase {
    return { id: this.fileId(file), parent: this.plan.id, label: this.relative(file), kind: "group", plan: this.plan.id, labels: [], location: lineOf(file, 1) };
  }
}

/** "TestA::test_b" of "TestA::test_b[1-x]", and of an id that ends so. */
export function functionOf(name: string): string {
  const at = name.indexOf("[", Math.max(0, name.indexOf(".py::")));
  return at === -1 ? name : name.slice(0, at);
}

/** The tests that the files show, under a group for each file; nothing is imported. */
export function staticTests(plan: PytestPlan, root: string): readonly TestCase[] {
  const names = new PytestNames(plan);
  const groups = new Set<string>();
  const tests: TestCase[] = [];
  for (const one of scanPytest(plan, root)) {
    if (!fitsMarkers(plan.marker, one.markers)) continue;
    if (!groups.has(one.file)) {
      groups.add(one.file);
      tests.push(names.group(one.file));
    }
    tests.push({ ...names.test(one.file, one.name, undefined, one.markers), location: one.location });
  }
  return tests;
}

function real(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}
