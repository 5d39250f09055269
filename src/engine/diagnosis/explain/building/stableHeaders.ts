/** Headers and versions of torch's stable ABI. */
import { torchOf } from "../running/torchBuilds.ts";
import { textAt, verdict } from "../reading.ts";
import type { Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import { near, printed } from "./reading.ts";

/** First line of nearly every header of torch since 2.9. */
const refused = printed(/(?:#error|error:)\s{0,4}:?\s{0,4}"?This file should not be included when either TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined/, ({ log, at, text }) => {
  const header = /[\\/]include[\\/](?:torch[\\/]csrc[\\/]api[\\/]include[\\/])?([\w./\\-]{3,200})[:(]\d+/.exec(textAt(log, at))?.[1]?.replaceAll("\\", "/");
  const define = commandOf(log, at)?.defines.find((one) => /^TORCH_(?:STABLE_ONLY|TARGET_VERSION)\b/.test(one));
  const by = near(log, at, 16, 0, /^\s*(?:In file included )?from (\S{1,300}?\.(?:cpp|cc|cu|cxx)):\d+/)?.[1];
  return {
    words: text.slice(0, 140), subject: by === undefined ? {} : { file: by },
    explain: (knowledge) => {
      const isPybind = header?.startsWith("pybind11/") === true;
      return verdict("stable-abi-headers", "certain", `${header ?? "A header"} is not part of torch's stable ABI, and the build asks for the stable ABI only${define === undefined ? "" : ` (-D${define})`}.`, [
        isPybind
          ? "torch before 2.13 refuses its copy of pybind11 too in this mode; from 2.13 on it is let through."
          : "With TORCH_STABLE_ONLY or TORCH_TARGET_VERSION defined, only torch/csrc/stable, torch/headeronly and torch/csrc/inductor/aoti_torch/c may be included.",
        ...(torchOf(knowledge) === undefined ? [] : [`The torch compared with is ${torchOf(knowledge) ?? ""}.`]),
      ], {
        fixes: isPybind
          ? ["Build with torch 2.13 or newer (set TORCH_TARGET_VERSION to the oldest torch that must load it), include a pybind11 of your own before torch's, or register operators with STABLE_TORCH_LIBRARY and load the file by torch.ops.load_library."]
          : [`Replace the include by its stable counterpart (torch/csrc/stable/tensor.h, ops.h, library.h; torch/headeronly), or compile this source in an extension of its own without the define.`],
      });
    },
  };
});

const badTarget = printed(/#error\s{0,4}:?\s{0,4}"?.{0,80}TORCH_TARGET_VERSION(?! is defined).{0,160}/, ({ log, at, text }) => {
  const define = commandOf(log, at)?.defines.find((one) => one.startsWith("TORCH_TARGET_VERSION="));
  return {
    words: text,
    explain: () => verdict("stable-abi-headers", "certain", `torch's headers refuse this TORCH_TARGET_VERSION${define === undefined ? "" : ` (${define.slice(define.indexOf("=") + 1)})`}.`, ["The number holds major, minor and patch in its three highest bytes: torch 2.10 is 0x020a000000000000, and 0x0210000000000000 is 2.16. It must not be newer than the headers."], { fixes: ["Set it to the oldest torch that must load the file, in hexadecimal: 0x020a000000000000 for 2.10."] }),
  };
});

export const stableHeaderRecognisers: readonly Recogniser[] = [refused, badTarget];
