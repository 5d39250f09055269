import cuda from "../../../../data/cuda-libraries.json" with { type: "json" };
import nvidia from "../../../../data/nvidia-libraries.json" with { type: "json" };
import torch from "../../../../data/torch-provided-libraries.json" with { type: "json" };
import { normaliseName } from "../../model/index.ts";

/** A packager's hash before ".so" or before the version: "libjpeg-185109e6.so.8", "libcudart.faf08d9a.so.13". */
const hashed = /^(lib.+?)[-.]([0-9a-f]{8})(\.so(?:\..*)?)$/;
/** Eight digits that are a day, as in "libfoo.20230101.so". */
const dateLike = /^(?:19|20)\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01])$/;

const torchStems: ReadonlySet<string> = new Set(torch.stems);
const cudaStems: ReadonlySet<string> = new Set([...cuda.libraries.map((one) => one.stem), ...nvidia.libraries.map((one) => stemOf(one.soname)), ...torch.nvidia.stems]);
const independent: ReadonlySet<string> = new Set(torch.independent.stems);
const otherStems: ReadonlySet<string> = new Set([...torch.rocm.stems, ...torch.openmp.stems]);
const driverStems: ReadonlySet<string> = new Set(cuda.driver.libraries);

/** Who brings a library that a wheel needs and does not hold. "other": torch, beside its own; copies of those do no harm. */
export type Provider = "torch" | "cuda" | "driver" | "other";

export function providerOf(name: string): Provider | undefined {
  const stem = stemOf(name);
  return torchStems.has(stem) ? "torch" : driverStems.has(stem) ? "driver" : cudaStems.has(stem) ? "cuda" : otherStems.has(stem) ? "other" : undefined;
}

/** Copies of it do not meet in one process: they share nothing but the driver. */
export function isIndependent(name: string): boolean {
  return independent.has(stemOf(name));
}

/** The name without a packager's hash: "libcudart.so.13" of "libcudart-faf08d9a.so.13". */
export function withoutHash(name: string): string {
  const match = hashed.exec(name);
  return match === null || dateLike.test(match[2] ?? "") ? name : `${match[1]}${match[3]}`;
}

/** "libcudart" of "libcudart-faf08d9a.so.13". */
export function stemOf(name: string): string {
  const plain = withoutHash(name);
  const end = plain.indexOf(".so");
  return end < 0 ? plain : plain.slice(0, end);
}

/** Copies of libraries that a packager put into a wheel: renamed by their hash, in a folder for such, or CUDA's and torch's own. */
export function isGrafted(member: string, distribution: string): boolean {
  if (isTorchItself(distribution) || isOwnedByNvidia(distribution)) {
    return false;
  }
  const parts = member.split("/");
  const name = parts.at(-1) ?? "";
  return providerOf(name) !== undefined || withoutHash(name) !== name || parts.slice(0, -1).some((part) => /^[\w.-]+\.libs$/.test(part));
}

/** The wheel of torch brings what other wheels should not. */
export function isTorchItself(distribution: string): boolean {
  return normaliseName(distribution) === "torch";
}

/** Wheels whose purpose is to bring CUDA's libraries. */
export function isOwnedByNvidia(distribution: string): boolean {
  return /^(?:nvidia|cuda)-/.test(normaliseName(distribution));
}
