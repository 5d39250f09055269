// The sizes that the public structs had in the first release: the least that callers may declare. They never change; a
// struct that grows gets members behind them.
#ifndef GANTRY_CORE_FIRST_RELEASE_H
#define GANTRY_CORE_FIRST_RELEASE_H

#include <cstddef>

#include "gantry/gantry.h"

namespace gantry {

#define GANTRY_END_OF(type, member) (offsetof(type, member) + sizeof(type::member))
constexpr size_t kFirstTensor = GANTRY_END_OF(gantry_tensor, device);
constexpr size_t kFirstTable = GANTRY_END_OF(gantry_table, chunks);
constexpr size_t kFirstBlock = GANTRY_END_OF(gantry_block, opaque);
constexpr size_t kFirstEnvironment = GANTRY_END_OF(gantry_environment, observe);
constexpr size_t kFirstCacheOptions = GANTRY_END_OF(gantry_cache_options, limit_bytes);
constexpr size_t kFirstCacheStatistics = GANTRY_END_OF(gantry_cache_statistics, reused);
constexpr size_t kFirstOpenOptions = GANTRY_END_OF(gantry_open_options, log);
constexpr size_t kFirstBackendInfo = GANTRY_END_OF(gantry_backend_info, architectures);
constexpr size_t kFirstStats = GANTRY_END_OF(gantry_stats, nanoseconds);
constexpr size_t kFirstOptions = GANTRY_END_OF(gantry_options, stats);
#undef GANTRY_END_OF

}  // namespace gantry

#endif
