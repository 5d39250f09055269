import type { DeclaredBody, Finding, Location, Requirement } from "../../model/index.ts";
import type { BuiltFile } from "../../rules/index.ts";
import { locationKey } from "../../rules/support.ts";

/** Something that has a table of its own: what a build file makes, or a file that none was seen to make. */
export interface Subject {
  readonly body: DeclaredBody | undefined;
  /** The newest first. */
  readonly built: readonly BuiltFile[];
  /** What is asked of torch around it. */
  readonly requirements: readonly Requirement[];
}

/** Every target that is compiled or loaded, with what was built from it, and the files that belong to none. */
export function subjectsOf(declared: readonly DeclaredBody[], built: readonly BuiltFile[], requirementsOf: (body: DeclaredBody | undefined) => readonly Requirement[]): readonly Subject[] {
  const byBody = new Map<DeclaredBody, BuiltFile[]>();
  const alone = new Map<string, BuiltFile[]>();
  const put = <K>(map: Map<K, BuiltFile[]>, key: K, file: BuiltFile): void => {
    const files = map.get(key);
    if (files === undefined) map.set(key, [file]);
    else files.push(file);
  };
  for (const file of [...built].sort((a, b) => b.modified - a.modified)) {
    if (file.target === undefined) {
      // build/lib.*/package/_C.so and package/_C.so are copies of one module.
      put(alone, file.body.path.split(/[\\/]/).slice(-2).join("/"), file);
    } else {
      put(byBody, file.target, file);
    }
  }
  const targets = declared.filter(({ target }) => target.kind !== "imported" && target.kind !== "interface");
  return [...targets.map((body): Subject => ({ body, built: byBody.get(body) ?? [], requirements: requirementsOf(body) })), ...[...alone.values()].map((files): Subject => ({ body: undefined, built: files, requirements: requirementsOf(undefined) }))];
}

/**
 * Which findings concern which subject: by the target that the finding names, by the text that reaches the target, by its
 * sources, by its built files. What none of this tells is the project's.
 */
export function assign(findings: readonly Finding[], subjects: readonly Subject[]): { readonly of: ReadonlyMap<Subject, readonly number[]>; readonly rest: readonly number[] } {
  const places = placesOf(subjects);
  const of = new Map<Subject, number[]>();
  const rest: number[] = [];
  for (const [index, finding] of findings.entries()) {
    const found = concerned(finding, places);
    for (const subject of found) {
      const known = of.get(subject);
      if (known === undefined) of.set(subject, [index]);
      else known.push(index);
    }
    if (found.size === 0) rest.push(index);
  }
  return { of, rest };
}

interface Places {
  readonly byName: ReadonlyMap<string, readonly Subject[]>;
  readonly byText: ReadonlyMap<string, readonly Subject[]>;
  readonly byFile: ReadonlyMap<string, readonly Subject[]>;
  readonly byRequirement: ReadonlyMap<string, readonly Subject[]>;
}

function placesOf(subjects: readonly Subject[]): Places {
  const byName = new Map<string, Subject[]>();
  const byText = new Map<string, Subject[]>();
  const byFile = new Map<string, Subject[]>();
  const byRequirement = new Map<string, Subject[]>();
  const add = (map: Map<string, Subject[]>, key: string, subject: Subject): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [subject]);
    else if (known.at(-1) !== subject) known.push(subject);
  };
  for (const subject of subjects) {
    for (const file of subject.built) add(byFile, file.body.path, subject);
    if (subject.body === undefined) continue;
    for (const { location, specifierLocation } of subject.body.target.usesTorch === false ? [] : subject.requirements) {
      add(byRequirement, locationKey(location), subject);
      if (specifierLocation !== undefined) add(byRequirement, locationKey(specifierLocation), subject);
    }
    const { target } = subject.body;
    add(byName, target.name, subject);
    const texts: readonly Location[] = [target.location, ...target.arguments.map((one) => one.evidence.location), ...target.links.map((one) => one.evidence.location)];
    for (const text of texts) add(byText, locationKey(text), subject);
    for (const source of target.sources) add(byFile, source.path, subject);
  }
  return { byName, byText, byFile, byRequirement };
}

function concerned({ target, location, related }: Finding, { byName, byText, byFile, byRequirement }: Places): ReadonlySet<Subject> {
  const keys = [location, ...related.map((one) => one.location)];
  const near = [...byText.get(locationKey(location)) ?? [], ...byFile.get(location.path) ?? []];
  if (target !== undefined) {
    const named = byName.get(target) ?? [];
    // Two builders of one project often give their targets the same name.
    const there = named.filter((one) => near.includes(one) || keys.some((place) => one.body?.target.location.path === place.path));
    return new Set(there.length > 0 ? there : named);
  }
  return new Set([...near, ...byRequirement.get(locationKey(location)) ?? [], ...related.flatMap((one) => byText.get(locationKey(one.location)) ?? [])]);
}
