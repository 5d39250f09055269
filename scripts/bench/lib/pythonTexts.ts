/** Python texts in the manner of a very large project: a setup.py that drives CMake and lists an extension, and modules. */

/** A setup.py of about 1,400 lines. */
export function setupPy(): string {
  const lines = [
    "import os", "import sys", "import glob", "import platform", "import sysconfig", "import subprocess",
    "from setuptools import Extension, find_packages, setup", "from setuptools.command.build_ext import build_ext",
    "from tools.setup_helpers.env import IS_LINUX, IS_WINDOWS, check_env_flag, build_type", "from tools.setup_helpers.cmake import CMake", "",
    "cwd = os.path.dirname(os.path.abspath(__file__))", 'lib_path = os.path.join(cwd, "giant", "lib")', 'package_name = os.getenv("GIANT_PACKAGE_NAME", "giant")',
  ];
  for (let index = 0; index < 120; index++) lines.push(`USE_FEATURE_${index} = ${index % 3 === 0 ? `check_env_flag("USE_FEATURE_${index}")` : `os.environ.get("USE_FEATURE_${index}", "1") == "1"`}`);
  for (let index = 0; index < 70; index++) {
    lines.push("", `def step_${index}(target, verbose=False):`, `    """Prepares part ${index} of the build."""`, `    path = os.path.join(cwd, "parts", "part${index}")`, "    if not os.path.exists(path):", `        raise RuntimeError("part ${index} is missing; run git submodule update")`, "    for name in sorted(os.listdir(path)):", "        if name.endswith('.tmpl'):", "            with open(os.path.join(path, name)) as handle:", "                text = handle.read().replace('@TARGET@', target)", "            if verbose:", '                print(f"-- {name}: {len(text)} characters")', "    return path");
  }
  lines.push(
    "", "def configure_extension_build():", '    """What the extension is compiled with."""', "    library_dirs = []", "    extra_install_requires = []",
    "    if IS_WINDOWS:", '        extra_link_args = ["/NODEFAULTLIB:LIBCMT.LIB"]', '        extra_compile_args = ["/MD", "/FS", "/EHsc"]',
    "    else:", "        extra_link_args = []", "        extra_compile_args = [", '            "-Wall", "-Wextra", "-Wno-strict-overflow", "-Wno-unused-parameter",', '            "-D_GLIBCXX_USE_CXX11_ABI=1",', '            "-fno-strict-aliasing",', "        ]",
    "    library_dirs.append(lib_path)", "    main_compile_args = []", '    main_libraries = ["giant_python"]', "    main_link_args = []", '    main_sources = ["giant/csrc/stub.c"]',
    "    if build_type.is_debug():", '        extra_compile_args += ["-O0", "-g"]', '        extra_link_args += ["-O0", "-g"]', "    if build_type.is_rel_with_deb_info():", '        extra_compile_args += ["-g"]',
    "    extensions = []", "    def make_relative_rpath_args(path):", "        if IS_LINUX:", '            return ["-Wl,-rpath,$ORIGIN/" + path]', "        return []",
    '    C = Extension("giant._C", libraries=main_libraries, sources=main_sources, language="c++",', "        extra_compile_args=[*main_compile_args, *extra_compile_args], include_dirs=[],", '        library_dirs=library_dirs, extra_link_args=[*extra_link_args, *main_link_args, *make_relative_rpath_args("lib")])', "    extensions.append(C)",
    "    return extensions, extra_install_requires", "", "class BuildExt(build_ext):", "    def run(self):", "        cmake = CMake()", "        cmake.generate(version, sys.executable, True, True)",
  );
  for (let index = 0; index < 40; index++) lines.push(`        if USE_FEATURE_${index}:`, `            step_${index}(self.build_lib, verbose=True)`);
  lines.push("        super().run()", "", "def main():", "    extensions, install_requires = configure_extension_build()", "    setup(name=package_name, version='2.0', ext_modules=extensions, cmdclass={'build_ext': BuildExt},", "        packages=find_packages(exclude=('tools', 'tools.*')), install_requires=['typing-extensions>=4.10.0', 'filelock', *install_requires],", "        python_requires='>=3.10')", "", "if __name__ == '__main__':", "    main()");
  return `${lines.join("\n")}\n`;
}

/** A setup.py of an example that compiles against torch. */
export const exampleSetup = `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="giant_example",
    ext_modules=[CppExtension("giant_example", ["example.cpp"], extra_compile_args=["-g", "-D_GLIBCXX_USE_CXX11_ABI=1"])],
    cmdclass={"build_ext": BuildExtension},
)
`;

const block = `
def transform(values, *, scale=1.0, shift=0.0):
    """Scales and shifts, as the reference does, and checks what comes out."""
    result = []
    for index, value in enumerate(values):
        if value is None:
            continue
        result.append(value * scale + shift if index % 2 == 0 else value - shift)
    assert all(isinstance(one, float) for one in result), f"unexpected {result!r}"
    return result


class Case(TestCase):
    def test_transform(self):
        self.assertEqual(transform([1.0, None, 2.0], scale=2.0), [2.0, 2.0])
`;

/** A module of about \`blocks\` times 600 characters. */
export function modulePy(index: number, blocks: number): string {
  return `# Module ${index}\nimport math\nimport giant\nfrom giant.testing import TestCase\n${block.repeat(blocks)}`;
}
