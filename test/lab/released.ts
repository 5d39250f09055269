/** Libraries of released wheels, as people install them beside a torch that may be another one. */
import { execFileSync } from "node:child_process";
import { basename, resolve } from "node:path";
import type { Experiment } from "./experiment.ts";

/** One experiment for every library in the wheel. */
export function releasedExperiments(wheel: string): readonly Experiment[] {
  const path = resolve(wheel);
  const [name = "", version = ""] = basename(path).split("-");
  const listed = execFileSync("python3", ["-c", "import sys, zipfile; print('\\n'.join(zipfile.ZipFile(sys.argv[1]).namelist()))", path], { encoding: "utf8" });
  return listed.split("\n").filter((member) => /^[^/]+\/.*\.so$/.test(member) && !member.includes(".libs/")).map((member) => ({
    id: `released/${name}-${version}/${member.slice(member.indexOf("/") + 1)}`,
    about: `${member} of ${basename(path)}`,
    steps: [{ do: "run", program: "python3", args: ["-m", "zipfile", "-e", path, "."] }],
    file: member,
    load: { how: "cdll" },
    expect: () => ({ is: "open" }),
  }));
}
