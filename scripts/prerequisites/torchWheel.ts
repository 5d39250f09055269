import { readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, findProgram, root } from "../../test/harness/locations.ts";
import { fillFolder, install, type Prerequisite } from "./prerequisite.ts";
import { torchVersion } from "./torch.ts";

/** The wheel of the torch that the tests read, as an index serves it: ABIDING_TEST_TORCH_WHEEL names it. */
export const torchWheel: Prerequisite = {
  name: "torch's wheel",
  async prepare() {
    const given = process.env.ABIDING_TEST_TORCH_WHEEL;
    if (given !== undefined && given !== "") return given;
    const folder = join(cacheFolder(), "wheels", `torch-${torchVersion}`);
    await fillFolder(folder, async (scratch) => {
      const python = findProgram("python3");
      if (python === undefined) throw new Error("No python3 is on PATH.");
      await install(root, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", scratch, `torch==${torchVersion}`);
    });
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error(`${folder} holds no wheel.`);
    process.env.ABIDING_TEST_TORCH_WHEEL = join(folder, wheel);
    return join(folder, wheel);
  },
};
