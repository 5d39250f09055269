import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeServerFolder, findProgram, root } from "../../test/harness/locations.ts";
import { fillFolder, install, type Prerequisite } from "./prerequisite.ts";

const npmOptions = ["--ignore-scripts", "--no-audit", "--no-fund"];

/**
 * VS Code's server, as code-server packages it. Its install script would compile several native modules; only one of
 * them matters here: without `@vscode/spdlog` every output channel stays empty.
 */
export const codeServer: Prerequisite = {
  name: "code-server",
  async prepare() {
    await fillFolder(codeServerFolder(), async (folder) => {
      for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, "test", "harness", "code-server", file), join(folder, file));
      await install(folder, "npm", "ci", ...npmOptions);
      const vscode = join(folder, "node_modules", "code-server", "lib", "vscode");
      await install(vscode, "npm", "install", "--omit=dev", ...npmOptions);
      await install(join(vscode, "extensions"), "npm", "install", "--omit=dev", ...npmOptions);
      await compileSpdlog(folder, join(vscode, "node_modules", "@vscode", "spdlog"));
    });
    return codeServerFolder();
  },
};

async function compileSpdlog(folder: string, spdlog: string): Promise<void> {
  const compiler = findProgram("g++", "clang++");
  if (compiler === undefined) throw new Error("No C++ compiler was found to build VS Code's log module with.");
  mkdirSync(join(spdlog, "build", "Release"), { recursive: true });
  await install(
    spdlog, compiler, "-shared", "-fPIC", "-std=c++20", "-O1", "-w",
    "-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS", "-DFMT_CONSTEVAL=", "-DNAPI_CPP_EXCEPTIONS",
    "-I", join(folder, "node_modules", "node-api-headers", "include"), "-I", join("node_modules", "node-addon-api"), "-I", join("deps", "spdlog", "include"),
    ...(process.platform === "darwin" ? ["-undefined", "dynamic_lookup"] : []),
    join("src", "main.cc"), join("src", "logger.cc"), "-o", join("build", "Release", "spdlog.node"),
  );
}
