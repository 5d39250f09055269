import { findProgram } from "../../test/harness/locations.ts";
import { installPackages, mayInstallPackages } from "./debianPackages.ts";
import type { Prerequisite } from "./prerequisite.ts";

/** Daemons lie where only root's PATH leads. */
const programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"];

/** Slurm and munge: what is there, else Debian's, when this may install packages. Tests start daemons of their own, on free ports. */
export const slurm: Prerequisite = {
  name: "Slurm",
  async prepare() {
    if (process.platform !== "linux") throw new Error("Slurm's daemons run on Linux.");
    process.env.PATH = `${process.env.PATH ?? ""}:/usr/sbin:/sbin`;
    const lacking = (): string[] => programs.filter((program) => findProgram(program) === undefined);
    if (lacking().length > 0) {
      if (!mayInstallPackages()) throw new Error(`${lacking().join(", ")} not found on PATH, and installed by itself only for root on Debian and Ubuntu (slurmctld, slurmd, slurm-client and munge).`);
      await installPackages("slurmctld", "slurmd", "slurm-client", "munge");
    }
    if (lacking().length > 0) throw new Error(`apt-get installed Slurm, but ${lacking().join(", ")} is not on PATH.`);
    return programs.map((program) => findProgram(program) ?? program).join(", ");
  },
};
