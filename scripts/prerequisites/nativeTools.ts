import { findProgram } from "../../test/harness/locations.ts";
import { installPackages, mayInstallPackages, missingPackages } from "./debianPackages.ts";
import type { Prerequisite } from "./prerequisite.ts";

const programs = ["cmake", "ninja", "g++", "python3"];

/** Debian's names of the programs, and of what the build of native/ and its tests take from the system when it is there. */
const packages = ["cmake", "ninja-build", "g++", "ccache", "binutils", "pkg-config", "python3", "python3-dev", "libgtest-dev", "libbenchmark-dev"];

/** What native/ is built with. Without GoogleTest, Google Benchmark or nvcc it is built without the parts that need them. */
export const nativeTools: Prerequisite = {
  name: "native tools",
  async prepare() {
    const missing = findProgram("dpkg-query") === undefined ? [] : await missingPackages(packages);
    let failure = "";
    if (missing.length > 0 && mayInstallPackages()) await installPackages(...missing).catch((error: unknown) => void (failure = `\n${String(error)}`));
    const lacking = programs.filter((program) => findProgram(program) === undefined);
    if (lacking.length > 0) throw new Error(`${lacking.join(", ")} not found on PATH, and installed by itself only for root on Debian and Ubuntu.${failure}`);
    const still = missing.length === 0 ? [] : await missingPackages(missing);
    return still.length === 0 ? programs.join(", ") : `without ${still.join(", ")}`;
  },
};
