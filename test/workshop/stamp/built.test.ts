/** A real module, stamped by the command, built by CMake, and imported by Python beside two torches. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Ajv } from "ajv";
import { execa } from "execa";
import schema from "../../../docs/schema/stamp.schema.json" with { type: "json" };
import type { StampReport } from "../../../src/workshop/stamp/types.ts";
import { root } from "../../harness/locations.ts";
import { includeLine, Project } from "./support.ts";

const version = (text: string): string => `from typing import Optional\n__version__ = '${text}'\ndebug = False\ncuda: Optional[str] = '12.8'\ngit_version = '0123456789abcdef0123456789abcdef01234567'\n`;
const headers = { "include/ATen/ATen.h": "", "include/torch/headeronly/version.h": "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 8\n#define TORCH_VERSION_PATCH 0\n" };

const project = new Project({
  "CMakeLists.txt": `cmake_minimum_required(VERSION 3.22)
project(mine VERSION 1.2 LANGUAGES CXX)
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
if(TRUE)
  Python3_add_library(_ops MODULE ops.cpp)
  target_include_directories(_ops PRIVATE "\${CMAKE_CURRENT_SOURCE_DIR}/env/torch/include")
  set_target_properties(_ops PROPERTIES LIBRARY_OUTPUT_DIRECTORY "\${CMAKE_CURRENT_SOURCE_DIR}/mine")
endif()
`,
  "ops.cpp": `#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_ops", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit__ops() { return PyModule_Create(&module); }
`,
  "mine/__init__.py": "from . import _ops\n",
  "env/torch/__init__.py": "raise SystemExit('torch was imported')\n",
  "env/torch/version.py": version("2.8.0+cu128"),
  ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [`env/torch/${name}`, text])),
  "other/torch/__init__.py": "raise SystemExit('torch was imported')\n",
  "other/torch/version.py": version("2.9.1+cu130").replace("0123", "fedc"),
});
after(() => project[Symbol.dispose]());

async function abiding(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, "src/cli/main.ts"), ...args], { cwd: project.path, reject: false, env: { VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined } });
  return { status: exitCode, out: stdout, err: stderr };
}

function imported(torch: string | undefined, environment: Readonly<Record<string, string>> = {}) {
  return execa("python3", ["-c", "import mine; print(mine._ops.__name__)"], { cwd: project.path, reject: false, env: { PYTHONPATH: torch ?? "", ...environment } });
}

describe("abiding stamp, the command", () => {
  const validate = new Ajv({ allErrors: true }).compile(schema);
  const report = (text: string): StampReport => {
    const parsed = JSON.parse(text) as StampReport;
    assert.ok(validate(parsed), JSON.stringify(validate.errors));
    return parsed;
  };

  it("says with --dry-run what it would write, then writes it, and says so the next time", async () => {
    const before = project.state();
    const dry = await abiding("stamp", "--dry-run");
    assert.equal(dry.status, 0, dry.err);
    assert.match(dry.out, new RegExp(`^_ops would be stamped\\. Nothing was written\\.\n {2}edited {5}CMakeLists\\.txt:8\n {13}\\+ {3}include\\(`));
    assert.deepEqual(project.state(), before);
    const done = await abiding("stamp", "--format", "json");
    assert.equal(done.status, 0, done.err);
    assert.equal(report(done.out).outcome, "stamped");
    assert.equal(project.lines("CMakeLists.txt")[7], `  ${includeLine("_ops")}`);
    assert.match(project.read("cmake/abiding_stamp__ops.cmake"), /abiding_stamp\(_ops TORCH PYTHON\)/);
    assert.equal(report((await abiding("stamp", ".", "--format", "json")).out).outcome, "already");
  });

  it("ends with 2 when it is refused, and does not know other options", async () => {
    const refused = await abiding("stamp", "--target", "nothing", "--format", "json");
    assert.equal(refused.status, 2);
    assert.deepEqual([report(refused.out).outcome, report(refused.out).choices], ["refused", ["_ops"]]);
    assert.deepEqual([(await abiding("stamp", "--force")).status, (await abiding("stamp", "nowhere")).status], [2, 2]);
  });
});

describe("a stamped CMake target", () => {
  it("tells of its own compile, and is imported beside the torch that it was built with only", async () => {
    // What the command has written is all that is there: no Abiding takes part in the build.
    execFileSync("cmake", ["-S", project.path, "-B", join(project.path, "build"), "-G", "Ninja"], { stdio: "pipe" });
    execFileSync("cmake", ["--build", join(project.path, "build")], { stdio: "pipe" });
    const [library = ""] = Object.keys(project.state()).filter((file) => /^mine\/_ops.*\.so$/.test(file));
    const inspected = JSON.parse((await abiding("inspect", library, "--format", "json")).out) as { readonly binaries: readonly [{ readonly profile: { readonly stamp: Readonly<Record<string, string>> } }] };
    const python = execFileSync("python3", ["-c", "import sys; print('cpython-%d%d' % sys.version_info[:2])"], { encoding: "utf8" }).trim();
    const { name, version: built, git, "torch.version": torch, "torch.cuda": cuda, "torch.abi": abi, "python.abi": pythonAbi } = inspected.binaries[0].profile.stamp;
    assert.deepEqual({ name, built, git, torch, cuda, abi, pythonAbi }, { name: "_ops", built: "1.2", git: "unknown", torch: "2.8.0+cu128", cuda: "12.8", abi: "classic", pythonAbi: python });

    const good = await imported("env");
    assert.deepEqual([good.exitCode, good.stdout], [0, "mine._ops"], good.stderr);
    const bad = await imported("other");
    assert.equal(bad.exitCode, 1);
    assert.equal(
      bad.stderr.split("\n").at(-1),
      `ImportError: mine._ops (${project.path}/${library}) was built with torch 2.8.0+cu128 (git 0123456789ab), and torch 2.9.1+cu130 (git fedc456789ab) of ${project.path}/other/torch would load it. torch's C++ ABI holds for the very torch that an extension was compiled with. Build it again with the torch that is here (pip install --no-build-isolation --force-reinstall --no-deps . in its folder), or install torch 2.8.0+cu128.`,
    );
    const allowed = await imported("other", { ABIDING_ALLOW_SKEW: "1" });
    assert.deepEqual([allowed.exitCode, allowed.stdout], [0, "mine._ops"]);
    assert.match(allowed.stderr, /RuntimeWarning: mine\._ops .* was built with torch 2\.8\.0\+cu128/);
  });

  it("is imported as ever where there is no torch, or one that tells nothing", async () => {
    assert.equal((await imported(undefined)).exitCode, 0);
    project.write("broken/torch/__init__.py", "");
    assert.equal((await imported("broken")).exitCode, 0);
    project.write("broken/torch/version.py", "__version__ = make()\n");
    assert.equal((await imported("broken")).exitCode, 0);
    const [library = ""] = Object.keys(project.state()).filter((file) => /^mine\/_ops.*\.so$/.test(file));
    const bytes = Buffer.from(project.state()[library] ?? "", "latin1");
    // The loader's own words, not ours.
    project.write(library, bytes.subarray(0, 100));
    const cut = await imported("other");
    assert.match(cut.stderr.split("\n").at(-1) ?? "", /^ImportError: (?:.*file too short|.*cannot read file data|.*\.so: )/);
    project.write(library, bytes);
  });
});

describe("the reader in _abiding_check.py", () => {
  it("finds in the vectors what the others find, and passes hostile files by", async () => {
    const script = `
import importlib.util, json, struct, sys, time, os, tempfile
spec = importlib.util.spec_from_file_location("check", sys.argv[1]); check = importlib.util.module_from_spec(spec); spec.loader.exec_module(check)
wrong = []
with tempfile.TemporaryDirectory() as folder:
    for number, one in enumerate(json.load(open(sys.argv[2]))["vectors"]):
        path = os.path.join(folder, str(number))
        with open(path, "wb") as file:
            for part in one["file"]:
                file.write(bytes.fromhex(part["hex"]) * part["times"])
        try:
            found = check._stamp(path)
        except (OSError, ImportError, AttributeError, ValueError, LookupError, struct.error):
            found = None
        # Of files without segments the sections are not read: the loader loads none of those.
        wanted = one["stamp"]
        if found != wanted and not (found is None and "section" in one["name"]):
            wrong.append([one["name"], found, wanted])
        check.check(path)
    # Processor time, and the least: other processes have their turns too.
    times = []
    for _ in range(20):
        begin = time.process_time()
        check.check(sys.argv[3])
        times.append((time.process_time() - begin) * 1000)
    print(json.dumps({"wrong": wrong, "milliseconds": min(times)}))
`;
    const [library = ""] = Object.keys(project.state()).filter((file) => /^mine\/_ops.*\.so$/.test(file));
    const { stdout } = await execa("python3", ["-B", "-c", script, join(root, "src/workshop/stamp/templates/_abiding_check.py"), join(root, "native/tests/stamp/vectors/vectors.json"), join(project.path, library)], { env: { PYTHONPATH: join(project.path, "env") } });
    const { wrong, milliseconds } = JSON.parse(stdout) as { readonly wrong: readonly unknown[]; readonly milliseconds: number };
    assert.deepEqual(wrong, []);
    assert.ok(milliseconds < 5, `${milliseconds} ms`);
  });

  it("compares a classic stamp with the very torch, and a stable one with the least that it needs", async () => {
    const script = `
import importlib.util, json, os, struct, sys, tempfile
spec = importlib.util.spec_from_file_location("check", sys.argv[1]); check = importlib.util.module_from_spec(spec); spec.loader.exec_module(check)
answers = []
for lines, torch in json.loads(sys.argv[2]):
    with tempfile.TemporaryDirectory() as folder:
        note = struct.pack("<III", 8, len(lines.encode()), 1) + b"Abiding\\0" + lines.encode()
        head = b"\\x7fELF\\2\\1\\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        with open(os.path.join(folder, "x.so"), "wb") as file:
            file.write(head + struct.pack("<IIQQQQQQ", 4, 4, 120, 120, 120, len(note), len(note), 4) + note)
        os.mkdir(os.path.join(folder, "torch"))
        for name, text in (("__init__.py", ""), ("version.py", torch)):
            with open(os.path.join(folder, "torch", name), "w") as file:
                file.write(text)
        sys.path.insert(0, folder)
        try:
            check.check(os.path.join(folder, "x.so"))
            answers.append(None)
        except ImportError as failure:
            answers.append(str(failure).replace(folder, "FOLDER"))
        sys.path.remove(folder)
print(json.dumps(answers))
`;
    const here = (version: string, git = ""): string => `__version__ = '${version}'\n${git === "" ? "" : `git_version = '${git}'\n`}`;
    const cases: readonly (readonly [string, string, RegExp | undefined])[] = [
      ["torch.version=2.8.0+cpu\ntorch.git=aaaa\n", here("2.8.0+cpu", "aaaabbbb"), undefined],
      ["torch.version=2.8.0+cpu\ntorch.git=aaaa\n", here("2.8.0+cpu", "cccc"), /was built with torch 2\.8\.0\+cpu \(git aaaa\), and torch 2\.8\.0\+cpu \(git cccc\) of FOLDER\/torch would load it/],
      ["torch.version=2.8.0+cpu\ntorch.git=aaaa\n", here("2.8.0+cpu"), undefined],
      ["torch.version=2.8.0\n", here("2.8.0+cu128", "aaaa"), undefined],
      ["torch.version=2.8.0+cpu\n", here("2.8.0+cu128"), /was built with torch 2\.8\.0\+cpu, and torch 2\.8\.0\+cu128 of /],
      ["torch.version=2.8.0\n", here("2.8.1"), /was built with torch 2\.8\.0, and torch 2\.8\.1 of /],
      ["torch.version=2.12.0\ntorch.abi=stable\ntorch.target=0x020a000000000000\n", here("2.14.0"), undefined],
      ["torch.version=2.12.0\ntorch.abi=stable\ntorch.target=0x020a000000000000\n", here("2.9.1"), /uses torch's stable ABI of 2\.10, and an older torch does not have all of it\. Install torch 2\.10 or later\.$/],
      ["torch.version=2.12.0\ntorch.abi=stable\n", here("2.9.1"), undefined],
      ["name=x\n", here("2.9.1"), undefined],
    ];
    const { stdout } = await execa("python3", ["-B", "-c", script, join(root, "src/workshop/stamp/templates/_abiding_check.py"), JSON.stringify(cases.map(([lines, torch]) => [lines, torch]))]);
    const answers = JSON.parse(stdout) as readonly (string | null)[];
    for (const [index, [lines, torch, wanted]] of cases.entries()) {
      const answer = answers[index] ?? undefined;
      if (wanted === undefined) assert.equal(answer, undefined, `${lines} ${torch}`);
      else assert.match(answer ?? "", wanted, `${lines} ${torch}`);
    }
  });
});
