const always = `  --format text|json     the report; text prints the one argument for CMake, all else goes to
                         standard error
  --output, -o FILE      write what goes to standard output to FILE
`;

const wanted = `  --torch-version V      2.13.0; for locate also a beginning of it: 2.13
  --variant V            cpu, cu130, rocm6.4
  --abi 0|1              _GLIBCXX_USE_CXX11_ABI, as measured in its libraries
`;

const statuses = "Exit status: 0 found or made, 1 not found, 2 could not run or failed, 130 cancelled.";

export const libtorchHelp = {
  libtorch: `abiding libtorch: a libtorch for a C++ project. Prints the one argument that CMake needs,
-DTorch_DIR=...; nothing is installed into an environment, only the prefix that is named is made.

Usage
  abiding libtorch locate [PATH]     finds one that is here, and says why this one
  abiding libtorch fetch             an official archive or a wheel of torch, whole or not at all
  abiding libtorch build             from a checkout of PyTorch, with its ABI recorded and compared

Each takes --help. --require makes "not found" an error, and never downloads or builds.
See docs/libtorch.md, also for the CMake module AbidingLibtorch.

${statuses}
`,

  locate: `abiding libtorch locate: finds a libtorch by reading files, and lists each candidate with the
reason why it was refused. Nothing is run, and the network is not touched.

Usage
  abiding libtorch locate [PATH] [--prefix DIR ...] [--torch-version V] [--variant V] [--abi 0|1]
                          [--linkage shared|static] [--interpreter PYTHON] [--without-caches]
                          [--require] [--cache DIR] [--format text|json] [--output FILE]

In this order: what is named; Torch_DIR, Torch_ROOT, LIBTORCH, LIBTORCH_HOME and CMAKE_PREFIX_PATH
in the environment; caches of the project's build folders; Python environments; the system; what
fetch and build have made before.

  PATH, --prefix DIR     a libtorch, a folder around it, an environment; only these can win then
${wanted}  --linkage L            shared or static
  --interpreter PYTHON   the Python (or its environment) whose torch counts
  --without-caches       what CMake left in build folders does not count
  --require              there must be one: says so where there is none
  --cache DIR            where fetch and build remember what they made
${always}
${statuses}
`,

  fetch: `abiding libtorch fetch: puts the libtorch of a release into a prefix, whole or not at all.
A download that breaks off goes on the next time where it was.

Usage
  abiding libtorch fetch --torch-version V --prefix DIR [--variant V] [--abi 0|1]
                         [--from libtorch|wheel] [--index URL] [--sha256 HEX] [--cache DIR]
                         [--require] [--format text|json] [--output FILE]

${wanted}  --prefix DIR           the folder to make; one that is not empty is refused
  --from libtorch|wheel  an official archive, which is the default, or a wheel of torch
  --index URL            a mirror, a package index, or the address of one archive; default:
                         ABIDING_INDEX_URL, else PyTorch's own server
  --sha256 HEX           what the archive's SHA-256 has to be
  --require              only what the prefix holds counts; nothing is downloaded
  --cache DIR            where archives are kept by their content
${always}
${statuses}
`,

  build: `abiding libtorch build: configures, builds and installs a checkout of PyTorch by CMake, outside
of its source. The ABI is measured before anything is compiled, and once more on what was built.

Usage
  abiding libtorch build --source PYTORCH --build-dir DIR --prefix DIR [--static] [--abi 0|1]
                         [--fabi-version N] [--cache CMakeCache.txt] [--interpreter PYTHON]
                         [--require] [--format text|json] [--output FILE] [-- ARGS ...]

  --source PYTORCH       the checkout, with the submodules that the build needs
  --build-dir DIR        outside of the source
  --prefix DIR           the folder to make; an earlier build of Abiding in it is replaced
  --static               static libraries; default: shared ones
  --abi 0|1              _GLIBCXX_USE_CXX11_ABI
  --fabi-version N       -fabi-version of GCC; with clang __GXX_ABI_VERSION
  --cache FILE           the CMakeCache.txt (or build folder) of the project that asks: its
                         compilers, launchers, generator, flags and architectures are taken over
  --interpreter PYTHON   the Python that PyTorch's build runs
  --require              only what the prefix holds counts; nothing is built
${always}  -- ARGS                further arguments of CMake's configure step: -DUSE_CUDA=OFF

MAX_JOBS, or without it CMAKE_BUILD_PARALLEL_LEVEL, limits the number of jobs.

${statuses}
`,
} as const;
