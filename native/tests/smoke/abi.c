/* A caller of another binary interface, and structs of another size, are refused in words. */
#include "check.h"

int main(void) {
  gantry_context* context = NULL;
  gantry_open_options options;
  CHECK(gantry_abi_version() == GANTRY_ABI_VERSION);
  CHECK(gantry_open(GANTRY_ABI_VERSION + 0x10000u, NULL, &context) == GANTRY_ERROR_ABI);
  CHECK(context == NULL);
  CHECK(strstr(gantry_last_error(), "binary interface 2.0 and the library has 1.0") != NULL);
  CHECK(gantry_open(GANTRY_ABI_VERSION + 1u, NULL, &context) == GANTRY_ERROR_ABI);
  CHECK(strstr(gantry_last_error(), "a newer library is needed") != NULL);
  memset(&options, 0, sizeof options);
  options.struct_size = 4;
  CHECK(gantry_open(GANTRY_ABI_VERSION, &options, &context) == GANTRY_ERROR_ABI);
  CHECK(strstr(gantry_last_error(), "struct_size 4") != NULL);
  CHECK(strstr(gantry_build_info(), "schema=1") != NULL);
  return 0;
}
