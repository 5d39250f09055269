import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../test/harness/locations.ts";
import { installPackages, mayInstallPackages } from "./debianPackages.ts";
import type { Prerequisite } from "./prerequisite.ts";

const programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"];

/** Slurm and munge: what is there, else Debian's, when this may install packages. Tests start daemons of their own, on free ports. */
export const slurm: Prerequisite = {
  name: "Slurm",
  async prepare() {
    if (process.platform !== "linux") throw new Error("Slurm's daemons run on Linux.");
    // Daemons lie where only root's PATH leads.
    const lacking = (): string[] => programs.filter((program) => findProgram(program) === undefined && !existsSync(join("/usr/sbin", program)));
    if (lacking().length > 0) {
      if (!mayInstallPackages()) throw new Error(`${lacking().join(", ")} not found on PATH nor in /usr/sbin, and installed by itself only for root on Debian and Ubuntu (slurmctld, slurmd, slurm-client and munge).`);
      await installPackages("slurmctld", "slurmd", "slurm-client", "munge");
    }
    if (lacking().length > 0) throw new Error(`apt-get installed Slurm, but ${lacking().join(", ")} is neither on PATH nor in /usr/sbin.`);
    return programs.join(", ");
  },
};
