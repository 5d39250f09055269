import * as fs from "node:fs";
import * as path from "node:path";

/** In the bundles they lie in a folder beside it; in the sources those of CMake are Gantry's own. */
const folders = [path.join(import.meta.dirname, "stamp"), path.join(import.meta.dirname, "templates"), path.join(import.meta.dirname, "..", "..", "..", "native", "cmake")];

type Template = "AbidingStamp.cmake" | "abiding_stamp.cpp" | "_abiding_stamp.py" | "_abiding_check.py";

/** The text of a file that is written into projects. */
export function templateText(name: Template): string {
  const found = folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (found === undefined) {
    throw new Error(`${name} does not lie beside the program (${folders[0] ?? ""}): this copy of Abiding is not whole.`);
  }
  return fs.readFileSync(found, "utf8");
}
