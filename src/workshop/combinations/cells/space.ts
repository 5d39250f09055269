import { localLabel } from "../../../engine/model/index.ts";
import type { Cell, KnownWheel } from "../types.ts";

/**
 * Bytes that a cell takes: by measurement a wheel of torch for processors has 192 MB packed and its environment 0.9 GB; the
 * libraries of CUDA that one for GPUs asks for add 4.3 GB (torch 2.13.0+cpu and 2.14.1+cu130).
 * `source`: of the project's files, which are copied and built.
 */
export function spaceFor({ torch, index = "" }: Cell, wheel: KnownWheel | undefined, source: number): number {
  const size = wheel?.size ?? 200e6;
  const isForCuda = /^cu\d/.test(localLabel(torch) ?? "") || (localLabel(torch) === undefined && /^https:\/\/pypi\.org\//.test(index));
  return size * 5 + (isForCuda ? 4.5e9 : 0) + 200e6 + 2 * source;
}
