import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { inspectText } from "../../../src/cli/reporters/inspectText.ts";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { examine, inspectReport } from "../../../src/engine/diagnosis/examination.ts";
import type { ExaminationOptions } from "../../../src/engine/diagnosis/examination.ts";
import { openEnvironment } from "../../../src/engine/diagnosis/fitEnvironment.ts";
import { judge } from "../../../src/engine/diagnosis/judgement.ts";
import { withGlibc } from "../../../src/engine/diagnosis/machineGlibc.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import type { FitReport, InspectReport, InstalledBody } from "../../../src/engine/model/index.ts";
import { RangeServer } from "../../support/rangeServer.ts";
import { zip } from "../../support/zip.ts";
import { compile, temporaryFolder } from "../binaries/elf/compile.ts";

const folder = temporaryFolder();
const files = new NodeFiles();
const catalogue = loadCatalogue();
const module = fs.readFileSync(compile(folder, "_C.so", 'extern "C" void* PyInit__C() { return nullptr; }'));
const name = "ops-1.0-cp311-cp311-linux_x86_64.whl";

function content(members: Readonly<Record<string, string | Uint8Array>>, metadata = "", record?: string): Uint8Array {
  const texts = { "ops-1.0.dist-info/METADATA": `Name: ops\nVersion: 1.0\n${metadata}`, "ops-1.0.dist-info/WHEEL": `Wheel-Version: 1.0\nTag: ${name.split("-").slice(2).join("-").replace(".whl", "")}\n` };
  const rows = [...Object.keys(members), ...Object.keys(texts), "ops-1.0.dist-info/RECORD"].map((one) => `${one},,\n`).join("");
  return zip({ ...members, ...texts, "ops-1.0.dist-info/RECORD": record ?? rows });
}

function wheel(...given: Parameters<typeof content>): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content(...given));
  return file;
}

async function inspected(spec: string, remote?: ExaminationOptions["remote"]): Promise<InspectReport> {
  const opened = await examine(spec, { files, root: folder, ...(remote === undefined ? {} : { remote }) });
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  opened.examined.dispose();
  return inspectReport(opened.examined);
}

async function fits(spec: string): Promise<FitReport> {
  const opened = await examine(spec, { files, root: folder });
  const against = await openEnvironment("torch==2.14.1+cpu", { root: folder, files, catalogue, environment: {} });
  assert.ok(opened.ok && against.ok);
  const steps = judge(opened.examined, against.environment, { catalogue, files });
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      opened.examined.dispose();
      return step.value;
    }
  }
}

describe("fits of a wheel", () => {
  it("has the verdict of its members: a RECORD that is wrong is a finding", async () => {
    const report = await fits(wheel({ "ops/_C.cpython-311-x86_64-linux-gnu.so": module }, "", "\u0000\"broken"));
    assert.equal(report.verdict, "no-conflict");
    assert.deepEqual(report.findings.filter((one) => one.severity === "error").map((one) => one.rule), ["wheel-tag"], report.findings.map((one) => one.message).join("\n"));
  });

  it("says that there was nothing to compare", async () => {
    const sentence = "The wheel holds no shared library for Linux: there was nothing to compare with torch.";
    const none = await fits(wheel({ "ops/__init__.py": "" }));
    assert.deepEqual([none.verdict, none.notChecked], ["no-conflict", [sentence]]);
    assert.equal((await fits(wheel({ "ops/_C.cpython-311-x86_64-linux-gnu.so": module }))).notChecked.includes(sentence), false);
    const unread = await fits(wheel({ "ops/_C.so": "no library" }));
    assert.deepEqual([unread.verdict, unread.notChecked.includes(sentence)], ["unknown", false]);
  });

  it("tells when its metadata requires another torch, which decides nothing", async () => {
    const report = await fits(wheel({ "ops/_C.cpython-311-x86_64-linux-gnu.so": module }, "Requires-Dist: torch==2.8.0\n"));
    assert.equal(report.verdict, "no-conflict");
    assert.deepEqual(report.findings.flatMap((one) => (one.rule === "torch-requirement" ? [one.severity, one.message] : [])), ["warning", `${name}: METADATA says "Requires-Dist: torch==2.8.0", and torch 2.14.1+cpu (catalogue) is asked about, which does not meet that: installers would replace it, or refuse the wheel.`]);
  });
});

describe("inspect of a wheel", () => {
  it("lists libraries that were not read", async () => {
    const report = await inspected(wheel({ "ops/_C.so": module, "ops/liblinker.so": "INPUT(libother.so)" }));
    assert.deepEqual(report.wheel?.libraries, [{ member: "ops/_C.so", size: module.length, isGrafted: false, isRead: true }, { member: "ops/liblinker.so", size: 18, isGrafted: false, isRead: false }]);
    assert.match(inspectText(report, false), /^ {2}libraries +2, of which 1 was read$/m);
    assert.match(inspectText(report, false), /^ {2}platform needed +manylinux_2_\d+_x86_64; of what was read$/m);
    assert.match(inspectText(await inspected(wheel({ "ops/_C.so": module })), false), /^ {2}libraries +1$/m);
  });

  it("lists those of a server that were beyond the budget", async () => {
    const large = Buffer.concat([module, createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(400_000))]);
    const server = await RangeServer.start();
    try {
      const url = server.serve(`/whl/${name}`, { content: content({ "ops/a.so": large, "ops/b.so": large }) });
      const report = await inspected(url, { budget: 100_000 });
      assert.deepEqual(report.wheel?.libraries.map((one) => [one.member, one.size, one.isRead]), [["ops/a.so", large.length, false], ["ops/b.so", large.length, false]]);
      assert.match(inspectText(report, false), /^ {2}libraries +2, of which 0 were read$/m);
    } finally {
      await server.stop();
    }
  });
});

describe("the C library of the machine", () => {
  const body: InstalledBody = { role: "installed", name: "here", source: "environment", facts: [], distributions: [], shadowed: [], notKnown: [] };
  const image = { path: "/lib/libc.so.6", machine: 62, soname: "libc.so.6", needed: [], rpath: [], runpath: [], exportsKnownBy: "names" as const, defines: () => false, exportedNames: () => [], versionDefinitions: () => ["GLIBC_2.2.5", "GLIBC_2.36", "GLIBC_2.4", "GLIBC_PRIVATE"], versionNeeds: () => [], imports: () => [] };
  const machine = { open: (file: string) => (file === "/lib/libc.so.6" ? image : undefined), isFolder: () => true, cached: () => undefined, libraryPath: [], defaultFolders: ["/lib64", "/lib"], platform: "x86_64", lib: [] };

  it("is known by its highest version", () => {
    assert.deepEqual(withGlibc({ body, torchLibraries: [], notKnown: [], machine }).facts.map((one) => [one.trait, one.value, one.evidence]), [["glibc", "2.36", [{ kind: "file", path: "/lib/libc.so.6", what: "defines GLIBC_2.36" }]]]);
  });

  it("is not known of other machines, nor where there is none", () => {
    assert.equal(withGlibc({ body, torchLibraries: [], notKnown: [] }), body);
    assert.equal(withGlibc({ body, torchLibraries: [], notKnown: [], machine: { ...machine, defaultFolders: ["/lib64"] } }), body);
  });
});
