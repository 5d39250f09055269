/** Pins in files that are no lists of requirements: steps of CI, files that hold torch's commit; and files that tools write. */
import * as path from "node:path";
import { LineIndex, localLabel, publicVersion } from "../../../engine/model/index.ts";
import type { Files } from "../../../engine/model/index.ts";
import type { PinChange, PinLeft, RollTarget } from "./types.ts";

/** Which versions are rolled, by package: the public ones. */
export type Rolled = ReadonlyMap<string, string>;

const ciFolders = [".github/workflows", ".circleci", ".gitlab"];
const ciFiles = [".gitlab-ci.yml", "azure-pipelines.yml", ".travis.yml", "appveyor.yml"];
const commitFolders = ["", ".github/ci_commit_pins", ".ci/docker/ci_commit_pins"];
const commitFile = /^(?:py)?torch(?:[-_.](?:hash|commit|sha|rev|pin))?\.txt$/i;
const lockFiles: Readonly<Record<string, string>> = { "uv.lock": "uv lock", "poetry.lock": "poetry lock", "pdm.lock": "pdm lock", "Pipfile.lock": "pipenv lock", "pixi.lock": "pixi lock" };
const largest = 8 * 1024 * 1024;

interface Found {
  readonly changes: readonly PinChange[];
  readonly left: readonly PinLeft[];
}

function textOf(file: string, files: Files): string | undefined {
  const status = files.status(file);
  const read = status?.kind === "file" ? files.readText(file) : undefined;
  return read?.ok === true && !read.lossy && read.text.length <= largest ? read.text : undefined;
}

/** `torch==2.14.0` in the steps of CI, comments left as they are. */
export function pinsOfCi(root: string, rolled: Rolled, target: RollTarget, files: Files): Found {
  const named = [...ciFolders.flatMap((folder) => files.list(path.join(root, folder)).filter((name) => /\.ya?ml$/.test(name)).map((name) => path.join(root, folder, name))), ...ciFiles.map((name) => path.join(root, name))];
  const changes: PinChange[] = [];
  const left: PinLeft[] = [];
  for (const file of named) {
    const text = textOf(file, files);
    if (text === undefined) continue;
    const index = new LineIndex(text);
    for (const match of text.matchAll(/(?<![\w.-])(torch|torchvision|torchaudio|torchtext)(==)(\d[\w.!]*(?:\+[\w.]+)?)(?![\w.*])/g)) {
      const [, name = "", equals = "", version = ""] = match;
      const begin = text.lastIndexOf("\n", match.index) + 1;
      const line = text.slice(begin, text.indexOf("\n", match.index) < 0 ? text.length : text.indexOf("\n", match.index)).trim();
      if (/(?:^|\s)#/.test(text.slice(begin, match.index)) || publicVersion(version) !== rolled.get(name)) continue;
      const wanted = name === "torch" ? target.torch : target.packages[name];
      const label = localLabel(version);
      const where = index.locate(file, match.index + name.length + equals.length, version.length);
      if (wanted === undefined || (label !== undefined && label !== localLabel(wanted))) {
        left.push({ path: file, line: where.range.start.line + 1, text: line, because: wanted === undefined ? `No ${name} for torch ${target.torch} is known.` : `It asks for the variant ${label}, and the set is of ${localLabel(wanted) ?? "none"}.`, byHand: true });
        continue;
      }
      const to = label === undefined ? publicVersion(wanted) ?? wanted : wanted;
      if (to !== version) changes.push({ path: file, line: where.range.start.line + 1, what: name, from: version, to, edit: { location: where, newText: to } });
    }
  }
  return { changes, left };
}

/** Files with nothing in them but torch's commit, as torch-mlir's pytorch-hash.txt. */
export function commitFiles(root: string, files: Files): readonly { readonly file: string; readonly commit: string; readonly at: number; readonly text: string }[] {
  return commitFolders.flatMap((folder) => files.list(path.join(root, folder)).filter((name) => commitFile.test(name)).flatMap((name) => {
    const file = path.join(root, folder, name);
    const text = textOf(file, files) ?? "";
    const match = /^\s*([0-9a-f]{40})\s*$/.exec(text);
    return match?.[1] === undefined ? [] : [{ file, commit: match[1], at: text.indexOf(match[1]), text }];
  }));
}

export function pinsOfCommits(root: string, target: RollTarget, files: Files): Found {
  const changes: PinChange[] = [];
  const left: PinLeft[] = [];
  for (const { file, commit, at, text } of commitFiles(root, files)) {
    const location = new LineIndex(text).locate(file, at, commit.length);
    if (target.gitVersion?.length !== commit.length) left.push({ path: file, line: location.range.start.line + 1, text: commit, because: `The commit that torch ${target.torch} was built from is not known: neither a record nor its wheel tells it.`, byHand: true });
    else if (target.gitVersion !== commit) changes.push({ path: file, line: location.range.start.line + 1, what: "torch commit", from: commit, to: target.gitVersion, edit: { location, newText: target.gitVersion } });
  }
  return { changes, left };
}

/** Lock files beside the files that change: their tools write them. */
export function locksBeside(root: string, changed: readonly string[], files: Files): readonly PinLeft[] {
  const folders = [...new Set([root, ...changed.map((file) => path.dirname(file))])];
  return folders.flatMap((folder) => Object.entries(lockFiles).flatMap(([name, command]) => {
    const text = textOf(path.join(folder, name), files);
    const at = text === undefined ? -1 : text.search(/["']?\btorch\b["']?/);
    return text === undefined || at < 0 ? [] : [{ path: path.join(folder, name), line: text.slice(0, at).split("\n").length, text: name, because: `A tool writes it: run ${command} when the pins are rolled.`, byHand: false }];
  }));
}
