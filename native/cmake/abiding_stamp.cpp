// The ABI stamp of a binary: lines of `key=value` in an ELF note (owner "Abiding", type 1, section .note.abiding), and
// a function that returns the same text. AbidingStamp.cmake compiles this file as part of the target that is stamped,
// so that every value which only the compiler knows comes from that target's own flags. The keys are described in
// docs/stamp.md.
//
// Without CMake: put abiding_stamp_values.h on the include path, with the first two of these, and compile this file
// with the flags of the binary. It is valid C++98 and C99, and CUDA.
//
// clang-format off
//   #define ABIDING_STAMP_FUNCTION    abiding_stamp_mine           the function's name
//   #define ABIDING_STAMP_LINES       "name=mine\nversion=1.0\n"   any lines, each with its end
//   #define ABIDING_STAMP_TORCH       1                            when the binary is compiled against torch's headers
//   #define ABIDING_STAMP_TORCH_ABI   "stable"                     "classic" or "stable"; else told by TORCH_TARGET_VERSION
//   #define ABIDING_STAMP_TORCH_LOCAL "+cpu"                       what follows TORCH_VERSION in torch.__version__
//   #define ABIDING_STAMP_TORCH_GIT   "cf30153c..."                torch.version.git_version
//   #define ABIDING_STAMP_TORCH_CUDA  "13.0"                       torch.version.cuda
//   #define ABIDING_STAMP_PYTHON      1                            when the binary is a Python extension: Python.h is found
//   #define ABIDING_STAMP_PYBIND11    1                            when it uses pybind11: pybind11's headers are found
// clang-format on
#include "abiding_stamp_values.h"

#if defined(ABIDING_STAMP_PYTHON)
#include <Python.h>  // decides what the system's headers declare, and so comes before them
#endif

#include <limits.h>  // __GLIBC__

#ifdef __cplusplus
#include <cstddef>  // __GLIBCXX__, _GLIBCXX_USE_CXX11_ABI
#endif

#define ABIDING_TEXT_(value) #value
#define ABIDING_TEXT(value) ABIDING_TEXT_(value)

#if defined(__clang__)
#define ABIDING_COMPILER \
  "Clang " ABIDING_TEXT(__clang_major__) "." ABIDING_TEXT(__clang_minor__) "." ABIDING_TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define ABIDING_COMPILER \
  "GNU " ABIDING_TEXT(__GNUC__) "." ABIDING_TEXT(__GNUC_MINOR__) "." ABIDING_TEXT(__GNUC_PATCHLEVEL__)
#else
#define ABIDING_COMPILER "unknown"
#endif

#if defined(__cplusplus)
#define ABIDING_CXX_STD "cxx.std=" ABIDING_TEXT(__cplusplus) "\n"
#else
#define ABIDING_CXX_STD ""
#endif

#if defined(__cplusplus) && defined(__GXX_ABI_VERSION)
#define ABIDING_GXX_ABI "cxx.gxx_abi=" ABIDING_TEXT(__GXX_ABI_VERSION) "\n"
#else
#define ABIDING_GXX_ABI ""
#endif

#if defined(__GLIBCXX__)
#define ABIDING_GLIBCXX "cxx.glibcxx=" ABIDING_TEXT(__GLIBCXX__) "\n"
#else
#define ABIDING_GLIBCXX ""
#endif

#if defined(_GLIBCXX_USE_CXX11_ABI)
#define ABIDING_CXX11_ABI "cxx.cxx11_abi=" ABIDING_TEXT(_GLIBCXX_USE_CXX11_ABI) "\n"
#else
#define ABIDING_CXX11_ABI ""
#endif

#if defined(_GLIBCXX_DEBUG)
#define ABIDING_CXX_DEBUG "cxx.debug=1\n"
#elif defined(__GLIBCXX__)
#define ABIDING_CXX_DEBUG "cxx.debug=0\n"
#else
#define ABIDING_CXX_DEBUG ""
#endif

#if defined(__GLIBC__)
#define ABIDING_LIBC "libc=glibc " ABIDING_TEXT(__GLIBC__) "." ABIDING_TEXT(__GLIBC_MINOR__) "\n"
#else
#define ABIDING_LIBC ""
#endif

#if defined(__x86_64__) && defined(__ILP32__)
#define ABIDING_ARCH "arch=x32\n"
#elif defined(__x86_64__)
#define ABIDING_ARCH "arch=x86_64\n"
#elif defined(__aarch64__)
#define ABIDING_ARCH "arch=aarch64\n"
#elif defined(__i386__)
#define ABIDING_ARCH "arch=i386\n"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ABIDING_ARCH "arch=ppc64le\n"
#elif defined(__riscv) && __riscv_xlen == 64
#define ABIDING_ARCH "arch=riscv64\n"
#elif defined(__s390x__)
#define ABIDING_ARCH "arch=s390x\n"
#else
#define ABIDING_ARCH ""
#endif

// The levels of the x86-64 psABI that this file's flags ask of a machine.
#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
#define ABIDING_ISA "isa=x86-64-v4\n"
#elif defined(__x86_64__) && defined(__AVX2__) && defined(__BMI__) && defined(__BMI2__) && defined(__FMA__) && \
    defined(__LZCNT__) && defined(__MOVBE__)
#define ABIDING_ISA "isa=x86-64-v3\n"
#elif defined(__x86_64__) && defined(__SSE4_2__) && defined(__POPCNT__)
#define ABIDING_ISA "isa=x86-64-v2\n"
#elif defined(__x86_64__)
#define ABIDING_ISA "isa=x86-64\n"
#else
#define ABIDING_ISA ""
#endif

#if defined(ABIDING_STAMP_TORCH)
#if !defined(__has_include)
#error "The stamp needs a compiler with __has_include to find torch's version."
#elif __has_include(<torch/headeronly/version.h>)
#include <torch/headeronly/version.h>
#elif __has_include(<torch/version.h>)
#include <torch/version.h>
#elif __has_include(<torch/csrc/api/include/torch/version.h>)
#include <torch/csrc/api/include/torch/version.h>
#else
#error "The stamp was asked for TORCH, and torch's headers are not on this target's include path."
#endif
#if defined(TORCH_TARGET_VERSION) && __has_include(<torch/csrc/stable/version.h>)
#include <torch/csrc/stable/version.h>  // TORCH_VERSION_2_10_0 and its like
#endif
#ifndef ABIDING_STAMP_TORCH_ABI
#if defined(TORCH_TARGET_VERSION) || defined(TORCH_STABLE_ONLY)
#define ABIDING_STAMP_TORCH_ABI "stable"
#else
#define ABIDING_STAMP_TORCH_ABI "classic"
#endif
#endif
#if defined(ABIDING_STAMP_TORCH_PACKAGE) && \
    ABIDING_STAMP_TORCH_PACKAGE != TORCH_VERSION_MAJOR * 1000000 + TORCH_VERSION_MINOR * 1000 + TORCH_VERSION_PATCH
#error \
    "The torch package on this target's include path is of another version than torch's headers that are found first."
#endif
#ifndef ABIDING_STAMP_TORCH_LOCAL
#define ABIDING_STAMP_TORCH_LOCAL ""
#endif
#if defined(ABIDING_STAMP_TORCH_GIT)
#define ABIDING_TORCH_GIT "torch.git=" ABIDING_STAMP_TORCH_GIT "\n"
#else
#define ABIDING_TORCH_GIT ""
#endif
#if defined(ABIDING_STAMP_TORCH_CUDA)
#define ABIDING_TORCH_CUDA "torch.cuda=" ABIDING_STAMP_TORCH_CUDA "\n"
#else
#define ABIDING_TORCH_CUDA ""
#endif
#define ABIDING_TORCH_VERSION                                                                                \
  "torch.version=" ABIDING_TEXT(TORCH_VERSION_MAJOR) "." ABIDING_TEXT(TORCH_VERSION_MINOR) "." ABIDING_TEXT( \
      TORCH_VERSION_PATCH) ABIDING_STAMP_TORCH_LOCAL "\n" ABIDING_TORCH_GIT ABIDING_TORCH_CUDA               \
                                                     "torch.abi=" ABIDING_STAMP_TORCH_ABI "\n"
#if defined(_GLIBCXX_USE_CXX11_ABI)
#define ABIDING_TORCH ABIDING_TORCH_VERSION "torch.cxx11_abi=" ABIDING_TEXT(_GLIBCXX_USE_CXX11_ABI) "\n"
#else
#define ABIDING_TORCH ABIDING_TORCH_VERSION
#endif
#else
#define ABIDING_TORCH ""
#endif

#if defined(Py_LIMITED_API) || (defined(ABIDING_STAMP_TORCH) && defined(TORCH_TARGET_VERSION))
// A line of its own for each number that may be an expression (`((0ULL + 2) << 56) | ...`): its digits are computed.
#define ABIDING_DIGIT(value, shift)                                             \
  ((((value + 0) >> (shift)) & 15) < 10 ? '0' + (((value + 0) >> (shift)) & 15) \
                                        : 'a' - 10 + (((value + 0) >> (shift)) & 15))
#define ABIDING_DIGITS_16(value, shift)                                                                     \
  ABIDING_DIGIT(value, (shift) + 12), ABIDING_DIGIT(value, (shift) + 8), ABIDING_DIGIT(value, (shift) + 4), \
      ABIDING_DIGIT(value, shift)
#define ABIDING_DIGITS_32(value, shift) ABIDING_DIGITS_16(value, (shift) + 16), ABIDING_DIGITS_16(value, shift)
#endif

#if defined(ABIDING_STAMP_PYTHON)
#if defined(Py_GIL_DISABLED)
#define ABIDING_PYTHON_THREADS "t"
#else
#define ABIDING_PYTHON_THREADS ""
#endif
#if defined(Py_DEBUG)
#define ABIDING_PYTHON_DEBUG "d"
#else
#define ABIDING_PYTHON_DEBUG ""
#endif
#if defined(PYPY_VERSION)
#define ABIDING_PYTHON_ABI "python.abi=pypy-" PYPY_VERSION "\n"
#elif defined(Py_LIMITED_API)
#define ABIDING_PYTHON_ABI "python.abi=abi3\n"
#else
#define ABIDING_PYTHON_ABI                                            \
  "python.abi=cpython-" ABIDING_TEXT(PY_MAJOR_VERSION) ABIDING_TEXT( \
      PY_MINOR_VERSION) ABIDING_PYTHON_THREADS ABIDING_PYTHON_DEBUG "\n"
#endif
#else
#define ABIDING_PYTHON_ABI ""
#endif

// The name under which modules of one pybind11 find each other; its parts are macros of pybind11 and of the compiler.
#if defined(ABIDING_STAMP_PYBIND11) && defined(__cplusplus) && !defined(Py_LIMITED_API)
#include <pybind11/pybind11.h>
#if defined(PYBIND11_INTERNALS_ID)
#define ABIDING_PYBIND11 "pybind11.internals=" PYBIND11_INTERNALS_ID "\n"
#endif
#endif
#if !defined(ABIDING_PYBIND11)
#define ABIDING_PYBIND11 ""
#endif

#define ABIDING_LINES                                                                                          \
  ABIDING_STAMP_LINES "compiler=" ABIDING_COMPILER "\n" ABIDING_CXX_STD ABIDING_GXX_ABI ABIDING_CXX11_ABI      \
      ABIDING_GLIBCXX ABIDING_CXX_DEBUG ABIDING_LIBC ABIDING_ARCH ABIDING_ISA ABIDING_TORCH ABIDING_PYTHON_ABI \
      ABIDING_PYBIND11

// Members of char follow each other without gaps; the text ends at the first NUL, which is in `lines`.
struct AbidingStampText {
  char schema[9];
#if defined(ABIDING_STAMP_TORCH) && defined(TORCH_TARGET_VERSION)
  char torch_target[32];
#endif
#if defined(Py_LIMITED_API)
  char py_limited[22];
#endif
  char lines[sizeof(ABIDING_LINES)];
};

struct AbidingStampNote {
  unsigned int owner_bytes;
  unsigned int text_bytes;
  unsigned int type;
  char owner[8];
  struct AbidingStampText text;
};

// The alignment has to be said: a compiler gives large constants more than 4, and readers then lose the note. A linker
// keeps notes that nothing refers to; `used` is for the compiler. AddressSanitizer would put a red zone into the
// section.
#if defined(__ELF__)
#define ABIDING_IN_NOTE __attribute__((section(".note.abiding"), used, aligned(4)))
#if defined(__clang__)
#define ABIDING_UNPADDED __attribute__((no_sanitize("address")))
#else
#define ABIDING_UNPADDED
#endif
#else
#define ABIDING_IN_NOTE
#define ABIDING_UNPADDED
#endif

#define ABIDING_JOINED_(name, suffix) name##suffix
#define ABIDING_JOINED(name, suffix) ABIDING_JOINED_(name, suffix)
#define ABIDING_NOTE ABIDING_JOINED(ABIDING_STAMP_FUNCTION, _note)

#ifdef __cplusplus
extern "C" {
#endif

ABIDING_IN_NOTE ABIDING_UNPADDED static const struct AbidingStampNote ABIDING_NOTE = {
    8,
    sizeof(struct AbidingStampText),
    1,
    {'A', 'b', 'i', 'd', 'i', 'n', 'g', 0},
    {
        {'s', 'c', 'h', 'e', 'm', 'a', '=', '1', '\n'},
#if defined(ABIDING_STAMP_TORCH) && defined(TORCH_TARGET_VERSION)
        {'t', 'o', 'r', 'c', 'h', '.', 't', 'a', 'r', 'g', 'e', 't', '=', '0', 'x',
         ABIDING_DIGITS_32(TORCH_TARGET_VERSION, 32), ABIDING_DIGITS_32(TORCH_TARGET_VERSION, 0), '\n'},
#endif
#if defined(Py_LIMITED_API)
        {'p', 'y', '.', 'l', 'i', 'm', 'i', 't', 'e', 'd', '=', '0', 'x', ABIDING_DIGITS_32(Py_LIMITED_API, 0), '\n'},
#endif
        ABIDING_LINES,
    },
};

#if defined(__GNUC__)
__attribute__((visibility("default"), used))
#endif
const char* ABIDING_STAMP_FUNCTION(void);
const char* ABIDING_STAMP_FUNCTION(void) {
#ifdef __cplusplus
  return static_cast<const char*>(static_cast<const void*>(&ABIDING_NOTE.text));
#else
  return (const char*)&ABIDING_NOTE.text;
#endif
}

#ifdef __cplusplus
}
#endif
