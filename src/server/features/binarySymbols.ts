/** The imported symbols of libraries, with their readable names. */
import * as path from "node:path";
import { demangle } from "../../engine/binaries/mangling/index.ts";
import { familyOfImport } from "../../engine/binaries/profile/index.ts";
import { loaderSays } from "../../engine/diagnosis/index.ts";
import type { Examined } from "../../engine/diagnosis/index.ts";
import type { FitReport } from "../../engine/model/index.ts";
import type { BinaryLibrary, ImportedSymbol } from "../../protocol/index.ts";

/** Of all libraries of a wheel together; a single library is always listed whole. The largest libraries known have 30 000. */
const mostOfWheel = 100_000;

/** Lists what each library imports, a library's own order kept. Steps are of a few hundred symbols. */
export function* librariesOf(examined: Examined, fits: FitReport | undefined): Generator<string, { readonly libraries: readonly BinaryLibrary[]; readonly leftOut: number }, undefined> {
  const libraries: BinaryLibrary[] = [];
  let room = examined.kind === "wheel" ? mostOfWheel : Number.POSITIVE_INFINITY;
  let leftOut = 0;
  for (const { body, image } of examined.binaries) {
    const symbols: ImportedSymbol[] = [];
    for (const symbol of image.imports() ?? []) {
      if (room <= 0) {
        leftOut += 1;
        continue;
      }
      room -= 1;
      const demangled = demangle(symbol.name);
      symbols.push({
        name: symbol.name,
        ...(demangled === undefined || demangled === symbol.name ? {} : { demangled }),
        family: familyOfImport(symbol),
        ...(symbol.version === undefined ? {} : { version: symbol.version.name }),
        weak: symbol.binding === "weak",
      });
      if (symbols.length % 256 === 0) {
        yield body.name;
      }
    }
    const fit = fits === undefined ? undefined : (fits.members?.find((one) => one.file === body.path) ?? (fits.members === undefined ? fits : undefined));
    const says = fit === undefined ? undefined : loaderSays(fit);
    libraries.push({
      file: body.path,
      name: examined.kind === "wheel" ? path.relative(examined.file, body.path) : path.basename(body.path),
      ...(says === undefined ? {} : { loaderSays: says }),
      symbols,
    });
    yield body.name;
  }
  return { libraries, leftOut };
}
