import * as path from "node:path";
import type { DynamicSymbol, LibraryImage } from "../binaries/library.ts";
import { familyOf } from "../binaries/mangling/index.ts";
import type { SymbolFamily } from "../model/index.ts";
import type { LoadedObject } from "./process.ts";
import { isCudaLibrary } from "./cudaLibraries.ts";
import { isOpenMpLibrary, isSystemLibrary } from "./systemLibraries.ts";

/** A file with more undefined symbols than this is not looked through to the end. */
const maximumImports = 500_000;

/** More missing symbols than this say nothing new. */
export const maximumMissing = 2000;

/** An undefined symbol, and whose it is. */
export interface Import {
  readonly symbol: DynamicSymbol;
  readonly family: SymbolFamily;
  readonly object: LoadedObject;
}

/** Which parts of the process could be looked into. */
export interface Known {
  readonly interpreter: boolean;
  readonly torch: boolean;
}

export interface Resolution {
  /** Global symbols that nothing in the scope defines. */
  readonly missing: readonly Import[];
  /** Those that only a library can define which was not looked into, by that library's name. */
  readonly uncertain: ReadonlyMap<string, readonly Import[]>;
  /** Every torch-side import of the file itself. */
  readonly torchImports: readonly DynamicSymbol[];
  /** Objects whose imports are not known. */
  readonly unread: readonly LoadedObject[];
}

/**
 * Binds every undefined symbol of the newly loaded objects in the scope that ld.so would use: the global one, then that of
 * the file. Both Python's import and torch.ops.load_library bind at once (RTLD_NOW), so functions count like data. Weak
 * symbols may stay undefined. `objects` are in the order in which the loader relocates them.
 */
export function resolveSymbols(objects: readonly LoadedObject[], root: LoadedObject, scope: readonly LoadedObject[], known: Known): Resolution {
  const images = scope.map((one) => one.image).filter((one) => one !== undefined);
  const opaque = scope.filter((one) => one.image === undefined);
  const missing: Import[] = [];
  const uncertain = new Map<string, Import[]>();
  const torchImports: DynamicSymbol[] = [];
  const unread: LoadedObject[] = [];
  // Which library answered last answers next, mostly.
  let recent: LibraryImage | undefined;
  for (const object of objects) {
    const imports = object.image === undefined ? [] : object.image.imports();
    if (imports === undefined) {
      unread.push(object);
      continue;
    }
    const lacking: Import[] = [];
    let count = 0;
    for (const symbol of imports) {
      count += 1;
      if (count > maximumImports || missing.length + lacking.length >= maximumMissing) {
        break;
      }
      const family = familyOf(symbol.name);
      if (object === root && (family === "torch" || family === "torch-stable")) {
        torchImports.push(symbol);
      }
      if (symbol.binding === "weak" || symbol.binding === "local" || recent?.defines(symbol.name, symbol.version?.name) === true) {
        continue;
      }
      const definer = images.find((one) => one !== recent && one.defines(symbol.name, symbol.version?.name));
      if (definer !== undefined) {
        recent = definer;
        continue;
      }
      const found = { symbol, family, object };
      const place = opaqueFor(found, opaque, known);
      if (place === undefined) {
        lacking.push(found);
      } else {
        uncertain.set(place, [...(uncertain.get(place) ?? []), found]);
      }
    }
    missing.push(...(object.image === undefined ? [] : inLoaderOrder(lacking, object.image)));
  }
  return { missing, uncertain, torchImports, unread };
}

/** What the loader would complain of first comes first: the order of relocations where the file tells it. */
function inLoaderOrder(imports: Import[], image: LibraryImage): readonly Import[] {
  const order = imports.length > 1 ? image.relocationOrder?.() : undefined;
  if (order === undefined) {
    return imports;
  }
  const places = new Map(order.map((name, index) => [name, index]));
  return imports.sort((a, b) => (places.get(a.symbol.name) ?? Infinity) - (places.get(b.symbol.name) ?? Infinity));
}

/**
 * C functions that a file may use without a version, since it is linked without their library and finds them in a process
 * that has it: those that glibc before 2.34 has outside of libc (the exports of libdl, libpthread and librt in glibc
 * 2.28), and those of OpenMP.
 */
const besideLibc = /^(?:dl(?:open|m?open|v?sym|close|error|addr1?|info)|pthread_\w+|sem_\w+|shm_(?:open|unlink)|mq_\w+|timer_\w+|aio_\w+|lio_listio(?:64)?|clock_\w+)$/;
const openMp = /^(?:omp_|GOMP_|__kmpc_)\w+$/;

/** The library that was not looked into and may define a symbol; "" for the interpreter or torch as a whole; undefined: none may. */
function opaqueFor({ symbol, family, object }: Import, opaque: readonly LoadedObject[], known: Known): string | undefined {
  const named = symbol.version?.library;
  if (named !== undefined) {
    return opaque.find((one) => one.name === named)?.name;
  }
  const fits = (one: LoadedObject): boolean => {
    const name = path.basename(one.name);
    switch (family) {
      case "torch":
      case "torch-stable":
        return /^lib(?:torch|c10|shm|caffe2)/.test(name);
      case "cuda":
        return isCudaLibrary(name);
      case "python":
        return /^libpython/.test(name);
      case "libstdcxx":
      case "glibc":
        return isSystemLibrary(name);
      case "own-or-other":
        return openMp.test(symbol.name)
          ? isOpenMpLibrary(name)
          : besideLibc.test(symbol.name) ? isSystemLibrary(name) : !isSystemLibrary(name) && !isCudaLibrary(name) && !isOpenMpLibrary(name) && !/^lib(?:torch|c10|shm|caffe2|python)/.test(name);
    }
  };
  // What the object itself asks for is a likelier home than what others do.
  const place = (opaque.find((one) => object.image?.needed?.includes(one.name) === true && fits(one)) ?? opaque.find(fits))?.name;
  const isUnknown = family === "python" ? !known.interpreter : (family === "torch" || family === "torch-stable") && !known.torch;
  return place ?? (isUnknown ? "" : undefined);
}
