import { browserPath } from "../../test/harness/locations.ts";
import { installPackages, mayInstallPackages } from "./debianPackages.ts";
import type { Prerequisite } from "./prerequisite.ts";

/** A Chromium: the one that is there, else Debian's, when this may install packages. */
export const browser: Prerequisite = {
  name: "browser",
  async prepare() {
    if (browserPath() === undefined) {
      if (!mayInstallPackages()) throw new Error("No Chromium is on PATH, and it is installed by itself only for root on Debian and Ubuntu; install one or set ABIDING_TEST_BROWSER.");
      await installPackages("chromium", "fonts-dejavu-core");
    }
    const path = browserPath();
    if (path === undefined) throw new Error("apt-get installed Chromium, but no program of that name is on PATH.");
    return path;
  },
};
