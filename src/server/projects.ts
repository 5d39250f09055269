import * as path from "node:path";
import { isInside } from "../engine/files/index.ts";
import { Project } from "./project.ts";
import type { ProjectHost } from "./project.ts";

/** The open folders. A file belongs to the innermost folder around it, so that nested roots do not report twice. */
export class Projects {
  readonly #host: ProjectHost;
  readonly #folders = new Map<string, Project>();
  /** Folders of files that were opened alone; they last as long as one of their documents is open. */
  readonly #detached = new Map<string, Project>();

  constructor(host: ProjectHost) {
    this.#host = host;
  }

  get all(): readonly Project[] {
    return [...this.#folders.values(), ...this.#detached.values()];
  }

  add(root: string): Project {
    const known = this.#folders.get(root) ?? new Project(root, this.#host);
    this.#folders.set(root, known);
    this.#detached.delete(root);
    return known;
  }

  remove(root: string): void {
    this.#folders.delete(root);
  }

  at(root: string): Project | undefined {
    return this.#folders.get(root);
  }

  /** The project that reports about a file. */
  of(file: string): Project | undefined {
    const inside = this.all.filter((project) => isInside(file, project.root));
    return inside.toSorted((a, b) => b.root.length - a.root.length)[0];
  }

  /** The project of an opened document; a document outside every folder gets one of its own folder. */
  open(file: string): { readonly project: Project; readonly created: boolean } {
    const known = this.of(file);
    if (known !== undefined) {
      return { project: known, created: false };
    }
    const root = path.dirname(file);
    const project = new Project(root, this.#host);
    this.#detached.set(root, project);
    return { project, created: true };
  }

  /** Forgets projects of single files that are no longer open. */
  prune(openFiles: Iterable<string>): void {
    const files = [...openFiles];
    for (const root of this.#detached.keys()) {
      if (!files.some((file) => isInside(file, root))) {
        this.#detached.delete(root);
      }
    }
  }

  /** A file can matter to projects that it is no part of (`include(../common.cmake)`), so all are told. True when it does to one. */
  invalidate(file: string): boolean {
    return this.all.map((project) => project.invalidate(file)).includes(true);
  }
}
