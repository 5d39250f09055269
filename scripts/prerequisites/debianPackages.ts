import { execa } from "execa";
import { findProgram, root } from "../../test/harness/locations.ts";
import { install } from "./prerequisite.ts";

/** Whether this may install Debian's packages: apt is there, and root asks. */
export function mayInstallPackages(): boolean {
  return process.getuid?.() === 0 && findProgram("apt-get") !== undefined;
}

let last: Promise<void> = Promise.resolve();

/** One after the other: apt locks its lists, and the prerequisites are prepared all at once. */
function inTurn(work: () => Promise<void>): Promise<void> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

export function installPackages(...packages: string[]): Promise<void> {
  return inTurn(async () => {
    await install(root, "apt-get", "update", "-qq");
    await install(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages);
  });
}

/** Makes the lists of packages up to date where this may; without that, those that are there have to do. */
export function updatePackageLists(): Promise<void> {
  return inTurn(async () => {
    if (mayInstallPackages()) await install(root, "apt-get", "update", "-qq").catch(() => undefined);
  });
}

/** Those of the packages that are not installed; all of them where there is no dpkg. */
export async function missingPackages(packages: readonly string[]): Promise<readonly string[]> {
  const installed = async (name: string): Promise<boolean> => {
    const { stdout } = await execa("dpkg-query", ["--show", "--showformat=${db:Status-Status}", name], { reject: false, stdin: "ignore" });
    return stdout === "installed";
  };
  const answers = await Promise.all(packages.map(async (name) => ({ name, installed: await installed(name) })));
  return answers.filter((one) => !one.installed).map((one) => one.name);
}
