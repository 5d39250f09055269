/**
 * What agents may ask, by whatever way they come: the Model Context Protocol, or an editor's language-model tools. Each tool
 * is a question to the engine or the workshop with the JSON of the command of the same name as its answer.
 */
import { realpathSync, statSync } from "node:fs";
import * as path from "node:path";
import { CannotDo } from "../workshop/workshop.ts";
import { declarations } from "./declarations.ts";
import type { ToolName } from "./declarations.ts";
import { shortened } from "./shortened.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";
import { validInput } from "./validate.ts";

export type { ToolContext } from "./types.ts";
export { workshopContext } from "./workshopContext.ts";

/** `json`: what the tool's output schema outlines. `message`: why there is none, for a model that can ask better. */
export type ToolResult = { readonly ok: true; readonly json: object } | { readonly ok: false; readonly message: string };

type Tool = (input: never, context: ToolContext) => Promise<object>;

/** Each is loaded when it is called: `explain` needs no reader of build files. */
const tools: Readonly<Record<ToolName, () => Promise<Tool>>> = {
  explain: async () => (await import("./explain.ts")).explain,
  check: async () => (await import("./check.ts")).check,
  fits: async () => (await import("./files.ts")).fits,
  inspect: async () => (await import("./files.ts")).inspect,
  symbols: async () => (await import("./symbols.ts")).symbols,
  combinations_list: async () => (await import("./combinations.ts")).list,
  combinations_predict: async () => (await import("./combinations.ts")).predict,
  combinations_run: async () => (await import("./combinations.ts")).run,
};

/** Answers a question; undefined: there is no tool of that name. Throws what the signal was aborted with, and what is a defect. */
export async function callTool(name: string, input: unknown, context: ToolContext): Promise<ToolResult | undefined> {
  const declaration = declarations.find((one) => one.name === name);
  if (declaration === undefined) {
    return undefined;
  }
  try {
    const { root, ...members } = validInput(declaration.input, input);
    const where = root === undefined ? context.where : { ...context.where, root: folderOf(root as string, context.where.root) };
    const tool = await tools[declaration.name]();
    const json = await tool(members as never, { ...context, where, trusted: context.trusted ?? [context.where.root] });
    context.signal.throwIfAborted();
    return { ok: true, json: shortened(json) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof CannotAnswer || error instanceof CannotDo) {
      return { ok: false, message: error.message };
    }
    throw error;
  }
}

function folderOf(named: string, here: string): string {
  const folder = path.resolve(here, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CannotAnswer(`"root" must be a folder; ${folder} is none.`);
  }
  return realpathSync(folder);
}
