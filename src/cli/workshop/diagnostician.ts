import { RangeCache, userCacheFolder } from "../../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../engine/binaries/remote/index.ts";
import { loadCatalogue } from "../../engine/catalogue/index.ts";
import { compared, comparedTorch, examine, judge, notCompared, openEnvironment, targetOf, together } from "../../engine/diagnosis/index.ts";
import type { Examined, Workspace } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Surroundings } from "../../engine/installed/index.ts";
import type { ExplainReport } from "../../engine/model/index.ts";
import { explained } from "../../tools/explaining.ts";
import { openWorkspace } from "../../tools/workspace.ts";
import { inSlices } from "../../workshop/process/index.ts";
import { CannotDo } from "../../workshop/workshop.ts";
import type { Diagnostician, ExaminedFile, Examination } from "../../workshop/workshop.ts";
import type { Terminal } from "../terminal.ts";

/** The engine itself, asked anew each time: a build changes what there is to read. */
export class EngineDiagnostician implements Diagnostician {
  readonly #terminal: Pick<Terminal, "environment">;
  readonly #interpreter: string | undefined;
  readonly #tell: (what: string) => void;
  readonly #catalogue = loadCatalogue();

  constructor(terminal: Pick<Terminal, "environment">, interpreter: string | undefined, tell: (what: string) => void) {
    this.#terminal = terminal;
    this.#interpreter = interpreter;
    this.#tell = tell;
  }

  async check(root: string, against: readonly string[], signal: AbortSignal, buildFolder?: string): Promise<Examination> {
    const workspace = await this.#open(root, against, signal, buildFolder);
    const diagnosis = await inSlices(workspace.diagnoseInSteps(), signal);
    return { findings: diagnosis.findings, against: diagnosis.installed.map((body) => comparedTorch(body, this.#interpreter, new NodeFiles())), notChecked: diagnosis.notChecked };
  }

  async examine(root: string, files: readonly string[], against: readonly string[], signal: AbortSignal): Promise<readonly ExaminedFile[]> {
    const specs = against.length > 0 ? against : (await this.#open(root, against, signal)).against();
    const examined: ExaminedFile[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      this.#tell(`Examining ${file}`);
      const answer = await examine(file, { files: new NodeFiles(), root, remote: this.#remote(signal) });
      if (!answer.ok) {
        examined.push({ file, verdict: "unknown", headline: answer.message, findings: [] });
        continue;
      }
      try {
        const said: ExaminedFile[] = [];
        for (const spec of specs.length === 0 ? [undefined] : specs) {
          said.push(await this.#compare(answer.examined, spec, root, signal));
        }
        examined.push(together(file, said));
      } finally {
        answer.examined.dispose();
      }
    }
    return examined;
  }

  async explain(root: string, text: string, [against]: readonly string[], signal: AbortSignal): Promise<ExplainReport> {
    // A Python without a torch, which cannot be compared with, is no reason to say nothing of a failure.
    const answer = await explained(text, against === undefined ? {} : { selected: against }, this.#surroundings(root), this.#remote(signal));
    if (!answer.ok) {
      throw new CannotDo(answer.message);
    }
    return answer.report;
  }

  async #open(root: string, against: readonly string[], signal: AbortSignal, buildFolder?: string): Promise<Workspace> {
    const opened = await openWorkspace(this.#surroundings(root), { ...(against.length === 0 ? {} : { against }), ...(buildFolder === undefined ? {} : { buildFolder }) }, this.#remote(signal));
    if (!opened.ok) {
      throw new CannotDo(opened.message);
    }
    return opened.workspace;
  }

  async #compare(examined: Examined, spec: string | undefined, root: string, signal: AbortSignal): Promise<ExaminedFile> {
    const where = this.#surroundings(root);
    const environment = await openEnvironment(spec, where, this.#remote(signal), targetOf(examined));
    if (!environment.ok) {
      return notCompared(examined, environment.message);
    }
    return compared(examined, await inSlices(judge(examined, environment.environment, { catalogue: where.catalogue, files: where.files }), signal));
  }

  #surroundings(root: string): Surroundings {
    return {
      root, files: new NodeFiles(), catalogue: this.#catalogue, environment: this.#terminal.environment,
      ...(this.#interpreter === undefined ? {} : { interpreter: this.#interpreter }),
    };
  }

  #remote(signal: AbortSignal): RemoteOptions {
    const folder = userCacheFolder(this.#terminal.environment);
    return { signal, progress: (bytes, what) => this.#tell(`${(bytes / 1e6).toFixed(1)} MB of ${what}`), ...(folder === undefined ? {} : { cache: new RangeCache(folder) }) };
  }
}
