/** Go to definition in CMake files: variables, functions, macros, targets and the files that are named. */
import type { Location, Position } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import { rangeContains } from "../../engine/model/index.ts";
import { cmakeIndex, isCMakeFile } from "../cmakeIndexes.ts";
import type { CMakeDefinition, CMakeName } from "../cmakeIndexes.ts";
import type { Session } from "../session.ts";
import { documentLinks, resolveCMakeFile } from "./documentLinks.ts";

/** A variable that is set in more places than this is listed as far as it goes. */
const maximumDefinitions = 100;

const fileStart = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function definition(file: string, document: TextDocument, position: Position, diagnosis: Diagnosis, session: Session): Location[] | null {
  const link = documentLinks(file, document, diagnosis, session).find((one) => rangeContains(one.range, position));
  if (link?.target !== undefined) {
    return [{ uri: link.target, range: fileStart }];
  }
  if (!isCMakeFile(file)) {
    return null;
  }
  const index = cmakeIndex(file, document.getText());
  const name = index.at(position);
  if (name === undefined) {
    return null;
  }
  if (name.kind === "include" || name.kind === "subdirectory") {
    const target = resolveCMakeFile(name.name, name.kind, file, diagnosis, session.files);
    return target === undefined ? null : [{ uri: session.uri(target), range: fileStart }];
  }
  const here = fitting(index.definitions, name, position).map((one): Location => ({ uri: document.uri, range: one.selection }));
  const spelled = here.length > 0 ? here : elsewhere(name, file, diagnosis, session);
  const found = spelled.length > 0 ? spelled : madeTargets(name, diagnosis, session);
  return found.length === 0 ? null : found.slice(0, maximumDefinitions);
}

function elsewhere(name: CMakeName, file: string, diagnosis: Diagnosis, session: Session): Location[] {
  return diagnosis.files.filter((one) => one !== file && isCMakeFile(one)).flatMap((other) => {
    const read = session.files.readText(other);
    const definitions = read.ok && read.text.toLowerCase().includes(name.name.toLowerCase()) ? cmakeIndex(other, read.text).definitions : [];
    return fitting(definitions, name, undefined).map((one) => ({ uri: session.uri(other), range: one.selection }));
  });
}

/** Targets whose name no file spells out where they are made, since a function or a loop makes them. */
function madeTargets(name: CMakeName, diagnosis: Diagnosis, session: Session): Location[] {
  return name.kind !== "word" ? [] : diagnosis.declared.flatMap(({ target }) =>
    (target.builder === "cmake" && target.name === name.name ? [{ uri: session.uri(target.location.path), range: target.location.range }] : []));
}

/** Definitions of a name, the narrowest scope around the position winning. `position`: in the same file. */
function fitting(definitions: readonly CMakeDefinition[], name: CMakeName, position: Position | undefined): CMakeDefinition[] {
  const all = definitions.filter((one) => matches(one, name) && (one.scope === undefined || (position !== undefined && rangeContains(one.scope, position))));
  const scoped = all.filter((one) => one.scope !== undefined);
  if (scoped.length > 0) {
    return scoped.slice(-1);
  }
  // A bare word is a target first; only then may it be a variable's name.
  const targets = name.kind === "word" ? all.filter((one) => one.kind === "target") : [];
  return targets.length > 0 ? targets : all;
}

function matches(definition: CMakeDefinition, name: CMakeName): boolean {
  switch (definition.kind) {
    case "function":
    case "macro":
      return name.kind === "command" && definition.name.toLowerCase() === name.name;
    case "target":
      return name.kind === "word" && definition.name === name.name;
    case "variable":
    case "option":
      return (name.kind === "variable" || name.kind === "word") && definition.name === name.name;
    case "package":
      // `${Torch_VERSION}` and `${TORCH_LIBRARIES}` are set by the search.
      return name.kind === "variable" && name.name.toLowerCase().startsWith(`${definition.name.toLowerCase()}_`);
    case "project":
      return name.kind === "variable" && (name.name === "PROJECT_NAME" || name.name.startsWith(`${definition.name}_`));
  }
}
