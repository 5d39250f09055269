#include "core/dtype.h"

#include <cstdio>

namespace gantry {

uint32_t dtype_alignment(gantry_dtype dtype) {
  if (dtype.code == GANTRY_CODE_RAW) return 1;
  const uint32_t bytes = dtype.code == GANTRY_CODE_COMPLEX ? dtype.bits / 16u : dtype.bits / 8u;
  if (bytes == 0) return 1;
  const uint32_t power = bytes & (~bytes + 1);
  return power < 8 ? power : 8;
}

bool is_convertible_float(gantry_dtype dtype) {
  if (dtype.lanes != 1) return false;
  if (dtype.code == GANTRY_CODE_BFLOAT) return dtype.bits == 16;
  return dtype.code == GANTRY_CODE_FLOAT && (dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

bool is_convertible_integer(gantry_dtype dtype) {
  return dtype.lanes == 1 && (dtype.code == GANTRY_CODE_INT || dtype.code == GANTRY_CODE_UINT) &&
         (dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

DtypeText::DtypeText(gantry_dtype dtype) {
  static const char* const kNames[] = {"int", "uint", "float", "raw", "bfloat", "complex", "bool"};
  char name[16];
  if (dtype.code < sizeof(kNames) / sizeof(kNames[0])) {
    std::snprintf(name, sizeof name, "%s", kNames[dtype.code]);
  } else {
    std::snprintf(name, sizeof name, "code%u-", dtype.code);
  }
  if (dtype.lanes == 1) {
    std::snprintf(text, sizeof text, "%s%u", name, dtype.bits);
  } else {
    std::snprintf(text, sizeof text, "%s%ux%u", name, dtype.bits, dtype.lanes);
  }
}

}  // namespace gantry
