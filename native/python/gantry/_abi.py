"""gantry.h in ctypes: the constants, the structs, and every function's prototype."""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Tuple, Type

ABI_MAJOR = 1
ABI_MINOR = 0
ABI_VERSION = ABI_MAJOR << 16 | ABI_MINOR

OK = 0
ERROR_INVALID_ARGUMENT = 1
ERROR_ABI = 2
ERROR_INDEX = 3
ERROR_OVERLAP = 4
ERROR_MISALIGNED = 5
ERROR_OVERFLOW = 6
ERROR_UNSUPPORTED = 7
ERROR_OUT_OF_MEMORY = 8
ERROR_ENVIRONMENT = 9
ERROR_REENTRANT = 10
ERROR_BACKEND_UNAVAILABLE = 11
ERROR_DEVICE = 12
ERROR_CAPTURE = 13
ERROR_SEGMENT_LAYOUT = 14
ERROR_SEGMENT_TRUNCATED = 15
ERROR_SEGMENT_SPACE = 16
ERROR_SYSTEM = 17
ERROR_READ_ONLY = 18
ERROR_DLPACK_VERSION = 19
ERROR_INTERNAL = 20

CODE_INT = 0
CODE_UINT = 1
CODE_FLOAT = 2
CODE_RAW = 3
CODE_BFLOAT = 4
CODE_COMPLEX = 5
CODE_BOOL = 6

DEVICE_HOST = 1
DEVICE_CUDA = 2
DEVICE_CUDA_HOST = 3
DEVICE_CUDA_MANAGED = 13

TENSOR_READ_ONLY = 1
MAX_DIMENSIONS = 8

STREAM_LEGACY = 1
STREAM_PER_THREAD = 2

PURPOSE_SCRATCH = 0
PURPOSE_OUTPUT = 1
PURPOSE_DIAGNOSTICS = 2

BACKEND_HOST = 0
BACKEND_CUDA = 1

BOUNDS_ERROR = 0
BOUNDS_SKIP = 1
BOUNDS_ZERO = 2
BOUNDS_CLAMP = 3
BOUNDS_WRAP_NEGATIVE = 4
BOUNDS_TRUST = 5

AUTO = 0
NEVER = 1
ALWAYS = 2

SEGMENT_READ_ONLY = 1
SEGMENT_EXCLUSIVE = 2


class _Sized(Structure):
    """A struct that begins with its size, which is set when the object is made."""

    def __init__(self, **members: Any) -> None:
        super().__init__(ctypes.sizeof(self), **members)


class Dtype(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class Tensor(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("data", c_void_p),
        ("byte_offset", c_uint64),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("ndim", c_int32),
        ("dtype", Dtype),
        ("device", Device),
    ]


class Table(_Sized):
    _fields_ = [("struct_size", c_uint32), ("chunk_count", c_uint32), ("chunks", POINTER(Tensor))]


class Allocation(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("purpose", c_uint32),
        ("bytes", c_uint64),
        ("alignment", c_uint64),
        ("device", Device),
        ("stream", c_void_p),
    ]


class Block(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("data", c_void_p),
        ("bytes", c_uint64),
        ("opaque", c_void_p),
    ]


AllocateFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(Allocation), POINTER(Block))
DeallocateFunction = CFUNCTYPE(None, c_void_p, POINTER(Allocation), POINTER(Block))
AllocateOutputFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(Allocation), c_void_p, POINTER(Tensor))
ObserveFunction = CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)
LogFunction = CFUNCTYPE(None, c_void_p, c_char_p)
ReleaseFunction = CFUNCTYPE(None, c_void_p)


class Environment(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("user", c_void_p),
        ("allocate", AllocateFunction),
        ("deallocate", DeallocateFunction),
        ("allocate_output", AllocateOutputFunction),
        ("observe", ObserveFunction),
    ]


class CacheOptions(_Sized):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("limit_bytes", c_uint64)]


class CacheStatistics(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("bytes_in_use", c_uint64),
        ("bytes_kept", c_uint64),
        ("bytes_in_use_peak", c_uint64),
        ("allocations", c_uint64),
        ("reused", c_uint64),
    ]


class OpenOptions(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("threads", c_uint32),
        ("cuda_plugin", c_char_p),
        ("log_user", c_void_p),
        ("log", LogFunction),
    ]


class BackendInfo(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reason", c_uint32),
        ("driver_version", c_int32),
        ("runtime_version", c_int32),
        ("device_count", c_int32),
        ("driver_code", c_int32),
        ("text", c_char * 512),
        ("devices", c_char * 512),
        ("architectures", c_char * 128),
    ]


class Stats(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("rows", c_int64),
        ("bytes_read", c_uint64),
        ("bytes_written", c_uint64),
        ("bad_rows", c_int64),
        ("first_bad_position", c_int64),
        ("first_bad_value", c_int64),
        ("scratch_bytes", c_uint64),
        ("nanoseconds", c_uint64),
    ]


class Options(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("bounds", c_uint32),
        ("deterministic", c_uint32),
        ("streaming", c_uint32),
        ("sorted", c_uint32),
        ("threads", c_uint32),
        ("multiprocessors", c_uint32),
        ("reserved", c_uint32),
        ("slot", c_void_p),
        ("stats", POINTER(Stats)),
    ]


class SegmentLayout(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("dtype", Dtype),
        ("rows", c_int64),
        ("columns", c_int64),
        ("row_stride", c_int64),
    ]


class SegmentInfo(_Sized):
    _fields_ = [
        ("struct_size", c_uint32),
        ("creator", c_int32),
        ("creator_alive", c_int32),
        ("reserved", c_uint32),
        ("bytes", c_uint64),
        ("name", c_char * 256),
    ]


VisitFunction = CFUNCTYPE(c_int, c_void_p, POINTER(SegmentInfo))

STRUCTS: Dict[str, Type[Structure]] = {
    "gantry_dtype": Dtype,
    "gantry_device": Device,
    "gantry_tensor": Tensor,
    "gantry_table": Table,
    "gantry_allocation": Allocation,
    "gantry_block": Block,
    "gantry_environment": Environment,
    "gantry_cache_options": CacheOptions,
    "gantry_cache_statistics": CacheStatistics,
    "gantry_open_options": OpenOptions,
    "gantry_backend_info": BackendInfo,
    "gantry_stats": Stats,
    "gantry_options": Options,
    "gantry_segment_layout": SegmentLayout,
    "gantry_segment_info": SegmentInfo,
}

_P = POINTER
_handle = c_void_p
_status = c_int32
_rows_op = [_handle, _P(Tensor), _P(Tensor), _P(Table), _handle, _handle, c_void_p]
_copy_op = [_handle, _P(Tensor), _P(Tensor), _handle, _handle, c_void_p]

# name: (result, arguments). Options and environments are passed by address: as c_void_p, which byref() satisfies too.
PROTOTYPES: Dict[str, Tuple[Any, List[Any]]] = {
    "gantry_abi_version": (c_uint32, []),
    "gantry_version": (c_char_p, []),
    "gantry_build_info": (c_char_p, []),
    "gantry_status_name": (c_char_p, [_status]),
    "gantry_last_error": (c_char_p, []),
    "gantry_environment_malloc": (c_void_p, []),
    "gantry_environment_cached_create": (_status, [_P(CacheOptions), _P(c_void_p)]),
    "gantry_environment_cached_trim": (_status, [c_void_p, c_uint64]),
    "gantry_environment_cached_statistics": (_status, [c_void_p, _P(CacheStatistics)]),
    "gantry_environment_cached_destroy": (_status, [c_void_p]),
    "gantry_open": (_status, [c_uint32, _P(OpenOptions), _P(_handle)]),
    "gantry_close": (_status, [_handle]),
    "gantry_threads": (c_uint32, [_handle]),
    "gantry_isa": (c_char_p, [_handle]),
    "gantry_reason_name": (c_char_p, [c_uint32]),
    "gantry_backend_query": (_status, [_handle, c_uint32, _P(BackendInfo)]),
    "gantry_environment_pinned": (_status, [_handle, _P(c_void_p)]),
    "gantry_gather": (_status, [_handle, _P(Table), _P(Tensor), _P(Tensor), c_void_p, c_void_p, c_void_p]),
    "gantry_scatter": (_status, _rows_op),
    "gantry_scatter_add": (_status, _rows_op),
    "gantry_convert": (_status, _copy_op),
    "gantry_copy": (_status, _copy_op),
    "gantry_check": (_status, [_handle, c_int32, c_void_p, _P(Stats)]),
    "gantry_storage_create": (_status, [c_void_p, c_uint64, c_uint64, Device, c_void_p, c_int32, _P(_handle)]),
    "gantry_storage_wrap": (_status, [c_void_p, c_uint64, Device, c_int32, c_void_p, ReleaseFunction, _P(_handle)]),
    "gantry_storage_retain": (None, [_handle]),
    "gantry_storage_release": (None, [_handle]),
    "gantry_storage_data": (c_void_p, [_handle]),
    "gantry_storage_bytes": (c_uint64, [_handle]),
    "gantry_storage_device": (Device, [_handle]),
    "gantry_storage_read_only": (c_int32, [_handle]),
    "gantry_import_dlpack": (_status, [c_void_p, _P(Tensor), _P(_handle)]),
    "gantry_import_dlpack_versioned": (_status, [c_void_p, _P(Tensor), _P(_handle)]),
    "gantry_view_dltensor": (_status, [c_void_p, _P(Tensor)]),
    "gantry_export_dlpack": (_status, [_handle, _P(Tensor), _P(c_void_p)]),
    "gantry_export_dlpack_versioned": (_status, [_handle, _P(Tensor), c_int32, _P(c_void_p)]),
    "gantry_segment_create": (_status, [c_char_p, _P(SegmentLayout), c_uint32, _P(_handle)]),
    "gantry_segment_attach": (_status, [c_char_p, c_int, _P(SegmentLayout), c_uint32, _P(_handle)]),
    "gantry_segment_view": (_status, [_handle, _P(Tensor)]),
    "gantry_segment_fd": (c_int, [_handle]),
    "gantry_segment_generation": (_status, [_handle, _P(c_uint64)]),
    "gantry_segment_publish": (_status, [_handle]),
    "gantry_segment_unlink": (_status, [c_char_p]),
    "gantry_segment_list": (_status, [VisitFunction, c_void_p]),
    "gantry_storage_pin": (_status, [_handle, _handle]),
}
