import { browserPath, findProgram, root } from "../../test/harness/locations.ts";
import { install, type Prerequisite } from "./prerequisite.ts";

/** A Chromium: the one that is there, else Debian's, when this may install packages. */
export const browser: Prerequisite = {
  name: "browser",
  async prepare() {
    if (browserPath() === undefined) {
      if (process.getuid?.() !== 0 || findProgram("apt-get") === undefined) throw new Error("No Chromium is on PATH, and it is installed by itself only for root on Debian and Ubuntu; install one or set ABIDING_TEST_BROWSER.");
      await install(root, "apt-get", "update", "-qq");
      await install(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core");
    }
    const path = browserPath();
    if (path === undefined) throw new Error("apt-get installed Chromium, but no program of that name is on PATH.");
    return path;
  },
};
