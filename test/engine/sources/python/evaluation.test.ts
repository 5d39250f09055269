import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvaluationContext } from "../../../../src/engine/model/index.ts";
import { argumentsOf, conditions, flags, linux, read } from "./reading.ts";
import { processorTime } from "../../../support/processorTime.ts";

const torch28: EvaluationContext = { platform: "linux", torchVersion: "2.8.0+cu128", torchCudaVersion: "12.8", torchLibstdcxxAbi: 1, pythonVersion: "3.12.1" };

test("lists are built by literals, operators and methods", () => {
  assert.deepEqual(flags("flags = ['-a'] + ['-b'] * 2\nflags += ['-c']\nflags.append('-d')\nflags.extend(['-e', '-f'])\nflags.insert(0, '-0')\nflags.remove('-e')"), ["-0", "-a", "-b", "-b", "-c", "-d", "-f"]);
  assert.deepEqual(flags("more = ['-x']\nflags = ['-a', *more]\nmore += ['-y']\nflags = flags + more[1:]"), ["-a", "-x", "-y"]);
  assert.deepEqual(flags("a = b = ['-a']\na += ['-b']\nflags = b"), ["-a", "-b"]);
});

test("texts are built by every way of formatting", () => {
  assert.deepEqual(flags("n = 7\nflags = [f'-DA={n}', '-DB=%d' % n, '-DC={}'.format(n), '-DD={v}'.format(v=n), '-DE=' + str(n), '-D%s=%s' % ('F', n), f'-DG={n:02d}']"), ["-DA=7", "-DB=7", "-DC=7", "-DD=7", "-DE=7", "-DF=7", "-DG=07"]);
  assert.deepEqual(flags("flags = '-a  -b'.split() + ' '.join(['-c', '-d']).split(' ')"), ["-a", "-b", "-c", "-d"]);
});

test("comprehensions, loops and functions over what is known", () => {
  assert.deepEqual(flags("flags = ['-D' + n.upper() for n in ('a', 'b', 'c') if n != 'b']"), ["-DA", "-DC"]);
  assert.deepEqual(flags("flags = []\nfor arch in ['80', '90']:\n    flags += ['-gencode', f'arch=compute_{arch},code=sm_{arch}']"), ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"]);
  assert.deepEqual(flags("def make(level, *more, std='17', **named):\n    return [f'-O{level}', '-std=c++' + std, *more, named['x']]\nflags = make(2, '-a', std='20', x='-b')"), ["-O2", "-std=c++20", "-a", "-b"]);
  assert.deepEqual(flags("def outer():\n    out = ['-a']\n    def inner():\n        out.append('-b')\n    inner()\n    return out\nflags = outer()"), ["-a", "-b"]);
  assert.deepEqual(flags("class F:\n    base = ['-a']\n    def __init__(self, x):\n        self.x = x\n    def all(self):\n        return self.base + [self.x]\nclass G(F):\n    def all(self):\n        return super().all() + ['-c']\nflags = G('-b').all()"), ["-a", "-b", "-c"]);
});

test("dictionaries hold and hand out values", () => {
  assert.deepEqual(flags("d = {'a': ['-a']}\nd['b'] = ['-b']\nd.setdefault('a', []).append('-a2')\nd.update(c=['-c'])\nflags = d['a'] + d.get('b', []) + d.get('z', ['-z']) + [x for k, v in d.items() if k == 'c' for x in v]"), ["-a", "-a2", "-b", "-z", "-c"]);
});

test("an unknown test is followed both ways, and remembered", () => {
  assert.deepEqual(flags("flags = ['-a']\nif os.getenv('X'):\n    flags.append('-x')\nelif os.getenv('Y'):\n    flags.append('-y')\nelse:\n    flags.append('-z')"), [
    "-a", '-x if os.environ.get("X")', '-y if !os.environ.get("X") & os.environ.get("Y")', '-z if !os.environ.get("X") & !os.environ.get("Y")',
  ]);
  assert.deepEqual(flags("flags = ['-x'] if os.name == 'nt' or check() else ['-y']"), ["-x if check()", "-y if !check()"]);
});

test("the same test at two places is one test", () => {
  assert.deepEqual(flags("use = os.getenv('X') == '1'\nstd = '17'\nif use:\n    std = '20'\nflags = []\nif use:\n    flags.append('-std=c++' + std)\nif not use:\n    flags.append('-std=c++' + std)"), [
    '-std=c++20 if os.environ.get("X") == "1"', '-std=c++17 if !os.environ.get("X") == "1"',
  ]);
});

test("a variable keeps its value of each branch", () => {
  assert.deepEqual(flags("if check():\n    f = '-a'\nelse:\n    f = '-b'\nflags = [f, '-c']"), ["-a if check()", "-b if !check()", "-c"]);
});

test("what is removed on one way stays on the other", () => {
  assert.deepEqual(flags("flags = ['-a', '-b']\nif check():\n    flags.remove('-a')"), ["-a if !check()", "-b"]);
});

test("a way that ends the build leaves no condition behind, one that returns does", () => {
  assert.deepEqual(flags("flags = []\nif check():\n    raise RuntimeError()\nflags.append('-a')\nif other():\n    sys.exit(1)\nflags.append('-b')"), ["-a", "-b"]);
  assert.deepEqual(flags("def f():\n    if check():\n        return ['-a']\n    return ['-b']\nflags = f()"), ["-a if check()", "-b if !check()"]);
  assert.deepEqual(flags("def f():\n    for x in unknown():\n        if x:\n            return ['-a']\n    return ['-b']\nflags = f()"), ["-a if each of unknown()", "-b if !each of unknown()"]);
});

test("an environment variable is named, with what happens without it", () => {
  const reading = read("import os\nfrom setuptools import setup, Extension\nargs = []\nif os.environ.get('DEBUG', '0') == '1':\n    args.append('-g')\nelse:\n    args.append('-O3')\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args=args + [os.getenv('MORE', '-m')])])");
  const [debug, release, usual, more] = reading.targets[0]?.arguments ?? [];
  assert.deepEqual([debug?.conditions[0]?.byDefault, release?.conditions[0]?.byDefault], [false, true]);
  assert.deepEqual([usual?.text, usual?.known, usual?.follows, usual?.conditions.map((one) => [one.text, one.byDefault])], ["-m", true, undefined, [['os.environ.get("MORE", "-m") == "-m"', true]]]);
  assert.deepEqual([more?.text, more?.known, more?.follows], ['{os.environ.get("MORE", "-m")}', false, "environment"]);
});

test("what the context knows decides", () => {
  const body = "flags = []\nif sys.platform == 'win32':\n    flags.append('/a')\nif os.name == 'posix':\n    flags.append('-b')\nif torch.version.cuda is None:\n    flags.append('-c')\nif sys.version_info >= (3, 10):\n    flags.append('-d')\nimport platform\nif platform.system() != 'Linux':\n    flags.append('-e')";
  assert.deepEqual(flags(body, torch28), ["-b", "-d"]);
  assert.deepEqual(flags(body, linux), ["-b", "-c if torch.version.cuda is None", "-d if sys.version_info >= (3, 10)"]);
});

test("torch's version compares as a version, its parts as numbers", () => {
  const body = "flags = []\nif torch.__version__ >= '2.10':\n    flags.append('-new')\nmajor, minor = map(int, torch.__version__.split('.')[:2])\nif (major, minor) >= (2, 8):\n    flags.append('-28')\nfrom packaging.version import parse\nif parse(torch.__version__).release < (2, 8, 1):\n    flags.append('-low')\nif parse(torch.__version__) < parse('2.8.0'):\n    flags.append('-no')\nflags.append(f'-DT={major}')";
  assert.deepEqual(flags(body, torch28), ["-28", "-low", "-DT=2 ~torch"]);
  assert.deepEqual(flags("flags = []\nif torch.__version__ >= '2.8':\n    flags.append('-n')\nelse:\n    flags.append('-o')", linux), ['-n if torch.__version__ >= "2.8"', '-o if !torch.__version__ >= "2.8"']);
});

test("an ABI that is asked from torch follows torch, however it is asked", () => {
  assert.deepEqual(flags("flags = [f'-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}']"), ["-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)} ? ~torch"]);
  assert.deepEqual(flags("abi = '1' if torch.compiled_with_cxx11_abi() else '0'\nflags = ['-D_GLIBCXX_USE_CXX11_ABI=' + abi]", torch28), ["-D_GLIBCXX_USE_CXX11_ABI=1 ~torch"]);
  assert.deepEqual(flags("flags = []\nif torch._C._GLIBCXX_USE_CXX11_ABI:\n    flags.append('-D_GLIBCXX_USE_CXX11_ABI=1')\nelse:\n    flags.append('-D_GLIBCXX_USE_CXX11_ABI=0')"), [
    "-D_GLIBCXX_USE_CXX11_ABI=1 ~torch if torch._C._GLIBCXX_USE_CXX11_ABI", "-D_GLIBCXX_USE_CXX11_ABI=0 ~torch if !torch._C._GLIBCXX_USE_CXX11_ABI",
  ]);
});

test("modules of the project are read, by every way of importing", () => {
  const others = { "tools/__init__.py": "", "tools/flags.py": "from . import base\nFLAGS = base.BASE + ['-b']\ndef get():\n    return ['-c']", "tools/base.py": "BASE = ['-a']", "extra/more.py": "MORE = ['-m']", "version.py": "V = '3'" };
  assert.deepEqual(flags("from tools.flags import FLAGS, get\nimport tools.flags as t\nflags = FLAGS + get() + t.base.BASE\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'extra'))\nfrom more import MORE\nflags += MORE\nexec(open('version.py').read())\nflags.append('-V' + V)", linux, others), ["-a", "-b", "-c", "-a", "-m", "-V3"]);
  const reading = read("from a import x", linux, { "a.py": "from b import y\nx = 1", "b.py": "from a import x\ny = 2" });
  assert.deepEqual(reading.files, ["/p/setup.py", "/p/a.py", "/p/b.py"]);
});

test("paths and globs of the project are known", () => {
  const reading = read("import os, glob\nfrom pathlib import Path\nfrom setuptools import setup, Extension\nhere = os.path.dirname(os.path.abspath(__file__))\nsources = sorted(glob.glob(os.path.join(here, 'csrc', '**', '*.cpp'), recursive=True)) + [str(p) for p in (Path(__file__).parent / 'csrc').glob('*.cu')]\nsetup(ext_modules=[Extension('e', sources, include_dirs=[os.path.join(here, 'include'), 'csrc/../x'])])", linux, { "csrc/a.cpp": "", "csrc/deep/b.cpp": "", "csrc/c.cu": "", "csrc/d.h": "" });
  assert.deepEqual(reading.targets[0]?.sources.map((source) => source.path), ["/p/csrc/a.cpp", "/p/csrc/deep/b.cpp", "/p/csrc/c.cu"]);
  assert.deepEqual(reading.targets[0]?.includeDirectories, ["/p/include", "/p/x"]);
});

test("both ways of a try are followed", () => {
  assert.deepEqual(flags("try:\n    import extra\n    flags = ['-a']\nexcept ImportError:\n    flags = ['-b']"), ['-a if "import extra" succeeds', '-b if !"import extra" succeeds']);
  assert.deepEqual(flags("flags = ['-a']\ntry:\n    import torch\nexcept ImportError:\n    flags = ['-b']", torch28), ["-a"]);
});

test("evidence leads from the literal through variables and functions", () => {
  const text = "from setuptools import setup, Extension\nCOMMON = ['-O2',\n    '-std=c++17']\ndef make(x):\n    return x + ['-g']\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args=make(COMMON))])";
  const standard = read(text).targets[0]?.arguments[1];
  assert.equal(standard?.text, "-std=c++17");
  assert.deepEqual(standard?.evidence.location.range, { start: { line: 2, character: 4 }, end: { line: 2, character: 16 } });
  assert.equal(standard?.evidence.text, "'-std=c++17'");
  assert.deepEqual(standard?.evidence.via.map((step) => step.what), ["variable COMMON set", "function make called"]);
});

test("a piece of a split text is its own place", () => {
  const [, second] = read("from setuptools import setup, Extension\nsetup(ext_modules=[Extension('e', ['e.cpp'], extra_compile_args='-a -bc'.split())])").targets[0]?.arguments ?? [];
  assert.deepEqual(second?.evidence.location.range, { start: { line: 1, character: 68 }, end: { line: 1, character: 71 } });
});

test("a switch with many ways to be on is one condition", () => {
  const body = "def on():\n    if os.getenv('A'):\n        return True\n    if os.getenv('B'):\n        return True\n    if os.getenv('C'):\n        return False\n    return False\nUSE = on()\nflags = ['-u' if USE else '-n']";
  assert.deepEqual(flags(body), ["-u if USE", "-n if !USE"]);
});

test("evaluation ends: recursion, loops, doubling, many branches", () => {
  const started = processorTime();
  assert.deepEqual(flags("def f(n):\n    return f(n + 1)\nflags = ['-a']\nx = f(0)"), ["-a"]);
  assert.deepEqual(flags("flags = ['-a']\nwhile True:\n    x = 1"), ["-a"]);
  assert.deepEqual(flags("flags = ['-a']\ns = 'x'\nfor i in range(1000):\n    s = s + s"), ["-a"]);
  assert.deepEqual(flags(`flags = ['-a']\nl = [1]\n${"l += l\n".repeat(60)}`), ["-a"]);
  const many = Array.from({ length: 200 }, (_, index) => `if c${String(index)}():\n    x = ${String(index)}`).join("\n");
  assert.deepEqual(flags(`x = 0\n${many}\nflags = ['-a']`), ["-a"]);
  assert.ok(processorTime() - started < 10_000);
});

test("an extension object can be changed after it was made", () => {
  const reading = read("from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension, BuildExtension\nclass Build(BuildExtension):\n    def build_extensions(self):\n        for ext in self.extensions:\n            ext.extra_compile_args += ['-late']\n        super().build_extensions()\next = CppExtension('e', ['e.cpp'], extra_compile_args=['-early'])\next.extra_compile_args.append('-then')\nsetup(ext_modules=[ext], cmdclass={'build_ext': Build})");
  assert.deepEqual(argumentsOf(reading.targets[0]), ["-early [CXX]", "-then [CXX]", "-late [CXX]"]);
});

test("an extension made under a condition holds under it, with all its arguments", () => {
  const reading = read("from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension, CUDAExtension\ndef get():\n    kind = CppExtension\n    args = {'cxx': ['-O3']}\n    if use_cuda():\n        kind = CUDAExtension\n        args['nvcc'] = ['-O2']\n    return [kind('e', ['e.cpp', 'e.cu'] if use_cuda() else ['e.cpp'], extra_compile_args=args)]\nsetup(ext_modules=get())");
  assert.deepEqual(reading.targets.map((target) => [target.madeBy, conditions(target.conditions), target.languages, argumentsOf(target)]), [
    ["CppExtension", "!use_cuda()", ["CXX"], ["-O3 [CXX] if !use_cuda()"]],
    ["CUDAExtension", "use_cuda()", ["CXX", "CUDA"], ["-O3 [CXX] if use_cuda()", "-O2 [CUDA] if use_cuda()"]],
  ]);
});
