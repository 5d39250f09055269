// Makes posix_fallocate fail as told, for errors that no machine gives on demand.
#ifndef GANTRY_TESTS_SEGMENT_SCRIPTED_FALLOCATE_H
#define GANTRY_TESTS_SEGMENT_SCRIPTED_FALLOCATE_H

#include <cstddef>
#include <initializer_list>

namespace gantry_test {

// The results of the next calls: 0 does the call, another number is returned instead. Later calls are done.
void script_fallocate(std::initializer_list<int> results);
size_t fallocate_script_left();

}  // namespace gantry_test

#endif
