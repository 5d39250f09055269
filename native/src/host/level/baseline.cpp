#define GANTRY_LEVEL_TABLE kKernelsBaseline
#if defined(__x86_64__)
#define GANTRY_LEVEL_NAME "x86-64"
#elif defined(__aarch64__)
#define GANTRY_LEVEL_NAME "aarch64"
#else
#define GANTRY_LEVEL_NAME "generic"
#endif
#include "host/level/table-inl.h"
