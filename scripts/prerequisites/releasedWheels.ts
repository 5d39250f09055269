import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, findProgram, root } from "../../test/harness/locations.ts";
import { fillFolder, install, type Prerequisite } from "./prerequisite.ts";

/**
 * Wheels whose libraries the lab loads: torchvision of torch 2.13 and of 2.14, the first bound to one torch and the second
 * of the stable ABI; and torchao of torch 2.8, which finds every name in 2.9 and dies there all the same.
 */
const wanted = ["torchvision==0.28.0", "torchvision==0.29.1", "torchao==0.13.0"];

function folderOf(requirement: string): string {
  return join(cacheFolder(), "wheels", requirement.replace("==", "-"));
}

/** Where the wheels are that are there. */
export function releasedWheels(): string[] {
  return wanted.map(folderOf).filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".whl")).map((name) => join(folder, name)));
}

export const wheels: Prerequisite = {
  name: "released wheels",
  async prepare() {
    const python = findProgram("python3");
    if (python === undefined) throw new Error("No python3 is on PATH.");
    for (const requirement of wanted) {
      await fillFolder(folderOf(requirement), (scratch) => install(root, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--python-version", "3.11", "--dest", scratch, requirement));
    }
    return wanted.join(", ");
  },
};
