import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { cacheFolder, findProgram } from "../../test/harness/locations.ts";
import { updatePackageLists } from "./debianPackages.ts";
import { fillFolder, install, type Prerequisite } from "./prerequisite.ts";

/** What apt would install for it, and headers that torch's own include without saying so. */
const wanted = ["python3-torch", "libtorch-dev", "libgflags-dev", "libgoogle-glog-dev", "libunwind-dev"];

/** Large, and of no use to torch. */
const unneeded = new Set(["gdal-data", "libtorch-test", "proj-data"]);

const wrapper = `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/../root
libraries=$root/usr/lib/$(gcc -print-multiarch)
export LD_LIBRARY_PATH="$libraries:$libraries/blas:$libraries/lapack:$root/usr/lib:$root/lib/$(gcc -print-multiarch)"
export PYTHONPATH="\${PYTHONPATH:+$PYTHONPATH:}$root/usr/lib/python3/dist-packages"
export CPATH="$root/usr/include"
exec /usr/bin/python3 "$@"
`;

/** The Python that has Debian's torch. */
export function debianTorchPython(): string {
  return join(cacheFolder(), "debian-torch", "bin", "python");
}

/**
 * Debian's torch (1.13 in Debian 12): old, with libraries of versioned names. Unpacked and not installed: installed, its libc10.so is what
 * the loader finds for every extension of this machine that is loaded before torch.
 */
export const debianTorch: Prerequisite = {
  name: "Debian's torch",
  async prepare() {
    const missing = ["apt-get", "dpkg-deb", "gcc"].filter((program) => findProgram(program) === undefined);
    if (missing.length > 0) throw new Error(`${missing.join(", ")} not found on PATH.`);
    await fillFolder(join(cacheFolder(), "debian-torch"), async (scratch) => {
      const archives = join(scratch, "archives");
      const root = join(scratch, "root");
      mkdirSync(archives);
      await updatePackageLists();
      const { stdout } = await execa("apt-get", ["install", "--simulate", "--no-install-recommends", ...wanted], { stdin: "ignore" });
      const packages = [...stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? "").filter((name) => !unneeded.has(name));
      await install(archives, "apt-get", "download", "-qq", ...packages);
      for (const archive of readdirSync(archives)) await install(archives, "dpkg-deb", "--extract", archive, root);
      rmSync(archives, { recursive: true });
      mkdirSync(join(scratch, "bin"));
      const python = join(scratch, "bin", "python");
      writeFileSync(python, wrapper);
      chmodSync(python, 0o755);
      await install(scratch, python, "-c", "import torch");
    });
    return debianTorchPython();
  },
};
