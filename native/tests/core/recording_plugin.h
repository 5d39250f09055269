// What the plug-in of the tests has seen.
#ifndef GANTRY_TESTS_CORE_RECORDING_PLUGIN_H
#define GANTRY_TESTS_CORE_RECORDING_PLUGIN_H

#include "core/backend.h"

namespace gantry_test {

struct Recording {
  int executed = 0;
  gantry::Request request{};
  gantry::Chunk chunk{};  // the first one
  gantry_status answer = GANTRY_OK;
  int checked = 0;
  int32_t checked_device = -1;
  gantry_stream checked_stream = nullptr;
  int pinned_blocks = 0;  // that are out
  int pins = 0;           // that are out
  void* pinned_data = nullptr;
  uint64_t pinned_bytes = 0;
  bool pinned_read_only = false;
  int closed = 0;
};

}  // namespace gantry_test

#endif
