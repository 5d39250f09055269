#define GANTRY_LEVEL_TABLE kKernelsV4
#define GANTRY_LEVEL_NAME "x86-64-v4"
#include "host/level/table-inl.h"
