/** What the machine's own loader says. */
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { root } from "../harness/locations.ts";
import type { Experiment } from "./experiment.ts";
import type { Torch } from "./torches.ts";

/** How loading ended, read from the loader's words. */
export interface Reality {
  readonly outcome: "loads" | "symbol" | "library" | "version" | "refused" | "died" | "raised";
  /** The symbol, the library or the version that the loader names first. */
  readonly first?: string;
  /** The library of a missing version; who needs a missing library is not said by the loader. */
  readonly of?: string;
  /** The words, without folders of this machine. */
  readonly text: string;
}

interface Answer { readonly outcome: "loaded" | "raised" | "died"; readonly type?: string; readonly text?: string }

/** An experiment whose files are made. */
export interface Placed { readonly experiment: Experiment; readonly folder: string; readonly path: string; readonly others: readonly Torch[] }

/** LD_LIBRARY_PATH as the experiment asks for it. */
export function libraryPathOf({ experiment, folder, others }: Placed, torch: Torch): string | undefined {
  return experiment.load.libraryPath?.map((one) => {
    if (one === "{torch}") return torch.libraries;
    const other = others.find((each) => one === `{${experiment.otherTorch ?? ""}}` && each.name.startsWith(experiment.otherTorch ?? ""));
    return other === undefined ? join(folder, one) : (other.env["LD_LIBRARY_PATH"] ?? other.libraries);
  }).join(":");
}

/** Loads every file under one torch, each in a process of its own. */
export async function load(placed: readonly Placed[], torch: Torch): Promise<ReadonlyMap<string, Reality>> {
  const jobs = placed.map((one) => {
    const { experiment, folder, path } = one;
    const { how, torchFirst = true, before, lazy, call } = experiment.load;
    return JSON.stringify({
      id: experiment.id, path, how, torchFirst, lazy, call,
      before: before?.map((each) => ({ ...each, file: join(folder, each.file) })),
      env: libraryPathOf(one, torch),
    });
  });
  const { stdout } = await execa(torch.python, ["-W", "ignore", join(root, "test", "lab", "load.py")], { input: jobs.join("\n"), env: { ...torch.env, LC_ALL: "C" }, maxBuffer: 50_000_000, stderr: "ignore" });
  const placedById = new Map(placed.map((one) => [one.experiment.id, one]));
  return new Map(stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => {
    const { id, answer } = JSON.parse(line) as { id: string; answer: Answer };
    return [id, read(answer, placedById.get(id), torch)];
  }));
}

function read(answer: Answer, placed: Placed | undefined, torch: Torch): Reality {
  const text = (answer.text ?? "").replaceAll(placed?.folder ?? "\0", "…").replaceAll(torch.root, "torch").replaceAll(torch.libraries, "torch/lib").replaceAll(dirname(torch.root), "site-packages");
  if (answer.outcome === "loaded") return { outcome: "loads", text: "" };
  const words = `${answer.type ?? ""}: ${text}`;
  if (answer.outcome === "died") return { outcome: "died", text: words };
  const symbol = /undefined symbol: ([^\s,]+)/.exec(text) ?? /symbol (\S+) version \S+ not defined in file/.exec(text);
  if (symbol?.[1] !== undefined) return { outcome: "symbol", first: symbol[1], text: words };
  const version = /([^/\s]+): version [`']([^']+)' not found/.exec(text);
  if (version?.[2] !== undefined) return { outcome: "version", first: version[2], of: version[1], text: words };
  const opened = /(?:^|\/)([^/\s]+): cannot open shared object file/.exec(text);
  // The loader says the same of a file that is there and is of another machine.
  if (opened?.[1] !== undefined && opened[1] !== basename(placed?.path ?? "")) return { outcome: "library", first: opened[1], text: words };
  const damaged = /([^/\s]+): (?:invalid ELF header|file too short)/.exec(text);
  if (damaged?.[1] !== undefined && damaged[1] !== basename(placed?.path ?? "")) return { outcome: "library", first: damaged[1], text: words };
  if (/file too short|invalid ELF header|wrong ELF class|cannot open shared object file|ELF file|ELF load command|cannot dynamically load|No module named 'probe'|object file has no|cannot read file data|can be loaded/.test(text)) return { outcome: "refused", text: words };
  return { outcome: "raised", text: words };
}
