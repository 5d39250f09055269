/** Files that a build file names: includes, subdirectories, requirement files and sources, each a link when it exists. */
import * as path from "node:path";
import type { DocumentLink, Range } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { Files } from "../../engine/model/index.ts";
import { cmakeIndex, isCMakeFile } from "../cmakeIndexes.ts";
import type { Session } from "../session.ts";

/** More links than this in one file are of no use to anybody. */
const maximumLinks = 2000;

export function documentLinks(file: string, document: TextDocument, diagnosis: Diagnosis, session: Session): DocumentLink[] {
  const links = new Map<string, DocumentLink>();
  const add = (range: Range, target: string | undefined): void => {
    const key = `${range.start.line}:${range.start.character}`;
    if (target !== undefined && !links.has(key) && links.size < maximumLinks) {
      links.set(key, { range, target: session.uri(target) });
    }
  };
  for (const { target } of diagnosis.declared) {
    for (const source of target.sources) {
      // A call that names no source has the place of the whole call, which would underline everything.
      if (source.location.path === file && source.location.range.start.line === source.location.range.end.line) {
        add(source.location.range, existing(source.path, file, session.files));
      }
    }
  }
  if (isCMakeFile(file)) {
    for (const reference of cmakeIndex(file, document.getText()).files) {
      add(reference.range, resolveCMakeFile(reference.text, reference.kind, file, diagnosis, session.files));
    }
  } else {
    for (const reference of requirementFiles(document)) {
      add(reference.range, existing(reference.text, file, session.files));
    }
  }
  return [...links.values()];
}

function existing(named: string, from: string, files: Files): string | undefined {
  const candidate = path.resolve(path.dirname(from), named);
  return files.status(candidate)?.kind === "file" ? candidate : undefined;
}

/** Where `include(X)` or `add_subdirectory(X)` leads; modules are found by their name among the files that were read. */
export function resolveCMakeFile(named: string, kind: "include" | "subdirectory", from: string, diagnosis: Diagnosis, files: Files): string | undefined {
  const here = path.dirname(from);
  const text = named
    .replace(/\$\{(?:CMAKE_CURRENT_LIST_DIR|CMAKE_CURRENT_SOURCE_DIR)\}/g, here)
    .replace(/\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR)\}/g, diagnosis.root);
  if (text.includes("$")) {
    // Only the file's own name is certain; it decides when it is unique.
    const tail = kind === "subdirectory" ? "/CMakeLists.txt" : "";
    const end = `/${text.slice(text.lastIndexOf("}") + 1).replace(/^\/+/, "")}${tail}`;
    const matches = end === `/${tail}` ? [] : diagnosis.files.filter((one) => one.split(path.sep).join("/").endsWith(end));
    return matches.length === 1 ? matches[0] : undefined;
  }
  if (kind === "subdirectory") {
    return existing(path.join(text, "CMakeLists.txt"), from, files);
  }
  const module = `${path.sep}${text}.cmake`;
  return existing(text, from, files) ?? diagnosis.files.find((one) => one.endsWith(module));
}

/** `-r other.txt` and `-c constraints.txt`, in requirements files and in the pip lines of image files. */
function requirementFiles(document: TextDocument): { readonly text: string; readonly range: Range }[] {
  const found: { text: string; range: Range }[] = [];
  const pattern = /(?:^|[ \t])(?:-r|-c|--requirement|--constraint)(?:[ \t]+|=)([^\s#;&|]+)/gm;
  for (const match of document.getText().matchAll(pattern)) {
    const text = match[1] ?? "";
    const end = match.index + match[0].length;
    found.push({ text, range: { start: document.positionAt(end - text.length), end: document.positionAt(end) } });
  }
  return found;
}
