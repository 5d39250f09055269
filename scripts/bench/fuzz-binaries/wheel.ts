/** Damaged wheels as `inspect` reads them: metadata, tags and RECORD against damaged libraries with device code and keys. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError, ByteSourceError, memberImage, openArchive } from "../../../src/engine/binaries/archive/index.ts";
import { describeBinary } from "../../../src/engine/binaries/profile/index.ts";
import { describeWheel } from "../../../src/engine/binaries/wheel/index.ts";
import type { WheelLibrary } from "../../../src/engine/binaries/wheel/index.ts";
import { build } from "../../../test/engine/binaries/archive/build.ts";
import { MemorySource } from "../../../test/support/memory-source.ts";
import type { Original, Subject } from "./subject.ts";

const source = `
#include <string>
namespace at { struct Tensor; int f(std::string); }
extern "C" const char* key = "__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1__";
__attribute__((section(".nv_fatbin"), used, aligned(8))) static const unsigned fatbin[] = { 0xba55ed50u, 0x00100001u, 96, 0, 0x01010002u, 64, 32, 0, 0, 0, 0, 90, 64, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
extern "C" void* PyInit__C() { at::f("x"); return 0; }
`;
const name = "fuzzed-1.0+cu128-cp311-cp311-manylinux_2_17_x86_64.whl";
const folder = "fuzzed-1.0+cu128.dist-info";

export const wheel: Subject = {
  name: "wheel",
  originals(place) {
    const file = join(place, "ext.so");
    execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file], { input: source, stdio: ["pipe", "ignore", "pipe"] });
    const library = readFileSync(file).toString("latin1");
    const made = [0, 8].map((method): Original => {
      const member = "fuzzed/_C.cpython-311-x86_64-linux-gnu.so";
      const bytes = build([
        { name: member, content: Buffer.from(library, "latin1"), method },
        { name: `${folder}/METADATA`, content: "Metadata-Version: 2.1\nName: fuzzed\nVersion: 1.0+cu128\nRequires-Dist: torch>=2.7\n", method },
        { name: `${folder}/WHEEL`, content: "Wheel-Version: 1.0\nGenerator: setuptools\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_17_x86_64\n", method },
        { name: `${folder}/RECORD`, content: `${member},sha256=AAAA,${library.length}\n${folder}/METADATA,,\n${folder}/WHEEL,,\n"${folder}/RECORD",,\n`, method },
      ]);
      return { name: method === 0 ? "stored" : "deflated", bytes, structure: [{ offset: Math.max(0, bytes.length - 1600), size: 1600 }, { offset: 0, size: 1200 }, { offset: 0, size: bytes.length }] };
    });
    return Promise.resolve(made);
  },
  async read(bytes) {
    try {
      const archive = await openArchive(new MemorySource(bytes, `/w/${name}`));
      const libraries: WheelLibrary[] = [];
      for (const member of archive.members.values()) {
        const image = await memberImage(archive, member).catch((error: unknown) => {
          if (error instanceof ArchiveError) return undefined;
          throw error;
        });
        const described = image === undefined ? undefined : describeBinary(image.path, image.files);
        if (described?.ok === true) libraries.push({ member: member.name, size: member.size, body: described.body, image: described.image });
      }
      JSON.stringify(await describeWheel(archive, libraries, { verify: true }));
    } catch (error) {
      if (!(error instanceof ArchiveError) && !(error instanceof ByteSourceError && error.problem !== "outside")) throw error;
    }
  },
};
