/** Checks that name the versions of both sides in a sentence of their own: Rust's torch-sys, OpenMMLab's packages. */
import { clueOf, verdict } from "../reading.ts";
import { recogniserOf } from "./sayings.ts";
import type { Saying } from "./sayings.ts";

/** torch-sys/build.rs, `version_check`. */
const tch: Saying = {
  pattern: /this tch version expects PyTorch (?<wants>\d[\w.]*\w), got (?<has>\d[\w.+]*\w)/,
  read(said) {
    const { wants = "", has = "" } = said.match.groups ?? {};
    return clueOf(said, () => verdict("version-gate", "certain", `This release of tch is written for libtorch ${wants}, and ${has} is found.`, [
      "torch-sys holds C++ code that was generated for one release of torch: functions of another have other parameters.",
      "Its build script compares both before anything is compiled.",
    ], {
      fixes: [
        `Take libtorch ${wants}: LIBTORCH=folder of that archive, or LIBTORCH_USE_PYTORCH=1 with that torch in Python's environment, and cargo clean -p torch-sys.`,
        `Or take the tch whose README names torch ${has}.`,
        "Leave the check in: with LIBTORCH_BYPASS_VERSION_CHECK the compiler or the linker fails next, or what runs reads other parameters.",
      ],
    }), { words: said.match[0], subject: { package: "torch-sys" } });
  },
};

/** mmdet/__init__.py, mmseg/__init__.py and others of OpenMMLab. */
const openMmlab: Saying = {
  pattern: /(?<name>[A-Za-z][\w-]{0,40})==(?<has>\d[\w.+]*\w) is used but incompatible\. Please install (?<wants>[\w-]{1,40}[<>=~!][^\n]{1,80}?)\.?(?:\s|$)(?![<>=])/,
  read(said) {
    const { name = "", has = "", wants = "" } = said.match.groups ?? {};
    const isCompiled = /^mmcv/i.test(name);
    return clueOf(said, () => verdict("version-gate", "certain", `${name} ${has} is installed, and the package that imports it takes ${wants.trim()} only.`, [
      "It compares both itself when it is imported; torch and the C++ ABI have no part in it.",
      isCompiled ? "mmcv has compiled operators, which are bound to one release of torch and one CUDA as well." : undefined,
    ], {
      fixes: [`Install a ${name.toLowerCase()} in that range${isCompiled ? ", from the index for this torch and CUDA (mim install chooses it)" : ""}, or a newer release of the package that checks it.`, "Do not edit the range in the package: its calls go with those versions."],
    }), { words: said.match[0].trim(), subject: { package: name.toLowerCase() } });
  },
};

export const versionChecksRecogniser = recogniserOf(/this tch version expects PyTorch|is used but incompatible\. Please install/, [tch, openMmlab]);
