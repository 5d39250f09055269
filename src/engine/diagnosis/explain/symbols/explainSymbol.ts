import type { Explanation, Knowledge } from "../types.ts";
import { byEnvironment } from "./environment.ts";
import { byText } from "./family.ts";
import { byFile } from "./file.ts";
import { matterOf, told } from "./matter.ts";
import { ofOwnLibrary } from "./ownLibrary.ts";
import { ofLongOnWindows } from "./longOnWindows.ts";
import type { SymbolError } from "./types.ts";

/** What it means that nobody provides a symbol: by the file that failed where it can be read, else by the environment, else by the text and the releases that have it. */
export function explainSymbol(error: SymbolError, knowledge: Knowledge): Explanation {
  const matter = matterOf({ ...error, symbol: bare(error) }, knowledge);
  const otherwise = ofOwnLibrary(matter) ?? ofLongOnWindows(matter) ?? byEnvironment(matter) ?? byText(matter);
  return told(matter, byFile(matter, otherwise) ?? otherwise);
}

/** Without the version that a linker puts behind a name: `memcpy@@GLIBC_2.14`. */
function bare({ symbol, system }: SymbolError): string {
  return system === "windows" ? symbol : symbol.replace(/@{1,2}[\w.]+$/, "");
}
