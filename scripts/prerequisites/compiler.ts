import { findProgram } from "../../test/harness/locations.ts";
import { installPackages, mayInstallPackages } from "./debianPackages.ts";
import type { Prerequisite } from "./prerequisite.ts";

const programs = ["gcc", "g++", "nm"];

/** GCC and binutils: what is there, else Debian's, when this may install packages. */
export const compiler: Prerequisite = {
  name: "compiler",
  async prepare() {
    const lacking = (): string[] => programs.filter((program) => findProgram(program) === undefined);
    if (lacking().length > 0) {
      if (!mayInstallPackages()) throw new Error(`${lacking().join(", ")} not found on PATH, and installed by itself only for root on Debian and Ubuntu.`);
      await installPackages("g++", "binutils");
    }
    if (lacking().length > 0) throw new Error(`apt-get installed g++, but ${lacking().join(", ")} is not on PATH.`);
    return programs.map((program) => findProgram(program) ?? program).join(", ");
  },
};
