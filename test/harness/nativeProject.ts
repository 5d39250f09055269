import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { copySample, scratchWorkspace, type ScratchWorkspace } from "./workspace.ts";

const cmake = `cmake_minimum_required(VERSION 3.20)
project(tiny LANGUAGES CXX)
enable_testing()

add_library(tiny SHARED tiny.cpp)
add_executable(checks checks.cpp)
target_link_libraries(checks PRIVATE tiny)

foreach(what adds differs crashes hangs skips)
  add_test(NAME tiny.\${what} COMMAND checks \${what})
endforeach()
add_test(NAME tiny.missing COMMAND \${CMAKE_BINARY_DIR}/no-such-program)
set_tests_properties(tiny.hangs PROPERTIES TIMEOUT 2)
set_tests_properties(tiny.skips PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(tiny.adds tiny.differs PROPERTIES LABELS quick)
`;

const library = `int tiny_add(int a, int b) {
  return a + b;
}
`;

const checks = `#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
int tiny_add(int a, int b);
int main(int, char** arguments) {
  if (!std::strcmp(arguments[1], "adds")) return tiny_add(2, 2) == 4 ? 0 : 1;
  if (!std::strcmp(arguments[1], "differs")) {
    std::printf("%s:%d: error: 2 + 2 was 4 and not 5\\n", __FILE__, __LINE__);
    return 1;
  }
  if (!std::strcmp(arguments[1], "crashes")) std::abort();
  if (!std::strcmp(arguments[1], "skips")) return 77;
  for (;;) sleep(1);
}
`;

/** Prints what Google Benchmark would: two benchmarks, whose times shake a little. */
const measured = `import json, random, sys
times = {"add/1": 10.0, "add/1024": 900.0}
one = lambda name, real: {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1, "iterations": 1000, "real_time": real, "cpu_time": real, "time_unit": "ns"}
json.dump({"context": {"date": "2026-11-30T00:00:00+00:00", "host_name": "h", "executable": "bench", "num_cpus": 2, "mhz_per_cpu": 2000, "cpu_scaling_enabled": False, "caches": [], "load_avg": [0, 0, 0], "library_build_type": "release"},
           "benchmarks": [one(name, time * random.uniform(0.99, 1.01)) for name, time in times.items()]}, sys.stdout)
`;

/** Waits for ever, does not listen to SIGTERM, and has a child in a session of its own that does not either. */
const hanging = `import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) > 1:
    child = subprocess.Popen([sys.executable, __file__], start_new_session=True)
    with open(sys.argv[1] + ".part", "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.rename(sys.argv[1] + ".part", sys.argv[1])
    print("hanging", flush=True)
while True:
    time.sleep(1)
`;

const configuration = {
  build: [{ name: "tiny", folder: "build" }, { name: "hang", command: [["python3", "hang.py", "pids"]] }],
  smoke: { ctest: "build" },
  benchmarks: { name: "add", command: ["python3", "bench.py"], prints: "google-benchmark" },
};

/** A small CMake project with tests that end in every way, a benchmark, and a build that hangs. */
export function nativeProject(): ScratchWorkspace {
  const scratch = scratchWorkspace("tiny");
  const write = (name: string, text: string): void => writeFileSync(join(scratch.path, name), text);
  write("CMakeLists.txt", cmake);
  write("tiny.cpp", library);
  write("checks.cpp", checks);
  write("bench.py", measured);
  write("hang.py", hanging);
  write("abiding.json", JSON.stringify(configuration, undefined, 2));
  return scratch;
}

/** The sample full of skews, with a build that only leaves a file behind. What no fix can mend is switched off. */
export function skewedProject(): ScratchWorkspace {
  const sample = copySample("skewed-extension");
  const file = join(sample.path, "abiding.json");
  const configuration = { against: ["torch==2.14.1+cu130"], rules: { "package-pair": "off", "flag-not-forwarded": "off" }, build: { name: "touch", command: ["touch", "built"] } };
  writeFileSync(file, JSON.stringify(configuration));
  return sample;
}
