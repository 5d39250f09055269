# The stamps of Gantry's own binaries: the interface's version and one build.id, so that binaries of different states of the
# tree are told apart before they are loaded into one process.
include(AbidingStamp)

# GANTRY_ABI_MAJOR, GANTRY_ABI_MINOR and GANTRY_ABI_VERSION ("1.0"), from the header.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../include/gantry/gantry.h" _lines REGEX "^#define GANTRY_ABI_(MAJOR|MINOR) ")
foreach(_part IN ITEMS MAJOR MINOR)
  if(NOT _lines MATCHES "GANTRY_ABI_${_part} ([0-9]+)u")
    message(FATAL_ERROR "Gantry: gantry.h does not say GANTRY_ABI_${_part}")
  endif()
  set(GANTRY_ABI_${_part} ${CMAKE_MATCH_1})
endforeach()
set(GANTRY_ABI_VERSION "${GANTRY_ABI_MAJOR}.${GANTRY_ABI_MINOR}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../include/gantry/gantry.h")

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
  set(root "${gantry_SOURCE_DIR}")
  abiding_stamp(${target} NAME ${arg_NAME} VERSION ${gantry_VERSION} ${options}
    KEYS "gantry.abi=${GANTRY_ABI_VERSION}" ${arg_KEYS}
    BUILD_ID_FILES "${root}/CMakeLists.txt" "${root}/cmake/*" "${root}/include/*" "${root}/src/*" "${root}/python/core/*"
    BUILD_ID_TEXT "${GANTRY_SANITIZE}" "${GANTRY_STATIC_STDCXX}" "${GANTRY_CUDA_ARCHITECTURES}" "${CMAKE_CUDA_COMPILER_VERSION}")
endfunction()
