/** What the panel asks the server for: the bodies of an open project side by side. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { BodiesView } from "../../../src/engine/model/index.ts";
import type { BodiesParams } from "../../../src/protocol/index.ts";
import { folderOf, LspClient, uriOf } from "../support/client.ts";

const setup = "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension('ops._C', ['ops.cpp'], extra_compile_args=['-std=c++17'])])\n";

describe("the bodies of an open project", () => {
  const folder = folderOf({ "setup.py": setup, "abiding.json": '{ "against": ["torch==2.14.1+cpu"] }' });
  let client: LspClient;

  before(async () => {
    client = await LspClient.start({ folders: [folder.root] });
    await client.open(path.join(folder.root, "setup.py"), setup.replace("17", "20"), "python");
  });

  after(async () => {
    await client.stop();
    folder.remove();
  });

  const ask = (params: BodiesParams): Promise<BodiesView | null> => client.connection.sendRequest("abiding/bodies", params);
  const standard = (view: BodiesView | null): readonly (string | undefined)[] | undefined => view?.targets[0]?.rows.find((row) => row.trait === "cxx-standard")?.cells.map((one) => one.value);

  it("are those of the text in the editor, by any URI in the project or by its folder", async () => {
    const values = ["C++20", undefined, undefined, "C++20 or newer"];
    assert.deepEqual(standard(await ask({ uri: uriOf(path.join(folder.root, "setup.py")) })), values);
    assert.deepEqual(standard(await ask({ root: folder.root })), values);
  });

  it("have another environment beside the installed one, or say why not", async () => {
    assert.deepEqual(standard(await ask({ root: folder.root, also: "torch==2.8.0+cpu" })), ["C++20", undefined, undefined, "C++20 or newer", "C++17 or newer"]);
    await assert.rejects(ask({ root: folder.root, also: "/nowhere" }), /\/nowhere does not exist\./);
  });

  it("are null for a folder that is not open", async () => {
    assert.equal(await ask({ root: "/nowhere" }), null);
  });
});
