import assert from "node:assert/strict";
import test from "node:test";
import named from "../../../data/cuda-libraries.json" with { type: "json" };
import measured from "../../../data/nvidia-libraries.json" with { type: "json" };

test("the distributions that are named for CUDA libraries bring them, as far as their wheels were read", () => {
  const brings = new Map<string, readonly string[]>();
  for (const { soname, distribution } of measured.libraries) brings.set(soname, [...brings.get(soname) ?? [], distribution]);
  const read = new Set(measured.libraries.map((one) => one.distribution));
  const wrong = named.libraries.flatMap(({ stem, soname, distribution }) => Object.entries(soname).flatMap(([major, version]) => {
    const brought = brings.get(`${stem}.so.${version}`);
    const by = (distribution as Readonly<Record<string, string | undefined>>)[major];
    return brought === undefined || by === undefined || !read.has(by) || brought.includes(by) ? [] : [`${stem}.so.${version} of ${by}`];
  }));
  // Of nvidia-cudnn-cu11 torch's wheels require version 8 only; a newer one brings version 9.
  assert.deepEqual(wrong, ["libcudnn.so.9 of nvidia-cudnn-cu11"]);
});
