/** Messages and their order, without a process: what is cancelled, what comes twice, what is cut and what is too long. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { Connection, ProtocolError } from "../../../src/cli/mcp/connection.ts";
import type { Handlers } from "../../../src/cli/mcp/connection.ts";
import { McpServer } from "../../../src/cli/mcp/server.ts";

type Message = Readonly<Record<string, unknown>>;

class Client {
  readonly input = new PassThrough();
  readonly answers: Message[] = [];
  readonly failures: unknown[] = [];
  readonly ended: Promise<void>;
  readonly connection: Connection;

  constructor(handlers: Partial<Handlers>, make: (connection: () => Connection) => Handlers = () => ({ request: () => Promise.resolve({}), notification: () => undefined, failed: (error) => this.failures.push(error), ...handlers })) {
    const output = new PassThrough();
    output.on("data", (data: Buffer) => this.answers.push(...data.toString("utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Message)));
    this.connection = new Connection(output, make(() => this.connection));
    this.ended = this.connection.listen(this.input);
  }

  send(...messages: readonly object[]): void {
    this.input.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  }

  async end(): Promise<readonly Message[]> {
    this.input.end();
    await this.ended;
    await turn();
    return this.answers;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const code = (answer: Message | undefined): unknown => (answer?.["error"] as { code: number } | undefined)?.code;

describe("a connection", () => {
  it("does not answer what was cancelled, whether that ends with a result or an error", async () => {
    const ended: string[] = [];
    const client = new Client({ request: (method, _, signal) => new Promise((resolve, reject) => signal.addEventListener("abort", () => {
      ended.push(method);
      return method === "good" ? resolve({}) : reject(new Error("late"));
    })) });
    client.send({ id: 1, method: "good" }, { id: "2", method: "bad" }, { method: "notifications/cancelled", params: { requestId: 1 } }, { method: "notifications/cancelled", params: { requestId: "2" } });
    await turn();
    assert.deepEqual([ended, await client.end(), client.failures], [["good", "bad"], [], []]);
  });

  it("refuses an id that is being answered, and takes it again afterwards", async () => {
    let release = (): void => undefined;
    const client = new Client({ request: () => new Promise((resolve) => { release = () => resolve({ done: true }); }) });
    client.send({ id: 1, method: "a" }, { id: 1, method: "b" });
    await turn();
    assert.deepEqual(client.answers.map((one) => [one["id"], code(one)]), [[1, -32600]]);
    release();
    await turn();
    client.send({ id: 1, method: "c" });
    await turn();
    release();
    assert.deepEqual((await client.end()).slice(1).map((one) => one["result"]), [{ done: true }, { done: true }]);
  });

  it("gives answers that are under way a moment when the input ends, then cancels them", async () => {
    const client = new Client({ request: (method, _, signal) => new Promise((resolve) => {
      if (method === "short") setTimeout(() => resolve({}), 20);
      signal.addEventListener("abort", () => resolve({}));
    }) });
    client.send({ id: 1, method: "short" }, { id: 2, method: "endless" });
    assert.deepEqual((await client.end()).map((one) => one["id"]), [1]);
  });

  it("reads messages that chunks cut anywhere, and a last one without a line end", async () => {
    const client = new Client({ request: (_, params) => Promise.resolve({ ...params }) });
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m", params: { text: "‘größer’ 你好" } })}\r\n\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "m" })}`);
    for (const byte of bytes) client.input.write(Buffer.of(byte));
    assert.deepEqual((await client.end()).map((one) => [one["id"], one["result"]]), [[1, { text: "‘größer’ 你好" }], [2, {}]]);
  });

  it("passes over a line that is too long, and reads the next one", async () => {
    const client = new Client({});
    const part = Buffer.alloc(2 ** 20, "x");
    for (let count = 0; count < 301; count += 1) if (!client.input.write(part)) await turn();
    client.send({});
    client.send({ id: 1, method: "ping" });
    const answers = await client.end();
    assert.deepEqual(answers.map((one) => [one["id"], code(one)]), [[undefined, -32700], [1, undefined]]);
    assert.equal((answers[0]?.["error"] as { message: string }).message, "The message is too long.");
  });

  it("tells a defect to its own side, and only that there was one to the client", async () => {
    const defect = new TypeError("secret");
    const client = new Client({ request: (method) => Promise.reject(method === "wrong" ? new ProtocolError(-32602, "No.", { why: 1 }) : defect) });
    client.send({ id: 1, method: "wrong" }, { id: 2, method: "broken" });
    assert.deepEqual((await client.end()).map((one) => one["error"]), [{ code: -32602, message: "No.", data: { why: 1 } }, { code: -32603, message: "Abiding failed; its standard error says how." }]);
    assert.deepEqual(client.failures, [defect]);
  });
});

it("the server asks for the folder again when the client says that it has another, and not where one was named", async () => {
  const asked = async (hasRoot: boolean): Promise<readonly unknown[]> => {
    const roots: unknown[] = [];
    const client = new Client({}, (connection) => new McpServer({
      version: "1", hasRoot, failed: () => undefined,
      contextOf: (root) => {
        roots.push(root);
        throw new ProtocolError(-32602, "Seen.");
      },
    }, connection));
    const answer = async (...list: readonly object[]): Promise<void> => {
      await turn();
      const question = client.answers.findLast((one) => one["method"] === "roots/list");
      if (question !== undefined) client.send({ id: question["id"], result: { roots: list } });
    };
    client.send({ id: "i", method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: { roots: {} } } }, { method: "notifications/initialized" });
    await answer({ uri: "file:///one" });
    client.send({ id: "a", method: "tools/call", params: { name: "check" } });
    await turn();
    client.send({ method: "notifications/roots/list_changed" });
    await answer({ uri: "untitled:x" }, { uri: "file:///two%20words" });
    client.send({ id: "b", method: "tools/call", params: { name: "check" } });
    await turn();
    await client.end();
    return roots;
  };
  assert.deepEqual(await asked(false), ["/one", "/two words"]);
  assert.deepEqual(await asked(true), [undefined, undefined]);
});

it("the server says how far it is to who named a token, once in a while, and no more when it has answered", async () => {
  let say = (): void => undefined;
  const client = new Client({}, (connection) => new McpServer({
    version: "1", hasRoot: true, failed: () => undefined,
    contextOf: (_, signal, tell) => {
      say = () => ["one", "two"].forEach((what) => tell(what));
      say();
      return { signal, where: { get root(): string { throw new ProtocolError(-32602, "Seen."); } } } as unknown as ReturnType<ConstructorParameters<typeof McpServer>[0]["contextOf"]>;
    },
  }, connection));
  client.send({ id: 1, method: "tools/call", params: { name: "check" } });
  await turn();
  assert.deepEqual(client.answers.map((one) => code(one)), [-32602]);
  client.send({ id: 2, method: "tools/call", params: { name: "check", _meta: { progressToken: 0 } } });
  await turn();
  await new Promise((resolve) => setTimeout(resolve, 300));
  say();
  assert.deepEqual((await client.end()).slice(1).map((one) => one["params"] ?? code(one)), [{ progressToken: 0, progress: 1, message: "one" }, -32602]);
});
