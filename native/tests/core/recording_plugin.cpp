// A plug-in of this build that has no GPU and records how core calls it.
#include "recording_plugin.h"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace gantry;
gantry_test::Recording recording;

gantry_status execute(void*, const Request* request) {
  ++recording.executed;
  recording.request = *request;
  recording.chunk = request->chunks[0];
  void* scratch = nullptr;
  if (const gantry_status status = request->scratch.allocate(request->scratch.self, 128, 256, request->device,
                                                             GANTRY_PURPOSE_DIAGNOSTICS, &scratch)) {
    return status;
  }
  request->stats->rows = request->index_count;
  request->stats->bytes_read = 1000;
  if (recording.answer != GANTRY_OK)
    return request->report(recording.answer, "the answer of the test, %d", recording.answer);
  return GANTRY_OK;
}

gantry_status check(void*, int32_t device, gantry_stream stream, gantry_stats* stats, Report report) {
  ++recording.checked;
  recording.checked_device = device;
  recording.checked_stream = stream;
  stats->bad_rows = 5;
  stats->first_bad_position = 3;
  return recording.answer == GANTRY_OK ? GANTRY_OK
                                       : report(recording.answer, "the answer of the test, %d", recording.answer);
}

gantry_status allocate_pinned(void*, uint64_t bytes, void** out, Report report) {
  if (bytes > 1 << 20)
    return report(GANTRY_ERROR_OUT_OF_MEMORY, "no %llu pinned bytes", static_cast<unsigned long long>(bytes));
  if (posix_memalign(out, 4096, bytes) != 0) return GANTRY_ERROR_OUT_OF_MEMORY;
  ++recording.pinned_blocks;
  return GANTRY_OK;
}

void free_pinned(void*, void* data) {
  --recording.pinned_blocks;
  std::free(data);
}

gantry_status pin(void*, void* data, uint64_t bytes, bool read_only, Report report) {
  if (recording.answer != GANTRY_OK) return report(recording.answer, "the answer of the test, %d", recording.answer);
  ++recording.pins;
  recording.pinned_data = data;
  recording.pinned_bytes = bytes;
  recording.pinned_read_only = read_only;
  return GANTRY_OK;
}

void unpin(void*, void* data) {
  if (data == recording.pinned_data) --recording.pins;
}

void query(void*, gantry_backend_info* info) {
  info->reason = GANTRY_REASON_AVAILABLE;
  info->device_count = 2;
  std::snprintf(info->text, sizeof info->text, "The plug-in of the tests is available.");
}

void close(void*) { ++recording.closed; }

}  // namespace

extern "C" {

[[gnu::visibility("default")]] gantry_test::Recording* gantry_test_recording() { return &recording; }

[[gnu::visibility("default")]] gantry_status gantry_cuda_entry(const PluginHost*, Backend* out) {
  *out = {sizeof(Backend), nullptr, &execute, &check, &allocate_pinned, &free_pinned, &pin, &unpin, &query, &close};
  return GANTRY_OK;
}
}
