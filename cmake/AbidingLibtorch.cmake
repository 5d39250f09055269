# Abiding: libtorch for a CMake project, when whoever configures it asks for that.
#
#   include(AbidingLibtorch)
#   abiding_libtorch([REQUIRED] [VERSION 2.13.0] [VARIANT cpu] [ABI 0|1] [PREFIX folder] [FROM libtorch|wheel] [INDEX url])
#   find_package(Torch REQUIRED)
#
# ABIDING_LIBTORCH decides what the call does:
#   OFF      nothing, and nothing is said (default)
#   locate   Torch_DIR is set to a libtorch that is found on this machine; without one a message says why, or with REQUIRED
#            the configure fails
#   require  as locate, and the configure fails where there is none; the network is not touched
#   fetch    VERSION is fetched into PREFIX, unless it is there already (default: _libtorch in the build folder)
#
# ABIDING_COMMAND is the abiding program, a list where it takes an interpreter: "node;/path/to/cli.js".
# See docs/libtorch.md.

include_guard(GLOBAL)

set(ABIDING_LIBTORCH "OFF" CACHE STRING "How Abiding finds libtorch: OFF, locate, require or fetch")
set_property(CACHE ABIDING_LIBTORCH PROPERTY STRINGS OFF locate require fetch)
set(_ABIDING_LIBTORCH_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(abiding_libtorch)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRED" "VERSION;VARIANT;ABI;PREFIX;FROM;INDEX" "")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "abiding_libtorch() does not know: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(TOLOWER "${ABIDING_LIBTORCH}" mode)
  if(NOT mode)
    return()
  endif()
  if(NOT mode MATCHES "^(locate|require|fetch)$")
    message(FATAL_ERROR "ABIDING_LIBTORCH is \"${ABIDING_LIBTORCH}\"; it must be OFF, locate, require or fetch.")
  endif()
  _abiding_command(command)

  set(options)
  if(arg_VERSION)
    list(APPEND options --torch-version "${arg_VERSION}")
  endif()
  if(arg_VARIANT)
    list(APPEND options --variant "${arg_VARIANT}")
  endif()
  if(DEFINED arg_ABI)
    list(APPEND options --abi "${arg_ABI}")
  endif()

  if(mode STREQUAL "fetch")
    if(NOT arg_VERSION)
      message(FATAL_ERROR "ABIDING_LIBTORCH=fetch wants abiding_libtorch(VERSION ...): a whole release, such as 2.13.0.")
    endif()
    set(prefix "${arg_PREFIX}")
    if(NOT prefix)
      set(prefix "${CMAKE_BINARY_DIR}/_libtorch")
    endif()
    get_filename_component(prefix "${prefix}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --prefix "${prefix}")
    if(arg_FROM)
      list(APPEND options --from "${arg_FROM}")
    endif()
    if(arg_INDEX)
      list(APPEND options --index "${arg_INDEX}")
    endif()
    set(action fetch)
  else()
    set(action locate)
    # What find_package() left in this build folder's cache is no choice of anybody; what the user put there is.
    list(APPEND options --without-caches)
    if(arg_PREFIX)
      get_filename_component(prefix "${arg_PREFIX}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      list(APPEND options --prefix "${prefix}")
    endif()
    if(Torch_DIR AND NOT Torch_DIR STREQUAL "${_ABIDING_LIBTORCH_DIR}")
      list(APPEND options --prefix "${Torch_DIR}")
    endif()
    foreach(python IN ITEMS Python_EXECUTABLE Python3_EXECUTABLE)
      if(${python})
        list(APPEND options --interpreter "${${python}}")
        break()
      endif()
    endforeach()
    if(mode STREQUAL "require")
      list(APPEND options --require)
    endif()
  endif()

  set(prefixes "${CMAKE_PREFIX_PATH}")
  if(NOT CMAKE_HOST_WIN32)
    string(REPLACE ";" ":" prefixes "${prefixes}")
    if(NOT "$ENV{CMAKE_PREFIX_PATH}" STREQUAL "")
      string(APPEND prefixes ":$ENV{CMAKE_PREFIX_PATH}")
    endif()
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "CMAKE_PREFIX_PATH=${prefixes}" ${command} libtorch ${action} ${options}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    RESULT_VARIABLE status
    OUTPUT_VARIABLE argument
    ERROR_VARIABLE report
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0 AND argument MATCHES "^-DTorch_DIR=(.+)$")
    set(found "${CMAKE_MATCH_1}")
    message(STATUS "Abiding: ${report}")
    set(_ABIDING_LIBTORCH_DIR "${found}" CACHE INTERNAL "The Torch_DIR that abiding_libtorch() has set")
    set(Torch_DIR "${found}" PARENT_SCOPE)
    return()
  endif()
  if(mode STREQUAL "locate" AND NOT arg_REQUIRED AND status EQUAL 1)
    message(STATUS "Abiding: ${report}")
    return()
  endif()
  # The command's text may hold lines that begin with blanks, which CMake shows as they are.
  message(FATAL_ERROR "abiding libtorch ${action} ended with ${status}:\n${report}")
endfunction()

# The program: as given, on PATH, or the one of the package that this file lies in.
function(_abiding_command result)
  if(ABIDING_COMMAND)
    set(${result} "${ABIDING_COMMAND}" PARENT_SCOPE)
    return()
  endif()
  find_program(ABIDING_COMMAND abiding DOC "The abiding program")
  if(ABIDING_COMMAND)
    set(${result} "${ABIDING_COMMAND}" PARENT_SCOPE)
    return()
  endif()
  set(own "${_ABIDING_LIBTORCH_MODULE_DIR}/../dist/cli.js")
  find_program(ABIDING_NODE NAMES node nodejs DOC "Node.js, which runs abiding")
  if(ABIDING_NODE AND EXISTS "${own}")
    set(${result} "${ABIDING_NODE}" "${own}" PARENT_SCOPE)
    return()
  endif()
  message(FATAL_ERROR "ABIDING_LIBTORCH=${ABIDING_LIBTORCH} needs the abiding program, which is not on PATH. Set ABIDING_COMMAND to it, or set ABIDING_LIBTORCH=OFF.")
endfunction()
