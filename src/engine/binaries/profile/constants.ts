import type { ElfFile } from "../elf/index.ts";

/** libtorch_cpu's .rodata is 18 MB; a scan stops here. */
const maximumScan = 64 * 1024 * 1024;
const scanWindow = 1024 * 1024;
/** Windows overlap by more than the longest text that is looked for. */
const scanOverlap = 2048;
const maximumFound = 64;

/** What texts among a file's constants tell. */
export interface Constants {
  /** "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", in file order; several where several pybind11s were linked together. */
  readonly pybind11Keys: readonly string[];
  readonly nanobindKeys: readonly string[];
  /** pybind11's way to pass objects between modules with other keys, from 2.13.6 on. */
  readonly pybind11Conduit: boolean;
  /** libstdc++'s own termination message: a copy of the library is inside. */
  readonly holdsLibstdcxx: boolean;
  /** A message of the CUDA runtime: a copy of it is inside. */
  readonly holdsCudaRuntime: boolean;
}

interface Range {
  readonly offset: number;
  readonly end: number;
}

const shapes = {
  pybind11: /^__pybind11_internals_(v\d+\w*?)__\0/,
  nanobind: /^__nb_internals_(v\d+\w*?)__\0/,
  // NB_ABI_TAG of nanobind 2: "v16_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1_stable".
  nanobindTag: /^\0(v\d+(?:_dev\d+)?_(?:system|msvc|mingw)_\w+)\0/,
  // Its key of nanobind 3: "nanobind_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1_a1_v22".
  nanobindBackend: /^\0(nanobind_(?:system|msvc|mingw)_\w+_v\d+)\0/,
  architectures: /^\0(sm_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)+)\0/,
} as const;

/** Reads the constants of a file, less `skip` (device code). */
export function scanConstants(elf: ElfFile, skip: readonly Range[] = []): Constants {
  const pybind11Keys = new Set<string>();
  const nanobindKeys = new Set<string>();
  let hasNanobind = false;
  let pybind11Conduit = false;
  let holdsLibstdcxx = false;
  let holdsCudaRuntime = false;
  for (const text of constantTexts(elf, skip)) {
    collect(text, "__pybind11_internals_v", shapes.pybind11, pybind11Keys);
    if (text.includes("__nb_internals_")) {
      hasNanobind = true;
      collect(text, "__nb_internals_v", shapes.nanobind, nanobindKeys);
    }
    pybind11Conduit ||= text.includes("_pybind11_conduit_v1_\0");
    holdsLibstdcxx ||= text.includes("terminate called after throwing an instance of '");
    holdsCudaRuntime ||= text.includes("CUDA driver version is insufficient for CUDA runtime version\0");
  }
  if (hasNanobind && nanobindKeys.size === 0) {
    // From 2.0 on the key is put together at run time; its tag stands alone.
    for (const text of constantTexts(elf, skip)) {
      collect(text, "\0v", shapes.nanobindTag, nanobindKeys);
      collect(text, "\0nanobind_", shapes.nanobindBackend, nanobindKeys);
    }
  }
  return { pybind11Keys: [...pybind11Keys], nanobindKeys: [...nanobindKeys], pybind11Conduit, holdsLibstdcxx, holdsCudaRuntime };
}

/** libtorch_python's list of compiled architectures, one text: "sm_80 sm_90 compute_90". */
export function torchArchitectures(elf: ElfFile): string | undefined {
  const found = new Set<string>();
  for (const text of constantTexts(elf)) {
    collect(text, "\0sm_", shapes.architectures, found);
  }
  return [...found][0];
}

/**
 * The constants of a file in overlapping windows of 1 MB: .rodata, or without section headers what is loaded and not
 * writable, less `skip`. What is looked for must be shorter than the overlap of 2 KB.
 */
export function* constantTexts(elf: ElfFile, skip: readonly Range[] = []): Generator<Buffer> {
  let left = maximumScan;
  for (const range of rangesOf(elf, skip)) {
    const end = Math.min(range.end, range.offset + left);
    left -= end - range.offset;
    for (let offset = range.offset; offset < end; offset += scanWindow) {
      const bytes = elf.bytes(offset, Math.min(scanWindow + scanOverlap, end - offset));
      if (bytes === undefined) {
        break;
      }
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  }
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

/** Every text of a shape, by what it begins with. */
function collect(text: Buffer, needle: string, shape: RegExp, into: Set<string>): void {
  for (let at = text.indexOf(needle); at >= 0 && into.size < maximumFound; at = text.indexOf(needle, at + 1)) {
    const found = shape.exec(text.toString("latin1", at, at + 1024))?.[1];
    if (found !== undefined) {
      into.add(found);
    }
  }
}
