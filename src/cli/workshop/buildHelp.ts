export const buildHelp = `abiding build: checks the build files, builds the project the way they say, and examines what
came out.

Usage
  abiding build [PATH] [--build ID | --preset NAME] [--build-dir DIR] [--target T ...]
                [--configuration C] [--interpreter PYTHON] [--against ENV ...]
                [--editable | --wheel] [--fresh] [--jobs N] [--fail-on error|warning|never]
                [--fix] [--format text|json] [--output FILE] [-- ARGS ...]
  abiding build --gantry
  abiding build [PATH] --list
  abiding build [PATH] --show-environment

Compilers, generator, install prefix and flags come from the project, its presets and the cache of
a configured build folder. Nothing is installed unless --editable says so.

  --build ID             what to build, as --list names it; default: the first
  --preset NAME          the CMake configure or build preset
  --build-dir DIR        another CMake build folder
  --target T             a CMake target; may be repeated
  --configuration C      for generators with several configurations, and as build type of a first
                         configuration where nothing else names one
  --interpreter PYTHON   the Python (or its environment) to build for and with
  --against ENV          check against this torch, as for abiding check
  --wheel, --editable    make a wheel; install editable into the environment
  --gantry               Gantry, the library that comes with Abiding, in a copy in the cache folder
  --fresh                configure from nothing; the cache is set aside
  --jobs, -j N           processes at once; else CMAKE_BUILD_PARALLEL_LEVEL and MAX_JOBS count
  --fail-on LEVEL        findings from this severity on keep the build from starting; default error
  --fix                  apply the preferred fixes of what is found before the build
  --list                 what can be built
  --show-environment     how the build's environment differs from this terminal's
  -- ARGS                further arguments: of CMake's configure step, of setup.py, of pip

Exit status: 0 built, 1 failed, stopped by findings, or built what would not work with the torch
it was compared with (unless --fail-on never), 2 could not start, 130 cancelled.
`;
