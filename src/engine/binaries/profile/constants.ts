import type { ElfFile } from "../elf/index.ts";

/** libtorch_cpu's .rodata is 18 MB; a scan stops here. */
const maximumScan = 64 * 1024 * 1024;
const scanWindow = 1024 * 1024;
/** Windows overlap by more than the longest text that is looked for. */
const scanOverlap = 2048;
const maximumKeys = 64;

/** What texts among a file's constants tell. */
export interface Constants {
  /** "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", in file order; several where several pybind11s were linked together. */
  readonly pybind11Keys: readonly string[];
  readonly nanobindKeys: readonly string[];
  /** pybind11's way to pass objects between modules with other keys, from 2.13.6 on. */
  readonly pybind11Conduit: boolean;
  /** torch's list of compiled architectures, "sm_80 sm_90 compute_90". */
  readonly torchArchitectures: string | undefined;
  /** libstdc++'s own termination message: a copy of the library is inside. */
  readonly holdsLibstdcxx: boolean;
  /** A message of the CUDA runtime: a copy of it is inside. */
  readonly holdsCudaRuntime: boolean;
}

interface Range {
  readonly offset: number;
  readonly end: number;
}

interface Found {
  readonly pybind11Keys: Set<string>;
  readonly nanobindKeys: Set<string>;
  /** Tags that are nanobind's only where nanobind is. */
  readonly tags: Set<string>;
  hasNanobind: boolean;
  pybind11Conduit: boolean;
  torchArchitectures: string | undefined;
  holdsLibstdcxx: boolean;
  holdsCudaRuntime: boolean;
}

/**
 * Reads the constants of a file: .rodata, or without section headers what is loaded and not writable, less `skip`
 * (device code). Streamed in windows.
 */
export function scanConstants(elf: ElfFile, skip: readonly Range[] = []): Constants {
  const found: Found = { pybind11Keys: new Set(), nanobindKeys: new Set(), tags: new Set(), hasNanobind: false, pybind11Conduit: false, torchArchitectures: undefined, holdsLibstdcxx: false, holdsCudaRuntime: false };
  let left = maximumScan;
  for (const range of rangesOf(elf, skip)) {
    const end = Math.min(range.end, range.offset + left);
    left -= Math.max(0, end - range.offset);
    for (let offset = range.offset; offset < end; offset += scanWindow) {
      const bytes = elf.bytes(offset, Math.min(scanWindow + scanOverlap, end - offset));
      if (bytes === undefined) {
        break;
      }
      scanWindowOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), found);
    }
  }
  if (found.hasNanobind) {
    // Before 2.0 the key was one text; since then it is put together at run time from a tag.
    found.tags.forEach((tag) => found.nanobindKeys.add(tag));
  }
  return { ...found, pybind11Keys: [...found.pybind11Keys], nanobindKeys: [...found.nanobindKeys] };
}

function rangesOf(elf: ElfFile, skip: readonly Range[]): readonly Range[] {
  const section = elf.section(".rodata");
  if (section !== undefined) {
    return [{ offset: section.offset, end: section.offset + section.size }];
  }
  const segments = elf.segments.filter((one) => one.type === 1 && (one.flags & 2) === 0).map((one) => ({ offset: one.offset, end: one.offset + one.fileSize }));
  return segments.flatMap((segment) => without(segment, skip));
}

function without(segment: Range, skip: readonly Range[]): readonly Range[] {
  const parts: Range[] = [];
  let { offset } = segment;
  for (const hole of skip.filter((one) => one.offset >= segment.offset && one.end <= segment.end).sort((a, b) => a.offset - b.offset)) {
    if (hole.offset > offset) {
      parts.push({ offset, end: hole.offset });
    }
    offset = Math.max(offset, hole.end);
  }
  return offset < segment.end ? [...parts, { offset, end: segment.end }] : parts;
}

const keyShapes = {
  pybind11: /^__pybind11_internals_(v\d+\w*?)__\0/,
  nanobind: /^__nb_internals_(v\d+\w*?)__\0/,
  // "v16_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1_stable" of NB_ABI_TAG.
  tag: /^\0(v\d+(?:_dev\d+)?_(?:system|msvc|mingw)_\w+)\0/,
  // The compiled architectures stand as one string: "sm_80 sm_90 compute_90".
  architectures: /^\0(sm_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)+)\0/,
} as const;

function scanWindowOf(text: Buffer, found: Found): void {
  collect(text, "__pybind11_internals_v", keyShapes.pybind11, found.pybind11Keys);
  found.pybind11Conduit ||= text.includes("_pybind11_conduit_v1_\0");
  found.holdsLibstdcxx ||= text.includes("terminate called after throwing an instance of '");
  found.holdsCudaRuntime ||= text.includes("CUDA driver version is insufficient for CUDA runtime version\0");
  found.hasNanobind ||= text.includes("__nb_internals_");
  collect(text, "__nb_internals_v", keyShapes.nanobind, found.nanobindKeys);
  collect(text, "\0v", keyShapes.tag, found.tags, 2);
  if (found.torchArchitectures === undefined) {
    const architectures = new Set<string>();
    collect(text, "\0sm_", keyShapes.architectures, architectures);
    [found.torchArchitectures] = architectures;
  }
}

/** Every text of a shape. `digitAt` is where a digit must follow the needle: it spares the shape where the needle is common. */
function collect(text: Buffer, needle: string, shape: RegExp, into: Set<string>, digitAt?: number): void {
  for (let at = text.indexOf(needle); at >= 0 && into.size < maximumKeys; at = text.indexOf(needle, at + 1)) {
    if (digitAt !== undefined && !isDigit(text[at + digitAt])) {
      continue;
    }
    const key = shape.exec(text.toString("latin1", at, at + 1024))?.[1];
    if (key !== undefined) {
      into.add(key);
    }
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
