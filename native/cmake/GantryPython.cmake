# The package as tests and a developer use it: ${PROJECT_BINARY_DIR}/python on PYTHONPATH. Its modules are links to the sources, its
# binaries links to those of the build.
set(_stage "${PROJECT_BINARY_DIR}/python/gantry")
set(_binaries "$<TARGET_FILE:gantry>=_native/libgantry.so")
if(TARGET gantry_cuda)
  list(APPEND _binaries "$<TARGET_FILE:gantry_cuda>=_native/libgantry_cuda.so")
endif()
if(TARGET gantry_core)
  list(APPEND _binaries "$<TARGET_FILE:gantry_core>=_core.abi3.so")
endif()
if(TARGET gantry_loops)
  list(APPEND _binaries "$<TARGET_FILE:gantry_loops>=_native/libgantry_loops.so")
endif()
add_custom_target(gantry_python ALL
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}/python/gantry"
    "-DSTAGE=${_stage}" "-DBINARIES=${_binaries}" -P "${PROJECT_SOURCE_DIR}/cmake/StagePython.cmake"
  COMMENT "Python package in ${PROJECT_BINARY_DIR}/python" VERBATIM)
foreach(_target IN ITEMS gantry gantry_cuda gantry_core gantry_loops)
  if(TARGET ${_target})
    add_dependencies(gantry_python ${_target})
  endif()
endforeach()
