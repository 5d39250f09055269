/** What error texts mean and what agents ask, of a real server. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExplainReport } from "../../../src/engine/model/index.ts";
import type { ToolAnswer } from "../../../src/protocol/index.ts";
import { writeTorch, writeVenv } from "../../support/fake-torch.ts";
import { folderOf, LspClient, uriOf } from "../support/client.ts";

const setup = (standard: number): string => `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="ops", ext_modules=[CppExtension("ops", ["ops.cpp"], extra_compile_args=["-std=c++${standard}"])], cmdclass={"build_ext": BuildExtension})
`;
const text = "ImportError: /srv/app/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs\n";

describe("the server behind explanations and agents", () => {
  const folder = folderOf({ "setup.py": setup(17) });
  let client: LspClient;

  before(async () => {
    writeTorch(path.join(writeVenv(path.join(folder.root, ".venv"), "3.11.4"), "torch"), { version: "2.14.1+cpu" });
    client = await LspClient.start({ folders: [folder.root] });
  });
  after(async () => {
    await client.stop();
    folder.remove();
  });

  const explain = (params: object): Promise<ExplainReport> => client.connection.sendRequest("abiding/explain", { text, ...params });
  const tool = (name: string, input: object): Promise<ToolAnswer> => client.connection.sendRequest("abiding/tool", { name, input, root: uriOf(folder.root) });
  const chosen = ({ against }: ExplainReport): unknown => [against?.chosen, against?.torch];

  it("explains in the project's environment, in the one that was selected, and in the one that is named", async () => {
    const report = await explain({ root: uriOf(folder.root) });
    assert.deepEqual(report.verdicts.map((one) => [one.cause, one.lines]), [["libstdcxx-abi", { first: 1, last: 1 }]]);
    assert.deepEqual(chosen(report), ["found", "2.14.1+cpu"]);
    assert.deepEqual(chosen(await explain({})), ["found", "2.14.1+cpu"]);
    assert.deepEqual(chosen(await explain({ root: uriOf(path.join(folder.root, "setup.py")), against: "torch==2.7.0+cpu" })), ["named", "2.7.0+cpu"]);
    await client.connection.sendRequest("abiding/selectEnvironment", { uri: uriOf(folder.root), spec: "torch==2.8.0+cpu" });
    assert.deepEqual(chosen(await explain({ root: uriOf(folder.root) })), ["project", "2.8.0+cpu"]);
    await client.connection.sendRequest("abiding/selectEnvironment", { uri: uriOf(folder.root) });
  });

  it("says why a named environment cannot be had, and has no verdict for what it does not understand", async () => {
    await assert.rejects(explain({ against: "nowhere" }), /nowhere/);
    assert.deepEqual((await explain({ text: "3 passed in 0.1s" })).verdicts, []);
  });

  it("answers agents with the texts that are not saved yet, and refuses to run", async () => {
    await client.open(path.join(folder.root, "setup.py"), setup(14), "python");
    const answer = await tool("check", {});
    assert.equal(answer.failed, false, answer.text);
    const { findings } = JSON.parse(answer.text) as { findings: { rule: string }[] };
    assert.ok(findings.some((one) => one.rule === "cxx-standard"), answer.text);
    const { findings: saved } = JSON.parse((await tool("check", { rules: ["cxx-standard"] })).text) as { findings: { message: string }[] };
    assert.notEqual(saved[0]?.message.includes("14"), true, "with rules of its own the disk is read");
    assert.deepEqual(await tool("explain", {}), { failed: true, text: "Either \"text\", the output with the error, or \"file\", a log, is needed, and one of them only." });
    const run = await tool("combinations_run", {});
    assert.deepEqual([run.failed, run.text.startsWith("Nothing is run here: this workspace is not trusted")], [true, true]);
    await assert.rejects(tool("build", {}), /There is no tool "build"/);
  });
});
