import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareVersions, isPrerelease, localLabel, parseVersion, publicVersion } from "../../../src/engine/model/version.ts";
import { boundsOf, canAllHold, exactVersion, parseSpecifiers, satisfies, selectVersions } from "../../../src/engine/model/specifier.ts";

describe("versions", () => {
  it("normalises every spelling of PEP 440", () => {
    const spellings: Record<string, string> = {
      "1.1RC1": "1.1rc1", "1.1.a1": "1.1a1", "1.1-alpha_1": "1.1a1", "1.1beta": "1.1b0", "1.1c3": "1.1rc3", "1.1.preview2": "1.1rc2",
      "1.2post2": "1.2.post2", "1.0-r4": "1.0.post4", "1.0-1": "1.0.post1", "1.2.post": "1.2.post0", "1.2-dev2": "1.2.dev2", "1.2.dev": "1.2.dev0",
      "v1.0": "1.0", " 1.0\n": "1.0", "2!1.0": "2!1.0", "1.0+Ubuntu-1": "1.0", "00.09": "0.9",
      "2.8.0a0+5228986c39.nv25.06": "2.8.0a0", "2.3.0.post300": "2.3.0.post300", "2.10.0.dev20250826+cu128": "2.10.0.dev20250826",
    };
    for (const [written, expected] of Object.entries(spellings)) assert.equal(publicVersion(written), expected, written);
    assert.equal(localLabel("1.0+Ubuntu-1"), "ubuntu.1");
    assert.equal(localLabel("2.8.0"), undefined);
  });

  it("refuses what is no version", () => {
    for (const text of ["", "french toast", "1.0+a+", "1.0++", "1.0+_foobar", "1.0&asd", "1.0+1+1", "1.*", "${VERSION}", "1".repeat(300)]) {
      assert.equal(parseVersion(text), undefined, text);
    }
  });

  it("orders versions", () => {
    const ordered = [
      "not a version", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2", "1.0b2.post345.dev456", "1.0b2.post345",
      "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5", "1.0.post456.dev34", "1.0.post456", "1.1.dev1", "1.10", "2", "1!1.0.dev456", "1!1.0",
    ];
    for (let i = 0; i < ordered.length; i += 1) {
      for (let j = 0; j < ordered.length; j += 1) {
        assert.equal(Math.sign(compareVersions(ordered[i] ?? "", ordered[j] ?? "")), Math.sign(i - j), `${ordered[i]} and ${ordered[j]}`);
      }
    }
    assert.equal(compareVersions("1.0", "1.0.0"), 0);
    assert.equal(compareVersions("2.8.0+CU128", "2.8+cu128"), 0);
  });

  it("knows pre-releases, NGC's among them", () => {
    assert.equal(["2.8.0a0+git.nv25.06", "2.9.0.dev20250901", "2.8.0rc1", "2.8.0", "2.3.0.post1"].map((v) => isPrerelease(parseVersion(v)!)).join(), "true,true,true,false,false");
  });
});

describe("specifiers", () => {
  const yes: readonly [string, string][] = [
    ["2.13.0+cu130", "==2.13.0"], ["2.13.0+cu130", "==2.13.0+cu130"], ["2.13+CU130", "==2.13.0+cu130"], ["2.13.0+cu130", "<=2.13.0"], ["2.13.0+cu130", ">=2.13"],
    ["2.2.0", "~=2.2"], ["2.9", "~=2.2"], ["2.2.3", "~=2.2.1"], ["2.2.post3", "~=2.2.post2"], ["1.4.5a4", "~=1.4.5a4"],
    ["1.1.post1", "==1.1.*"], ["1.1a1", "==1.1.*"], ["1.1.dev3", "==1.1.*"], ["1.1", "==1.1.*"], ["1.1.2+x", "==1.1.*"], ["1!2.8.1", "==1!2.8.*"],
    ["2.0.1", "!=2.0"], ["2.1", "!=2.0.*"], ["2.8.0a0+git.nv25.06", "<2.8.0a1"], ["1.7.1", ">1.7"], ["1.7.0.post3", ">1.7.post2"], ["1.7.post1", "<1.7.post2"],
    ["1.0+downstream1", "===1.0+Downstream1"], ["2.9.0.dev20250901+cpu", ">=2.8"], ["3.0", ""],
  ];
  const no: readonly [string, string][] = [
    ["2.13.0+cpu", "==2.13.0+cu130"], ["2.13.0", "==2.13.0+cu130"], ["2.13.0+cu130", ">2.13.0"], ["2.13.0+cu130", "!=2.13.0"], ["2.13.0+cu130", "<2.13.0"],
    ["3.0", "~=2.2"], ["2.3", "~=2.2.1"], ["2.2.0", "~=2.2.1"], ["2.1", "~=2.2"], ["1.2", "==1.1.*"], ["1.1", "==1.1.0.1"], ["1.10", "==1.1.*"],
    ["2.9.0rc1", "<2.9"], ["2.9.0.dev20250901", "<2.9"], ["2.8.0a0+git.nv25.06", ">=2.8"], ["1.7.0.post1", ">1.7"], ["1.7.0+x", ">1.7"], ["2.0.1", "!=2.0.*"],
    ["1.0", "===1.0.0"], ["1.7.post1", ">1.7rc1"],
  ];
  it("says which versions satisfy", () => {
    for (const [version, specifier] of yes) assert.equal(satisfies(version, specifier), true, `${version} ${specifier}`);
    for (const [version, specifier] of no) assert.equal(satisfies(version, specifier), false, `${version} ${specifier}`);
    assert.equal(satisfies("2.0", ">=two"), undefined);
    assert.equal(satisfies("two", ">=2.0"), undefined);
  });

  it("refuses malformed clauses", () => {
    for (const text of ["~=1", ">=1.*", "=2.0", "2.0", "==", ">=1.0 <2"]) assert.equal(parseSpecifiers(text), undefined, text);
    assert.equal(parseSpecifiers(" >= 1.0 , <2 ,")?.length, 2);
  });

  it("says whether two sets can both be met", () => {
    const together: readonly [string, string, boolean][] = [
      ["==2.13.0+cu130", "==2.13.0+cpu", false], ["==2.13.0", "==2.13.0+cpu", true], [">=2.14", "<2.9", false], [">=2.2.0,<=2.5.1", "==2.1.2", false],
      [">=1.10", ">=1.13", true], ["==2.8.0", ">=2.8", true], [">2.8", "==2.8.0+cu128", false], ["<2.9", "==2.9.0rc1", false], ["==2.8.*", "!=2.8.*", false],
      ["~=2.8.0", "==2.8.3", true], ["~=2.8.0", "==2.9.0", false], ["==3.0.1", "==3.0.4", false], ["", "==1", true], [">=2.9", "<2.9", false], [">=2.8", "<=2.8.0", true],
      ["!=2.0", "==2.0", false], [">=2.0,!=2.1", "==2.1.1", true], ["===1.0", ">=1", true],
    ];
    for (const [a, b, expected] of together) {
      assert.equal(canAllHold([a, b]), expected, `${a} and ${b}`);
      assert.equal(canAllHold([b, a]), expected, `${b} and ${a}`);
    }
    assert.equal(canAllHold(["nonsense", ">=1"]), undefined);
  });

  it("selects as an installer does", () => {
    const known = ["2.7.0", "2.8.0", "2.8.0+cu128", "2.9.0rc1", "2.9.0"];
    assert.deepEqual(selectVersions(">=2.8", known), ["2.8.0", "2.8.0+cu128", "2.9.0"]);
    assert.deepEqual(selectVersions(">=2.9.0rc1", known), ["2.9.0rc1", "2.9.0"]);
    assert.deepEqual(selectVersions(">=2.8.1", ["2.8.0", "2.9.0rc1"]), ["2.9.0rc1"]);
    assert.deepEqual(selectVersions("bad", known), []);
  });

  it("tells pins and bounds", () => {
    assert.equal(exactVersion("==2.8.0+cu128"), "2.8.0+cu128");
    assert.equal(exactVersion("==2.8.*"), undefined);
    assert.deepEqual([">=2.1", ">=2.1,<3", "!=2.0", "==2.8.*", ""].map((s) => boundsOf(s)), [
      { lower: true, upper: false }, { lower: true, upper: true }, { lower: false, upper: false }, { lower: true, upper: true }, { lower: false, upper: false },
    ]);
  });
});
