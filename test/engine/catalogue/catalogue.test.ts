import assert from "node:assert/strict";
import { describe, it } from "node:test";
import wheels from "../../../data/torch-wheels.json" with { type: "json" };
import { describeRelease, loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { valueOf } from "../../../src/engine/model/index.ts";

const catalogue = loadCatalogue();

/** What a wheel of the index said, as far as tests compare it. */
interface Measured {
  readonly version: string;
  readonly wheel?: string;
  readonly libstdcxxAbi?: number;
  readonly cudaVersion?: string;
  readonly platformTag?: string;
  readonly cxxStandardFloor?: number;
}

describe("the table of torch releases", () => {
  it("is ordered and without repetition", () => {
    const keys = catalogue.torchReleases.map((one) => one.version.split(".").map((part) => part.padStart(3, "0")).join("."));
    assert.deepEqual(keys, [...new Set(keys)].sort());
    assert.equal(catalogue.torchReleases[0]?.version, "1.0.0");
  });

  it("agrees with what each wheel of the index says of itself", () => {
    const disagreements: string[] = [];
    for (const wheel of wheels.wheels as readonly Measured[]) {
      const served = catalogue.torchRelease(wheel.version)?.variants.find((one) => one.isDefault && one.platform === "linux-x86_64");
      if (wheel.libstdcxxAbi !== undefined && wheel.libstdcxxAbi !== served?.libstdcxxAbi) disagreements.push(`${wheel.version} ABI`);
      if (wheel.cudaVersion !== undefined && wheel.cudaVersion !== served?.cudaVersion) disagreements.push(`${wheel.version} CUDA ${wheel.cudaVersion}`);
      if (wheel.platformTag !== undefined && wheel.platformTag !== served?.manylinux) disagreements.push(`${wheel.version} ${wheel.platformTag}`);
    }
    assert.deepEqual(disagreements, []);
  });

  it("agrees with the wheels for Linux aarch64", () => {
    const disagreements: string[] = [];
    for (const wheel of wheels.aarch64 as readonly Measured[]) {
      const served = catalogue.torchRelease(wheel.version)?.variants.find((one) => one.isDefault && one.platform === "linux-aarch64");
      if (wheel.libstdcxxAbi !== served?.libstdcxxAbi) disagreements.push(`${wheel.version} ABI`);
      if ((wheel.cudaVersion ?? null) !== served?.cudaVersion) disagreements.push(`${wheel.version} CUDA ${wheel.cudaVersion ?? "none"}`);
      if (wheel.platformTag !== served?.manylinux) disagreements.push(`${wheel.version} ${wheel.platformTag ?? ""}`);
    }
    assert.deepEqual(disagreements, []);
  });

  it("names each build once, and a known source for it", () => {
    for (const release of catalogue.torchReleases) {
      const keys = release.variants.map((one) => `${one.platform} ${one.label}`);
      assert.deepEqual(keys, [...new Set(keys)], release.version);
      assert.deepEqual(release.variants.filter((one) => one.source === "" || /(?:^|; )[a-z0-9.-]+(?:;|$)/.test(one.source)).map((one) => one.label), [], release.version);
      assert.equal(release.variants.filter((one) => one.isDefault && one.platform === "linux-x86_64").length, 1, release.version);
    }
  });

  it("rests on a wheel for every minor release", () => {
    const read = new Set((wheels.wheels as readonly Measured[]).filter((one) => one.cxxStandardFloor !== undefined).map((one) => one.version));
    assert.deepEqual(catalogue.torchReleases.filter((one) => one.version.endsWith(".0") && !read.has(one.version)).map((one) => one.version), []);
  });

  it("knows the facts that rules turn on", () => {
    const facts = ["1.4.0", "1.5.0", "2.0.0", "2.1.0", "2.11.0", "2.12.0", "2.13.0", "2.14.1", "2.15.0"].map((version) => {
      const release = catalogue.torchRelease(version);
      return [version, release?.cxxStandardFloor, release?.cxxStandardDefault, release?.pybind11Version];
    });
    assert.deepEqual(facts, [
      ["1.4.0", 11, 11, "2.3.dev0"],
      ["1.5.0", 14, 14, "2.3.dev0"],
      ["2.0.0", 14, 17, "2.10.1"],
      ["2.1.0", 17, 17, "2.11.1"],
      ["2.11.0", 17, 17, "3.0.1"],
      ["2.12.0", 17, 20, "3.0.1"],
      ["2.13.0", 17, 20, "3.0.4"],
      ["2.14.1", 20, 20, "3.1.0"],
      ["2.15.0", 20, 20, "3.1.0"],
    ]);
    assert.deepEqual(["2.7.0", "2.8.0", "2.9.0"].map((one) => [catalogue.torchRelease(one)?.cmakeCarriesAbi, catalogue.torchRelease(one)?.hasPybind11BuildAbi]), [[true, true], [false, true], [false, false]]);
  });

  it("finds a release by any spelling of its version", () => {
    assert.deepEqual(["2.8", "2.8.0", "v2.8.0", "2.8.0+cu128", "2.8.0.dev20250601"].map((one) => catalogue.torchRelease(one)?.version), ["2.8.0", "2.8.0", "2.8.0", "2.8.0", "2.8.0"]);
    assert.equal(catalogue.torchRelease("99.0"), undefined);
  });

  it("names companions that pin exactly this torch", () => {
    const { torchvision, torchaudio, triton } = catalogue.torchRelease("2.8.0")?.companions ?? {};
    assert.deepEqual({ torchvision, torchaudio, triton }, { torchvision: "0.23.0", torchaudio: "2.8.0", triton: "3.4.0" });
  });
});

describe("the table of CUDA toolkits", () => {
  it("knows architectures and host compilers", () => {
    const sms = (version: string): readonly number[] => catalogue.cudaToolkit(version)?.architectures.map((one) => one.sm) ?? [];
    assert.ok(sms("12.9").includes(70) && !sms("13.0").includes(70));
    assert.ok(!sms("12.6").includes(100) && sms("12.8").includes(100));
    assert.deepEqual(catalogue.cudaToolkit("12.9")?.architectures.find((one) => one.sm === 100)?.suffixes, ["", "a", "f"]);
    assert.equal(catalogue.cudaToolkit("12.8.1")?.maximumGcc, 14);
    assert.equal(catalogue.cudaToolkit("9.0"), undefined);
  });
});

describe("removed interfaces", () => {
  it("lists headers by the first wheel without them, and none that the newest still has", () => {
    const find = (what: string): unknown => catalogue.removedApis.find((one) => one.what === what);
    assert.deepEqual(find("THC/THC.h"), { kind: "header", what: "THC/THC.h", removedIn: "1.11.0", replacement: "ATen/cuda/CUDAContext.h", replacementSince: "1.0.0", source: "the header lists of the torch 1.10.0 and 1.11.0 wheels" });
    assert.equal(find("THC/THCAtomics.cuh"), undefined);
    assert.equal(find("c10::optional"), undefined);
  });
});

describe("describeRelease", () => {
  it("takes the ABI of the variant, not of the version", () => {
    assert.equal(valueOf(describeRelease("torch==2.6.0+cu126", catalogue)?.facts ?? [], "libstdcxx-abi"), 1);
    assert.equal(valueOf(describeRelease("2.6.0+cu124", catalogue)?.facts ?? [], "libstdcxx-abi"), 0);
  });

  it("says what an ambiguous name leaves open", () => {
    const body = describeRelease("torch==2.6.0", catalogue);
    assert.equal(valueOf(body?.facts ?? [], "libstdcxx-abi"), undefined);
    assert.equal(valueOf(body?.facts ?? [], "cxx-standard-floor"), 17);
    assert.deepEqual(body?.notKnown, [
      "The libstdc++ ABI of torch 2.6.0 depends on the build: cpu, cu118, cu124 with _GLIBCXX_USE_CXX11_ABI=0; cpu.cxx11.abi, cu126, rocm6.1, rocm6.2.4, xpu with _GLIBCXX_USE_CXX11_ABI=1.",
      "The CUDA version of torch 2.6.0 depends on the build: for Linux x86_64 the catalogue knows cpu, cpu.cxx11.abi, cu118, cu124, cu126, rocm6.1, rocm6.2.4, xpu, and PyPI serves cu124. Name one, for instance torch==2.6.0+cu124.",
    ]);
  });

  it("knows the builds that other indexes than PyPI serve", () => {
    const told = ["2.9.0+cu129", "2.10.0+cu129", "2.11.0+cu129", "2.9.1+rocm6.4", "2.8.0+xpu", "2.7.1+cu118", "2.5.1+rocm6.2", "2.1.2+cu121.with.pypi.cudnn", "2.6.0+cpu.cxx11.abi", "2.15.0+cu132"].map((spec) => {
      const facts = describeRelease(spec, catalogue)?.facts ?? [];
      return [spec, valueOf(facts, "libstdcxx-abi"), valueOf(facts, "cuda-version"), valueOf(facts, "rocm-version"), valueOf(facts, "platform-tag")];
    });
    assert.deepEqual(told, [
      ["2.9.0+cu129", 1, "12.9", undefined, "manylinux_2_28_x86_64"],
      ["2.10.0+cu129", 1, "12.9", undefined, "manylinux_2_28_x86_64"],
      ["2.11.0+cu129", 1, "12.9", undefined, "manylinux_2_28_x86_64"],
      ["2.9.1+rocm6.4", 1, null, "6.4", "manylinux_2_28_x86_64"],
      ["2.8.0+xpu", 1, null, undefined, "linux_x86_64"],
      ["2.7.1+cu118", 1, "11.8", undefined, "manylinux_2_28_x86_64"],
      ["2.5.1+rocm6.2", 0, null, "6.2", "linux_x86_64"],
      ["2.1.2+cu121.with.pypi.cudnn", 0, "12.1", undefined, "linux_x86_64"],
      ["2.6.0+cpu.cxx11.abi", 1, null, undefined, "linux_x86_64"],
      ["2.15.0+cu132", 1, "13.2", undefined, "manylinux_2_28_x86_64"],
    ]);
  });

  it("answers for another machine when asked", () => {
    const arm = describeRelease("2.8.0", catalogue, "3.11", "linux-aarch64");
    assert.deepEqual(["libstdcxx-abi", "cuda-version", "platform", "gxx-abi-version", "pybind11-internals"].map((trait) => valueOf(arm?.facts ?? [], trait as "platform")), [1, undefined, "linux-aarch64", 1018, "v4_gcc_libstdcpp_cxxabi1018"]);
    assert.deepEqual(arm?.notKnown, ["The CUDA version of torch 2.8.0 depends on the build: for Linux aarch64 the catalogue knows cpu, cu129, and PyPI serves cpu. Name one, for instance torch==2.8.0+cpu."]);
    const marked = (spec: string): unknown => valueOf(describeRelease(spec, catalogue)?.facts ?? [], "libstdcxx-abi");
    assert.equal(marked("torch==2.6.0; platform_machine == 'aarch64'"), 1);
    assert.equal(marked("torch==2.6.0+cpu; platform_machine == \"x86_64\""), 0);
    assert.equal(marked("torch==2.3.1; platform_machine == 'aarch64'"), 0);
    // The CUDA wheels of 2.5 for aarch64 have not been read.
    assert.equal(marked("torch==2.5.0; platform_machine == 'aarch64'"), undefined);
    assert.match(describeRelease("1.0.0", catalogue, undefined, "linux-aarch64")?.notKnown[0] ?? "", /no build of torch 1\.0\.0 for Linux aarch64/);
    assert.deepEqual(arm?.distributions[0]?.requires, []);
  });

  it("lends the pins of the build that PyPI serves to no other", () => {
    const requires = (spec: string): readonly string[] => describeRelease(spec, catalogue)?.distributions[0]?.requires ?? [];
    assert.ok(requires("2.8.0+cu128").includes("triton==3.4.0") && requires("2.8.0+cu128").some((one) => one.startsWith("nvidia-")));
    assert.deepEqual(requires("2.8.0+cu126"), ["triton==3.4.0"]);
    assert.deepEqual(requires("2.8.0+cpu"), []);
  });

  it("tells the pybind11 key only where it is established", () => {
    const key = (spec: string, python?: string): unknown => valueOf(describeRelease(spec, catalogue, python)?.facts ?? [], "pybind11-internals");
    assert.equal(key("2.8.0", "3.11"), "v4_gcc_libstdcpp_cxxabi1018");
    assert.equal(key("2.8.0", "3.12"), "v5_gcc_libstdcpp_cxxabi1018");
    assert.equal(key("2.8.0"), undefined);
    assert.equal(key("2.8.0+cu126", "3.11"), undefined);
    assert.equal(key("2.14.1+cpu"), "v12_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1");
  });

  it("does not lend a patch release the key of another pybind11", () => {
    const release = catalogue.torchRelease("1.7.1");
    assert.deepEqual([release?.pybind11Version, release?.pybind11Internals?.belowPython312, release?.pybind11Key], ["2.6.1", 4, undefined]);
    assert.equal(catalogue.torchRelease("2.5.1")?.pybind11Key, "v4_gcc_libstdcpp_cxxabi1011");
  });

  it("knows nothing of a nightly, a future release or an unknown label but the name", () => {
    const nightly = describeRelease("2.16.0.dev20261101+cu130", catalogue);
    assert.deepEqual(nightly?.facts.map((fact) => [fact.trait, fact.value]), [["torch-version", "2.16.0.dev20261101+cu130"], ["cuda-version", "13.0"]]);
    assert.match(nightly?.notKnown[0] ?? "", /not in the catalogue/);
    const unknown = describeRelease("2.8.0+cu999", catalogue);
    assert.equal(unknown?.notKnown[0], "The catalogue knows no build of torch 2.8.0 labelled \"cu999\" for Linux x86_64; it knows cpu, cu126, cu128, cu129, rocm6.3, rocm6.4, xpu, all built with _GLIBCXX_USE_CXX11_ABI=1. What depends on the build is left open.");
    assert.deepEqual([valueOf(unknown.facts, "cuda-version"), valueOf(unknown.facts, "cxx-standard-floor"), valueOf(unknown.facts, "pybind11-version")], [undefined, 17, "2.13.6"]);
    const unlisted = describeRelease("2.15.0+cu130", catalogue);
    assert.match(unlisted?.notKnown[0] ?? "", /it knows cu132, which is built with _GLIBCXX_USE_CXX11_ABI=1\./);
    assert.equal(valueOf(unlisted?.facts ?? [], "cuda-version"), "13.0");
    assert.match(describeRelease("2.7.0+cu126", catalogue, undefined, "linux-aarch64")?.notKnown[0] ?? "", /labelled "cu126" for Linux aarch64 \(only for Linux x86_64\); it knows cpu, cu128/);
    assert.equal(describeRelease("torch>=2.8", catalogue), undefined);
  });

  it("leaves the ABI open where nothing read tells it", () => {
    const body = describeRelease("2.5.1+cu124", catalogue, undefined, "linux-aarch64");
    assert.equal(valueOf(body?.facts ?? [], "libstdcxx-abi"), undefined);
    assert.match(body?.notKnown[0] ?? "", /not established/);
  });
});
