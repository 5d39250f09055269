import * as vscode from "vscode";
import { debugLaunch } from "../../workshop/smoke/index.ts";
import type { DebugLaunch } from "../../workshop/smoke/types.ts";
import type { Bench } from "./bench.ts";
import { BatchedScreen } from "./screen.ts";
import type { TestTree } from "./testTree.ts";
import { Refused, requireTrust } from "./trust.ts";
import { Work } from "./work.ts";

/** Starts the debugger on one test. */
export async function debugTest(bench: Bench, tree: TestTree, request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
  requireTrust();
  const nodes = request.include?.flatMap((item) => tree.nodeOf(item) ?? []) ?? [];
  const [node, ...others] = nodes;
  if (node?.kind !== "case" || others.length > 0) {
    throw new Refused(vscode.l10n.t("a debugger takes one test: select a single one."));
  }
  const plans = tree.project(node.root)?.smoke ?? [];
  const work = new Work("smoke", vscode.l10n.t("Debugging {0}", node.test.label), node.root);
  const screen = new BatchedScreen((text) => bench.host.log.info(text));
  const launch = await bench.works.do(work, [token], async () => {
    const workshop = bench.workshop(work, screen);
    return debugLaunch(node.test, plans, workshop, await bench.interpreter(node.root, workshop));
  });
  screen.end();
  if (launch === undefined) {
    throw new Refused(vscode.l10n.t("{0} has no process of its own that a debugger could start, or is gone; refresh the tests.", node.test.label));
  }
  const configuration = configurationOf(launch, node.test.label);
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(node.root)), configuration);
}

function configurationOf(launch: DebugLaunch, name: string): vscode.DebugConfiguration {
  const { program, folder, variables } = launch;
  const args = [...launch.arguments];
  const common = { request: "launch", name, cwd: folder };
  if (launch.language === "python") {
    if (!isInstalled("ms-python.debugpy") && !isInstalled("ms-python.python")) {
      throw new Refused(vscode.l10n.t("this test is Python, and no Python debugger is installed. Install the extension Python Debugger (ms-python.debugpy)."));
    }
    const [first, second, ...rest] = args;
    const what = first === "-m" ? { module: second, args: rest } : { program: first, args: args.slice(1) };
    // The tests' own code is as interesting as the project's.
    return { type: "debugpy", ...common, ...what, python: program, env: variables, justMyCode: false, console: "integratedTerminal" };
  }
  if (isInstalled("vadimcn.vscode-lldb")) {
    return { type: "lldb", ...common, program, args, env: variables };
  }
  if (isInstalled("ms-vscode.cpptools")) {
    return { type: "cppdbg", ...common, program, args, environment: Object.entries(variables).map(([key, value]) => ({ name: key, value })), MIMode: process.platform === "darwin" ? "lldb" : "gdb" };
  }
  throw new Refused(vscode.l10n.t("this test is a C++ program, and no C++ debugger is installed. Install CodeLLDB (vadimcn.vscode-lldb) or C/C++ (ms-vscode.cpptools)."));
}

function isInstalled(id: string): boolean {
  return vscode.extensions.getExtension(id) !== undefined;
}
