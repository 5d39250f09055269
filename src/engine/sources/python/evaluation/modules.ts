import type { Modules } from "./call-types.ts";
import type { Interpreter } from "./interpreter.ts";
import { baseOf, directoryOf, joinPath } from "./paths.ts";
import { Scope } from "./scope.ts";
import { executeBlock } from "./statements.ts";
import type { ModuleValue } from "./values.ts";
import { always } from "./values.ts";
import type { SourceFile } from "../source-file.ts";

/** Modules of one project that one build script may pull in; a module of the package itself, which is not there to build, fewer. */
const maximumModules = { script: 40, other: 12 };
/** Longer files are not part of how something is built. */
const maximumModuleSize = 300_000;

/** Steps that one of them may take: what a build is made of takes far fewer, tables of kernels do not matter to it. */
const stepsPerModule = 40_000;

/** Finds, reads and executes modules of the project that a build script imports; each once. */
export class ModuleLoader implements Modules {
  readonly #open: (path: string) => SourceFile | undefined;
  readonly #executing = new Set<string>();
  readonly #modules = new Map<string, ModuleValue>();
  /** Paths that were read. */
  readonly read = new Set<string>();

  constructor(open: (path: string) => SourceFile | undefined) {
    this.#open = open;
  }

  load(interpreter: Interpreter, name: string, level: number): ModuleValue | undefined {
    const path = this.#find(interpreter, name, level);
    if (path === undefined) return undefined;
    const loaded = this.#modules.get(path);
    if (loaded !== undefined) return loaded;
    const isScript = /^(?:setup|build)/i.test(baseOf(interpreter.main.path));
    if (this.#modules.size >= (isScript ? maximumModules.script : maximumModules.other)) return undefined;
    const file = this.#open(path);
    if (file === undefined) return undefined;
    this.read.add(path);
    const module: ModuleValue = { kind: "module", name: baseOf(path).replace(/\.py$/, ""), scope: new Scope(undefined, always), file };
    // Kept before it runs, so that modules that import each other end.
    this.#modules.set(path, module);
    const before = { scope: interpreter.scope, file: interpreter.file, stack: interpreter.stack };
    interpreter.scope = module.scope;
    interpreter.file = file;
    interpreter.stack = always;
    try {
      if (!interpreter.within(stepsPerModule, () => { executeBlock(interpreter, file.module.body); })) interpreter.cut("steps", baseOf(path));
    } finally {
      Object.assign(interpreter, before);
    }
    return module;
  }

  submodule(interpreter: Interpreter, parent: ModuleValue, name: string): ModuleValue | undefined {
    if (!parent.file.path.endsWith("/__init__.py")) return undefined;
    const { file } = interpreter;
    interpreter.file = parent.file;
    try {
      return this.load(interpreter, name, 1);
    } finally {
      interpreter.file = file;
    }
  }

  execute(interpreter: Interpreter, path: string): boolean {
    const file = this.read.size < maximumModules.script ? this.#open(path) : undefined;
    if (file === undefined || file.text.length > maximumModuleSize || this.#executing.has(path)) return false;
    this.read.add(path);
    this.#executing.add(path);
    const before = interpreter.file;
    interpreter.file = file;
    try {
      executeBlock(interpreter, file.module.body);
      return true;
    } finally {
      interpreter.file = before;
      this.#executing.delete(path);
    }
  }

  #find(interpreter: Interpreter, name: string, level: number): string | undefined {
    const here = directoryOf(interpreter.file.path);
    const relative = name.replaceAll(".", "/");
    if (level > 0) {
      let folder = here;
      for (let up = 1; up < level; up++) folder = directoryOf(folder);
      return this.#moduleAt(interpreter, name === "" ? folder : joinPath([folder, relative]));
    }
    for (const folder of new Set([here, ...interpreter.searchPaths, interpreter.directory, this.#outermost(interpreter, here)])) {
      const found = this.#moduleAt(interpreter, joinPath([folder, relative]));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The folder from which the package that `folder` is in is imported. */
  #outermost(interpreter: Interpreter, folder: string): string {
    let at = folder;
    for (let up = 0; up < 8 && interpreter.files.status(`${at}/__init__.py`) !== undefined; up++) at = directoryOf(at);
    return at;
  }

  #moduleAt(interpreter: Interpreter, base: string): string | undefined {
    for (const path of [`${base}.py`, `${base}/__init__.py`]) {
      const status = interpreter.files.status(path);
      if (status?.kind === "file" && status.size <= maximumModuleSize && path !== interpreter.file.path) return path;
    }
    return undefined;
  }
}
