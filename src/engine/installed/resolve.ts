import * as path from "node:path";
import { parseRemoteSpec } from "../binaries/remote/index.ts";
import { describeRelease } from "../catalogue/index.ts";
import type { InstalledBody } from "../model/index.ts";
import { describeEnvironment, pythonOfSuffix } from "./describe.ts";
import { describeInterpreter, settingsOf } from "./find.ts";
import type { Surroundings } from "./find.ts";
import { bodyOfProfile } from "./profile.ts";
import { describeTorch, isTorchPackage } from "./torchPackage.ts";
import { ZipFiles } from "./zipFiles.ts";

export type Resolution = { readonly ok: true; readonly body: InstalledBody } | { readonly ok: false; readonly message: string };

/**
 * What `--against` names: a venv or conda prefix, a Python executable, a torch or libtorch folder, a torch wheel, a saved
 * profile, or "torch==VERSION[+LABEL]" of the catalogue (with "; platform_machine == 'aarch64'" for that machine). Relative paths start at the workspace folder. A path may begin with "~/".
 * The address of a wheel, or "index:URL torch==VERSION", has to have been read before and to stand in `where.opened`.
 */
export function resolveAgainst(spec: string, where: Surroundings): Resolution {
  const text = spec.trim();
  const opened = where.opened?.get(text);
  if (opened !== undefined) {
    return { ok: true, body: opened };
  }
  if (/^(?:torch\s*={2,3}\s*)?v?\d+\.\d+/i.test(text) && !/[\\/]/.test(text) && where.files.status(path.resolve(where.root, text)) === undefined) {
    const body = describeRelease(text, where.catalogue, undefined, machinePlatform());
    if (body === undefined) {
      return failed(`"${text}" is not a torch release; write it as torch==2.8.0 or torch==2.8.0+cu128.`);
    }
    // Checked against a bare version number, everything would come out silent.
    const nothingKnown = body.facts.every((fact) => fact.trait === "torch-version");
    return nothingKnown ? failed(body.notKnown[0] ?? `Nothing is known of ${text}.`) : { ok: true, body };
  }
  if (/^torch\s*(?:[<>~!=]|$)/i.test(text)) {
    const newest = where.catalogue.torchReleases.at(-1)?.version;
    return failed(`"${text}" does not name one release; write it as torch==2.8.0 or torch==2.8.0+cu128. The newest in the catalogue is ${newest}.`);
  }
  const remote = parseRemoteSpec(text);
  if (remote !== undefined) {
    return failed(remote.kind === "invalid" ? remote.message : `${text} is on a server and was not read yet: a server is read only when somebody asks for it by name.`);
  }
  return resolvePath(absolute(text, where), where);
}

/** A release without a marker is the one for this machine where the catalogue has it, else that for Linux x86_64. */
function machinePlatform(): "linux-aarch64" | "linux-x86_64" {
  return process.platform === "linux" && process.arch === "arm64" ? "linux-aarch64" : "linux-x86_64";
}

function resolvePath(place: string, where: Surroundings): Resolution {
  const { files, catalogue } = where;
  const status = files.status(place);
  if (status === undefined) {
    return failed(`${place} does not exist. Name an environment, a torch or libtorch folder, a wheel, a saved profile, or torch==VERSION.`);
  }
  if (place.endsWith(".json")) {
    const read = files.readText(place);
    return read.ok ? bodyOfProfile(read.text, place) : failed(read.message);
  }
  if (place.endsWith(".whl")) {
    return describeWheel(place, where);
  }
  const body = status.kind === "file" ? describeInterpreter(place, where) : describeEnvironment(place, files, catalogue, settingsOf(where.environment));
  if (body === undefined) {
    return failed(`${place} is neither a Python environment nor a torch or libtorch folder.`);
  }
  return body.torchRoot === undefined ? failed(`No torch is installed in ${place}.`) : { ok: true, body };
}

function describeWheel(wheel: string, where: Surroundings): Resolution {
  const inside = ZipFiles.open(wheel, where.files);
  if (typeof inside === "string") {
    return failed(inside);
  }
  const torchRoot = path.join(wheel, "torch");
  if (!isTorchPackage(torchRoot, inside)) {
    return failed(`${wheel} holds no torch package.`);
  }
  const torch = describeTorch(torchRoot, undefined, inside, where.catalogue);
  const body: InstalledBody = {
    role: "installed",
    name: path.basename(wheel),
    source: "wheel",
    facts: [...torch.facts, ...pythonOfSuffix(torch.facts)],
    distributions: [],
    shadowed: [],
    notKnown: torch.notKnown,
  };
  return { ok: true, body };
}

function absolute(text: string, where: Surroundings): string {
  const home = where.environment["HOME"] ?? where.environment["USERPROFILE"];
  return home !== undefined && /^~[\\/]/.test(text) ? path.join(home, text.slice(2)) : path.resolve(where.root, text);
}

function failed(message: string): Resolution {
  return { ok: false, message };
}
