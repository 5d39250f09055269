# What is installed. Everything finds its neighbours by relative paths, so that the tree may be moved.
#   lib/libgantry.so.1.0, lib/gantry/libgantry_cuda.so, include/gantry/gantry.h
#   lib/cmake/gantry: find_package(gantry), abiding_stamp()      lib/pkgconfig/gantry.pc
#   share/gantry/torch_ext: sources of the torch extensions, which are compiled where they are used
#   GANTRY_INSTALL_PYTHONDIR/gantry: the Python package with its own copies of the binaries (component "python")
include(CMakePackageConfigHelpers)

set(GANTRY_INSTALL_PYTHONDIR "${CMAKE_INSTALL_LIBDIR}/gantry/python" CACHE STRING
  "Where the Python package is installed: a folder for PYTHONPATH, or site-packages")
set(GANTRY_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/gantry")
set(GANTRY_TORCH_EXT_DIR "${CMAKE_INSTALL_DATADIR}/gantry/torch_ext")
set(GANTRY_CUDA_PLUGIN "${CMAKE_INSTALL_LIBDIR}/gantry/libgantry_cuda.so")

install(TARGETS gantry EXPORT gantryTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/gantry DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.h")
install(EXPORT gantryTargets NAMESPACE gantry:: DESTINATION "${GANTRY_INSTALL_CMAKEDIR}" COMPONENT development)
configure_package_config_file(cmake/gantryConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/gantryConfig.cmake"
  INSTALL_DESTINATION "${GANTRY_INSTALL_CMAKEDIR}" PATH_VARS GANTRY_TORCH_EXT_DIR GANTRY_CUDA_PLUGIN)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/gantryConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gantryConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/gantryConfigVersion.cmake"
  cmake/AbidingStamp.cmake cmake/abiding_stamp.cpp
  DESTINATION "${GANTRY_INSTALL_CMAKEDIR}" COMPONENT development)

# Flat, as gantry.torch_ext looks for them: in share/, and in the package.
function(_gantry_install_torch_ext destination component)
  install(DIRECTORY torch_ext/ DESTINATION "${destination}" COMPONENT ${component} FILES_MATCHING PATTERN "*.cpp" PATTERN "*.h")
  install(FILES cmake/abiding_stamp.cpp DESTINATION "${destination}" COMPONENT ${component})
  install(DIRECTORY include/gantry DESTINATION "${destination}" COMPONENT ${component} FILES_MATCHING PATTERN "*.h")
endfunction()
_gantry_install_torch_ext("${GANTRY_TORCH_EXT_DIR}" development)

# pkg-config replaces pcfiledir by the folder of the file.
file(RELATIVE_PATH _up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" _up "${_up}")
set(GANTRY_PC_PREFIX "\${pcfiledir}/${_up}")
foreach(_kind IN ITEMS LIBDIR INCLUDEDIR)
  set(GANTRY_PC_${_kind} "\${prefix}/${CMAKE_INSTALL_${_kind}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${_kind}}")
    set(GANTRY_PC_${_kind} "${CMAKE_INSTALL_${_kind}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(GANTRY_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
configure_file(cmake/gantry.pc.in "${CMAKE_CURRENT_BINARY_DIR}/gantry.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gantry.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

set(_package "${GANTRY_INSTALL_PYTHONDIR}/gantry")
install(DIRECTORY python/gantry/ DESTINATION "${_package}" COMPONENT python PATTERN "__pycache__" EXCLUDE)
install(FILES "$<TARGET_FILE:gantry>" DESTINATION "${_package}/_native" COMPONENT python RENAME libgantry.so)
_gantry_install_torch_ext("${_package}/torch_ext/sources" python)
if(TARGET gantry_cuda)
  install(TARGETS gantry_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/gantry" COMPONENT library)
  install(FILES "$<TARGET_FILE:gantry_cuda>" DESTINATION "${_package}/_native" COMPONENT python)
endif()
if(TARGET gantry_core)
  install(FILES "$<TARGET_FILE:gantry_core>" DESTINATION "${_package}" COMPONENT python)
endif()
if(TARGET gantry_loops)
  install(FILES "$<TARGET_FILE:gantry_loops>" DESTINATION "${_package}/_native" COMPONENT python)
endif()
