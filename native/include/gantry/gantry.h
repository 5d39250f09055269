/* SPDX-License-Identifier: Apache-2.0
 *
 * Gantry: gather and scatter over embedding tables in host, shared and GPU memory.
 *
 * This header is the whole public interface. It is valid C11 and C++17, and no type of C++, of CUDA or of a framework
 * stands in it: a caller needs neither the compiler, nor the standard library, nor the torch that built the library.
 *
 * Conventions
 *  - Every struct that is passed by pointer begins with `struct_size`. The caller sets it to sizeof the struct that it
 *    was compiled with; members beyond it are taken as zero and are never written. A size that cuts off a member which
 *    the first release had is refused.
 *  - Every function that can fail returns a gantry_status. gantry_last_error() has the text of the last failure of the
 *    calling thread. Nothing is thrown, and the process is never ended.
 *  - A callback (of an environment, log, release, visit, the deleter of a DLPack tensor) must not leave by a C++
 *    exception nor by longjmp: the library has a C++ runtime and an unwinder of its own, which know nothing of the
 *    caller's exceptions, and holds locks and memory that would stay. An exception that gets as far ends the process.
 *    Catch what may be thrown inside of the callback, and return a status.
 *  - A call needs up to 64 KiB of the calling thread's stack, and beyond that what its callbacks need.
 *  - Sizes named `bytes` count bytes; strides of tensors count elements, as in DLPack.
 *  - Zero is the default of every option.
 */
#ifndef GANTRY_GANTRY_H
#define GANTRY_GANTRY_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define GANTRY_API
#elif defined(GANTRY_BUILDING)
#define GANTRY_API __attribute__((visibility("default")))
#else
#define GANTRY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ versions */

#define GANTRY_VERSION_MAJOR 0
#define GANTRY_VERSION_MINOR 1
#define GANTRY_VERSION_PATCH 0

/* The binary interface: the major number changes when a caller has to be compiled anew, the minor number when something
 * was added. */
#define GANTRY_ABI_MAJOR 1u
#define GANTRY_ABI_MINOR 0u
#define GANTRY_ABI_VERSION ((GANTRY_ABI_MAJOR << 16) | GANTRY_ABI_MINOR)

/* The interface of the library that is loaded: major << 16 | minor. */
GANTRY_API uint32_t gantry_abi_version(void);

/* The version of the library: "0.1.0". */
GANTRY_API const char* gantry_version(void);

/* The library's ABI stamp: lines of `key=value`, the same bytes as its ELF note (owner "Abiding", type 1). */
GANTRY_API const char* gantry_build_info(void);

/* ------------------------------------------------------------------ status */

typedef int32_t gantry_status;
enum {
  GANTRY_OK = 0,
  GANTRY_ERROR_INVALID_ARGUMENT = 1,     /* null, negative, of the wrong shape or kind */
  GANTRY_ERROR_ABI = 2,                  /* another binary interface, or a struct_size that is too small */
  GANTRY_ERROR_INDEX = 3,                /* an index outside the table, under GANTRY_BOUNDS_ERROR */
  GANTRY_ERROR_OVERLAP = 4,              /* memory that is written overlaps memory that is read */
  GANTRY_ERROR_MISALIGNED = 5,           /* a pointer that is no multiple of its element's alignment */
  GANTRY_ERROR_OVERFLOW = 6,             /* a product of sizes exceeds 63 bits */
  GANTRY_ERROR_UNSUPPORTED = 7,          /* a pair of dtypes, a device, a layout that the library does not do */
  GANTRY_ERROR_OUT_OF_MEMORY = 8,        /* an allocation failed */
  GANTRY_ERROR_ENVIRONMENT = 9,          /* a callback broke its contract: null block, wrong alignment, too few bytes */
  GANTRY_ERROR_REENTRANT = 10,           /* a callback called an op on the context that is running it */
  GANTRY_ERROR_BACKEND_UNAVAILABLE = 11, /* see gantry_backend_query */
  GANTRY_ERROR_DEVICE = 12,              /* an error of the CUDA runtime; the text has its name */
  GANTRY_ERROR_CAPTURE = 13,             /* not possible while the stream captures a graph */
  GANTRY_ERROR_SEGMENT_LAYOUT = 14,      /* no segment of Gantry's, of another layout, or of other dtype or shape */
  GANTRY_ERROR_SEGMENT_TRUNCATED = 15,   /* a segment shorter than its header says */
  GANTRY_ERROR_SEGMENT_SPACE = 16,       /* less shared memory left than asked for */
  GANTRY_ERROR_SYSTEM = 17,              /* a system call failed; the text has its name and errno's text */
  GANTRY_ERROR_READ_ONLY = 18,           /* a write into memory that was declared read-only */
  GANTRY_ERROR_DLPACK_VERSION = 19,      /* a DLPack capsule of another major version */
  GANTRY_ERROR_INTERNAL = 20             /* a defect of the library: please report it */
};

/* The name of a status ("GANTRY_ERROR_INDEX"), and "unknown status" for others. */
GANTRY_API const char* gantry_status_name(gantry_status status);

/* What the last failure of the calling thread was: one sentence with the values that were seen. Never null; valid until
 * the next call of the library by this thread. A success leaves it as it is; "" before the first failure. */
GANTRY_API const char* gantry_last_error(void);

/* ------------------------------------------------------------------ tensors */

/* DLPack's type codes (dlpack.h, DLDataTypeCode). */
enum {
  GANTRY_CODE_INT = 0,
  GANTRY_CODE_UINT = 1,
  GANTRY_CODE_FLOAT = 2,
  GANTRY_CODE_RAW = 3, /* kDLOpaqueHandle: bytes without meaning */
  GANTRY_CODE_BFLOAT = 4,
  GANTRY_CODE_COMPLEX = 5,
  GANTRY_CODE_BOOL = 6
};

/* An element's type, laid out as DLDataType. Elements have bits * lanes bits, a multiple of 8. A type that is unknown
 * to the library is moved unconverted. */
typedef struct gantry_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} gantry_dtype;

/* DLPack's device types (dlpack.h, DLDeviceType). */
enum {
  GANTRY_DEVICE_HOST = 1,
  GANTRY_DEVICE_CUDA = 2,
  GANTRY_DEVICE_CUDA_HOST = 3,   /* pinned: host memory that the GPU can read */
  GANTRY_DEVICE_CUDA_MANAGED = 13
};

typedef struct gantry_device {
  int32_t type;
  int32_t id;
} gantry_device;

enum { GANTRY_TENSOR_READ_ONLY = 1u << 0 };

#define GANTRY_MAX_DIMENSIONS 8

/* A view on memory that somebody else owns. `shape` and `strides` are borrowed for the call. */
typedef struct gantry_tensor {
  uint32_t struct_size;
  uint32_t flags;
  void* data;
  uint64_t byte_offset;
  const int64_t* shape;
  const int64_t* strides; /* in elements; null: row-major without gaps */
  int32_t ndim;
  gantry_dtype dtype;
  gantry_device device;
} gantry_tensor;

/* Rows of one dtype and width, numbered through the chunks in their order. A chunk has two dimensions (rows, columns),
 * or one (rows of one element); its columns lie side by side, its rows may have gaps. Usually there is one chunk. */
typedef struct gantry_table {
  uint32_t struct_size;
  uint32_t chunk_count;
  const gantry_tensor* chunks;
} gantry_table;

/* ------------------------------------------------------------------ streams */

/* A CUDA stream (cudaStream_t, CUstream). Ignored by ops on host memory. An op on a device refuses null, so that the
 * legacy default stream is never used by oversight; it has a name instead. */
typedef void* gantry_stream;
#define GANTRY_STREAM_LEGACY ((gantry_stream)1)     /* cudaStreamLegacy */
#define GANTRY_STREAM_PER_THREAD ((gantry_stream)2) /* cudaStreamPerThread */

/* ------------------------------------------------------------------ environment: the memory that an op needs */

typedef uint32_t gantry_purpose;
enum {
  GANTRY_PURPOSE_SCRATCH = 0,     /* buckets, sort keys, partial sums */
  GANTRY_PURPOSE_OUTPUT = 1,      /* storage that outlives the op */
  GANTRY_PURPOSE_DIAGNOSTICS = 2  /* records of bad indices */
};

typedef struct gantry_allocation {
  uint32_t struct_size;
  gantry_purpose purpose;
  uint64_t bytes;     /* > 0 */
  uint64_t alignment; /* a power of two */
  gantry_device device;
  gantry_stream stream; /* work on the block is ordered on it */
} gantry_allocation;

typedef struct gantry_block {
  uint32_t struct_size;
  uint32_t reserved;
  void* data;
  uint64_t bytes; /* at least what was asked for */
  void* opaque;   /* the callee's own */
} gantry_block;

/* Where an op gets its memory, all but the record that gantry_check reads.
 *  - allocate and deallocate come in pairs: a block that came with GANTRY_OK is given back once, also when it is
 *    refused as too small or misaligned. Scratch is given back before the op returns, also when it fails, the last
 *    block first. On a device the block may still be in use by work that was queued on `stream`: an environment hands
 *    it out again for the same stream only, or waits.
 *  - allocate_output is asked when an op's output has data == null. It fills `output` (data, byte_offset, strides;
 *    flags); the block stays the caller's, whatever the op returns. `slot` is the output's own: see gantry_options.
 *  - A callback may be called from any thread, never by two at once for one op. It returns GANTRY_OK or the status that
 *    the op shall return. GANTRY_ERROR_INDEX, which is an op's own to say, and what is no gantry_status become
 *    GANTRY_ERROR_ENVIRONMENT. It must not call an op on the same context: that call returns GANTRY_ERROR_REENTRANT.
 *  - observe may be null.
 */
typedef struct gantry_environment {
  uint32_t struct_size;
  uint32_t reserved;
  void* user;
  gantry_status (*allocate)(void* user, const gantry_allocation* request, gantry_block* block);
  void (*deallocate)(void* user, const gantry_allocation* request, gantry_block* block);
  gantry_status (*allocate_output)(void* user, const gantry_allocation* request, void* slot, gantry_tensor* output);
  void (*observe)(void* user, const char* op, uint64_t bytes_moved, uint64_t nanoseconds);
} gantry_environment;

/* malloc, aligned to 64 bytes or as asked; host memory only. What an op uses when it is given no environment.
 * This one, the cached and the pinned environment make an output as a storage: options.slot is a gantry_storage** that
 * receives it, for the caller to release. */
GANTRY_API const gantry_environment* gantry_environment_malloc(void);

/* Keeps freed blocks by size class and hands them out again: large outputs then cost no page faults. Thread-safe. Host
 * memory; other devices are refused. */
typedef struct gantry_cache_options {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t limit_bytes; /* kept at most; 0: a quarter of the memory that the process may use */
} gantry_cache_options;
typedef struct gantry_cache_statistics {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t bytes_in_use;
  uint64_t bytes_kept;
  uint64_t bytes_in_use_peak;
  uint64_t allocations;
  uint64_t reused;
} gantry_cache_statistics;
GANTRY_API gantry_status gantry_environment_cached_create(const gantry_cache_options* options,
                                                          gantry_environment** out);
GANTRY_API gantry_status gantry_environment_cached_trim(gantry_environment* environment, uint64_t keep_bytes);
GANTRY_API gantry_status gantry_environment_cached_statistics(const gantry_environment* environment,
                                                              gantry_cache_statistics* out);
/* Refused while blocks are in use. */
GANTRY_API gantry_status gantry_environment_cached_destroy(gantry_environment* environment);

/* ------------------------------------------------------------------ context */

typedef struct gantry_context gantry_context;

typedef uint32_t gantry_backend;
enum { GANTRY_BACKEND_HOST = 0, GANTRY_BACKEND_CUDA = 1 };

typedef struct gantry_open_options {
  uint32_t struct_size;
  uint32_t threads;        /* of the host pool with the caller, to 256; 0: GANTRY_NUM_THREADS, else affinity, quota */
  const char* cuda_plugin; /* path; null: GANTRY_CUDA_PLUGIN, else beside the library, else its folder gantry/ */
  void* log_user;
  void (*log)(void* user, const char* line); /* hears what was opened, found, and not obeyed; may be null */
} gantry_open_options;

/* `abi_wanted` is the caller's GANTRY_ABI_VERSION: another major, or a newer minor, is refused with GANTRY_ERROR_ABI. A
 * context may be used by several threads at once. It survives fork: the child starts its own threads. */
GANTRY_API gantry_status gantry_open(uint32_t abi_wanted, const gantry_open_options* options, gantry_context** out);

/* Ends the context's threads. Null is allowed. A process may also end without it, and dlclose leaves the library
 * loaded. */
GANTRY_API gantry_status gantry_close(gantry_context* context);

/* How many threads an op on host memory uses, the caller among them. */
GANTRY_API uint32_t gantry_threads(const gantry_context* context);

/* The level of the host's kernels in use: "x86-64", "x86-64-v3", "x86-64-v4", "aarch64", "generic". GANTRY_ISA sets a
 * lower one. */
GANTRY_API const char* gantry_isa(const gantry_context* context);

/* Why a backend cannot be used: the first that holds, in this order. */
typedef uint32_t gantry_reason;
enum {
  GANTRY_REASON_AVAILABLE = 0,
  GANTRY_REASON_PLUGIN_ABSENT = 1,
  GANTRY_REASON_PLUGIN_FOREIGN = 2,      /* built from other sources or for another interface: its stamp differs */
  GANTRY_REASON_PLUGIN_UNLOADABLE = 3,   /* dlopen's text */
  GANTRY_REASON_DRIVER_ABSENT = 4,       /* no libcuda.so.1 */
  GANTRY_REASON_DRIVER_UNUSABLE = 5,     /* libcuda.so.1 is there, the driver is not: version 0 */
  GANTRY_REASON_DRIVER_TOO_OLD = 6,      /* older than the CUDA runtime of the plug-in allows */
  GANTRY_REASON_DRIVER_ERROR = 7,        /* cuInit's code and name */
  GANTRY_REASON_NO_DEVICE = 8,
  GANTRY_REASON_NO_CODE_FOR_DEVICE = 9,  /* neither SASS nor PTX that the GPU can run */
  GANTRY_REASON_SELF_TEST_FAILED = 10
};
GANTRY_API const char* gantry_reason_name(gantry_reason reason);

typedef struct gantry_backend_info {
  uint32_t struct_size;
  gantry_reason reason;
  int32_t driver_version;  /* 13000 for 13.0; 0: none */
  int32_t runtime_version; /* that the plug-in was built with */
  int32_t device_count;
  int32_t driver_code; /* of cuInit */
  char text[512];      /* one sentence: what was found and what to do */
  char devices[512];   /* one line for each: name, compute capability, bytes of memory */
  char architectures[128];
} gantry_backend_info;

/* Loads the plug-in at the first call. GANTRY_OK also when the backend is unavailable: `reason` says it. */
GANTRY_API gantry_status gantry_backend_query(gantry_context* context, gantry_backend backend,
                                              gantry_backend_info* out);

/* Page-locked host memory of the CUDA backend; GANTRY_ERROR_BACKEND_UNAVAILABLE without it. Valid as long as the
 * context. */
GANTRY_API gantry_status gantry_environment_pinned(gantry_context* context, const gantry_environment** out);

/* ------------------------------------------------------------------ ops */

/* What happens to a row whose index is outside the table.
 *                 gather                          scatter, scatter_add
 * ERROR           the op finishes the other rows, then returns GANTRY_ERROR_INDEX with the first bad position and
 *                 its value;
 *                 the row's output is unspecified         the row is left out
 * SKIP            the output row keeps its contents       the row is left out
 * ZERO            the output row becomes zero             the row is left out
 * CLAMP           the nearest row of the table is used; an empty table is an error
 * WRAP_NEGATIVE   -1 is the last row, as in Python; what is outside then is an error
 * TRUST           undefined: nothing is checked
 * CUDA: under ERROR and WRAP_NEGATIVE the op only records; it reads the record, and waits for the stream, when options
 * ask for stats. gantry_check reads it later.
 */
typedef uint32_t gantry_bounds;
enum {
  GANTRY_BOUNDS_ERROR = 0,
  GANTRY_BOUNDS_SKIP = 1,
  GANTRY_BOUNDS_ZERO = 2,
  GANTRY_BOUNDS_CLAMP = 3,
  GANTRY_BOUNDS_WRAP_NEGATIVE = 4,
  GANTRY_BOUNDS_TRUST = 5
};

typedef uint32_t gantry_choice;
enum { GANTRY_AUTO = 0, GANTRY_NEVER = 1, GANTRY_ALWAYS = 2 };

typedef struct gantry_stats {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t rows;               /* that were moved */
  uint64_t bytes_read;        /* indices and rows */
  uint64_t bytes_written;
  int64_t bad_rows;           /* whose index was outside, under every policy but TRUST */
  int64_t first_bad_position; /* -1: none */
  int64_t first_bad_value;
  uint64_t scratch_bytes;
  uint64_t nanoseconds; /* host ops: of the whole call; device ops: of the call, not of the kernel */
} gantry_stats;

typedef struct gantry_options {
  uint32_t struct_size;
  gantry_bounds bounds;
  gantry_choice deterministic; /* host ops always are. CUDA: scatter_add without atomics, scatter: the last row wins */
  gantry_choice streaming;     /* non-temporal stores: AUTO when the output is much larger than the cache */
  gantry_choice sorted;        /* gather in the rows' order: for narrow rows over PCIe. AUTO: CUDA on host memory */
  uint32_t threads;            /* at most; 0: the context's */
  uint32_t multiprocessors;    /* CUDA: at most; 0: all */
  uint32_t reserved;
  void* slot;          /* passed to allocate_output */
  gantry_stats* stats; /* filled when not null, on GANTRY_OK and GANTRY_ERROR_INDEX; left as it is on other failures */
} gantry_options;

/* output[i] = table[indices[i]]. `indices`: signed or unsigned integers of 32 or 64 bits, of any shape; with one
 * dimension they may have a stride. `output`: as many rows as there are indices (shape: indices' shape and the table's
 * columns, or two dimensions, or one for one column). Equal dtypes are moved byte by byte; float16, bfloat16, float32
 * and float64 are converted among each other, integers among each other (modulo 2^bits, as C's conversions do). Reading
 * a table and writing an output that overlap is refused. */
GANTRY_API gantry_status gantry_gather(gantry_context* context, const gantry_table* table, const gantry_tensor* indices,
                                       gantry_tensor* output, const gantry_options* options,
                                       const gantry_environment* environment, gantry_stream stream);

/* table[indices[i]] = rows[i]. Of equal indices the last row wins on the host, and on CUDA when options ask for
 * determinism; else parts of several of them may be there. */
GANTRY_API gantry_status gantry_scatter(gantry_context* context, const gantry_tensor* rows,
                                        const gantry_tensor* indices, const gantry_table* table,
                                        const gantry_options* options, const gantry_environment* environment,
                                        gantry_stream stream);

/* table[indices[i]] += rows[i], of equal dtypes, floats and integers. On the host the rows are added in the order of
 * the indices whatever the number of threads: bitwise what a sequential loop gives. The sums of float16 and bfloat16
 * are float32 in that loop, from the table's row on, and are rounded once at its end, as torch's index_add_ does for
 * tables of two dimensions. On CUDA that holds, but for the payload of a NaN, when options ask for determinism; else
 * the order is any, every sum of 16-bit floats is rounded, and subnormal numbers of float32 count as zero. */
GANTRY_API gantry_status gantry_scatter_add(gantry_context* context, const gantry_tensor* rows,
                                            const gantry_tensor* indices, const gantry_table* table,
                                            const gantry_options* options, const gantry_environment* environment,
                                            gantry_stream stream);

/* destination = source, converted as gather does; of one shape, each with rows without gaps inside. */
GANTRY_API gantry_status gantry_convert(gantry_context* context, const gantry_tensor* source,
                                        const gantry_tensor* destination, const gantry_options* options,
                                        const gantry_environment* environment, gantry_stream stream);

/* destination = source, of one dtype: memcpy by the same machinery. The roof that other ops are measured against. */
GANTRY_API gantry_status gantry_copy(gantry_context* context, const gantry_tensor* source,
                                     const gantry_tensor* destination, const gantry_options* options,
                                     const gantry_environment* environment, gantry_stream stream);

/* CUDA: waits for the stream and reports the first bad index that ops on it have recorded since the last check.
 * The record is the context's: a graph that an op was captured in must not run after gantry_close. It is memory that no
 * environment is asked for: an op under ERROR or WRAP_NEGATIVE without stats, on the first such stream of a device and
 * on every 64th after it, allocates 2 KiB there (cudaMalloc, zeroed and waited for on a stream of its own, inside a
 * capture too), which gantry_close frees. It is kept by the stream's handle (GANTRY_STREAM_PER_THREAD: by the thread):
 * a new stream with the handle of a destroyed one begins with what was recorded there and not read. */
GANTRY_API gantry_status gantry_check(gantry_context* context, int32_t device, gantry_stream stream,
                                      gantry_stats* stats);

/* ------------------------------------------------------------------ storage: memory with a lifetime */

/* Counted references; independent of contexts. Everything that is exported holds a reference, so that the memory stays
 * as long as a consumer has it. */
typedef struct gantry_storage gantry_storage;

/* Memory from an environment (null: malloc), zeroed when `zero` is not 0 (host memory only). The environment is copied
 * and has to live as long as the storage. */
GANTRY_API gantry_status gantry_storage_create(const gantry_environment* environment, uint64_t bytes,
                                               uint64_t alignment, gantry_device device, gantry_stream stream,
                                               int32_t zero, gantry_storage** out);

/* Somebody else's memory; `release` (may be null) is called once, at the last release. */
GANTRY_API gantry_status gantry_storage_wrap(void* data, uint64_t bytes, gantry_device device, int32_t read_only,
                                             void* user, void (*release)(void* user), gantry_storage** out);

GANTRY_API void gantry_storage_retain(gantry_storage* storage);
GANTRY_API void gantry_storage_release(gantry_storage* storage); /* null is allowed */
GANTRY_API void* gantry_storage_data(const gantry_storage* storage);
GANTRY_API uint64_t gantry_storage_bytes(const gantry_storage* storage);
GANTRY_API gantry_device gantry_storage_device(const gantry_storage* storage);
GANTRY_API int32_t gantry_storage_read_only(const gantry_storage* storage);

/* ------------------------------------------------------------------ DLPack */

/* The structs of dlpack.h, which may be included before or after this header. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Both take the tensor over: its deleter is called once, at the storage's last release, or before the function returns
 * when it fails. `view` points into the managed tensor and is valid as long as `out` is held; the storage is the bytes
 * that the elements occupy. A major version other than 1 gives GANTRY_ERROR_DLPACK_VERSION, flags beyond those of 1.3
 * GANTRY_ERROR_UNSUPPORTED. */
GANTRY_API gantry_status gantry_import_dlpack(struct DLManagedTensor* managed, gantry_tensor* view,
                                              gantry_storage** out);
GANTRY_API gantry_status gantry_import_dlpack_versioned(struct DLManagedTensorVersioned* managed, gantry_tensor* view,
                                                        gantry_storage** out);

/* A borrowed DLTensor (of an exchange API): nothing is taken over. */
GANTRY_API gantry_status gantry_view_dltensor(const void* dltensor, gantry_tensor* view);

/* The view has to lie inside the storage. The result's deleter gives the reference back. `is_copy` sets DLPack's
 * IS_COPIED. The legacy form cannot say read-only: it is refused for read-only storage. */
GANTRY_API gantry_status gantry_export_dlpack(gantry_storage* storage, const gantry_tensor* view,
                                              struct DLManagedTensor** out);
GANTRY_API gantry_status gantry_export_dlpack_versioned(gantry_storage* storage, const gantry_tensor* view,
                                                        int32_t is_copy, struct DLManagedTensorVersioned** out);

/* ------------------------------------------------------------------ shared segments */

/* A table in shared memory: a page with a header (magic, layout, the writer's stamp, dtype, shape, row stride), then
 * the rows. */
typedef struct gantry_segment_layout {
  uint32_t struct_size;
  gantry_dtype dtype;
  int64_t rows;
  int64_t columns;
  int64_t row_stride; /* in elements; 0: columns */
} gantry_segment_layout;

enum {
  GANTRY_SEGMENT_READ_ONLY = 1u << 0, /* attach: writes fault; ops and publish refuse it */
  GANTRY_SEGMENT_EXCLUSIVE = 1u << 1  /* create: a segment of that name must not exist */
};

/* `name`: null for memory without a name (memfd), to be passed on by its file descriptor; else "/gantry-..." in shared
 * memory (shm_open's directory). Space is reserved at once: GANTRY_ERROR_SEGMENT_SPACE instead of a SIGBUS later. The
 * rows are zero. The name appears when the segment is complete. Without GANTRY_SEGMENT_EXCLUSIVE it takes over a name
 * that exists: processes that have the former segment keep it. Only processes of the same user can attach by name. The
 * size of memory without a name is sealed: nobody can shrink it under a reader. A named segment cannot be sealed; a
 * process of the same user that truncates its file makes later accesses of all others a SIGBUS. */
GANTRY_API gantry_status gantry_segment_create(const char* name, const gantry_segment_layout* layout, uint32_t flags,
                                               gantry_storage** out);

/* Exactly one of `name` and `fd` (>= 0; duplicated, the caller keeps its own). `expected` (may be null): members that
 * are not zero have to agree, else GANTRY_ERROR_SEGMENT_LAYOUT. Nothing of the file is trusted: its kind, size and
 * header are checked before the rows are mapped. A memfd that is not sealed against shrinking (F_SEAL_SHRINK) is
 * refused with GANTRY_ERROR_SEGMENT_LAYOUT, whoever made it; it is known by its link in /proc. */
GANTRY_API gantry_status gantry_segment_attach(const char* name, int fd, const gantry_segment_layout* expected,
                                               uint32_t flags, gantry_storage** out);

/* The rows as a tensor of two dimensions; `shape` and `strides` point into the storage. GANTRY_ERROR_INVALID_ARGUMENT
 * when the storage is no segment. */
GANTRY_API gantry_status gantry_segment_view(const gantry_storage* storage, gantry_tensor* view);

/* The descriptor of the segment, owned by the storage; -1 when the storage is no segment. */
GANTRY_API int gantry_segment_fd(const gantry_storage* storage);

/* A counter in the header that all attached processes share: read, and raised by one with release order. */
GANTRY_API gantry_status gantry_segment_generation(const gantry_storage* storage, uint64_t* out);
GANTRY_API gantry_status gantry_segment_publish(gantry_storage* storage);

/* Removes the name; memory that is attached stays. */
GANTRY_API gantry_status gantry_segment_unlink(const char* name);

typedef struct gantry_segment_info {
  uint32_t struct_size;
  int32_t creator; /* process id */
  int32_t creator_alive; /* 1; 0: that process has ended; -1: nothing is known, it is of another pid namespace */
  uint32_t reserved;
  uint64_t bytes; /* of the file, the header among them */
  char name[256];
} gantry_segment_info;

/* Calls `visit` for every named segment of Gantry's on this machine, also for what an interrupted create has left
 * behind; a result other than 0 ends it. */
GANTRY_API gantry_status gantry_segment_list(int (*visit)(void* user, const gantry_segment_info* info), void* user);

/* Makes a segment, or other host storage, readable by the GPU at the same address (cudaHostRegister) until the last
 * release. */
GANTRY_API gantry_status gantry_storage_pin(gantry_context* context, gantry_storage* storage);

#ifdef __cplusplus
}
#endif

#endif /* GANTRY_GANTRY_H */
