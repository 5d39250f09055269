import type { Handler } from "../call.ts";
import { knownPiece } from "../value.ts";
import { textOf } from "./arguments.ts";
import { transform } from "./text.ts";

/** cmake_path(GET <variable> <component> [LAST_ONLY] <output>): cmake-commands(7), "Decomposition". The rest of it changes no flags. */
const cmakePath: Handler = (vm, call) => {
  const [mode, variable, component] = call.args.map(textOf);
  const output = textOf(call.args.at(-1));
  if (variable === undefined || output === undefined) return;
  if (mode === "SET") return vm.assign(variable, call.args.at(-1)?.pieces ?? []);
  vm.noteUse(variable);
  const lastOnly = call.args.some((arg) => textOf(arg) === "LAST_ONLY");
  if (mode === "GET") vm.assign(output, transform(vm, vm.lookup(variable).pieces, (path) => componentOf(path, component ?? "", lastOnly)));
  else if (mode === "APPEND") vm.assign(variable, [...vm.lookup(variable).pieces, ...call.args.slice(2).flatMap((arg) => [knownPiece("/"), ...arg.pieces])]);
};

function componentOf(path: string, component: string, lastOnly: boolean): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = lastOnly ? name.lastIndexOf(".") : name.indexOf(".", 1);
  switch (component) {
    case "FILENAME":
      return name;
    case "STEM":
      return dot <= 0 ? name : name.slice(0, dot);
    case "EXTENSION":
      return dot <= 0 ? "" : name.slice(dot);
    case "PARENT_PATH":
      return path.slice(0, Math.max(0, path.lastIndexOf("/")));
    default:
      return undefined;
  }
}

export const pathCommands: ReadonlyMap<string, Handler> = new Map([["cmake_path", cmakePath]]);
