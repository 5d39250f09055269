// Google Benchmark's command line, with what a reader of the figures has to know in the context.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "support.h"

namespace {

// The first line of a file of the system; empty when there is none.
std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The library's stamp, a key for each of its lines.
void add_stamp() {
  std::string line;
  for (const char* at = gantry_build_info(); *at != '\0'; ++at) {
    if (*at != '\n') {
      line += *at;
      continue;
    }
    const size_t equals = line.find('=');
    if (equals != std::string::npos) benchmark::AddCustomContext("stamp." + line.substr(0, equals), line.substr(equals + 1));
    line.clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (gantry_bench::context() == nullptr) {
    std::fprintf(stderr, "gantry_open failed: %s\n", gantry_last_error());
    return 1;
  }
  benchmark::AddCustomContext("gantry.threads", std::to_string(gantry_threads(gantry_bench::context())));
  benchmark::AddCustomContext("gantry.isa", gantry_isa(gantry_bench::context()));
  benchmark::AddCustomContext("thp", first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  benchmark::AddCustomContext("governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  add_stamp();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
