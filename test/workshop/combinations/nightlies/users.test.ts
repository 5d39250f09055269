/** Indexes that answer only to whom they know: the user goes along wherever the index is used, and stays nowhere. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import { combinations } from "../../../../src/cli/workshop/combinations/index.ts";
import { bisect, readIndexes } from "../../../../src/workshop/combinations/index.ts";
import { IndexUsers } from "../../../../src/workshop/combinations/nightlies/index.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { environment } from "../../build/support.ts";
import { index as nightlies, onlyIndex, project, python } from "../cells/support.ts";
import { extension, predicted, projectFolder, requestOf, verdicts, workshopIn } from "../predict/support.ts";
import { clockWorkshop, patience } from "./support.ts";

const basic = (user: string): string => `Basic ${Buffer.from(user).toString("base64")}`;
const named = (address: string, user = "me:s%20cret"): string => address.replace("://", `://${user}@`);
let index: NightlyIndex;
before(async () => {
  index = await nightlies({ user: "me:s cret", since: { removed: "20261003" } });
});
after(() => index.stop());

/** Files below a folder in which the password stands, as it is or as it was given. */
function leaks(folder: string): readonly string[] {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
  return files.filter((file) => /s(?: |%20)cret|bWU6cyBjcmV0/.test(fs.readFileSync(file, "latin1"))).map((file) => path.relative(folder, file));
}

describe("the user of an index", () => {
  it("goes along with every wheel of a prediction and a bisect, and is kept nowhere", async () => {
    const root = projectFolder();
    extension(root);
    const stranger = await predicted(root, index);
    assert.equal(stranger.outcome, "nothing-to-predict");
    assert.match(stranger.notChecked.join(" "), /is refused: the server answers 401 Unauthorized; an address names a user as in https:\/\/user:password@example\.org\./);
    const wanted = { indexes: [named(index.nightly())], python };
    const report = await predicted(root, index, { wanted });
    assert.deepEqual(verdicts(report), ["1004 conflict", "1003 conflict", "1002 no-conflict", "1001 no-conflict"]);
    const found = await bisect({ ...requestOf(root, index, { wanted, cacheFolder: path.join(root, ".other-cache") }), good: "20261001", bad: "20261004", by: "fits", restart: false }, workshopIn(root).workshop, () => ({ tries: () => Promise.reject(new Error("nothing is tried")), end: () => Promise.resolve() }));
    assert.deepEqual([found.outcome, found.firstBad?.day, found.range === undefined], ["found", "20261003", false]);
    assert.deepEqual(leaks(root), []);
    assert.ok(!JSON.stringify([report, found]).includes("cret"));
  });

  it("is found in abiding.json, the environment and ~/.netrc for an address without one", async () => {
    const root = projectFolder();
    const wheels = async (variables: Readonly<Record<string, string>>): Promise<number> => (await readIndexes({ root, memory: path.join(root, `memory-${Math.random()}`), wanted: { indexes: [index.nightly()] }, packages: [], network: patience }, clockWorkshop(() => new Date(), undefined, variables))).wheels.length;
    assert.equal(await wheels({}), 0);
    assert.equal(await wheels({ UV_INDEX: `company=${named(index.nightly())}` }), 4);
    fs.writeFileSync(path.join(root, ".netrc"), `machine other.example login a password b\nmachine 127.0.0.1\n  login me\n  password "s cret"\n`);
    assert.equal(await wheels({ HOME: root }), 4);
    assert.equal(await wheels({ HOME: root, NETRC: path.join(root, "none") }), 0);
    fs.writeFileSync(path.join(root, "abiding.json"), JSON.stringify({ combinations: { indexes: [named(index.nightly())] } }));
    assert.equal(await wheels({}), 4);
  });

  it("is that of the nearest address, and never of another server", () => {
    const users = new IndexUsers("/nowhere", ["https://a:1@example.org/one/simple", "https://b:2@example.org/two/simple"], {});
    assert.deepEqual(["https://example.org/two/files/x.whl", "https://example.org/one/simple/torch/", "https://example.org:8443/one/simple", "http://example.org/one/simple", "https://me@example.org/two"].map(users.authorization), [basic("b:2"), basic("a:1"), undefined, undefined, basic("me:")]);
    assert.deepEqual([users.withUser("https://example.org/two/simple"), users.withUser("https://example.net/")], ["https://b:2@example.org/two/simple", "https://example.net/"]);
  });

  it("goes along with what is installed in the cells of a run, and is in no file and no log of it", async () => {
    const scratch = projectFolder();
    const root = project(path.join(scratch, "project"), index.nightly(), { matrix: { torch: ["nightly:20261002"], python } });
    let text = "";
    const terminal: Terminal = { workingDirectory: root, environment: { ...environment, ...onlyIndex(index, scratch) }, version: "1.2.3", colours: false, progress: () => undefined, say: (one) => { text += one; }, deliver: (one) => { text += one; } };
    const status = await combinations(["run", root, "--steps", "install", "--index", named(index.nightly()), "--keep"], terminal);
    assert.equal(status, 0, text);
    assert.ok(!text.includes("cret"), text);
    assert.deepEqual(leaks(scratch), []);
  });
});
