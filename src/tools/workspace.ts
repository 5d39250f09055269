import * as fs from "node:fs";
import * as path from "node:path";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import { openWheels, Workspace } from "../engine/diagnosis/index.ts";
import type { WorkspaceOptions } from "../engine/diagnosis/index.ts";
import { isInside } from "../engine/files/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { InstalledBody } from "../engine/model/index.ts";

export type OpenWorkspace = { readonly ok: true; readonly workspace: Workspace; /** Why what abiding.json names is not compared with. */ readonly unanswered?: string } | { readonly ok: false; readonly message: string };

/** A project on the disk with the torches that it is compared with, wheels among them read beforehand. One that was named and cannot be had is an error. */
export async function openWorkspace(where: Surroundings, options: Pick<WorkspaceOptions, "against" | "only" | "buildFolder" | "rules">, remote: RemoteOptions): Promise<OpenWorkspace> {
  const { root, files, catalogue, environment, interpreter } = where;
  const opened = new Map<string, InstalledBody>();
  const workspace = new Workspace(root, files, { ...options, catalogue, environment, opened, ...(interpreter === undefined ? {} : { interpreter }) });
  const wheels = await openWheels(workspace.against(), where, remote);
  if (!wheels.ok) {
    return wheels;
  }
  for (const [spec, body] of wheels.opened) {
    opened.set(spec, body);
  }
  const unanswered = workspace.environmentProblem();
  if (unanswered === undefined) {
    return { ok: true, workspace };
  }
  return options.against === undefined ? { ok: true, workspace, unanswered } : { ok: false, message: unanswered };
}

export type Subject = { readonly ok: true; readonly root: string; readonly file?: string } | { readonly ok: false; readonly message: string };

/** The project folder that a path names, and the file when it names one: of the folder `here` when it lies in it, else of its own. */
export function subjectOf(named: string | undefined, here: string): Subject {
  const given = path.resolve(here, named ?? ".");
  const status = fs.statSync(given, { throwIfNoEntry: false });
  if (status === undefined) {
    return { ok: false, message: `${given} does not exist.` };
  }
  const real = fs.realpathSync(given);
  if (status.isDirectory()) {
    return { ok: true, root: real };
  }
  const around = fs.realpathSync(here);
  return { ok: true, root: isInside(real, around) ? around : path.dirname(real), file: real };
}
