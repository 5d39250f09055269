// Makes `new (std::nothrow)` fail, for the paths of the library that report it.
#ifndef GANTRY_TESTS_DLPACK_FAILING_NEW_H
#define GANTRY_TESTS_DLPACK_FAILING_NEW_H

namespace gantry_test {

// The k-th call from now on in this thread fails, counted from 0; others succeed.
void fail_nothrow_new(int k);
// Ends that. Returns whether a call has failed.
bool stop_failing_nothrow_new();

}  // namespace gantry_test

#endif
