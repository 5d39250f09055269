import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsOf, read } from "./reading.ts";

// What CMake 3.25 with g++ 12 wrote into compile_commands.json for these projects, -fPIC and the configuration's own -O3 -DNDEBUG aside.

test("command line order: definitions, final flags variable, flags of add_definitions, options, standard last", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(order CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -std=c++14 -Wall")
add_compile_options(-Wextra)
add_library(one STATIC a.cpp)
add_definitions(-DLATE -fno-rtti)
add_compile_options(-Wshadow)
target_compile_definitions(one PRIVATE -DZED=1 ABC PUBLIC PUB=2)
target_compile_options(one PRIVATE -O1 INTERFACE -Winherited)
set(CMAKE_CXX_STANDARD 20)
add_library(two STATIC a.cpp)
target_link_libraries(two PRIVATE one)
set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -D_GLIBCXX_USE_CXX11_ABI=0")
`,
    "a.cpp": "", "b.c": "",
  });
  assert.equal(argumentsOf(reading, "one", "CXX", ""), "-DABC -DLATE -DPUB=2 -DZED=1 -std=c++14 -Wall -D_GLIBCXX_USE_CXX11_ABI=0 -fno-rtti -Wextra -O1 -std=gnu++17");
  assert.equal(argumentsOf(reading, "two", "CXX", ""), "-DLATE -DPUB=2 -std=c++14 -Wall -D_GLIBCXX_USE_CXX11_ABI=0 -fno-rtti -Wextra -Wshadow -Winherited -std=gnu++20");
});

test("functions, macros, subdirectories, loops, list, string and math", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(scopes CXX)
set(V outer)
function(f)
  set(V inner)
  set(W inner PARENT_SCOPE)
  add_definitions(-DF_\${V})
endfunction()
macro(m x)
  set(M_\${x} \${x} \${ARGN})
  list(LENGTH M_\${x} N)
endmacro()
f()
m(a b c)
add_subdirectory(sub)
set(CMAKE_CXX_STANDARD 11)
add_compile_definitions(V_\${V} W_\${W} N_\${N} FROM_\${UP})
foreach(i RANGE 1 3)
  list(APPEND L x\${i})
endforeach()
foreach(a IN LISTS L ITEMS z)
  if(a STREQUAL "x2")
    continue()
  endif()
  string(TOUPPER \${a} A)
  add_compile_definitions(L_\${A})
endforeach()
string(REPLACE "x" "y" R "\${L}")
list(REMOVE_ITEM R y2)
list(JOIN R "_" J)
string(REGEX REPLACE "y([0-9])" "n\\\\1" K "\${J}")
math(EXPR S "2*(3+4)")
add_compile_definitions(J_\${J} K_\${K} S_\${S})
get_filename_component(E foo/bar.tar.gz NAME_WE)
add_compile_definitions(E_\${E})
add_executable(exe a.cpp)
`,
    "sub/CMakeLists.txt": `set(UP \${V} PARENT_SCOPE)
set(CMAKE_CXX_STANDARD 14)
add_library(s STATIC ../a.cpp)
`,
    "a.cpp": "", "b.c": "",
  });
  assert.equal(argumentsOf(reading, "exe", "CXX", ""), "-DE_bar -DFROM_outer -DF_inner -DJ_y1_y3 -DK_n1_n3 -DL_X1 -DL_X3 -DL_Z -DN_3 -DS_14 -DV_outer -DW_inner -std=gnu++11");
  assert.equal(argumentsOf(reading, "s", "CXX", ""), "-DF_inner -std=gnu++14");
});

test("generator expressions, properties, LINK_ONLY, aliases", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(genex C CXX)
set(CMAKE_BUILD_TYPE Release)
add_library(g STATIC a.cpp b.c)
target_compile_options(g PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-DONE> "$<$<CONFIG:Debug>:-ODebug>" $<$<NOT:$<CONFIG:Debug>>:-DREL -DREL2> $<IF:$<BOOL:ON>,-DYES,-DNO> "SHELL:-include x.h")
target_compile_definitions(g PUBLIC $<BUILD_INTERFACE:BUILD> $<INSTALL_INTERFACE:INST> $<$<AND:1,$<STREQUAL:a,a>>:EQ> "LIST=$<JOIN:a;b,_>" ABI=$<BOOL:OFF>)
target_compile_features(g PUBLIC cxx_std_20)
add_library(i INTERFACE)
target_link_libraries(i INTERFACE $<LINK_ONLY:g>)
target_compile_definitions(i INTERFACE FROM_I=$<TARGET_PROPERTY:g,OUTPUT_NAME>)
set_target_properties(g PROPERTIES OUTPUT_NAME gg CXX_STANDARD 14)
add_library(u STATIC a.cpp)
target_link_libraries(u i)
add_library(v STATIC a.cpp)
target_link_libraries(v $<$<BOOL:1>:g>)
set_target_properties(v PROPERTIES CXX_EXTENSIONS OFF)
add_library(al ALIAS g)
add_library(w STATIC a.cpp)
target_link_libraries(w PUBLIC al)
set_property(TARGET w PROPERTY CXX_STANDARD 23)
set_property(TARGET w APPEND PROPERTY COMPILE_DEFINITIONS AP1 AP2)
set_property(TARGET w APPEND_STRING PROPERTY COMPILE_FLAGS " -DSTR")
set_property(DIRECTORY APPEND PROPERTY COMPILE_DEFINITIONS DIRD)
`,
    "a.cpp": "", "b.c": "",
  });
  assert.equal(argumentsOf(reading, "g", "CXX", "Release"), "-DABI=0 -DBUILD -DDIRD -DEQ -DLIST=a_b -fno-exceptions -DONE -DREL -DREL2 -DYES -include x.h -std=gnu++20");
  assert.equal(argumentsOf(reading, "g", "C", "Release"), "-DABI=0 -DBUILD -DDIRD -DEQ -DLIST=a_b -DREL -DREL2 -DYES -include x.h");
  assert.equal(argumentsOf(reading, "u", "CXX", "Release"), "-DDIRD -DFROM_I=gg");
  assert.equal(argumentsOf(reading, "v", "CXX", "Release"), "-DABI=0 -DBUILD -DDIRD -DEQ -DLIST=a_b -std=c++20");
  assert.equal(argumentsOf(reading, "w", "CXX", "Release"), "-DABI=0 -DAP1 -DAP2 -DBUILD -DDIRD -DEQ -DLIST=a_b -DSTR -std=gnu++23");
});

test("cmake_parse_arguments, conditions, cache, environment, nested references", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(parse CXX)
include(cmake/mod.cmake)
add_ext(NAME e1 SOURCES a.cpp DEFS A=1 B=2 FAST)
add_ext(NAME e2 SOURCES a.cpp)
if(NOT DEFINED FOO AND NOT (BAR OR BAZ))
  add_definitions(-DNOFOO)
endif()
set(FOO "")
if(DEFINED FOO)
  add_definitions(-DFOO)
endif()
if("3.10" VERSION_GREATER_EQUAL 3.9 AND "abc" MATCHES "^a(.)c$")
  add_definitions(-DM_\${CMAKE_MATCH_1})
endif()
set(LST a b c)
if("b" IN_LIST LST AND NOT d IN_LIST LST)
  add_definitions(-DINLIST)
endif()
set(ENV{ABIDING_X} 5)
add_definitions(-DE=$ENV{ABIDING_X} -DSTR="a b" -DQ=\\"q\\")
remove_definitions(-DINLIST)
string(APPEND CMAKE_CXX_FLAGS " -Wall" " -DX")
set(n 1)
while(n LESS 4)
  math(EXPR n "\${n}+1")
endwhile()
add_definitions(-DN=\${n})
set(A_b 7)
set(idx b)
add_definitions(-DNEST=\${A_\${idx}})
option(OPT "x" ON)
if(OPT)
  add_definitions(-DOPT)
endif()
set(CACHED 3 CACHE STRING "x")
set(CACHED 4 CACHE STRING "x")
add_definitions(-DCACHED=\${CACHED})
set(FORCED 3 CACHE STRING "x" FORCE)
set(FORCED 4 CACHE STRING "x" FORCE)
add_definitions(-DFORCED=\${FORCED})
`,
    "cmake/mod.cmake": `include_guard()
function(add_ext)
  cmake_parse_arguments(P "FAST" "NAME" "SOURCES;DEFS" \${ARGN})
  add_library(\${P_NAME} MODULE \${P_SOURCES})
  target_compile_definitions(\${P_NAME} PRIVATE \${P_DEFS} $<$<BOOL:\${P_FAST}>:FAST>)
  if(P_FAST)
    target_compile_options(\${P_NAME} PRIVATE -O3)
    return()
  endif()
  target_compile_options(\${P_NAME} PRIVATE -O0)
endfunction()
`,
    "a.cpp": "", "b.c": "",
  });
  assert.equal(argumentsOf(reading, "e1", "CXX", ""), "-DA=1 -DB=2 -DCACHED=3 -DE=5 -DFAST -DFOO -DFORCED=4 -DM_b -DN=4 -DNEST=7 -DNOFOO -DOPT -DQ=\"q\" -DSTR=\"a b\" -Wall -DX -O3");
  assert.equal(argumentsOf(reading, "e2", "CXX", ""), "-DCACHED=3 -DE=5 -DFOO -DFORCED=4 -DM_b -DN=4 -DNEST=7 -DNOFOO -DOPT -DQ=\"q\" -DSTR=\"a b\" -Wall -DX -O0");
});

test("usage requirements, imported targets, link_libraries, configurations", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(inherit CXX)
add_library(base INTERFACE)
target_compile_definitions(base INTERFACE BASE)
target_compile_features(base INTERFACE cxx_std_20)
add_library(mid STATIC a.cpp)
target_link_libraries(mid PRIVATE base)
target_compile_options(mid PUBLIC -Wmid)
add_library(top SHARED a.cpp)
target_link_libraries(top PUBLIC mid)
add_library(imp SHARED IMPORTED)
set_target_properties(imp PROPERTIES INTERFACE_COMPILE_OPTIONS "-D_GLIBCXX_USE_CXX11_ABI=0" IMPORTED_LOCATION /x.so CXX_STANDARD 14)
add_library(user SHARED a.cpp)
target_link_libraries(user imp)
add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:DIRGEN>)
link_libraries(base)
add_executable(exe a.cpp)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DRELFLAG")
set(CMAKE_BUILD_TYPE Release)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
add_executable(exe2 a.cpp)
set_target_properties(exe2 exe PROPERTIES COMPILE_DEFINITIONS "P1;P2" COMPILE_FLAGS "-Wflags")
`,
    "a.cpp": "", "b.c": "",
  });
  assert.equal(argumentsOf(reading, "mid", "CXX", "Release"), "-DBASE -DDIRGEN -O2 -DRELFLAG -Wmid -std=gnu++20");
  assert.equal(argumentsOf(reading, "top", "CXX", "Release"), "-DDIRGEN -O2 -DRELFLAG -Wmid");
  assert.equal(argumentsOf(reading, "user", "CXX", "Release"), "-DDIRGEN -O2 -DRELFLAG -D_GLIBCXX_USE_CXX11_ABI=0");
  assert.equal(argumentsOf(reading, "exe", "CXX", "Release"), "-DBASE -DDIRGEN -DP1 -DP2 -O2 -DRELFLAG -Wflags -std=gnu++20");
  assert.equal(argumentsOf(reading, "exe2", "CXX", "Release"), "-DBASE -DDIRGEN -DP1 -DP2 -O2 -DRELFLAG -Wflags -std=c++20");
});

test("CUDA: architectures, and the standard that it takes from C++", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(cuda CXX CUDA)
set(CMAKE_CXX_STANDARD 14)
set(CMAKE_CUDA_ARCHITECTURES 80 90a-real 70-virtual)
add_library(k STATIC k.cu a.cpp)
target_compile_features(k PRIVATE cxx_std_17)
add_library(c STATIC k.cu)
set_target_properties(c PROPERTIES CUDA_STANDARD 14 CUDA_ARCHITECTURES OFF)
set(CMAKE_CUDA_FLAGS "\${CMAKE_CUDA_FLAGS} -D_GLIBCXX_USE_CXX11_ABI=0")
set(CMAKE_CXX_STANDARD)
add_library(n STATIC k.cu)
target_compile_features(n PRIVATE cxx_std_20)
`,
  });
  const architectures = "--generate-code=arch=compute_80,code=[compute_80,sm_80] --generate-code=arch=compute_90a,code=[sm_90a] --generate-code=arch=compute_70,code=[compute_70]";
  assert.equal(argumentsOf(reading, "k", "CUDA"), `-D_GLIBCXX_USE_CXX11_ABI=0 ${architectures} -std=c++17`);
  assert.equal(argumentsOf(reading, "k", "CXX"), "-std=gnu++17");
  assert.equal(argumentsOf(reading, "c", "CUDA"), "-D_GLIBCXX_USE_CXX11_ABI=0 -std=c++14");
  assert.equal(argumentsOf(reading, "n", "CUDA"), `-D_GLIBCXX_USE_CXX11_ABI=0 ${architectures}`);
});

test("torch 2.15 raises the C++ standard of what links its target, as its TorchConfig.cmake does with CMake 3.25", () => {
  const text = `cmake_minimum_required(VERSION 3.18)
project(p CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(Torch REQUIRED)
add_library(linked MODULE a.cpp)
target_link_libraries(linked \${TORCH_LIBRARIES})
add_library(headers MODULE a.cpp)
target_include_directories(headers PRIVATE \${TORCH_INCLUDE_DIRS})
add_library(newer MODULE a.cpp)
target_link_libraries(newer PRIVATE torch)
set_target_properties(newer PROPERTIES CXX_STANDARD 23)
add_library(mid INTERFACE)
target_link_libraries(mid INTERFACE torch)
add_library(through MODULE a.cpp)
target_link_libraries(through PRIVATE mid)
add_library(archive STATIC a.cpp)
target_link_libraries(archive PRIVATE torch)
add_library(behind MODULE a.cpp)
target_link_libraries(behind PRIVATE archive)
set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -std=c++14")
`;
  const names = ["linked", "headers", "newer", "through", "archive", "behind"];
  const standards = (torchVersion: string) => names.map((name) => argumentsOf(read({ "CMakeLists.txt": text }, { torchVersion, torchCudaVersion: null }), name, "CXX").split(" ").at(-1));
  assert.deepEqual(standards("2.15.0+cpu"), ["-std=gnu++20", "-std=gnu++17", "-std=gnu++23", "-std=gnu++20", "-std=gnu++20", "-std=gnu++17"]);
  assert.deepEqual(standards("2.14.1+cpu"), ["-std=gnu++17", "-std=gnu++17", "-std=gnu++23", "-std=gnu++17", "-std=gnu++17", "-std=gnu++17"]);
});

test("a loop variable is empty after its loop, or what it was before", () => {
  const reading = read({ "CMakeLists.txt": 'project(p CXX)\nset(kept before)\nforeach(fresh a b)\n  foreach(kept c d)\n    set(kept e)\n  endforeach()\nendforeach()\nadd_library(t a.cpp)\ntarget_compile_definitions(t PRIVATE "F=[${fresh}]" "K=${kept}")\n' });
  assert.equal(argumentsOf(reading, "t", "CXX"), "-DF=[] -DK=before");
});

test("scopes of block(), dependent options, aliases and properties read back, as CMake 3.25 has them", () => {
  const reading = read({
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.25)
project(p CXX)
include(CMakeDependentOption)
set(V outer)
set(W outer)
set(U outer)
block(PROPAGATE W)
  set(V inner)
  set(W inner)
  set(U parent PARENT_SCOPE)
endblock()
block(SCOPE_FOR POLICIES)
  set(P set)
endblock()
option(A "" ON)
cmake_dependent_option(D1 "" ON "A" OFF)
cmake_dependent_option(D2 "" ON "NOT A" OFF)
cmake_dependent_option(D3 "" OFF "A;D1" ON)
cmake_dependent_option(D4 "" ON "A;D2" forced)
cmake_dependent_option(D5 "" ON "A AND NOT D2" forced)
add_library(t STATIC a.cpp b.cpp)
target_compile_definitions(t PRIVATE V=\${V} W=\${W} U=\${U} P=\${P} D=\${D1},\${D2},\${D3},\${D4},\${D5})
get_target_property(NOPE t MISSING)
get_target_property(KIND t TYPE)
get_property(NAMED TARGET t PROPERTY NAME)
set_target_properties(t PROPERTIES CXX_STANDARD 17)
get_property(STD TARGET t PROPERTY CXX_STANDARD)
add_library(al ALIAS t)
get_target_property(AT al ALIASED_TARGET)
if(TARGET al)
  set(HAS 1)
endif()
add_library(u STATIC a.cpp)
target_compile_definitions(u PRIVATE N=\${NOPE} K=\${KIND}/\${NAMED} STD=\${STD} AT=\${AT} HAS=\${HAS})
`,
  });
  assert.match(argumentsOf(reading, "t", "CXX"), /^-DD=ON,OFF,OFF,forced,ON -DP=set -DU=parent -DV=outer -DW=inner /);
  assert.equal(argumentsOf(reading, "u", "CXX"), "-DAT=t -DHAS=1 -DK=STATIC_LIBRARY/t -DN=NOPE-NOTFOUND -DSTD=17");
});
