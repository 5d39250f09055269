/** CMake texts in the manner of a very large project: many options, platform branches, macros that append flags, nested folders. */

export const components = ["core", "kernels", "frontend", "runtime", "distributed", "lazy", "mobile", "profiler", "jit", "serialize", "python", "quantized"] as const;

/** The root CMakeLists.txt, about 1,400 lines. */
export function rootCMakeLists(dependencies: readonly string[]): string {
  const lines = [
    "cmake_minimum_required(VERSION 3.27 FATAL_ERROR)",
    'cmake_policy(SET CMP0069 NEW)',
    "project(Giant LANGUAGES CXX C)",
    'if(CMAKE_SYSTEM_NAME STREQUAL "Linux")', "  set(LINUX TRUE)", "else()", "  set(LINUX FALSE)", "endif()",
    "set(CMAKE_INSTALL_MESSAGE NEVER)",
    'set(CMAKE_CXX_STANDARD 17 CACHE STRING "The C++ standard of every target")',
    "set(CMAKE_CXX_STANDARD_REQUIRED ON)", "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)", "set(CMAKE_POSITION_INDEPENDENT_CODE ON)",
    "list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Modules)", "list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake/public)",
    "include(CMakeDependentOption)", "include(cmake/Utils.cmake)", "include(cmake/CheckAbi.cmake)",
  ];
  for (let index = 0; index < 140; index++) {
    lines.push(index % 3 === 0
      ? `cmake_dependent_option(\n    USE_FEATURE_${index} "Build feature ${index}" ${index % 2 === 0 ? "ON" : "OFF"}\n    "USE_FEATURE_${Math.max(0, index - 3)};LINUX" OFF)`
      : `option(USE_FEATURE_${index} "Build feature ${index}" ${index % 4 === 0 ? "OFF" : "ON"})`);
  }
  for (let index = 0; index < 60; index++) {
    lines.push(
      `if(USE_FEATURE_${index})`, `  list(APPEND GIANT_FEATURES feature_${index})`, `  add_definitions(-DWITH_FEATURE_${index})`,
      `elseif(MSVC AND NOT USE_FEATURE_${index + 1})`, `  set(FEATURE_${index}_FALLBACK ON)`,
      "else()", `  message(STATUS "feature ${index} is off")`, `  set(FEATURE_${index}_FALLBACK OFF)`, "endif()",
    );
  }
  lines.push(
    "if(NOT MSVC)", '  string(APPEND CMAKE_CXX_FLAGS " -D_GLIBCXX_USE_CXX11_ABI=1")', "endif()",
    'if(CMAKE_CXX_COMPILER_ID MATCHES "GNU")', '  string(APPEND CMAKE_CXX_FLAGS " -fvisibility-inlines-hidden")', "endif()",
    "include(cmake/Dependencies.cmake)",
    'if(USE_CUDA)', "  enable_language(CUDA)", '  set(CMAKE_CUDA_STANDARD 17)', '  string(APPEND CMAKE_CUDA_FLAGS " -Xfatbin -compress-all -D_GLIBCXX_USE_CXX11_ABI=1")', "endif()",
  );
  for (let index = 0; index < 90; index++) {
    lines.push(
      index % 2 === 0 ? `append_cxx_flag_if_supported("-Wno-check-${index}" CMAKE_CXX_FLAGS)` : `if(HAVE_WARNING_${index})\n  string(APPEND CMAKE_CXX_FLAGS " -Wno-other-${index}")\nendif()`,
    );
  }
  for (let index = 0; index < 40; index++) {
    lines.push(`if(BUILD_VARIANT STREQUAL "variant${index}" OR DEFINED ENV{GIANT_VARIANT_${index}})`, `  set(GIANT_VARIANT_FLAGS "-DVARIANT=${index} -O2")`, `  string(APPEND CMAKE_CXX_FLAGS " \${GIANT_VARIANT_FLAGS}")`, "endif()");
  }
  for (const dependency of dependencies.slice(0, 8)) lines.push(`if(NOT TARGET ${dependency})`, `  add_subdirectory(third_party/${dependency} EXCLUDE_FROM_ALL)`, "endif()");
  for (const component of components) lines.push(`add_subdirectory(${component})`);
  lines.push("if(BUILD_TEST)", "  enable_testing()", "  add_subdirectory(test)", "endif()", "include(cmake/Summary.cmake)");
  for (let index = 0; lines.join("\n").split("\n").length < 1400; index++) {
    lines.push(`if(INSTALL_PART_${index})`, `  install(FILES share/part${index}.txt DESTINATION share/giant/part${index})`, `  message(STATUS "  part ${index} : \${INSTALL_PART_${index}}")`, "endif()");
  }
  return `${lines.join("\n")}\n`;
}

/** cmake/Dependencies.cmake, about 1,700 lines: everything that others bring. */
export function dependenciesModule(dependencies: readonly string[]): string {
  const lines = ["set(GIANT_DEPENDENCIES)", "set(GIANT_PUBLIC_DEPENDENCIES)"];
  for (const [index, dependency] of dependencies.entries()) {
    lines.push(
      `# ---[ ${dependency}`, `if(USE_SYSTEM_${dependency.toUpperCase()})`, `  find_package(${dependency} REQUIRED)`, `  list(APPEND GIANT_DEPENDENCIES ${dependency}::${dependency})`,
      "else()", `  set(${dependency.toUpperCase()}_BUILD_TESTS OFF CACHE BOOL "" FORCE)`, '  set(OUTER_FLAGS "${CMAKE_CXX_FLAGS}")',
      index % 4 === 0 ? '  string(APPEND CMAKE_CXX_FLAGS " -w")' : '  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)',
      `  if(NOT TARGET ${dependency})`, `    add_subdirectory(\${PROJECT_SOURCE_DIR}/third_party/${dependency} \${CMAKE_BINARY_DIR}/third_party/${dependency} EXCLUDE_FROM_ALL)`, "  endif()",
      '  set(CMAKE_CXX_FLAGS "${OUTER_FLAGS}")', `  list(APPEND GIANT_DEPENDENCIES ${dependency})`,
      `  target_include_directories(${dependency} INTERFACE \${PROJECT_SOURCE_DIR}/third_party/${dependency}/include)`, "endif()",
      "if(MSVC)", `  target_compile_options(${dependency} PRIVATE /wd4244)`, "endif()",
    );
  }
  lines.push("include(cmake/public/cuda.cmake)", "include(cmake/public/utils.cmake)");
  for (let index = 0; lines.length < 1700; index++) {
    lines.push(
      `if(USE_FEATURE_${index % 140})`, `  find_package(Library${index} QUIET)`, `  if(Library${index}_FOUND)`, `    list(APPEND GIANT_PUBLIC_DEPENDENCIES \${Library${index}_LIBRARIES})`,
      `    include_directories(SYSTEM \${Library${index}_INCLUDE_DIR})`, "  else()", `    caffe_update_option(USE_FEATURE_${index % 140} OFF)`, "  endif()", "endif()",
    );
  }
  return `${lines.join("\n")}\n`;
}

/** cmake/Utils.cmake: the macros and functions that the rest calls. */
export const utilsModule = `include(CheckCXXCompilerFlag)
function(append_cxx_flag_if_supported flag outputvar)
  string(TOUPPER "HAS\${flag}" _name)
  string(REGEX REPLACE "[=-]" "_" _name "\${_name}")
  check_cxx_compiler_flag("\${flag}" \${_name})
  if(\${_name})
    set(\${outputvar} "\${\${outputvar}} \${flag}" PARENT_SCOPE)
  endif()
endfunction()
macro(caffe_update_option variable value)
  get_property(__help CACHE \${variable} PROPERTY HELPSTRING)
  set(\${variable} \${value} CACHE BOOL "\${__help}" FORCE)
endmacro()
macro(exclude_sources output)
  foreach(pattern \${ARGN})
    list(FILTER \${output} EXCLUDE REGEX "\${pattern}")
  endforeach()
endmacro()
function(giant_compile_options libname)
  set_property(TARGET \${libname} PROPERTY CXX_STANDARD 17)
  set(private_compile_options "")
  if(MSVC)
    list(APPEND private_compile_options /Zc:preprocessor)
  else()
    list(APPEND private_compile_options -Wall -Wextra -Wno-unused-parameter)
    if(WERROR)
      list(APPEND private_compile_options -Werror)
    endif()
  endif()
  target_compile_options(\${libname} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:\${private_compile_options} $<$<CONFIG:Debug>:-O0>>)
endfunction()
function(giant_library name)
  cmake_parse_arguments(ARG "STATIC;PYTHON" "FOLDER" "SOURCES;LINKS" \${ARGN})
  if(ARG_STATIC)
    add_library(\${name} STATIC \${ARG_SOURCES})
  else()
    add_library(\${name} SHARED \${ARG_SOURCES})
  endif()
  giant_compile_options(\${name})
  target_link_libraries(\${name} PUBLIC \${ARG_LINKS})
  target_include_directories(\${name} PUBLIC $<BUILD_INTERFACE:\${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  if(USE_CUDA)
    target_compile_definitions(\${name} PRIVATE USE_CUDA)
  endif()
endfunction()
`;

/** A folder of the project's own: a library of its sources, tests over a list, and its subfolders. */
export function componentCMakeLists(name: string, sources: readonly string[], folders: readonly string[], links: readonly string[]): string {
  const flat = name.replace(/\W/g, "_");
  return `set(${flat}_SRCS\n${sources.map((source) => `  ${source}`).join("\n")}\n)
file(GLOB ${flat}_HEADERS CONFIGURE_DEPENDS "*.h")
if(NOT BUILD_PYTHON)
  exclude_sources(${flat}_SRCS ".*python.*\\\\.cpp")
endif()
if(USE_CUDA)
  list(APPEND ${flat}_SRCS ${flat}_device.cu)
endif()
giant_library(giant_${flat} FOLDER ${name} SOURCES \${${flat}_SRCS} LINKS ${links.join(" ")})
target_compile_definitions(giant_${flat} PRIVATE GIANT_BUILD_${flat.toUpperCase()} PUBLIC $<$<BOOL:\${USE_NUMA}>:GIANT_NUMA>)
${folders.map((folder) => `add_subdirectory(${folder})`).join("\n")}
if(BUILD_TEST)
  foreach(test_src ${sources.slice(0, 4).map((source) => source.replace(".cpp", "_test.cpp")).join(" ")})
    get_filename_component(test_name \${test_src} NAME_WE)
    add_executable(${flat}_\${test_name} "\${test_src}")
    target_link_libraries(${flat}_\${test_name} giant_${flat} \${GIANT_DEPENDENCIES})
    add_test(NAME ${flat}_\${test_name} COMMAND $<TARGET_FILE:${flat}_\${test_name}>)
  endforeach()
endif()
install(TARGETS giant_${flat} EXPORT GiantTargets DESTINATION lib)
`;
}

/** A project of others: options, a compiler check, a library, tests behind an option. */
export function dependencyCMakeLists(name: string, folders: readonly string[]): string {
  const upper = name.toUpperCase();
  return `cmake_minimum_required(VERSION 3.10)
project(${name} VERSION 1.2.3 LANGUAGES C CXX)
option(${upper}_BUILD_TESTS "Build the tests" ON)
option(${upper}_BUILD_BENCHMARKS "Build the benchmarks" ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
list(APPEND CMAKE_MODULE_PATH "\${CMAKE_CURRENT_SOURCE_DIR}/cmake")
include(${name}Config OPTIONAL)
if(MSVC)
  set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} /W3 /EHsc")
else()
  set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -Wall")
endif()
add_library(${name} STATIC src/${name}.cc src/util.cc)
set_target_properties(${name} PROPERTIES CXX_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:\${CMAKE_CURRENT_SOURCE_DIR}/include>)
add_library(${name}::${name} ALIAS ${name})
${folders.map((folder) => `if(${upper}_BUILD_${folder.toUpperCase()})\n  add_subdirectory(${folder})\nendif()`).join("\n")}
`;
}
