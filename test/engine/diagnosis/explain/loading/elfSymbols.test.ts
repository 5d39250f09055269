import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictOf, verdictsOf } from "./reading.ts";

describe("symbols that glibc's loader misses", () => {
  it("are told with the file, the library and the version that the loader names", async () => {
    const verdict = await says("ImportError: /srv/env/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", "cuda-library-skew", "likely", /libtorch_cuda\.so .*libnccl/);
    assert.equal(verdict.file, "/srv/env/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so");
    assert.equal(verdict.words, "/srv/env/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister");
    assert.deepEqual(verdict.symbols?.map((one) => one.symbol), ["ncclCommRegister"]);
    assert.equal(verdict.rule, "cuda-library-conflict");
    const jit = await says("ImportError: /w/env/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkCreate_12_8, version libnvJitLink.so.12", "cuda-library-skew", "likely", /libcusparse\.so\.12 .*libnvJitLink/);
    assert.equal(jit.words.endsWith("undefined symbol: __nvJitLinkCreate_12_8, version libnvJitLink.so.12"), true);
    await says("OSError: /opt/conda/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", "other-library-symbol", "likely", /MKL/);
    await says("ImportError: /w/fastnorm/_C.so: undefined symbol: cublasCreate_v2", "library-not-linked", "likely", /_C\.so .*cublasCreate_v2/);
    await says("./WORKERS: symbol lookup error: /opt/conda/envs/t/lib/libgraph.so: undefined symbol: ncclCommSplit", "cuda-library-skew", "likely", /^libgraph\.so/);
    await says("ImportError: /w/plain.abi3.so: undefined symbol: PyList_GET_SIZE", "python-abi", "likely", /plain\.abi3\.so/);
    await says("ImportError: /w/k.so: undefined symbol: __cxa_call_terminate", "libstdcxx-too-old", "likely", /k\.so/);
  });

  it("of the C++ and C run time in a version name the GCC or glibc that brought it", async () => {
    const verdict = await says("ImportError: /w/k.so: undefined symbol: __cxa_call_terminate, version CXXABI_1.3.15", "libstdcxx-too-old", "certain", /k\.so needs CXXABI_1\.3\.15 of libstdc\+\+ \(GCC 14\.1 or later\)/);
    assert.equal(verdict.rule, "libstdcxx-version");
    await says("ImportError: /w/k.so: undefined symbol: _ZNSt15__exception_ptreqERKNS_13exception_ptrES2_, version CXXABI_1.3.3", "libstdcxx-too-old", "certain", /CXXABI_1\.3\.3/);
    await says("./app: symbol lookup error: ./app: undefined symbol: __libc_start_main, version GLIBC_2.34", "glibc-too-old", "certain", /glibc 2\.34/);
  });

  it("are read as people quote them: without a file, a colon, the end of the message, or with the end of a sentence", async () => {
    const unnamed = await says("[Installation]: ImportError: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12", "cuda-library-skew", "likely", /^The file needs a newer libnvJitLink/);
    assert.equal(unnamed.file, undefined);
    await says("ImportError: /v/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitL", "cuda-library-skew", "likely", /^libcusparse\.so\.12 needs a newer libnvJitLink/);
    await says("[Bug]: ImportError: servelm/_C.abi3.so: undefined symbol _ZN3c104cuda9SetDeviceEab", "torch-drift", "likely", /^_C\.abi3\.so was built for torch 2\.8/);
    const sentence = await says("ImportError: /w/detect/_C.so: undefined symbol: _ZN6detect18get_cudart_versionEv.", "own-symbol", "likely", /`detect::get_cudart_version\(\)`/);
    assert.deepEqual(sentence.symbols?.map((one) => one.symbol), ["_ZN6detect18get_cudart_versionEv"]);
    await silent("It says undefined symbol errors are usual, and an undefined symbol zeros too");
  });

  it("versions that a library lacks are read without who requires them", async () => {
    const both = await verdictsOf("/gpfs/home/u/conda/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found\n\n/lib64/libc.so.6: version `GLIBC_2.29' not found");
    assert.deepEqual(both.map((one) => [one.cause, one.confidence, one.headline]), [
      ["libstdcxx-too-old", "certain", "The file needs GLIBCXX_3.4.29 of libstdc++ (GCC 11.1 or later), and /gpfs/home/u/conda/bin/../lib/libstdc++.so.6 is older."],
      ["glibc-too-old", "certain", "The file needs glibc 2.29, and this system's is older."],
    ]);
    await says("`ImportError: /usr/lib/libstdc++.so.6: version GLIBCXX_3.4.26 not found `", "libstdcxx-too-old", "certain", /GLIBCXX_3\.4\.26/);
    const feature = await says("ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_ABI_DT_RELR' not found (required by ops.so)", "glibc-too-old", "certain", /^ops\.so needs glibc 2\.36,/);
    assert.ok(!feature.because.some((one) => /CentOS 7|RHEL 8/.test(one)), feature.because.join("\n"));
    await says("[rank0]: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found ( ${ws}/lib/fastattn_cuda.so)", "glibc-too-old", "certain", /^fastattn_cuda\.so needs glibc 2\.32/);
    await silent("If GLIBCXX_3.4.30 not found comes up, see the notes");
    await silent("grep: GLIBC_2.29 not found");
  });

  it("in a version of another library tell of another release of it", async () => {
    const verdict = await says("OSError: ./bac.so: undefined symbol: foo_c, version FOO_1", "library-too-old", "likely", /foo_c in version FOO_1/);
    assert.equal(verdict.file, "./bac.so");
    await says("/p/app: relocation error: /p/lib/liby.so: symbol foo_b, version FOO_2 not defined in file libfoo.so.1 with link time reference", "library-too-old", "certain", /liby\.so needs foo_b in version FOO_2 of libfoo\.so\.1/);
    await says("python3: relocation error: /v/nvidia/cusolver/lib/libcusolver.so.11: symbol cublasLtMatmulX version libcublasLt.so.12 not defined in file libcublasLt.so.12 with link time reference", "cuda-library-skew", "likely", /^libcusolver\.so\.11 /);
  });

  it("of torch and of the project go to those who know their life", async () => {
    const text = "ImportError: /a b/c d.so: undefined symbol: _ZN3own4geluEi";
    const verdict = await verdictOf(text);
    assert.equal(verdict.cause, "own-symbol");
    assert.equal(verdict.file, "/a b/c d.so");
    const versions = await verdictOf("OSError: /w/ops.so: undefined symbol: _ZN3c104cuda9SetDeviceEab");
    assert.equal(versions.cause, "torch-drift");
  });

  it("musl, ldd -r, and what wraps the text", async () => {
    assert.equal((await verdictOf("Error relocating /w/libown.so: own_gelu: symbol not found")).file, "/w/libown.so");
    assert.equal((await verdictOf("undefined symbol: own_gelu_b\t(./bar.so)")).file, "./bar.so");
    const lines = ["UserWarning: Failed to load image Python extension: '/s/site-packages/torchvision/image.so: undefined symbol: _ZN3c104cuda9SetDeviceEab'If you don't plan on using image functionality"];
    const warning = await verdictOf(lines.join("\n"));
    assert.equal(warning.file, "/s/site-packages/torchvision/image.so");
    assert.equal(warning.symbols?.[0]?.symbol, "_ZN3c104cuda9SetDeviceEab");
    const inR = await verdictOf("Error: package or namespace load failed for 'rtorch' in dyn.load(file):\n unable to load shared object '/usr/lib/R/site-library/rtorch/libs/rtorch.so':\n  /usr/lib/R/site-library/rtorch/libs/rtorch.so: undefined symbol: own_lantern_x");
    assert.equal(inR.file, "/usr/lib/R/site-library/rtorch/libs/rtorch.so");
  });

  it("of cuDNN's parts are of another version of cuDNN", async () => {
    const text = "Could not load library libcudnn_cnn_train.so.8. Error: /usr/local/cuda/lib64/libcudnn_cnn_train.so.8: undefined symbol: _ZN5cudnn3cnn34layerNormFwd_execute_internal_implEv, version libcudnn_cnn_infer.so.8";
    const verdict = await says(text, "cuda-library-skew", "likely", /^libcudnn_cnn_train\.so\.8 needs the libcudnn_cnn_infer of its own version of cuDNN/);
    assert.match(verdict.fixes.join(" "), /LD_LIBRARY_PATH/);
  });

  it("near misses are silent", async () => {
    for (const text of [
      'if "undefined symbol: _ZN3c104cuda9SetDeviceEab" in str(error):',
      '    assert "x.so: undefined symbol: foo_b" in message',
      'pytest.raises(ImportError, match="undefined symbol: foo_b")',
      "An undefined symbol: errors of this kind come from old wheels.",
      "We saw the undefined symbol: it was gone after a rebuild.",
      "test_undefined_symbol PASSED",
      "0 undefined symbols",
    ]) await silent(text);
  });
});

describe("versions of symbols that a library lacks", () => {
  it("of libstdc++: which GCC, and whose copy it is", async () => {
    const conda = await says("ImportError: /opt/conda/envs/a/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /w/site-packages/pk/_C.so)", "libstdcxx-too-old", "certain", /^_C\.so needs GLIBCXX_3\.4\.30 of libstdc\+\+ \(GCC 12\.1 or later\)/);
    assert.equal(conda.copy, 'conda install -c conda-forge "libstdcxx-ng>=12.1"');
    assert.equal(conda.file, "/w/site-packages/pk/_C.so");
    const system = await says("/app/run: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /app/run)", "libstdcxx-too-old", "certain", /GCC 13\.2 or later/);
    assert.equal(system.copy, undefined);
    assert.ok(system.because.includes("The libstdc++ that is found is the system's."));
    const other = await says("ImportError: /opt/matlab/sys/os/glnxa64/libstdc++.so.6: version ‘CXXABI_1.3.13’ not found (required by /w/k.so)", "libstdcxx-too-old", "certain", /GCC 11\.1/);
    assert.ok(other.fixes[0]?.startsWith("Find out why this libstdc++ is found"));
    await says("ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by /w/k.so)", "libstdcxx-too-old", "certain", /a newer GCC/);
  });

  it("of glibc: systems that have it, and no upgrade of glibc", async () => {
    const verdict = await says("ImportError: /lib64/libc.so.6: version `GLIBC_2.32' not found (required by /w/fa_2_cuda.cpython-310-x86_64-linux-gnu.so)", "glibc-too-old", "certain", /needs glibc 2\.32/);
    assert.ok(verdict.because.some((one) => /RHEL 9 \(2\.34\), Ubuntu 22\.04 \(2\.35\)/.test(one)));
    assert.ok(![...verdict.fixes].some((one) => /upgrade glibc|install glibc/i.test(one)));
    await says("/lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.38' not found (required by ./app)", "glibc-too-old", "certain", /2\.38/);
  });

  it("of glibc where the file is libstdc++ or torch's: nothing is built by pip", async () => {
    const gcc = await says("OSError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by /opt/gcc-11/lib64/libstdc++.so.6)", "glibc-too-old", "certain", /libstdc\+\+\.so\.6 needs glibc 2\.29/);
    assert.match(gcc.fixes[0] ?? "", /system's own libstdc\+\+/);
    const torch = await says("./infer: /lib64/libc.so.6: version `GLIBC_2.28' not found (required by /opt/libtorch/lib/libtorch_cpu.so)", "glibc-too-old", "certain", /libtorch_cpu\.so needs glibc 2\.28/);
    assert.match(torch.fixes[0] ?? "", /older release of torch/);
    for (const { fixes } of [gcc, torch]) assert.doesNotMatch(fixes.join(" "), /--no-binary|auditwheel/);
  });

  it("broken before the path", async () => {
    const verdict = await says("ImportError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by\n/w/fast_attn/ops.so)", "glibc-too-old", "certain", /^ops\.so needs glibc 2\.29/);
    assert.deepEqual(verdict.lines, { first: 1, last: 2 });
  });

  it("of any other library", async () => {
    await says("OSError: old/libfoo.so.1: version `FOO_2' not found (required by ./bar.so)", "library-too-old", "certain", /bar\.so needs FOO_2 of libfoo\.so\.1/);
    await says("ImportError: /usr/lib/libcurl.so.4: version `CURL_OPENSSL_4' not found (required by /w/k.so)", "library-too-old", "certain", /CURL_OPENSSL_4/);
  });

  it("a warning stays one", async () => {
    await says("./mc: nov/libfoo.so.1: no version information available (required by ./mc)", "harmless", "certain", /another build/);
    await says("Inconsistency detected by ld.so: dl-lookup.c: 107: check_match: Assertion `version->filename == NULL || ! _dl_name_match_p (version->filename, map)' failed!", "library-too-old", "likely", /no versions of symbols/);
  });

  it("source and prose are silent", async () => {
    await silent("assert \"version `GLIBCXX_3.4.30' not found (required by x)\" in err");
    await silent("The version was not found (required by policy).");
  });
});
