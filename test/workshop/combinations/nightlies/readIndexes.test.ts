import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { ageOf, newestFirst, readIndexes, torchSets } from "../../../../src/workshop/combinations/index.ts";
import type { IndexRequest } from "../../../../src/workshop/combinations/index.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { NightlyIndex } from "../../../support/nightlyIndex.ts";
import type { NightlyIndexOptions } from "../../../support/nightlyIndex.ts";
import { scratchFolder } from "../../../support/nightlyTorch.ts";
import { clockWorkshop, patience, readAt, seenIn } from "./support.ts";

const scratch = scratchFolder();
const servers: NightlyIndex[] = [];
after(async () => {
  await Promise.all(servers.map(async (one) => one.stop()));
  fs.rmSync(scratch, { recursive: true, force: true });
});
/** An index that is closed at the end, also when a test fails. */
async function open(options: NightlyIndexOptions): Promise<NightlyIndex> {
  const index = await NightlyIndex.start(options);
  servers.push(index);
  return index;
}
let folders = 0;
/** A memory of its own for each test. */
function memory(): { readonly root: string; readonly memory: string } {
  folders += 1;
  return { root: scratch, memory: path.join(scratch, `memory-${folders}`) };
}
const listed5 = { days: 5, first: "20261001", vision: {} } as const;
const version = (day: number): string => `2.16.0.dev2026100${day}+cu130`;

describe("readIndexes", () => {
  it("knows what an index no longer lists, since when, and that a file is gone once that was asked", async () => {
    const place = memory();
    const early = await open({ ...listed5, days: 3 });
    const wanted = { indexes: [`${early.nightly()}/`] };
    const first = await readAt("2026-10-03T08:00:00.000Z", { ...place, wanted });
    assert.deepEqual(seenIn(first), [1, 2, 3].map((day) => `${version(day)} listed`));
    // The same index a few days later: its page has moved on, and a file was deleted.
    const { server } = early;
    const later = await open({ ...listed5, days: 5, listed: 2 });
    server.trick = (request, response) => later.server.trick(request, response, 0);
    later.bad.gone = ["20261002"];
    const second = await readAt("2026-10-05T09:00:00.000Z", { ...place, wanted });
    assert.deepEqual(seenIn(second), [`${version(1)} hidden`, `${version(2)} hidden`, `${version(3)} hidden`, `${version(4)} listed`, `${version(5)} listed`]);
    const third = second.wheels.find((one) => one.version === version(3));
    assert.deepEqual([third?.firstSeen, third?.lastSeen, third?.day], ["2026-10-03T08:00:00.000Z", "2026-10-03T08:00:00.000Z", "20261003"]);
    const probed = await readAt("2026-10-05T09:01:00.000Z", { ...place, wanted, probe: true });
    assert.deepEqual(seenIn(probed).slice(0, 3), [`${version(1)} hidden`, `${version(2)} hidden gone`, `${version(3)} hidden`]);
    // A page read a minute ago is not read again; the first bytes of the three hidden wheels were asked for.
    assert.deepEqual(server.seen.slice(-3).map((one) => one.range), ["bytes=0-0", "bytes=0-0", "bytes=0-0"]);
  });

  it("takes a torch from the index that goes first where it is there, and from the others else", async () => {
    const usual = await open({ ...listed5, releases: { "2.14.0": {}, "2.15.0": {} } });
    const other = await open({ ...listed5, releases: { "2.15.0": {} } });
    const of = async (wanted: IndexRequest["wanted"], place = memory()): Promise<readonly string[]> => newestFirst(await readAt("2026-10-06T10:00:00.000Z", { ...place, wanted }), wanted).map((one) => `${one.version} ${one.index === other.simple ? "other" : one.index === usual.simple ? "usual" : one.index}`);
    const indexes = [usual.simple];
    assert.deepEqual(await of({ indexes }), ["2.15.0 usual", "2.14.0 usual"]);
    assert.deepEqual(await of({ indexes, firstIndex: other.simple }), ["2.15.0 other", "2.14.0 usual"]);
    assert.deepEqual(await of({ indexes: [usual.simple, `${other.simple}/`], firstIndex: other.simple }), ["2.15.0 other", "2.14.0 usual"]);
    // Beside what the project itself names, not in its place; one that is gone keeps nobody from the others.
    const project = path.join(scratch, "naming");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, "requirements.txt"), `--index-url ${usual.simple}\ntorch\n`);
    assert.deepEqual(await of({ indexes: [], firstIndex: other.simple }, { ...memory(), root: project }), ["2.15.0 other", "2.14.0 usual"]);
    await other.stop();
    assert.deepEqual(await of({ indexes, firstIndex: other.simple }), ["2.15.0 usual", "2.14.0 usual"]);
  });

  it("answers offline from memory, without a request, and says how old that is", async () => {
    const index = await open({ ...listed5, releases: { "2.15.0": {} } });
    const place = memory();
    const wanted = { indexes: [index.nightly(), index.simple] };
    await readAt("2026-10-06T10:00:00.000Z", { ...place, wanted });
    const before = index.server.seen.length;
    await index.stop();
    const offline = await readAt("2026-10-09T12:00:00.000Z", { ...place, wanted, packages: ["torchvision"], offline: true });
    assert.equal(index.server.seen.length, before);
    assert.equal(offline.wheels.length, 6);
    assert.deepEqual(ageOf(offline, new Date("2026-10-09T12:00:00.000Z")), [
      `${index.nightly()} was last read 3 days ago (2026-10-06 10:00 UTC) for torch.`,
      `${index.nightly()} was never read for torchvision.`,
      `${index.simple} was last read 3 days ago (2026-10-06 10:00 UTC) for torch.`,
      `${index.simple} was never read for torchvision.`,
    ]);
    assert.equal(offline.indexes[1]?.problem, `${index.nightly()} was never read for torchvision on this machine, so that nothing of it is known without a connection.`);
  });

  it("keeps all that is known when an index is down, busy, slow, an error page or breaks off, and says which", async () => {
    const index = await open(listed5);
    const place = memory();
    const wanted = { indexes: [index.nightly()] };
    const good = await readAt("2026-10-06T10:00:00.000Z", { ...place, wanted });
    const page = `${index.nightly()}/torch/`;
    const cases: readonly [Partial<NightlyIndex["bad"]>, RegExp, IndexRequest["network"]?][] = [
      [{ down: "reset" }, /\/torch\/ could not be read: .+ \(2 attempts\)\.$/],
      [{ down: 503 }, /\/torch\/ could not be read: the server answers 503 Service Unavailable \(2 attempts\)\.$/],
      [{ down: 403 }, /\/torch\/ is refused: the server answers 403 Forbidden\.$/],
      [{ down: 404 }, /has no page of torch\. .+ is not there: the server answers 404 Not Found\.$/],
      [{ slow: 60_000 }, /\/torch\/ could not be read: the server was silent for 0\.05 seconds \(2 attempts\)\.$/, { silence: 50 }],
      [{ errorPage: true }, /\/torch\/ answered with a page that lists no wheel of torch \(it has 1 link\); it may be the page of a login or of an error\.$/],
      [{ tornPages: true }, /\/torch\/ could not be read: .+ \(2 attempts\)\.$/],
    ];
    for (const [bad, message, network = {}] of cases) {
      Object.assign(index.bad, { down: undefined, slow: undefined, errorPage: undefined, tornPages: undefined }, bad);
      const known = await readAt("2026-10-07T10:00:00.000Z", { ...place, wanted, network: { ...patience, ...network } });
      assert.deepEqual(known.wheels, good.wheels, JSON.stringify(bad));
      assert.match(known.indexes[0]?.problem ?? "", message);
      assert.ok(known.indexes[0]?.problem?.includes(bad.down === 404 ? index.nightly() : page));
      assert.equal(known.indexes[0]?.readAt, "2026-10-06T10:00:00.000Z", JSON.stringify(bad));
    }
    Object.assign(index.bad, { tornPages: undefined });
    assert.equal((await readAt("2026-10-07T10:00:00.000Z", { ...place, wanted })).indexes[0]?.problem, undefined);
    await index.stop();
    const gone = await readAt("2026-10-08T10:00:00.000Z", { ...place, wanted });
    assert.match(gone.indexes[0]?.problem ?? "", /\/torch\/ could not be read: nothing answers there \(ECONNREFUSED\) \(\d attempts\)\.$/);
    assert.equal(gone.wheels.length, 5);
  });

  it("tells duplicates, withdrawn wheels and wheels that changed under their names", async () => {
    const index = await open({ ...listed5, days: 2, releases: { "2.15.0": {}, "2.14.0": {} }, sidecars: true });
    const place = memory();
    const wanted = { indexes: [index.simple] };
    Object.assign(index.bad, { duplicates: true, yanked: { "2.14.0": "broken wheels" } });
    const first = await readAt("2026-10-06T10:00:00.000Z", { ...place, wanted });
    assert.deepEqual(first.problems, [`${index.simple}/torch/ lists torch-2.15.0-cp311-cp311-manylinux_2_28_x86_64.whl, torch-2.14.0-cp311-cp311-manylinux_2_28_x86_64.whl more than once, with different addresses or checksums; the first one is taken.`]);
    assert.deepEqual(seenIn(first), ["2.14.0 listed yanked broken wheels", "2.15.0 listed"]);
    assert.notEqual(first.wheels[0]?.sha256, "0".repeat(64));
    Object.assign(index.bad, { duplicates: false, yanked: {}, changedContent: ["2.15.0"] });
    const second = await readAt("2026-10-08T10:00:00.000Z", { ...place, wanted });
    const changed = second.wheels.find((one) => one.version === "2.15.0");
    const [before, now] = [first, second].map((one) => one.wheels.find((wheel) => wheel.version === "2.15.0")?.sha256?.slice(0, 12));
    assert.equal(changed?.changed, `torch-2.15.0-cp311-cp311-manylinux_2_28_x86_64.whl at ${index.simple} was replaced by another file of the same name: its SHA-256 was ${before}… and is ${now}…, seen on 2026-10-08. What was predicted or tried with it before may not hold for it.`);
    assert.deepEqual(second.problems, [changed.changed]);
    // It stays known, and is said once.
    const third = await readAt("2026-10-09T10:00:00.000Z", { ...place, wanted });
    assert.deepEqual([third.problems, third.wheels.find((one) => one.version === "2.15.0")?.changed], [[], changed.changed]);
  });

  it("notices a change without any checksum of the index when it asks for the file again", async () => {
    const index = await open({ ...listed5, days: 3, listed: 3 });
    const place = memory();
    const wanted = { indexes: [index.nightly()] };
    await readAt("2026-10-06T10:00:00.000Z", { ...place, wanted });
    const { server } = index;
    const later = await open({ ...listed5, days: 5, listed: 1 });
    server.trick = (request, response) => later.server.trick(request, response, 0);
    const before = await readAt("2026-10-07T10:00:00.000Z", { ...place, wanted, probe: true });
    assert.deepEqual(before.problems, []);
    later.bad.changedContent = ["2.16.0.dev20261002"];
    const after = await readAt("2026-10-08T10:00:00.000Z", { ...place, wanted, probe: true });
    assert.equal(after.problems.length, 1);
    assert.match(after.problems[0] ?? "", /^torch-2\.16\.0\.dev20261002\+cu130-cp311-cp311-manylinux_2_28_x86_64\.whl at .+ was replaced by another file of the same name: the server called it "[0-9a-f]{16}"-\d+ and calls it "[0-9a-f]{16}"-\d+, seen on 2026-10-08\./);
    assert.deepEqual(after.wheels.filter((one) => one.changed !== undefined).map((one) => one.version), [version(2)]);
  });

  it("reads what siblings ask for once per version: beside the wheel, from the wheel, and not beyond the budget", async () => {
    for (const sidecars of [true, false]) {
      const index = await open({ days: 4, first: "20261001", sidecars, pythons: ["cp311", "cp312"] });
      const place = memory();
      const request = { ...place, wanted: { indexes: [index.nightly()], platform: "linux-x86_64" }, packages: ["torchvision"] };
      const known = await readAt("2026-10-06T10:00:00.000Z", request);
      assert.deepEqual(new Set(known.wheels.filter((one) => one.package === "torchvision").map((one) => `${one.day} ${one.requires?.join()}`)), new Set([
        "20261001 torch==2.16.0.dev20260930", "20261002 torch==2.16.0.dev20261001", "20261003 torch==2.16.0.dev20261002", "20261004 torch==2.16.0.dev20261003",
      ]));
      const files = index.server.seen.filter((one) => one.path.includes(".whl"));
      assert.deepEqual(new Set(files.map((one) => one.path.endsWith(".metadata"))), new Set([sidecars]));
      assert.equal(new Set(files.map((one) => one.path)).size, 4);
      const count = index.server.seen.length;
      await readAt("2026-10-06T10:01:00.000Z", request);
      assert.equal(index.server.seen.length, count, "what was read is remembered");
      await index.stop();
    }
    const index = await open({ days: 3, first: "20261001" });
    const poor = await readAt("2026-10-06T10:00:00.000Z", { ...memory(), wanted: { indexes: [index.nightly()] }, packages: ["torchvision"], metadataBudget: 100 });
    assert.match(poor.problems[0] ?? "", /^What torchvision-.+ requires is not known: .+ the 100 bytes that may be fetched are spent\. A larger budget lets it go on\.$/);
    assert.equal(poor.wheels.length, 6);
  });

  it("is not led astray by servers that lie about sizes", async () => {
    const index = await open({ days: 2, first: "20261001", vision: { "20261002": "20261001" }, releases: { "2.15.0": {} } });
    const said = async (lies: "listed" | "length" | "range", indexes: readonly string[]): Promise<readonly string[]> => {
      index.bad.lies = lies;
      const known = await readAt("2026-10-06T10:00:00.000Z", { ...memory(), wanted: { indexes }, packages: ["torchvision"] });
      assert.ok(known.wheels.length > 0);
      return known.problems;
    };
    assert.match((await said("listed", [index.simple]))[0] ?? "", /^torchvision-0\.30\.0-cp311-cp311-manylinux_2_28_x86_64\.whl: the index says that it has \d+ bytes, and the server says \d+\. The server's word is taken\.$/);
    assert.match((await said("length", [index.nightly()]))[0] ?? "", /^What torchvision-0\.31\.0\.dev20261002.+ requires is not known: .+/);
    assert.match((await said("range", [index.nightly()]))[0] ?? "", /^What torchvision-0\.31\.0\.dev20261002.+ requires is not known: .+/);
  });

  it("survives a damaged memory, two readers at once, and a memory that cannot be written", async () => {
    const index = await open({ ...listed5, pythons: ["cp311", "cp312"] });
    const place = memory();
    const wanted = { indexes: [index.nightly()] };
    const all = await Promise.all(Array.from({ length: 4 }, async () => readAt("2026-10-06T10:00:00.000Z", { ...place, wanted, packages: ["torchvision"], refresh: true })));
    assert.deepEqual(all.map((one) => one.wheels.filter((wheel) => wheel.package === "torch").length), [10, 10, 10, 10]);
    const file = path.join(place.memory, fs.readdirSync(place.memory).find((one) => one.endsWith("-torch.json")) ?? "");
    const text = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, text.slice(0, -30));
    const offline = await readAt("2026-10-06T11:00:00.000Z", { ...place, wanted, offline: true });
    assert.deepEqual([offline.wheels.length, offline.problems], [0, [`${file} is damaged; what it remembered of torch at ${index.nightly()} is not used. It is set aside when the index is read the next time.`]]);
    const again = await readAt("2026-10-06T11:00:00.000Z", { ...place, wanted });
    assert.equal(again.wheels.length, 10);
    assert.deepEqual([fs.readFileSync(`${file}.damaged`, "utf8"), (await readAt("2026-10-06T11:00:00.000Z", { ...place, wanted, offline: true })).problems], [text.slice(0, -30), []]);
    // One bad entry costs only itself.
    fs.writeFileSync(file, text.replace('"listed":true', '"listed":"yes"'));
    assert.equal((await readAt("2026-10-06T11:00:00.000Z", { ...place, wanted, offline: true })).wheels.length, 9);
    fs.writeFileSync(path.join(scratch, "a-file"), "");
    const nowhere = await readAt("2026-10-06T11:00:00.000Z", { root: scratch, memory: path.join(scratch, "a-file", "below"), wanted });
    assert.equal(nowhere.wheels.length, 10);
    assert.match(nowhere.problems[1] ?? "", /^What was read of http.+ could not be remembered: /);
  });

  it("takes the indexes that the project names, then the user's, and hides passwords", async () => {
    const index = await open({ ...listed5, days: 2, releases: { "2.15.0": {} } });
    const project = path.join(scratch, "project");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, "requirements.txt"), `--index-url ${index.nightly().replace("//", "//me:secret@")}\ntorch==2.16.0.dev20261001\n`);
    const known = await readIndexes({ ...memory(), root: project, wanted: { indexes: [] }, packages: [], network: patience }, clockWorkshop(() => new Date("2026-10-06T10:00:00.000Z")));
    assert.deepEqual(known.indexes.map((one) => one.index), [index.nightly()]);
    assert.ok(!JSON.stringify(known).includes("secret"));
    assert.equal(index.server.seen[0]?.headers.authorization, `Basic ${Buffer.from("me:secret").toString("base64")}`);
    fs.writeFileSync(path.join(project, "requirements.txt"), "--extra-index-url https://$HOST/whl\ntorch\n");
    const users = await readIndexes({ ...memory(), root: project, wanted: { indexes: [] }, packages: [], network: patience }, clockWorkshop(() => new Date(), undefined, { PIP_INDEX_URL: `${index.simple}/` }));
    assert.deepEqual(users.indexes.map((one) => one.index), [index.simple]);
    await assert.rejects(readAt("2026-10-06T10:00:00.000Z", { ...memory(), wanted: { indexes: ["ftp://example.org/simple"] } }), (error) => error instanceof CannotDo && error.message === '"ftp://example.org/simple" is no address of a package index; it should begin with https:// as in https://pypi.org/simple.');
  });

  it("stops when it is cancelled and keeps what it read", async () => {
    const index = await open(listed5);
    const place = memory();
    index.bad.slow = 60_000;
    const stop = new AbortController();
    const reading = readIndexes({ ...place, wanted: { indexes: [index.nightly()] }, packages: [], network: patience }, clockWorkshop(() => new Date(), stop.signal));
    while (index.server.seen.length === 0) await new Promise((resolve) => { setImmediate(resolve); });
    stop.abort();
    const known = await reading;
    assert.match(known.indexes[0]?.problem ?? "", /was cancelled\.$/);
  });

  it("offers a set for every torch by METADATA, whatever the days say", async () => {
    const index = await open({ days: 5, first: "20261001", holes: ["20261003"], variants: ["cu130", "cpu"], vision: { "20261001": "20260930", "20261002": "20261002", "20261004": "20261003", "20261005": "20261004" } });
    const wanted = { indexes: [index.nightly(), index.nightly("cpu")], python: "3.11", platform: "linux-x86_64" };
    const known = await readAt("2026-10-06T10:00:00.000Z", { ...memory(), wanted, packages: ["torchvision"] });
    const sets = torchSets(known, { ...wanted, variant: "cu130" }, ["torchvision"]);
    assert.deepEqual(sets.map((one) => [one.torch.day, one.siblings.map((wheel) => wheel.version), one.without.map((wheel) => wheel.because)]), [
      ["20261005", [], ["No wheel of torchvision asks for torch 2.16.0.dev20261005+cu130; the newest are 0.31.0.dev20261005+cu130 (torch==2.16.0.dev20261004), 0.31.0.dev20261004+cu130 (torch==2.16.0.dev20261003), 0.31.0.dev20261002+cu130 (torch==2.16.0.dev20261002)."]],
      ["20261004", ["0.31.0.dev20261005+cu130"], []],
      ["20261002", ["0.31.0.dev20261002+cu130"], []],
      ["20261001", [], ["No wheel of torchvision asks for torch 2.16.0.dev20261001+cu130; the newest are 0.31.0.dev20261005+cu130 (torch==2.16.0.dev20261004), 0.31.0.dev20261004+cu130 (torch==2.16.0.dev20261003), 0.31.0.dev20261002+cu130 (torch==2.16.0.dev20261002)."]],
    ]);
    assert.equal(sets[1]?.installLine, `pip install --pre torch==2.16.0.dev20261004+cu130 torchvision==0.31.0.dev20261005+cu130 --index-url ${index.nightly()}`);
    assert.deepEqual(torchSets(known, wanted, []).map((one) => one.torch.version.slice(10)), ["20261005+cu130", "20261005+cpu", "20261004+cu130", "20261004+cpu", "20261002+cu130", "20261002+cpu", "20261001+cu130", "20261001+cpu"]);
  });
});
