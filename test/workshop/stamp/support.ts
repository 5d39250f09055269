import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { stamp } from "../../../src/workshop/stamp/index.ts";
import type { StampReport, StampRequest } from "../../../src/workshop/stamp/types.ts";

/** A project in a temporary folder. */
export class Project {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "abiding-stamp-")));

  constructor(files: Readonly<Record<string, string | Buffer>>) {
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  lines(name: string): readonly string[] {
    return this.read(name).split("\n");
  }

  /** All files with their bytes. */
  state(): Readonly<Record<string, string>> {
    const files = readdirSync(this.path, { recursive: true, withFileTypes: true }).map((one) => join(one.parentPath, one.name)).filter((file) => statSync(file).isFile());
    return Object.fromEntries(files.sort().map((file) => [relative(this.path, file), readFileSync(file).toString("latin1")]));
  }

  stamp(request: Partial<StampRequest> = {}): Promise<StampReport> {
    return stamp({ root: this.path, dryRun: false, ...request });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The line that setup.py gets. */
export function setupLine(...names: readonly string[]): string {
  return `__import__("runpy").run_path(str(__import__("pathlib").Path(__file__).with_name("_abiding_stamp.py")))["stamp"](${names.map((name) => JSON.stringify(name)).join(", ")})  # noqa`;
}

/** The line that a CMakeLists.txt gets. */
export function includeLine(target: string, up = ""): string {
  return `include("\${CMAKE_CURRENT_LIST_DIR}/${up}cmake/abiding_stamp_${target}.cmake")`;
}

export function changes(report: StampReport): readonly string[] {
  return report.files.map(({ change, path, inserted }) => `${change} ${path}${inserted === undefined ? "" : `:${inserted.line}`}`);
}
