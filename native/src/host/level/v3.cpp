#define GANTRY_LEVEL_TABLE kKernelsV3
#define GANTRY_LEVEL_NAME "x86-64-v3"
#include "host/level/table-inl.h"
