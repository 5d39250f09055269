/** Extensions that torch compiles: by torch.utils.cpp_extension.load, or in a build with setuptools. */
import { textAt, verdict } from "../reading.ts";
import type { Recogniser } from "../types.ts";
import { isNear, printed } from "./reading.ts";

const ninja = printed(/Ninja is required to load C\+\+ extensions|^\s*ninja: command not found|CMake was unable to find a build program corresponding to "Ninja"/, ({ text }) => ({
  words: text,
  explain: () => verdict("compiler-missing", "certain", "ninja is not there, by which torch compiles extensions.", ["torch looks for the program on PATH: an interpreter that is called by its path, outside of its activated environment, does not see the one that lies beside it. ABI has no part in it."], { fixes: ["pip install ninja, and activate the environment (or put its bin folder on PATH)."], copy: "pip install ninja" }),
}));

/** torch/utils/file_baton.py: torch 2.14 and newer tell of it, older ones wait in silence. */
const lock = printed(/Waited on lock file ["'](.{1,300}?)["'] for/, ({ match, text }) => ({
  words: text, subject: { file: match[1] ?? "" },
  explain: () => stuck(match[1]),
}));

const interruptedWait = printed(/^\s*KeyboardInterrupt\b/, ({ log, at }) => (isNear(log, at, 8, 0, /file_baton\.py|time\.sleep\(self\.wait_seconds\)/) ? { weight: "cause", explain: () => stuck(undefined) } : undefined));

/** Packages whose builds compile against torch, by their names. */
const bindsToTorch = /torch|flash[-_]?(?:attn|infer|mla)|xformers|mamba|causal[-_]conv1d|apex|deepspeed|vllm|sgl[-_]kernel|detectron2|mmcv|mmdet|gsplat|nvdiffrast|kaolin|natten|exllama|auto[-_]gptq|awq|transformer[-_]engine|grouped[-_]gemm|megablocks|spconv|minkowski|diff[-_]gaussian|simple[-_]knn|pointnet2|fbgemm|fairseq|tinycudann/i;

/** What says only that a build stopped; the reason stands elsewhere. */
const stopped = printed(/Error building extension ['"]([\w.-]{1,100})['"]|Error compiling objects for extension|^\s*ninja: build stopped: |(?:ERROR: )?(?:Failed building wheel for ([\w.-]{1,100})|Could not build wheels for ([\w.-]{1,100})|Failed to build installable wheels)|× Failed to (?:download and )?build `([\w.-]{1,100})|(?:Failed to build|× Failed to build) ['"`]([\w.-]{1,100})|CalledProcessError: Command ['"]?\[['"]ninja|× (?:Building wheel for|Getting requirements to build|Preparing metadata)\b.{0,120}did not run successfully|^\s*error: subprocess-exited-with-error|metadata-generation-failed|CMake Generate step failed|-- Configuring incomplete, errors occurred|error: command ['"]\S{1,200}['"] failed with exit (?:code|status) \d|subprocess\.CalledProcessError: Command ['"]?\[['"]cmake/, ({ match, text, log, at }) => {
  const extension = match[1];
  const name = match[2] ?? match[3] ?? match[4] ?? match[5];
  const isTorch = extension !== undefined || /objects for extension|ninja/.test(match[0]) || bindsToTorch.test(name ?? "") || isNear(log, at, 200, 10, /\b(?:py)?torch/i);
  return !isTorch ? undefined : {
    weight: "consequence", words: text.slice(0, 200),
    subject: name === undefined ? {} : { package: name },
    explain: () => verdict("jit-build", "possible", `${extension === undefined ? (name === undefined ? "The build" : `The build of ${name}`) : `The extension ${extension}`} stopped, and the reason is not in this text.`, ["The line only says that a compiler, CMake or setup.py ended with an error before it."], {
      needs: ["The first line with \"error\" above it: of pip with -v, of cpp_extension.load with verbose=True, of ninja with MAX_JOBS=1."],
    }),
  };
});

const halfOperators = printed(/error: (?:no operator "[^"]{1,6}" matches these operands|more than one operator "[^"]{1,6}" matches these operands)|error: no suitable (?:constructor|user-defined conversion|conversion function) (?:exists to convert )?from "(?:float|int|half|__half|__nv_bfloat16|double)"/, ({ log, at, text }) => {
  const operands = /half|bfloat16/i.test(`${textAt(log, at)} ${textAt(log, at + 1)} ${textAt(log, at + 2)}`);
  return operands && isNear(log, at, 400, 0, /-D__CUDA_NO_HALF_(?:OPERATORS|CONVERSIONS)__/) ? {
    words: `${text} ${textAt(log, at + 1).trim()}`, last: at + 1,
    explain: () => verdict("source-error", "certain", "The kernel uses operators of CUDA's half types, which torch's build helper switches off.", ["torch.utils.cpp_extension and torch's CMake files compile with -D__CUDA_NO_HALF_OPERATORS__, __CUDA_NO_HALF_CONVERSIONS__, __CUDA_NO_BFLOAT16_CONVERSIONS__ and __CUDA_NO_HALF2_OPERATORS__. ABI has no part in it."], {
      fixes: ["Add -U__CUDA_NO_HALF_OPERATORS__, -U__CUDA_NO_HALF_CONVERSIONS__, -U__CUDA_NO_HALF2_OPERATORS__ and -U__CUDA_NO_BFLOAT16_CONVERSIONS__ to the nvcc arguments of the extension, or use at::Half and c10::BFloat16."],
    }),
  } : undefined;
});

export const jitRecognisers: readonly Recogniser[] = [ninja, lock, interruptedWait, stopped, halfOperators];

function stuck(file: string | undefined): ReturnType<typeof verdict> {
  return verdict("jit-build", "likely", "The build of an extension waits for a lock that another build holds, or left behind when it was killed.", [`cpp_extension.load waits for the file "lock" in the extension's build folder to disappear${file === undefined ? "" : ` (${file})`}; torch before 2.14 says nothing while it waits.`], {
    fixes: ["See that no other process builds the same extension; then delete the lock, or the extension's whole folder below ~/.cache/torch_extensions."],
    needs: ["Whether another process builds it now."],
    ...(file === undefined || !/^[\w./~+-]+$/.test(file) ? {} : { copy: `rm ${file}` }),
  });
}
