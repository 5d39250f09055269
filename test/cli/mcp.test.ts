/** `abiding mcp` with the client of the protocol's own SDK, in both eras, and line by line. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import Ajv from "ajv";
import { declarations } from "../../src/tools/declarations.ts";
import { writeTorch, writeVenv } from "../support/fake-torch.ts";

const main = path.resolve(import.meta.dirname, "../../src/cli/main.ts");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-mcp-")));
after(() => fs.rmSync(scratch, { recursive: true }));

const project = path.join(scratch, "project");
fs.mkdirSync(project);
fs.writeFileSync(path.join(project, "setup.py"), `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="ops", ext_modules=[CppExtension("ops", ["ops.cpp"], extra_compile_args=["-std=c++14"])], cmdclass={"build_ext": BuildExtension})
`);
writeTorch(path.join(writeVenv(path.join(project, ".venv"), "3.11.4"), "torch"), { version: "2.14.1+cpu" });
const twin = "ImportError: /srv/app/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs";
const environment = { PATH: process.env["PATH"] ?? "", HOME: scratch };

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

async function connected(client: Client, ...args: readonly string[]): Promise<Client> {
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, "mcp", ...args], cwd: scratch, env: environment }));
  return client;
}

const call = async (client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> => (await client.callTool({ name, arguments: args })) as unknown as ToolResult;

describe("abiding mcp with a client of 2025", () => {
  let client: Client;

  before(async () => {
    client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "https://nowhere.example/x" }, { uri: pathToFileURL(project).href, name: "project" }] }));
    await connected(client);
  });
  after(() => client.close());

  it("agrees on a revision and lists the tools with schemas that hold", async () => {
    assert.equal(client.getServerVersion()?.name, "abiding");
    assert.deepEqual(client.getServerCapabilities(), { tools: {} });
    assert.match(client.getInstructions() ?? "", /Start with explain/);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((one) => one.name), declarations.map((one) => one.name));
    assert.deepEqual(tools.filter((one) => one.annotations?.readOnlyHint !== true).map((one) => one.name), ["combinations_run"]);
    for (const { inputSchema, outputSchema, description } of tools) {
      new Ajv({ strict: true, allowUnionTypes: true }).compile(inputSchema);
      new Ajv({ strict: true, allowUnionTypes: true }).compile(outputSchema ?? {});
      assert.ok((description ?? "").length > 100);
    }
    await client.ping();
  });

  it("explains in the root that the client names, with structured content and the same as text", async () => {
    const { isError, content, structuredContent } = await call(client, "explain", { text: twin });
    assert.equal(isError, undefined);
    assert.deepEqual(JSON.parse(content[0]?.text ?? ""), structuredContent);
    assert.deepEqual((structuredContent?.["verdicts"] as { cause: string }[]).map((one) => one.cause), ["libstdcxx-abi"]);
    assert.deepEqual(structuredContent?.["against"], { torch: "2.14.1+cpu", source: "environment", name: path.join(project, ".venv"), chosen: "found" });
  });

  it("checks the project, and lists what is known of a target only when it is named", async () => {
    const { structuredContent: short } = await call(client, "check", { rules: ["cxx-standard"] });
    assert.equal(short?.["root"], project);
    assert.deepEqual((short?.["findings"] as { rule: string }[]).map((one) => one.rule), ["cxx-standard"]);
    assert.deepEqual((short?.["bodies"] as { role: string }[]).map((one) => one.role).filter((role) => role !== "toolchain"), ["installed"]);
    const { structuredContent: long } = await call(client, "check", { rules: ["cxx-standard"], targets: ["ops"] });
    assert.deepEqual((long?.["bodies"] as { name: string; role: string }[]).filter((one) => one.role === "declared").map((one) => one.name), ["ops"]);
  });

  it("says what is wrong with a question, so that a model can ask again", async () => {
    const wrong = async (name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
      const { isError, content } = await call(client, name, args);
      assert.equal(isError, true);
      return content[0]?.text;
    };
    assert.match(await wrong("fits", {}) ?? "", /^"file" is missing: A shared library or a wheel/);
    assert.match(await wrong("explain", { log: "x" }) ?? "", /^There is no "log" in the input; it takes "text", "file"/);
    assert.match(await wrong("inspect", { file: "nowhere.so" }) ?? "", /nowhere\.so does not exist/);
    assert.match(await wrong("combinations_list", { limit: 0 }) ?? "", /^"limit" must be a whole number from 1 to 1000/);
    assert.match(await wrong("combinations_run", {}) ?? "", /^Nothing is run here: this workspace is not trusted, or the server was started without --trust\./);
    await assert.rejects(call(client, "build", {}), /There is no tool "build"; there are explain, check/);
  });
});

it("abiding mcp with a client of 2026: each request carries its revision, and --root goes before what a client says", async () => {
  const client = await connected(new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), "--root", "project");
  try {
    assert.deepEqual((await client.listTools()).tools.map((one) => one.name), declarations.map((one) => one.name));
    const { structuredContent } = await call(client, "explain", { text: twin });
    assert.equal((structuredContent?.["against"] as { torch: string }).torch, "2.14.1+cpu");
  } finally {
    await client.close();
  }
});

/** Lines to the server's input, lines of its output. */
class Raw {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(...args: readonly string[]) {
    this.process = spawn(process.execPath, [main, "mcp", ...args], { cwd: scratch, env: environment });
    this.#lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  send(...lines: readonly (string | object)[]): void {
    this.process.stdin.write(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join(""));
  }

  async next(): Promise<Readonly<Record<string, unknown>>> {
    const { value } = await this.#lines.next() as { value: string };
    return JSON.parse(value) as Readonly<Record<string, unknown>>;
  }

  async ask(message: string | object): Promise<Readonly<Record<string, unknown>>> {
    this.send(message);
    return this.next();
  }
}

describe("abiding mcp line by line", () => {
  const meta = (version: unknown, capabilities: unknown = {}): object => ({ _meta: { "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": capabilities } });

  it("answers what the protocol says to what is no message, no method, no revision; and ends with its input", async () => {
    const raw = new Raw();
    const error = async (message: string | object): Promise<unknown> => {
      const { error: said, id } = await raw.ask(message) as { error?: { code: number }; id?: unknown };
      return [id, said?.code];
    };
    assert.deepEqual(await error("{nonsense"), [undefined, -32700]);
    assert.deepEqual(await error("[]"), [undefined, -32600]);
    assert.deepEqual(await error("7"), [undefined, -32600]);
    assert.deepEqual(await error("{\"id\":1,\"method\":\"ping\"}"), [undefined, -32600]);
    assert.deepEqual(await error({ id: null, method: "ping" }), [undefined, -32600]);
    assert.deepEqual(await error({ id: 2, method: "ping", params: [] }), [2, -32600]);
    assert.deepEqual(await error({ id: "three", method: "resources/list" }), ["three", -32601]);
    assert.deepEqual(await error({ id: 4, method: "initialize", params: {} }), [4, -32602]);
    assert.deepEqual(await error({ id: 5, method: "server/discover", params: {} }), [5, -32602]);
    assert.deepEqual(await error({ id: 6, method: "tools/list", params: meta("2026-07-28", null) }), [6, -32602]);
    assert.deepEqual(await error({ id: 7, method: "tools/call", params: { name: 7 } }), [7, -32602]);
    const { error: unsupported } = await raw.ask({ id: 8, method: "tools/list", params: meta("1900-01-01") });
    assert.deepEqual(unsupported, { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"], requested: "1900-01-01" } });
    // Neither a notification nor a late response is answered: the next line is the ping's.
    raw.send("", { method: "notifications/nonsense" }, { id: 99, result: {} }, { method: "notifications/cancelled", params: { requestId: 77 } });
    assert.deepEqual(await raw.ask({ id: 9, method: "ping" }), { jsonrpc: "2.0", id: 9, result: {} });
    for (const [asked, answered] of [["2025-11-25", "2025-11-25"], ["2024-11-05", "2024-11-05"], ["2099-01-01", "2025-11-25"]]) {
      const { result } = await raw.ask({ id: 10, method: "initialize", params: { protocolVersion: asked, capabilities: {} } }) as { result: { protocolVersion: string } };
      assert.equal(result.protocolVersion, answered);
    }
    const { result: discovered } = await raw.ask({ id: 11, method: "server/discover", params: meta("2026-07-28") }) as { result: Record<string, unknown> };
    assert.deepEqual([discovered["resultType"], discovered["cacheScope"], (discovered["supportedVersions"] as string[])[0], Object.keys(discovered["_meta"] as object)], ["complete", "public", "2026-07-28", ["io.modelcontextprotocol/serverInfo"]]);
    raw.process.stdin.end();
    assert.deepEqual(await once(raw.process, "exit"), [0, null]);
  });

  it("tells how far it is to who asks for it, and says nothing more of what was cancelled", async () => {
    const raw = new Raw("--root", "project");
    raw.send({ id: 1, method: "tools/call", params: { name: "check", arguments: {}, _meta: { progressToken: "far" } } });
    assert.deepEqual(await raw.next(), { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "far", progress: 1, message: `Reading the build files of ${project}` } });
    assert.equal((await raw.next())["id"], 1);
    raw.send({ id: 2, method: "tools/call", params: { name: "check", arguments: {} } }, { method: "notifications/cancelled", params: { requestId: 2 } }, { id: 3, method: "ping" });
    assert.equal((await raw.next())["id"], 3);
    raw.process.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 4, method: "ping" })}`);
    assert.equal((await raw.next())["id"], 4);
    assert.deepEqual(await once(raw.process, "exit"), [0, null]);
  });

  it("ends when it is asked to, and when nobody reads any more", async () => {
    const raw = new Raw();
    await raw.ask({ id: 1, method: "ping" });
    raw.process.kill("SIGTERM");
    assert.deepEqual(await once(raw.process, "exit"), [143, null]);
    const left = new Raw();
    await left.ask({ id: 1, method: "ping" });
    left.process.stdout.destroy();
    left.send({ id: 2, method: "tools/list" }, { id: 3, method: "tools/list" });
    await once(left.process, "exit");
  });
});
