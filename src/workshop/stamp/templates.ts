import * as fs from "node:fs";
import * as path from "node:path";

/** Of the bundles, and of the sources: those for setuptools beside it; those of CMake are Gantry's own. */
const folders = ["stamp", "templates", "../native/cmake", "../../../native/cmake"].map((folder) => path.join(import.meta.dirname, folder));

type Template = "AbidingStamp.cmake" | "abiding_stamp.cpp" | "_abiding_stamp.py" | "_abiding_check.py";

/** The text of a file that is written into projects. */
export function templateText(name: Template): string {
  const found = folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (found === undefined) {
    throw new Error(`${name} does not lie beside the program (${folders[0] ?? ""}): this copy of Abiding is not whole.`);
  }
  return fs.readFileSync(found, "utf8");
}
