/* The public header alone, as C11 and as C++17, without any extension. */
#include <gantry/gantry.h>
#include <gantry/gantry.h>

/* The layouts that bindings of other languages rely on (LP64). */
#ifdef __cplusplus
#define SAME(a, b) static_assert((a) == (b), #a)
#else
#define SAME(a, b) _Static_assert((a) == (b), #a)
#endif
SAME(sizeof(gantry_dtype), 4);
SAME(sizeof(gantry_device), 8);
#if defined(__LP64__)
SAME(sizeof(gantry_tensor), 56);
SAME(offsetof(gantry_tensor, data), 8);
SAME(offsetof(gantry_tensor, byte_offset), 16);
SAME(offsetof(gantry_tensor, shape), 24);
SAME(offsetof(gantry_tensor, strides), 32);
SAME(offsetof(gantry_tensor, ndim), 40);
SAME(offsetof(gantry_tensor, dtype), 44);
SAME(offsetof(gantry_tensor, device), 48);
SAME(sizeof(gantry_table), 16);
SAME(sizeof(gantry_allocation), 40);
SAME(sizeof(gantry_block), 32);
SAME(sizeof(gantry_environment), 48);
SAME(sizeof(gantry_cache_options), 16);
SAME(sizeof(gantry_cache_statistics), 48);
SAME(sizeof(gantry_open_options), 32);
SAME(sizeof(gantry_backend_info), 1176);
SAME(sizeof(gantry_stats), 72);
SAME(sizeof(gantry_options), 48);
SAME(sizeof(gantry_segment_layout), 32);
SAME(sizeof(gantry_segment_info), 280);
#endif
