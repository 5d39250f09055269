/** The torches that experiments are loaded under, each told by its own Python and by nm. */
import { execa } from "execa";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A torch that can be imported on this machine. */
export interface Torch {
  /** "2.13.0+cpu". */
  readonly name: string;
  /** 213 of 2.13.0: to ask what is older. */
  readonly release: number;
  /** What `--against` is given. */
  readonly against: string;
  readonly python: string;
  readonly env: Readonly<Record<string, string>>;
  /** The package's folder. */
  readonly root: string;
  readonly include: string;
  readonly pythonInclude: string;
  /** "cpython-311-x86_64-linux-gnu". */
  readonly suffix: string;
  readonly stringAbi: 0 | 1;
  readonly cuda: string | undefined;
  /** Folder of libc10. */
  readonly libraries: string;
  /** Whether the process finds a library of that name that torch does not bring: by ldconfig, which is not ours. */
  hasLibrary(soname: string): boolean;
  /** Whether one of these libraries, or what they need of torch, defines a symbol: by nm, which is not ours. */
  exports(symbol: string, ...libraries: readonly string[]): boolean;
}

const question = `
import json, os, sysconfig, torch
print(json.dumps({"name": torch.__version__, "root": os.path.dirname(torch.__file__), "pythonInclude": sysconfig.get_paths()["include"],
  "suffix": sysconfig.get_config_var("EXT_SUFFIX")[1:-3], "stringAbi": int(torch._C._GLIBCXX_USE_CXX11_ABI), "cuda": torch.version.cuda}))`;

const needsOf: Readonly<Record<string, readonly string[]>> = {
  c10: ["c10"],
  c10_cuda: ["c10_cuda", "c10"],
  torch_cpu: ["torch_cpu", "c10"],
  torch: ["torch", "torch_cpu", "torch_cuda", "c10_cuda", "c10"],
  torch_python: ["torch_python", "shm", "torch", "torch_cpu", "torch_cuda", "c10_cuda", "c10"],
};

/** A virtual environment, or `key=value` lines that name a Python, its environment and what `against` is. */
export async function torchAt(prefix: string): Promise<Torch> {
  const isSettings = prefix.endsWith(".env");
  const settings = isSettings ? Object.fromEntries(readFileSync(prefix, "utf8").split("\n").filter((line) => line.includes("=")).map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) as Record<string, string> : {};
  const { PYTHON: python = join(prefix, "bin", "python"), LIBRARIES: given, INCLUDE: include, ...env } = settings;
  const { stdout } = await execa(python, ["-W", "ignore", "-c", question], { env });
  const said = JSON.parse(stdout) as { name: string; root: string; pythonInclude: string; suffix: string; stringAbi: 0 | 1; cuda: string | null };
  const libraries = given ?? join(said.root, "lib");
  const symbols = new Map<string, Set<string>>();
  for (const name of new Set(Object.values(needsOf).flat())) {
    const path = join(libraries, `lib${name}.so`);
    if (!existsSync(path)) continue;
    const { stdout: table } = await execa("nm", ["-D", "--defined-only", path], { maxBuffer: 200_000_000 });
    symbols.set(name, new Set(table.split("\n").map((line) => (line.split(" ")[2] ?? "").replace(/@.*/, ""))));
  }
  const { stdout: cache } = await execa("ldconfig", ["-p"], { reject: false, env: { PATH: `${process.env.PATH ?? ""}:/sbin:/usr/sbin` } });
  const [, major = "", minor = ""] = /^(\d+)\.(\d+)/.exec(said.name) ?? [];
  return {
    ...said, release: Number(major) * 100 + Number(minor), hasLibrary: (soname) => (cache ?? "").includes(`\t${soname} `), against: isSettings ? said.root : prefix, python, env, libraries, cuda: said.cuda ?? undefined,
    include: include ?? join(said.root, "include"),
    exports: (symbol, ...names) => names.some((name) => (needsOf[name] ?? [name]).some((library) => symbols.get(library)?.has(symbol) === true)),
  };
}
