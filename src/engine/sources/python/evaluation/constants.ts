import type { Place } from "../source-file.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Value } from "./values.ts";
import { boolean, none, number, text, unknown } from "./values.ts";

const platforms = { linux: ["linux", "posix", "Linux"], macos: ["darwin", "posix", "Darwin"], windows: ["win32", "nt", "Windows"] } as const;

/** Attributes of libraries whose value the context knows, or that are values and no functions. */
export function constantOf(interpreter: Interpreter, name: string, place: Place): Value | undefined {
  const { context } = interpreter;
  switch (name) {
    case "sys.platform":
      return context.platform === undefined ? unknown(name) : text(platforms[context.platform][0], place);
    case "os.name":
      return context.platform === undefined ? unknown(name) : text(platforms[context.platform][1], place);
    case "os.sep": case "os.path.sep":
      return text("/", place);
    case "sys.version_info": {
      const parts = context.pythonVersion?.split(".").map(Number);
      if (parts === undefined || parts.some(Number.isNaN)) return unknown(name);
      return interpreter.newList("tuple", parts.map((part) => ({ value: number(part), conditions: [] })), place);
    }
    case "sys.version_info.major": case "sys.version_info.minor": {
      const part = Number(context.pythonVersion?.split(".")[name.endsWith("major") ? 0 : 1]);
      return Number.isNaN(part) ? unknown(name) : number(part);
    }
    case "torch.__version__": case "torch.version.__version__": case "torch.torch_version.__version__":
      return context.torchVersion === undefined ? unknown(name, "torch") : { kind: "version", text: context.torchVersion, follows: "torch" };
    case "torch.version.cuda":
      if (context.torchCudaVersion === undefined) return unknown(name, "torch");
      return context.torchCudaVersion === null ? none : text(context.torchCudaVersion, place, { follows: "torch" });
    case "torch.version.hip":
      return typeof context.torchCudaVersion === "string" ? none : unknown(name, "torch");
    case "torch.utils.cpp_extension.IS_HIP_EXTENSION":
      return typeof context.torchCudaVersion === "string" ? boolean(false, "torch") : unknown(name, "torch");
    case "torch._C._GLIBCXX_USE_CXX11_ABI":
      return context.torchLibstdcxxAbi === undefined ? unknown(name, "torch") : { kind: "unknown", text: name, follows: "torch", truth: context.torchLibstdcxxAbi === 1 };
    case "torch.utils.cpp_extension.CUDA_HOME": case "torch.utils.cpp_extension.ROCM_HOME": case "torch.utils.cpp_extension.CUDNN_HOME":
      return unknown(name.slice(name.lastIndexOf(".") + 1));
    case "torch.utils.cmake_prefix_path": case "torch.__file__": case "torch.__path__":
      return unknown(name, "torch");
    case "torch._C._PYBIND11_BUILD_ABI": case "torch._C._PYBIND11_STDLIB": case "torch._C._PYBIND11_COMPILER_TYPE":
      return unknown(name, "torch");
    case "sys.argv": case "sys.executable": case "sys.version": case "sys.maxsize":
      return unknown(name);
    default:
      return undefined;
  }
}

/** `platform.system()`. */
export function systemName(interpreter: Interpreter, place: Place): Value {
  const { platform } = interpreter.context;
  return platform === undefined ? unknown("platform.system()") : text(platforms[platform][2], place);
}
