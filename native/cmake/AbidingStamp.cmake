# The ABI stamp: an ELF note that says with what a binary was compiled, and a function that returns the same text.
#
#   include(AbidingStamp)
#   abiding_stamp(<target>
#     [NAME <name>]              # default: the target's name
#     [VERSION <version>]        # default: the target's VERSION, else the project's
#     [FUNCTION <identifier>]    # default: abiding_stamp_<name>; returns the text, const char* (void), extern "C"
#     [GIT <commit>]             # default: asked of git at every build; OFF leaves the key away
#     [TORCH]                    # the target is compiled against torch's headers
#     [TORCH_ABI classic|stable] # default: stable when TORCH_TARGET_VERSION or TORCH_STABLE_ONLY is defined, else classic
#     [CUDA]                     # the target has CUDA code
#     [PYTHON]                   # the target is a Python extension: Python.h is on its include path
#     [PYBIND11]                 # the target uses pybind11
#     [KEYS <key>=<value>...]    # more lines
#     [BUILD_ID_FILES <glob>...] # build.id: a hash of these files, in folders below too, read at every build, of the compilers and CMAKE_<LANG>_FLAGS
#     [BUILD_ID_TEXT <text>...]) # and of this
#
# Targets: SHARED, MODULE, EXECUTABLE, OBJECT and STATIC (what links the archive then carries the stamp). CMake >= 3.22; needs
# abiding_stamp.cpp beside this file, and no other. Only ELF files have notes: elsewhere the function alone is there, and a status
# line says so. The keys, and how they are read, are described in docs/stamp.md.

cmake_policy(PUSH)
cmake_policy(VERSION 3.22)

function(abiding_stamp target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;CUDA;PYTHON;PYBIND11" "NAME;VERSION;FUNCTION;GIT;TORCH_ABI" "KEYS;BUILD_ID_FILES;BUILD_ID_TEXT")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "abiding_stamp(${target}): not understood: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^((SHARED|MODULE|STATIC|OBJECT)_LIBRARY|EXECUTABLE)$")
    message(FATAL_ERROR "abiding_stamp(${target}): a target of type ${type} has no compiled code that could carry a stamp.")
  endif()
  if(arg_TORCH_ABI AND NOT arg_TORCH_ABI MATCHES "^(classic|stable)$")
    message(FATAL_ERROR "abiding_stamp(${target}): TORCH_ABI is classic or stable, not ${arg_TORCH_ABI}.")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME ${target})
  endif()
  if(NOT arg_VERSION)
    get_target_property(arg_VERSION ${target} VERSION)
  endif()
  if(NOT arg_VERSION)
    set(arg_VERSION "${PROJECT_VERSION}")
  endif()
  if(NOT arg_FUNCTION)
    string(MAKE_C_IDENTIFIER "abiding_stamp_${arg_NAME}" arg_FUNCTION)
  endif()

  set(lines "name=${arg_NAME}")
  if(NOT arg_VERSION STREQUAL "")
    list(APPEND lines "version=${arg_VERSION}")
  endif()
  foreach(line IN LISTS arg_KEYS)
    if(NOT line MATCHES "^[A-Za-z][A-Za-z0-9_.-]*=[^;\n\r]*$")
      message(FATAL_ERROR "abiding_stamp(${target}): KEYS takes <key>=<value> on one line and without a semicolon, not \"${line}\".")
    elseif(line MATCHES "^(schema|name|version|git|build\\.id|compiler|cxx\\..*|libc|arch|isa|torch\\.(version|abi|cxx11_abi|target)|py\\.limited|python\\.abi|pybind11\\.internals)=")
      message(FATAL_ERROR "abiding_stamp(${target}): the stamp itself writes ${CMAKE_MATCH_1}.")
    endif()
    list(APPEND lines "${line}")
  endforeach()

  # A target of C alone has nothing of C++ to tell. Where CMake cannot tell yet what a source is, C++ is asked before C, and nvcc is
  # for targets of CUDA alone.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  get_target_property(sources ${target} SOURCES)
  set(not_c "${sources}")
  list(FILTER not_c EXCLUDE REGEX "\\.(c|h)$")
  set(not_cuda "${sources}")
  list(FILTER not_cuda EXCLUDE REGEX "\\.(cu|cuh|h)$")
  if("C" IN_LIST languages AND sources AND NOT not_c)
    set(source stamp.c)
    set(language C)
  elseif("CXX" IN_LIST languages)
    set(source stamp.cpp)
    set(language CXX)
  elseif("CUDA" IN_LIST languages AND (NOT "C" IN_LIST languages OR (sources AND NOT not_cuda)))
    set(source stamp.cu)
    set(language CUDA)
  elseif("C" IN_LIST languages)
    set(source stamp.c)
    set(language C)
  else()
    message(FATAL_ERROR "abiding_stamp(${target}): a stamp is compiled as C, C++ or CUDA, and the project has enabled none of them.")
  endif()
  if(APPLE OR WIN32)
    message(STATUS "Abiding: the stamp of ${target} is a function only, because notes exist in ELF files only")
  elseif(type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} INTERFACE "LINKER:-u,${arg_FUNCTION}")
  endif()

  # The same for all targets, whatever language their stamp is compiled in.
  set(compilers "")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" kind)
  foreach(one IN ITEMS C CXX CUDA)
    if(one IN_LIST languages)
      list(APPEND compilers "${one} ${CMAKE_${one}_COMPILER_ID} ${CMAKE_${one}_COMPILER_VERSION} ${CMAKE_${one}_FLAGS} ${CMAKE_${one}_FLAGS_${kind}}")
    endif()
  endforeach()

  # Values are collected at every build by this file, run as a script; the header changes only when one of them does.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/abiding_stamp/${target}")
  string(JOIN "\n" settings
    "set(header [==[${folder}/$<CONFIG>/abiding_stamp_values.h]==])"
    "set(function [==[${arg_FUNCTION}]==])"
    "set(lines [==[${lines}]==])"
    "set(folder [==[${PROJECT_SOURCE_DIR}]==])"
    "set(git [==[${arg_GIT}]==])"
    "set(torch ${arg_TORCH})"
    "set(python ${arg_PYTHON})"
    "set(pybind11 ${arg_PYBIND11})"
    "set(torch_abi [==[${arg_TORCH_ABI}]==])"
    "set(build_id_files [==[${arg_BUILD_ID_FILES}]==])"
    "set(build_id_text [==[${compilers} $<CONFIG> ${arg_BUILD_ID_TEXT}]==])"
    "")
  if(arg_TORCH)
    string(APPEND settings "set(includes [==[$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>]==])\n")
  endif()
  if(arg_CUDA)
    string(APPEND settings
      "set(cuda_toolkit [==[${CMAKE_CUDA_COMPILER_VERSION}]==])\n"
      "set(cuda_architectures [==[$<TARGET_PROPERTY:${target},CUDA_ARCHITECTURES>]==])\n"
      "set(cuda_runtime [==[$<TARGET_PROPERTY:${target},CUDA_RUNTIME_LIBRARY>]==])\n")
  endif()
  file(GENERATE OUTPUT "${folder}/$<CONFIG>/settings-$<COMPILE_LANGUAGE>.cmake" CONTENT "${settings}" TARGET ${target})
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/abiding_stamp.cpp" "${folder}/${source}" COPYONLY)
  add_custom_target(${target}_abiding_stamp
    COMMAND "${CMAKE_COMMAND}" "-DABIDING_STAMP_SETTINGS=${folder}/$<CONFIG>/settings-${language}.cmake"
      -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/AbidingStamp.cmake"
    BYPRODUCTS "${folder}/$<CONFIG>/abiding_stamp_values.h"
    COMMENT "Stamp of ${target}" VERBATIM)
  add_dependencies(${target} ${target}_abiding_stamp)
  target_sources(${target} PRIVATE "${folder}/${source}")
  set_source_files_properties("${folder}/${source}" TARGET_DIRECTORY ${target} PROPERTIES
    INCLUDE_DIRECTORIES "${folder}/$<CONFIG>" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The commit of `folder`, "-dirty" when a file under it differs; "unknown" without git, and where the folder is not tracked: an
# archive unpacked inside somebody else's checkout is not of their commit.
function(_abiding_stamp_git folder result)
  set(${result} unknown PARENT_SCOPE)
  find_program(ABIDING_STAMP_GIT git)
  if(NOT ABIDING_STAMP_GIT)
    return()
  endif()
  set(git "${ABIDING_STAMP_GIT}" --no-optional-locks -C "${folder}")
  execute_process(COMMAND ${git} ls-files --error-unmatch CMakeLists.txt RESULT_VARIABLE untracked OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${git} rev-parse --verify HEAD RESULT_VARIABLE failed OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(untracked OR failed)
    return()
  endif()
  execute_process(COMMAND ${git} status --porcelain --untracked-files=no -- . OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit "-dirty")
  endif()
  set(${result} "${commit}" PARENT_SCOPE)
endfunction()

# torch.__version__, git and CUDA from what lies beside the headers on the include path: version.py in a Python package,
# build-version and build-hash in a libtorch archive. Python is not run.
function(_abiding_stamp_torch includes result)
  set(${result} "" PARENT_SCOPE)
  foreach(folder IN LISTS includes)
    if(EXISTS "${folder}/ATen" AND EXISTS "${folder}/../build-version" AND EXISTS "${folder}/../build-hash")
      file(STRINGS "${folder}/../build-version" version LIMIT_COUNT 1)
      file(STRINGS "${folder}/../build-hash" hash LIMIT_COUNT 1)
      set(${result} "__version__=${version}" "git_version=${hash}" PARENT_SCOPE)
      return()
    elseif(EXISTS "${folder}/ATen" AND EXISTS "${folder}/../version.py")
      file(READ "${folder}/../version.py" text LIMIT 4096)
      set(found "")
      foreach(name IN ITEMS __version__ git_version cuda)
        if(text MATCHES "(^|\n)${name}[^=\n]*= *['\"]([^'\"\n]*)['\"]")
          list(APPEND found "${name}=${CMAKE_MATCH_2}")
        endif()
      endforeach()
      set(${result} "${found}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# "75,80,120+ptx" of "75-real;80-real;120": +ptx where the driver can compile for later GPUs, ptx<n> where there is nothing else.
function(_abiding_stamp_architectures architectures result)
  set(texts "")
  foreach(one IN LISTS architectures)
    if(one MATCHES "^([0-9]+[af]?)-real$")
      list(APPEND texts "${CMAKE_MATCH_1}")
    elseif(one MATCHES "^([0-9]+[af]?)-virtual$")
      list(APPEND texts "ptx${CMAKE_MATCH_1}")
    elseif(one MATCHES "^[0-9]+[af]?$")
      list(APPEND texts "${one}+ptx")
    else()
      list(APPEND texts "${one}")
    endif()
  endforeach()
  list(JOIN texts "," text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(_abiding_stamp_build_id folder globs text result)
  set(files "")
  foreach(glob IN LISTS globs)
    if(EXISTS "${glob}" AND NOT IS_DIRECTORY "${glob}")
      # GLOB_RECURSE would take every file of that name below.
      file(RELATIVE_PATH some "${folder}" "${glob}")
    else()
      file(GLOB_RECURSE some LIST_DIRECTORIES OFF RELATIVE "${folder}" "${glob}")
    endif()
    list(APPEND files ${some})
  endforeach()
  list(SORT files)
  list(REMOVE_DUPLICATES files)
  foreach(file IN LISTS files)
    file(SHA256 "${folder}/${file}" hash)
    string(APPEND text "\n${file} ${hash}")
  endforeach()
  string(SHA256 hash "${text}")
  string(SUBSTRING "${hash}" 0 16 hash)
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

function(_abiding_stamp_write settings)
  include("${settings}")
  set(definitions "#define ABIDING_STAMP_FUNCTION ${function}\n")
  if(NOT git)
    if(NOT git STREQUAL "OFF")
      _abiding_stamp_git("${folder}" git)
      list(APPEND lines "git=${git}")
    endif()
  else()
    list(APPEND lines "git=${git}")
  endif()
  if(build_id_files)
    _abiding_stamp_build_id("${folder}" "${build_id_files}" "${build_id_text}" id)
    list(APPEND lines "build.id=${id}")
  endif()
  if(DEFINED cuda_toolkit)
    _abiding_stamp_architectures("${cuda_architectures}" architectures)
    string(TOLOWER "${cuda_runtime}" cuda_runtime)
    if(NOT cuda_runtime)
      set(cuda_runtime static)
    endif()
    list(APPEND lines "cuda.toolkit=${cuda_toolkit}" "cuda.archs=${architectures}" "cudart=${cuda_runtime}")
  endif()
  if(python)
    string(APPEND definitions "#define ABIDING_STAMP_PYTHON 1\n")
  endif()
  if(pybind11)
    string(APPEND definitions "#define ABIDING_STAMP_PYBIND11 1\n")
  endif()
  if(torch)
    string(APPEND definitions "#define ABIDING_STAMP_TORCH 1\n")
    if(torch_abi)
      string(APPEND definitions "#define ABIDING_STAMP_TORCH_ABI \"${torch_abi}\"\n")
    endif()
    _abiding_stamp_torch("${includes}" package)
    foreach(line IN LISTS package)
      if(line MATCHES "^__version__=([0-9]+)\\.([0-9]+)\\.([0-9]+)(.*)$")
        # Said only of the very version whose headers the compiler finds.
        string(APPEND definitions "#define ABIDING_STAMP_TORCH_PACKAGE ${CMAKE_MATCH_1} * 1000000 + ${CMAKE_MATCH_2} * 1000 + ${CMAKE_MATCH_3}\n"
          "#define ABIDING_STAMP_TORCH_LOCAL \"${CMAKE_MATCH_4}\"\n")
      elseif(line MATCHES "^git_version=([0-9a-f]+)$")
        string(APPEND definitions "#define ABIDING_STAMP_TORCH_GIT \"${CMAKE_MATCH_1}\"\n")
      elseif(line MATCHES "^cuda=(.+)$")
        string(APPEND definitions "#define ABIDING_STAMP_TORCH_CUDA \"${CMAKE_MATCH_1}\"\n")
      endif()
    endforeach()
  endif()
  string(APPEND definitions "#define ABIDING_STAMP_LINES")
  foreach(line IN LISTS lines)
    string(REPLACE "\\" "\\\\" line "${line}")
    string(REPLACE "\"" "\\\"" line "${line}")
    string(APPEND definitions " \\\n  \"${line}\\n\"")
  endforeach()
  string(APPEND definitions "\n")
  set(before "")
  if(EXISTS "${header}")
    file(READ "${header}" before)
  endif()
  if(NOT before STREQUAL definitions)
    file(WRITE "${header}" "${definitions}")
  endif()
endfunction()

if(DEFINED CMAKE_SCRIPT_MODE_FILE AND DEFINED ABIDING_STAMP_SETTINGS)
  _abiding_stamp_write("${ABIDING_STAMP_SETTINGS}")
endif()

cmake_policy(POP)
