import * as os from "node:os";
import * as path from "node:path";

/** The user's cache folder, by the conventions of the platform. */
export function userCacheFolder(environment: Readonly<Record<string, string | undefined>> = process.env, platform: NodeJS.Platform = process.platform): string {
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? os.homedir();
  const xdg = environment["XDG_CACHE_HOME"];
  const local = environment["LOCALAPPDATA"];
  if (platform === "win32") {
    return path.join(local ?? path.join(home, "AppData", "Local"), "abiding", "cache");
  }
  if (platform === "darwin") {
    return path.join(home, "Library", "Caches", "abiding");
  }
  return path.join(xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".cache"), "abiding");
}
