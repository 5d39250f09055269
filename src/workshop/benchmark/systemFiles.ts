import * as fs from "node:fs";
import * as path from "node:path";

/** What a system tells about itself in files. Answers undefined for what is not there. */
export interface SystemFiles {
  text(file: string): string | undefined;
  names(folder: string): string[];
  exists(file: string): boolean;
}

/** `root`: another place than "/" holds the files of the system. */
export function systemFiles(root = "/"): SystemFiles {
  const place = (file: string): string => path.join(root, file);
  return {
    text(file) {
      try {
        return fs.readFileSync(place(file), "utf8").trim();
      } catch {
        return undefined;
      }
    },
    names(folder) {
      try {
        return fs.readdirSync(place(folder)).sort();
      } catch {
        return [];
      }
    },
    exists: (file) => fs.existsSync(place(file)),
  };
}
