# Flags that all of Gantry's targets have in common.

# No flag here asks for a machine's own instructions (-march=native): the host kernels choose at run time.
function(gantry_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow>
    $<$<AND:$<BOOL:${GANTRY_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
endfunction()

# A library that exports what `script` lists, has nothing undefined, stays loaded, and brings its own libstdc++ and libgcc along.
function(gantry_seal target script)
  configure_file("${script}" "${CMAKE_CURRENT_BINARY_DIR}/${target}.map" @ONLY)
  set(map "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  if(GANTRY_STATIC_STDCXX AND NOT GANTRY_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  # Stays in the process when it is closed: threads of a context that is still open run its code, and others hold storage
  # whose deleters are in it.
  target_link_options(${target} PRIVATE "LINKER:-z,nodelete")
  # Of the static libstdc++ alone: its random numbers would ask for a newer glibc, and nobody here uses them.
  target_link_options(${target} PRIVATE "LINKER:--gc-sections")
  if(NOT GANTRY_SANITIZE)
    # A sanitizer's run-time library is linked into programs only.
    target_link_options(${target} PRIVATE "LINKER:-z,defs")
  endif()
endfunction()

# For every target below, tests included: a sanitizer must see the whole process.
if(GANTRY_SANITIZE)
  if(NOT GANTRY_SANITIZE MATCHES "^(address|undefined|thread|leak)(,(address|undefined|thread|leak))*$")
    message(FATAL_ERROR "GANTRY_SANITIZE is a comma-separated list of address, undefined, thread and leak, not \"${GANTRY_SANITIZE}\".")
  endif()
  if(GANTRY_SANITIZE MATCHES "thread" AND GANTRY_SANITIZE MATCHES "address|leak")
    message(FATAL_ERROR "GANTRY_SANITIZE is \"${GANTRY_SANITIZE}\": no compiler takes thread together with address or leak. Use two builds.")
  endif()
  set(flags -fsanitize=${GANTRY_SANITIZE} -fno-omit-frame-pointer)
  if(GANTRY_SANITIZE MATCHES "undefined")
    list(APPEND flags -fno-sanitize-recover=undefined)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
  add_link_options("-fsanitize=${GANTRY_SANITIZE}")
endif()
