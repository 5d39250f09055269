// A process that ends while a backend's threads wait, or work, and nobody has ended the backend: exit_program MODE.
// Each way has to end at once and with its own exit code.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "core/backend.h"
#include "host/backend.h"

namespace {

std::unique_ptr<gantry::HostBackend> ended_by_static_destructor;
gantry::HostBackend* never_ended = nullptr;

gantry_status report(gantry_status status, const char*, ...) { return status; }

void gather(gantry::HostBackend* backend) {
  static std::vector<float>& table = *new std::vector<float>(1 << 20, 1.0f);  // outlives the end of main
  std::vector<float> output(1 << 20);
  std::vector<int64_t> indices(1 << 16);
  for (size_t k = 0; k < indices.size(); ++k) indices[k] = static_cast<int64_t>(k * 7919 % 65536);
  gantry::Chunk chunk = {reinterpret_cast<char*>(table.data()), 0, 65536, 64};
  gantry_stats stats = {};
  gantry::Request request = {};
  request.op = gantry::Op::gather;
  request.chunks = &chunk;
  request.chunk_count = 1;
  request.table_dtype = request.side_dtype = {GANTRY_CODE_FLOAT, 32, 1};
  request.table_rows = 65536;
  request.columns = 16;
  request.side = reinterpret_cast<char*>(output.data());
  request.side_row_stride_bytes = 64;
  request.indices = reinterpret_cast<const char*>(indices.data());
  request.index_count = static_cast<int64_t>(indices.size());
  request.index_stride_bytes = 8;
  request.index_bytes = 8;
  request.report = report;
  request.stats = &stats;
  if (backend->execute(request) != GANTRY_OK || output.back() != 1.0f) _exit(99);
}

}  // namespace

int main(int count, char** arguments) {
  alarm(20);
  const char* const mode = count > 1 ? arguments[1] : "";
  auto backend = gantry::make_host_backend(gantry::HostSettings{4, nullptr, 1 << 20, 1});
  gather(backend.get());
  if (strcmp(mode, "return") == 0) {
    never_ended = backend.release();
    return 11;
  }
  if (strcmp(mode, "exit") == 0) {
    exit(12);
  }
  if (strcmp(mode, "static") == 0) {
    ended_by_static_destructor = std::move(backend);
    return 13;
  }
  if (strcmp(mode, "working") == 0) {
    never_ended = backend.release();
    std::thread([] {
      for (;;) gather(never_ended);
    }).detach();
    usleep(50000);
    exit(14);
  }
  if (strcmp(mode, "atexit") == 0) {
    never_ended = backend.release();
    atexit([] { gather(never_ended); });
    return 15;
  }
  std::fprintf(stderr, "exit_program: no such mode: %s\n", mode);
  return 1;
}
