import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { debianTorchPython } from "../prerequisites/debianTorch.ts";
import { runCMakeTests } from "./cmakeTests.ts";
import { add, nothing, type Tally } from "./tally.ts";

const source = "native";

/** Everything of native/ that needs no GPU, with every torch that is there. */
export async function runNative(): Promise<Tally> {
  // Extensions that the tests compile must not be those that an earlier run, or the user, has compiled.
  const cache = mkdtempSync(join(tmpdir(), "gantry-cache-"));
  try {
    return await runCMakeTests({ source, preset: "ci", settings: dlpackHeader(), withoutLabels: ["gpu"], environment: { GANTRY_CACHE_DIR: cache, GANTRY_TEST_TORCHES: torchPythons().join(delimiter) } });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** The tests in C and C++ under the address, undefined-behaviour and thread sanitizers. */
export async function runSanitizers(): Promise<Tally> {
  // Address and undefined behaviour go together in one build: half the time of two.
  const builds = [{ preset: "asan", settings: ["-DGANTRY_SANITIZE=address,undefined"] }, { preset: "tsan", settings: [] }];
  let total = nothing;
  for (const build of builds) total = add(total, await runCMakeTests({ source, ...build, withoutLabels: ["gpu", "package", "python", "skew", "torch"], environment: {} }));
  return total;
}

/** Pythons that have a torch: of the environment that the tier torch reads, Debian's, and those of GANTRY_TEST_TORCHES. */
function torchPythons(): readonly string[] {
  const prefix = process.env.ABIDING_TEST_TORCH;
  const given = (process.env.GANTRY_TEST_TORCHES ?? "").split(delimiter);
  const prepared = [...(prefix === undefined ? [] : [join(prefix, "bin", "python")]), debianTorchPython()];
  return [...prepared.filter((python) => existsSync(python)), ...given.filter((python) => python !== "")];
}

/** torch's copy of dlpack.h, which Gantry's own declaration of DLPack is compared with. */
function dlpackHeader(): readonly string[] {
  const prefix = process.env.ABIDING_TEST_TORCH;
  if (prefix === undefined) return [];
  const headers = globSync("lib/python3*/site-packages/torch/include/ATen/dlpack.h", { cwd: prefix });
  return headers.slice(0, 1).map((header) => `-DGANTRY_TEST_DLPACK_HEADER=${join(prefix, header)}`);
}
