/** The editor for binaries at its edges: cancelling, closing, two of them, a server that is gone; with stand-ins for VS Code and the server. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { beforeEach, test } from "node:test";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { FakeFrame, FakeServer, settled, stage, uri } from "./stage.ts";

const { BinaryEditor } = await import("../../../src/extension/binary/index.ts");
const { wouldThisLoad } = await import("../../../src/extension/commands/wouldThisLoad.ts");

const file = uri("/w/_C.so");
const view = { headline: "No conflict.", markdown: "# report" };
let server = new FakeServer();
let editor = new BinaryEditor({ extensionUri: uri("/ext") } as never, server as never);

function open(what = file): FakeFrame {
  const frame = new FakeFrame();
  editor.resolveCustomEditor({ uri: what, dispose: () => undefined }, frame as never);
  frame.says({ type: "ready" });
  return frame;
}

/** What the library under the language client says of a question that was open when its connection ended. */
async function lost(): Promise<Error> {
  const connection = createMessageConnection(new StreamMessageReader(new PassThrough()), new StreamMessageWriter(new PassThrough()));
  connection.listen();
  const answer = connection.sendRequest("abiding/binary");
  await settled();
  connection.dispose();
  return answer.then(() => assert.fail("It was answered."), (error: unknown) => error as Error);
}

beforeEach(() => {
  server = new FakeServer();
  editor = new BinaryEditor({ extensionUri: uri("/ext") } as never, server as never);
  Object.assign(stage, { pick: undefined, offered: 0, onCommand: () => undefined });
  stage.commands.length = 0;
  stage.errors.length = 0;
});

test("the page may run its own script alone and load nothing from anywhere else", () => {
  const { html } = open(uri("/w/<b>&.so"));
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1];
  const nonce = /<script nonce="([\w-]{22})" src="https:\/\/page\.example\/ext\/dist\/webview\/binary\.js"><\/script>/.exec(html)?.[1];
  assert.equal(policy, `default-src 'none'; style-src https://*.vscode-cdn.example; script-src 'nonce-${nonce}'`);
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<script"));
  assert.match(html, /<title>&#60;b&#62;&#38;\.so<\/title>/);
  assert.notEqual(/nonce="([^"]+)"/.exec(open().html)?.[1], nonce);
});

test("progress is shown while the answer is waited for, and of this question alone", () => {
  const page = open();
  server.progress.fire({ question: "another", message: "no" });
  assert.deepEqual(page.told, [{ type: "busy", message: "Comparing with the selected environment" }]);
  server.progress.fire({ question: server.last.params.question, message: "1 MB" });
  assert.deepEqual(page.last, { type: "busy", message: "Comparing with the selected environment", progress: "1 MB" });
});

test("progress that comes after Cancel, or after the answer, leaves the page as it is", async () => {
  const page = open();
  await server.last.answer(view);
  page.says({ type: "compareSelected" });
  page.says({ type: "cancel" });
  assert.equal(server.last.token.isCancellationRequested, true);
  const { question } = server.last.params;
  server.progress.fire({ question, message: "2 MB" });
  assert.deepEqual(page.last, { type: "busy", message: "Comparing with the selected environment" });
  await server.last.fail(new Error("abiding/binary was cancelled."));
  server.progress.fire({ question, message: "3 MB" });
  assert.deepEqual(page.last, { type: "view", view });
  // A page that is built anew gets what was shown.
  page.says({ type: "ready" });
  assert.deepEqual(page.last, { type: "view", view });
  assert.equal(server.questions.length, 2);
});

test("a first question that is cancelled says so, and a late answer does not count", async () => {
  const page = open();
  page.says({ type: "cancel" });
  await server.last.answer(null);
  assert.deepEqual(page.last, { type: "failed", message: "Cancelled." });
});

for (const [how, end] of [["answered", () => server.last.answer(view)], ["refused", () => server.last.fail(new Error("no"))]] as const) {
  test(`an editor that is closed while it asks is left alone when it is ${how}`, async (context) => {
    const unhandled = context.mock.fn();
    process.on("unhandledRejection", unhandled);
    const page = open();
    page.close();
    assert.equal(server.last.token.isCancellationRequested, true);
    await end();
    page.says({ type: "copy", text: "late" });
    await settled();
    process.off("unhandledRejection", unhandled);
    assert.equal(unhandled.mock.callCount(), 0);
    assert.equal(page.told.length, 1);
  });
}

test("an editor that is closed while the user picks a torch asks nothing more", async () => {
  const page = open();
  await server.last.answer(view);
  stage.pick = { action: "named", against: "torch==2.5.1" };
  page.says({ type: "compare" });
  page.close();
  await settled();
  assert.equal(stage.offered, 1);
  assert.equal(server.questions.length, 1);
});

test("of two editors of one file, Compare changes the one it is in, and the command the one that is looked at", async () => {
  const left = open();
  const right = open();
  for (const one of server.questions) {
    await one.answer(view);
  }
  stage.pick = { action: "named", against: "torch==2.5.1" };
  right.says({ type: "compare" });
  await settled();
  assert.deepEqual(right.last, { type: "busy", message: "Comparing with torch==2.5.1" });
  assert.deepEqual(left.last, { type: "view", view });
  await server.last.answer(view);
  // Only when something was named does the page offer the way back.
  assert.deepEqual(right.last, { type: "view", view, compared: "torch==2.5.1" });

  right.active = true;
  await wouldThisLoad({ binaries: editor, server } as never, file, "torch==2.6.0");
  assert.deepEqual([left.revealed, right.revealed], [0, 1]);
  assert.deepEqual(right.last, { type: "busy", message: "Comparing with torch==2.6.0" });
  assert.deepEqual(left.last, { type: "view", view });
});

test("a question that went down with the server is asked again when it runs again, once", async () => {
  const page = open();
  await server.last.fail(await lost());
  assert.deepEqual(page.last, { type: "failed", message: "The language server stopped." });
  server.stateChanges.fire("starting");
  assert.equal(server.questions.length, 1);
  server.stateChanges.fire("running");
  assert.equal(server.questions.length, 2);
  await server.last.fail(await lost());
  server.stateChanges.fire("running");
  assert.equal(server.questions.length, 2);
  assert.deepEqual(page.last, { type: "failed", message: "The language server stopped." });
  // Who asks anew is served anew.
  page.says({ type: "retry" });
  await server.last.fail(await lost());
  server.stateChanges.fire("running");
  assert.equal(server.questions.length, 4);
  await server.last.answer(view);
  assert.deepEqual(page.last, { type: "view", view });
  // What was answered is not asked again.
  server.stateChanges.fire("running");
  assert.equal(server.questions.length, 4);
});

test("what the server says of a file is shown in its words", async () => {
  const page = open();
  await server.last.fail(Object.assign(new Error("_C.so is no ELF file."), { code: -32803 }));
  assert.deepEqual(page.last, { type: "failed", message: "_C.so is no ELF file." });
  server.stateChanges.fire("running");
  assert.equal(server.questions.length, 1);
});

test("of a selection in the explorer all libraries and wheels are opened, and asked about once", async () => {
  stage.pick = { action: "named", against: "torch==2.5.1" };
  const [wheel, text] = [uri("/w/a.whl"), uri("/w/notes.txt")];
  await wouldThisLoad({ binaries: editor, server } as never, file, [file, wheel, text]);
  assert.equal(stage.offered, 1);
  assert.deepEqual(stage.commands, [file, wheel].map((one) => ["vscode.openWith", one, "abiding.binary", { preview: false }]));
  open(wheel);
  assert.equal(server.last.params.against, "torch==2.5.1");
});

test("an editor that could not be opened leaves nothing behind for the next one", async () => {
  stage.onCommand = () => {
    throw new Error("no such file");
  };
  await assert.rejects(wouldThisLoad({ binaries: editor, server } as never, file, "torch==2.5.1"), /no such file/);
  open();
  assert.equal(server.last.params.against, undefined);
});
