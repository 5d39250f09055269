import { existsSync, readFileSync, realpathSync } from "node:fs";
import * as path from "node:path";

let found: string | null | undefined;

/** The folder of the package: that of `docs/rules`, which is a sibling of the bundle's folder and an ancestor's child of the sources. */
export function packageFolder(): string | undefined {
  found ??= find() ?? null;
  return found ?? undefined;
}

/** The version of Abiding; "" where the package is not there. */
export function packageVersion(): string {
  const folder = packageFolder();
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder ?? "", "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : "";
  } catch {
    return "";
  }
}

function find(): string | undefined {
  let at: string;
  try {
    // A command that npm installs is a link to the bundle.
    at = path.dirname(realpathSync(process.argv[1] ?? ""));
  } catch {
    return undefined;
  }
  for (let up = 0; up < 4; up += 1) {
    if (existsSync(path.join(at, "docs", "rules"))) {
      return at;
    }
    at = path.dirname(at);
  }
  return undefined;
}
