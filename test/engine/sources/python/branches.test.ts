import assert from "node:assert/strict";
import { test } from "node:test";
import { observationsOf } from "../../../../src/engine/model/index.ts";
import { flags, linux, read } from "./reading.ts";

/** What `line` makes of every number. */
function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

/** `test(N)` as the scripts below ask it. */
function variable(index: number): string {
  return `os.environ.get("A${String(index)}")`;
}

/** N independent tests around one more flag each: one argument with one condition each. */
function expected(count: number): readonly string[] {
  return ["-O2", ...Array.from({ length: count }, (_, index) => `-DX${String(index)} if ${variable(index)}`), "-D_GLIBCXX_USE_CXX11_ABI=0"];
}

const count = 40;

const independent: Readonly<Record<string, string>> = {
  "a list and a new list": `flags = ['-O2']\n${repeat(count, (n) => `if ${variable(n)}:\n    flags = flags + ['-DX${String(n)}']`)}\nflags = flags + ['-D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a list unpacked into a new one": `flags = ['-O2']\n${repeat(count, (n) => `if ${variable(n)}:\n    flags = [*flags, '-DX${String(n)}']`)}\nflags.append('-D_GLIBCXX_USE_CXX11_ABI=0')`,
  "a list in place": `flags = ['-O2']\n${repeat(count, (n) => `if ${variable(n)}:\n    flags += ['-DX${String(n)}']`)}\nflags += ['-D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a conditional expression": `flags = ['-O2']\n${repeat(count, (n) => `flags = flags + ['-DX${String(n)}'] if ${variable(n)} else flags`)}\nflags = flags + ['-D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a function that may return more": `def more(flags, n):\n    if os.environ.get("A" + str(n)):\n        return flags + ['-DX' + str(n)]\n    return flags\nflags = ['-O2']\n${repeat(count, (n) => `flags = more(flags, ${String(n)})`)}\nflags = flags + ['-D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a list in a dict": `d = {'x': ['-O2']}\n${repeat(count, (n) => `if ${variable(n)}:\n    d['x'] = d['x'] + ['-DX${String(n)}']`)}\nflags = d['x'] + ['-D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a text that is split": `flags = '-O2'\n${repeat(count, (n) => `if ${variable(n)}:\n    flags += ' -DX${String(n)}'`)}\nflags += ' -D_GLIBCXX_USE_CXX11_ABI=0'\nflags = flags.split()`,
  "a text that is passed on as it is": `flags = '-O2'\n${repeat(count, (n) => `if ${variable(n)}:\n    flags = flags + ' -DX${String(n)}'`)}\nflags = [flags + ' -D_GLIBCXX_USE_CXX11_ABI=0']`,
  "a formatted text": `flags = '-O2'\n${repeat(count, (n) => `if ${variable(n)}:\n    flags = f'{flags} -DX${String(n)}'`)}\nflags = f'{flags} -D_GLIBCXX_USE_CXX11_ABI=0'.split(' ')`,
  "a list joined to a text": `all = ['-O2']\n${repeat(count, (n) => `if ${variable(n)}:\n    all.append('-DX${String(n)}')`)}\nall.append('-D_GLIBCXX_USE_CXX11_ABI=0')\nflags = ' '.join(all).split()`,
};

for (const [name, body] of Object.entries(independent)) {
  test(`forty independent tests are forty conditions: ${name}`, () => {
    const started = process.cpuUsage().user;
    assert.deepEqual(flags(body), expected(count));
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });
}

test("both ways of forty tests, one in place and one not", () => {
  const body = `flags = []\n${repeat(count, (n) => `if ${variable(n)}:\n    flags += ['-x${String(n)}']\nelse:\n    flags = flags + ['-y${String(n)}']`)}\nflags = flags + ['-z']`;
  assert.deepEqual(flags(body), [...Array.from({ length: count }, (_, n) => [`-x${String(n)} if ${variable(n)}`, `-y${String(n)} if !${variable(n)}`]).flat(), "-z"]);
});

test("nested tests and elif chains: what is added carries all of its tests", () => {
  assert.deepEqual(flags("flags = ['-a']\nif one():\n    flags = flags + ['-b']\n    if two():\n        flags = ['-0'] + flags\nflags = flags + ['-c']"), ["-0 if one() & two()", "-a", "-b if one()", "-c"]);
  assert.deepEqual(flags("flags = ['-a']\nif one():\n    flags = flags + ['-b']\nelif two():\n    flags = flags + ['-c']\nflags = flags + ['-d']"), ["-a", "-b if one()", "-c if !one() & two()", "-d"]);
  assert.deepEqual(flags("flags = '-a'\nif one():\n    flags += ' -b'\nelif two():\n    flags = '-c ' + flags\nflags = flags.split()").toSorted(), ["-a", "-b if one()", "-c if !one() & two()"]);
});

test("what is taken away under a test is there without it", () => {
  assert.deepEqual(flags("flags = ['-a', '-b', '-c']\nif one():\n    flags = [x for x in flags if x != '-b']"), ["-a", "-b if !one()", "-c"]);
  assert.deepEqual(flags("flags = ['-a', '-b']\nif one():\n    flags = ['-x']"), ["-a if !one()", "-b if !one()", "-x if one()"]);
});

test("a word that is put together under tests stays one word", () => {
  assert.deepEqual(flags("suffix = ''\nif one():\n    suffix = '_cuda'\nflags = ['-DNAME=x' + suffix + '.so']"), ["-DNAME=x.so if !one()", "-DNAME=x_cuda.so if one()"]);
  assert.deepEqual(flags("flags = '-a -DN=x'\nif one():\n    flags += 'y'\nflags += ' -b'\nflags = flags.split()"), ["-a", "-DN=x if !one()", "-DN=xy if one()", "-b"]);
});

test("other names of a list see what is added to it on their way, and only that", () => {
  assert.deepEqual(flags("a = ['-a']\nb = a\nif one():\n    a = a + ['-b']\na.append('-c')\nflags = b"), ["-a", "-c if !one()"]);
  assert.deepEqual(flags("a = ['-a']\nb = a\nif one():\n    a = a + ['-b']\nb.append('-c')\nflags = a"), ["-a", "-b if one()", "-c if !one()"]);
  assert.deepEqual(flags("x = ['-a']\ny = ['-a']\nz = x if one() else y\nz.append('-z')\nflags = x"), ["-a", "-z if one()"]);
});

test("whether a list that is filled under a test is empty is that test", () => {
  assert.deepEqual(flags("more = []\nif one():\n    more = ['-m']\nflags = ['-a'] if more else ['-b']\nif not more:\n    flags.append('-c')"), ["-a if one()", "-b if !one()", "-c if !one()"]);
});

test("what is chosen last for a key of a dict replaces what was there", () => {
  assert.deepEqual(flags("d = {'x': ['-a']}\nif one():\n    d['x'] = ['-b']\nflags = d['x']"), ["-a if !one()", "-b if one()"]);
});

test("more values than are told apart: the default stays, and the rest is named as a gap", () => {
  const body = `abi = 0\n${repeat(60, (n) => `if ${variable(n)}:\n    abi = ${String(n + 2)}`)}\nflags = [f'-D_GLIBCXX_USE_CXX11_ABI={abi}']`;
  const found = flags(body);
  assert.ok(found.some((one) => one.startsWith("-D_GLIBCXX_USE_CXX11_ABI=0 if !")));
  assert.ok(found.some((one) => one.startsWith("-D_GLIBCXX_USE_CXX11_ABI={one of very many values} ?")));
  const reading = read(`import os\nfrom setuptools import setup, Extension\n${body}\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args=flags)])`);
  assert.deepEqual(reading.gaps.map((gap) => gap.message), ["An argument of e has more values, each under other conditions, than are told apart; it was not checked."]);
});

test("a thousand tests end in time, and what was not reached is named", () => {
  const started = process.cpuUsage().user;
  for (const add of ["flags = flags + ['-x']", "flags = ['-x']", "flags = flags + [flags[0]]"]) {
    const reading = read(`import os\nfrom setuptools import setup, Extension\nflags = ['-O2']\n${repeat(1000, (n) => `if ${variable(n)}:\n    flags += ['-w']\nelse:\n    ${add}`)}\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args=flags)])`);
    assert.ok(reading.targets.length === 1 || reading.gaps.some((gap) => gap.message.includes("more steps")));
  }
  assert.ok(process.cpuUsage().user - started < 10_000_000);
});

test("arguments for CMake out of a text that is put together under tests", () => {
  const reading = read("import os, subprocess\nargs = '-DCMAKE_CXX_STANDARD=17'\nif os.environ.get('DEBUG'):\n    args += ' -DDEBUG=1'\nargs += ' -DABI=0'\nsubprocess.check_call(['cmake', '..'] + args.split())", linux);
  const [found] = observationsOf(reading.observations, "cmake-arguments");
  assert.deepEqual(found?.definitions.map((one) => [one.name, one.value]), [["CMAKE_CXX_STANDARD", "17"], ["DEBUG", undefined], ["ABI", "0"]]);
});

test("an environment variable with a default is that default where nobody chooses", () => {
  const abi = 'os.environ.get("MY_ABI", "0")';
  assert.deepEqual(flags("ABI = os.environ.get('MY_ABI', '0')\nflags = [f'-D_GLIBCXX_USE_CXX11_ABI={ABI}', '-std=c++' + os.getenv('STD', '14')]"), [
    `-D_GLIBCXX_USE_CXX11_ABI=0 if ${abi} == "0"`, `-D_GLIBCXX_USE_CXX11_ABI={${abi}} ? ~environment if !${abi} == "0"`,
    '-std=c++14 if os.environ.get("STD", "14") == "14"', '-std=c++{os.environ.get("STD", "14")} ? ~environment if !os.environ.get("STD", "14") == "14"',
  ]);
  assert.deepEqual(flags("flags = ['-DA=%d' % int(os.environ.get('A', '0') == '1')]")[0], '-DA=0 if int(os.environ.get("A", "0") == "1") == 0');
  assert.deepEqual(flags("flags = f\"-O2 -DA={os.environ.get('A', '0')}\".split()"), ["-O2", '-DA=0 if os.environ.get("A", "0") == "0"', '-DA={os.environ.get("A", "0")} ? ~environment if !os.environ.get("A", "0") == "0"']);
  assert.deepEqual(flags("flags = os.environ.get('F', '-O2 -DA=0').split()").slice(0, 2).map((one) => one.replace(/ if .*/, "")), ["-O2", "-DA=0"]);
  assert.deepEqual(flags("flags = [os.environ.get('F', '-O2').lower()]")[0], '-o2 if os.environ.get("F", "-O2").lower() == "-o2"');
});

test("a default says nothing without one, when it is empty, or where something else was chosen", () => {
  assert.deepEqual(flags("flags = [f\"-DA={os.environ.get('A')}\", os.environ['B'], os.environ.get('C', '')]"), ['-DA={os.environ.get("A")} ? ~environment', '{os.environ["B"]} ? ~environment', '{os.environ.get("C", "")} ? ~environment']);
  assert.deepEqual(flags("A = os.environ.get('A', '0')\nflags = ['-DA=' + A] if A == '1' else []"), ['-DA={os.environ.get("A", "0")} ? ~environment if os.environ.get("A", "0") == "1"']);
});

test("macros and arguments for CMake take the default of an environment variable too", () => {
  const reading = read("import os, subprocess\nfrom setuptools import setup, Extension\nA = os.environ.get('A', '0')\nsetup(ext_modules=[Extension('e', ['e.cpp'], define_macros=[('_GLIBCXX_USE_CXX11_ABI', A)])])\nsubprocess.run(['cmake', '..', f'-DABI={A}', '-DB=1'])");
  assert.deepEqual(reading.targets[0]?.arguments.map((one) => [one.text, one.known, one.conditions[0]?.byDefault]), [["-D_GLIBCXX_USE_CXX11_ABI=0", true, true], ['-D_GLIBCXX_USE_CXX11_ABI={os.environ.get("A", "0")}', false, false]]);
  assert.deepEqual(observationsOf(reading.observations, "cmake-arguments")[0]?.definitions.map((one) => [one.name, one.value]), [["ABI", "0"], ["B", "1"]]);
});

test("a module or call that takes very many steps does not cost the rest of the build", () => {
  const table = "rows = []\nfor a in range(300):\n    for b in range(300):\n        rows.append(a * b + a - b)\n";
  const reading = read(`from setuptools import setup, Extension\nimport table\ndef prepare():\n    ${table.trimEnd().replaceAll("\n", "\n    ")}\nprepare()\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args=['-a'])])`, linux, { "table.py": table });
  assert.deepEqual(reading.targets.map((target) => target.arguments.map((one) => one.text)), [["-a"]]);
  assert.ok(reading.gaps.some((gap) => gap.message === "setup.py: more steps are taken by table.py, prepare() than are spent on one function or imported module; what comes late in it was not seen."), JSON.stringify(reading.gaps));
});
