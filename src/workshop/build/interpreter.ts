import * as path from "node:path";
import { loadCatalogue } from "../../engine/catalogue/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import { findEnvironments, resolveAgainst } from "../../engine/installed/index.ts";
import type { Surroundings } from "../../engine/installed/index.ts";
import type { InstalledBody } from "../../engine/model/index.ts";
import type { Examination, Workshop } from "../workshop.ts";
import type { Torches } from "./cmakeRecipe.ts";
import type { BuildRequest } from "./types.ts";

function surroundings({ root }: BuildRequest, { environment }: Workshop): Surroundings {
  return { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment };
}

/**
 * What to check against: what was named; else the torch of the Python that was named for this build, which it will meet;
 * else the project's own choice.
 */
export function againstOf(request: BuildRequest, workshop: Workshop): readonly string[] {
  const { against, interpreter } = request;
  return against.length > 0 || interpreter === undefined || torchIn(interpreter, request, workshop) === undefined ? against : [interpreter];
}

/** The torch of an environment, by its Python. */
export function torchIn(interpreter: string, request: BuildRequest, workshop: Workshop): InstalledBody | undefined {
  const answer = resolveAgainst(interpreter, surroundings(request, workshop));
  return answer.ok ? answer.body : undefined;
}

/** The Python to build with: the one that was named, that of the torch that was checked against, else the nearest. */
export function interpreterFor(request: BuildRequest, { against }: Examination, workshop: Workshop): string | undefined {
  const named = request.interpreter ?? against.find((one) => one.interpreter !== undefined)?.interpreter;
  if (named !== undefined) {
    return named;
  }
  const where = surroundings(request, workshop);
  const names = process.platform === "win32" ? ["Scripts/python.exe", "python.exe"] : ["bin/python", "bin/python3"];
  return findEnvironments(where)
    .filter((one) => one.origin !== "other")
    .flatMap((one) => names.map((name) => path.join(one.path, name)))
    .find((file) => where.files.status(file)?.kind === "file");
}

/** What the user selected for this build, and what the check found by itself. */
export function torchesFor(request: BuildRequest, { against }: Examination, workshop: Workshop): Torches {
  const where = surroundings(request, workshop);
  const body = (spec: string | undefined): InstalledBody | undefined => {
    const answer = spec === undefined ? undefined : resolveAgainst(spec, where);
    return answer?.ok === true ? answer.body : undefined;
  };
  return { selected: body(request.against[0] ?? request.interpreter), found: body(against[0]?.interpreter) };
}
