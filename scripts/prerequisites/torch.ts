import { join } from "node:path";
import { cacheFolder, findProgram, root } from "../../test/harness/locations.ts";
import { fillFolder, install, type Prerequisite } from "./prerequisite.ts";

export const torchVersion = "2.13.0";

/** A virtual environment with a real torch in it, for the tests that read one: ABIDING_TEST_TORCH names it. */
export const torch: Prerequisite = {
  name: "torch",
  async prepare() {
    const given = process.env.ABIDING_TEST_TORCH;
    if (given !== undefined && given !== "") return given;
    const folder = join(cacheFolder(), `torch-${torchVersion}`);
    await fillFolder(folder, async (scratch) => {
      const python = findProgram("python3");
      if (python === undefined) throw new Error("No python3 is on PATH.");
      await install(root, python, "-m", "venv", scratch);
      await install(root, join(scratch, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", `torch==${torchVersion}`);
    });
    process.env.ABIDING_TEST_TORCH = folder;
    return folder;
  },
};
