// Options of the sanitizers, for tests that ask for more memory than there is: they shall get null as everybody does.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options() { return "allocator_may_return_null=1"; }
[[gnu::visibility("default")]] const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
}
