/** CUDA's libraries in one process: cuDNN, NCCL (torch/backends/cudnn/__init__.py; torch/csrc/distributed/c10d/NCCLUtils.cpp; cuDNN's loader of sublibraries). */
import type { Saying } from "../sayings.ts";
import { clueOf, textAt, verdict } from "../../reading.ts";

const unset = "Unset LD_LIBRARY_PATH for this run, or take the folders of CUDA and cuDNN out of it: torch's wheels bring their own and find them by themselves.";

export const cudnnVersion: Saying = {
  pattern: /cuDNN version incompatibility: PyTorch was compiled {1,2}against \((?<built>[\d, ]+)\) but found runtime version \((?<found>[\d, ]+)\)/,
  read(said) {
    const dotted = (text: string | undefined): string => (text ?? "").replace(/, */g, ".");
    const [built, found] = [dotted(said.match.groups?.["built"]), dotted(said.match.groups?.["found"])];
    return clueOf(said, () => verdict("cuda-library-skew", "certain", `torch was built with cuDNN ${built}, and cuDNN ${found} was found first.`, [
      "torch compares both itself. The extension and the C++ ABI are innocent.",
      "Another cuDNN is found before torch's own: by LD_LIBRARY_PATH, from the system or conda, or a package replaced the nvidia-cudnn wheel that torch asked for.",
    ], {
      fixes: [unset, `Or let pip install the nvidia-cudnn wheel that torch's metadata asks for (pip check names it).`],
      needs: ["Which one it is: find it in /proc/PID/maps of the process, or with LD_DEBUG=libs"],
    }), { subject: { library: "libcudnn" } });
  },
};

export const cudnnStatus: Saying = {
  pattern: /CUDNN_STATUS_(?:SUBLIBRARY_VERSION_MISMATCH|VERSION_MISMATCH|SUBLIBRARY_LOADING_FAILED)|(?:Could not load library|Unable to load any of \{)[^\n]{0,20}libcudnn_\w+\.so/,
  read(said) {
    const isMismatch = said.match[0].includes("VERSION_MISMATCH");
    return clueOf(said, () => verdict("cuda-library-skew", isMismatch ? "certain" : "likely", isMismatch ? "Libraries of two versions of cuDNN met in one process." : "cuDNN could not load one of its own parts.", [
      isMismatch ? "cuDNN consists of several libraries (libcudnn_ops, libcudnn_cnn, ...) that must be of one version; it says itself that they are not." : "cuDNN consists of several libraries (libcudnn_ops, libcudnn_cnn, ...) that it opens when they are needed; they are looked for where the loader looks, and must be of one version.",
      "torch's own cuDNN and one of the system, of conda or of another package lie on the path. The extension and the C++ ABI are innocent.",
    ], { fixes: [unset, "Remove the second cuDNN from the environment (pip list | grep cudnn: nvidia-cudnn-cu12 and -cu11 share a folder)."], needs: ["What is loaded: LD_DEBUG=libs, or /proc/PID/maps of the process"] }), { subject: { library: "libcudnn" }, weight: /Error: \S+: (?:cannot open|undefined symbol)/.test(said.text) ? "consequence" : "cause" });
  },
};

export const nccl: Saying = {
  pattern: /NCCL (?:error|Error|failure)[^\n]{0,120}?(?<what>unhandled (?:cuda|system) error|invalid usage|internal error|remote process exited)|nccl(?<name>UnhandledCudaError|SystemError|InternalError|RemoteError|InvalidUsage): /,
  read(said) {
    const what = said.match.groups?.["what"] ?? said.match.groups?.["name"] ?? "";
    const reason = textAt(said.log, said.at + (said.match[0].startsWith("nccl") ? 2 : 3));
    // A broken network is not a matter of builds or versions, and NCCL says so.
    if (/^Last error:/.test(textAt(said.log, said.at + (said.match[0].startsWith("nccl") ? 1 : 2))) && /\b(?:socket|connect\w*|recv|network|interface|timed? ?out|ibv_\w+|remote)\b/i.test(reason)) return undefined;
    const last = /^Last error:/.test(said.log.lines[said.at + 2]?.text ?? "") ? said.at + 2 : said.at;
    return clueOf(said, () => verdict("gpu-fault", "possible", "NCCL failed, and its message does not tell why.", [
      /cuda/i.test(what) ? "A call to CUDA failed inside NCCL: the error behind it (no memory, no kernel image, an earlier fault) stands in NCCL's log." : "NCCL's communication between processes failed: network, shared memory (/dev/shm in a container), a rank that ended before, or a wrong call.",
      "It is no sign of an ABI or version conflict by itself. Where ranks run different versions of NCCL, its log shows that.",
    ], { fixes: ["Look at the first rank that failed: the others follow."], needs: ["NCCL_DEBUG=INFO on all ranks: the line with \"NCCL version\", and the first WARN"] }), { weight: "consequence", last, subject: { library: "libnccl" } });
  },
};
