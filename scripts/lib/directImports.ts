/**
 * Makes imports from a room's index imports of the files behind it. Code is split by the files that each entry reaches, and
 * an index reaches its whole room: with it `fits` would load every reader of build files.
 */
import { readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import type { Plugin } from "esbuild";

/** A name in the file that declares it. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

export function directImports(): Plugin {
  const indexes = new Map<string, ReadonlyMap<string, Origin>>();
  return {
    name: "direct-imports",
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        return { contents: /[\\/]index\.ts$/.test(path) ? text : direct(text, path, indexes), loader: "ts" };
      });
    },
  };
}

function direct(text: string, path: string, indexes: Map<string, ReadonlyMap<string, Origin>>): string {
  return text.replace(/^import \{([^}]*)\} from "(\.[^"]*\/index\.ts)";/gm, (statement, names: string, index: string) => {
    const origins = originsOf(resolve(dirname(path), index), indexes);
    const kept: string[] = [];
    const imports: string[] = [];
    for (const item of listed(names)) {
      const [name = "", alias = name] = item.split(/\s+as\s+/);
      const origin = origins.get(name);
      if (origin === undefined) kept.push(item);
      else imports.push(`import { ${origin.name} as ${alias} } from "./${relative(dirname(path), origin.file).split(sep).join("/")}";`);
    }
    if (kept.length > 0) imports.push(`import { ${kept.join(", ")} } from "${index}";`);
    // Lines stay where they are, for source maps.
    return imports.join(" ") + "\n".repeat(statement.split("\n").length - 1);
  });
}

/** What `export { ... } from` in an index stands for; names that reach it in other ways keep the index. */
function originsOf(index: string, indexes: Map<string, ReadonlyMap<string, Origin>>): ReadonlyMap<string, Origin> {
  const known = indexes.get(index);
  if (known !== undefined) return known;
  const origins = new Map<string, Origin>();
  indexes.set(index, origins);
  for (const [, names = "", from = ""] of readFileSync(index, "utf8").matchAll(/^export \{([^}]*)\} from "(\.[^"]*)";/gm)) {
    const file = resolve(dirname(index), from);
    for (const item of listed(names)) {
      const [name = "", alias = name] = item.split(/\s+as\s+/);
      const origin = /[\\/]index\.ts$/.test(file) ? originsOf(file, indexes).get(name) : undefined;
      origins.set(alias, origin ?? { file, name });
    }
  }
  return origins;
}

/** Names of values: types are gone after the build. */
function listed(names: string): readonly string[] {
  return names.split(",").map((one) => one.trim()).filter((one) => one !== "" && !/^type\s/.test(one));
}
