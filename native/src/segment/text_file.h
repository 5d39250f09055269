// Small files of /proc and /sys.
#ifndef GANTRY_SEGMENT_TEXT_FILE_H
#define GANTRY_SEGMENT_TEXT_FILE_H

#include <cstddef>

namespace gantry {

// Reads at most size - 1 bytes and ends them with a zero. False when the file cannot be read.
bool read_text_file(const char* path, char* buffer, size_t size);

}  // namespace gantry

#endif
