# The stamps of Gantry's own binaries: the interface's version and one build.id, so that binaries of different states of the
# tree are told apart before they are loaded into one process.
include(AbidingStamp)

function(_gantry_abi_version result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/gantry/gantry.h" lines REGEX "^#define GANTRY_ABI_(MAJOR|MINOR) ")
  foreach(part IN ITEMS MAJOR MINOR)
    if(NOT lines MATCHES "GANTRY_ABI_${part} ([0-9]+)u")
      message(FATAL_ERROR "Gantry: gantry.h does not say GANTRY_ABI_${part}")
    endif()
    set(${part} ${CMAKE_MATCH_1})
  endforeach()
  set(${result} "${MAJOR}.${MINOR}" PARENT_SCOPE)
endfunction()

# gantry_stamp(<target> NAME <name> [FUNCTION <identifier>] [CUDA] [KEYS <key>=<value>...])
function(gantry_stamp target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CUDA" "NAME;FUNCTION" "KEYS")
  set(options "")
  if(arg_CUDA)
    list(APPEND options CUDA)
  endif()
  if(arg_FUNCTION)
    list(APPEND options FUNCTION ${arg_FUNCTION})
  endif()
  _gantry_abi_version(abi)
  set(root "${PROJECT_SOURCE_DIR}")
  abiding_stamp(${target} NAME ${arg_NAME} VERSION ${PROJECT_VERSION} ${options}
    KEYS "gantry.abi=${abi}" ${arg_KEYS}
    BUILD_ID_FILES "${root}/CMakeLists.txt" "${root}/cmake/*" "${root}/include/*" "${root}/src/*" "${root}/python/core/*"
    BUILD_ID_TEXT "${GANTRY_SANITIZE}" "${GANTRY_STATIC_STDCXX}" "${GANTRY_CUDA_ARCHITECTURES}" "${CMAKE_CUDA_COMPILER_VERSION}")
endfunction()
