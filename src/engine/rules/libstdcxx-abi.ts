import type { Rule } from "./rule.ts";
import { againstTorch } from "./libstdcxx/againstTorch.ts";
import { insideProject } from "./libstdcxx/insideProject.ts";
import { mergeByLocation } from "./support.ts";

export const libstdcxxAbi: Rule = {
  name: "libstdcxx-abi",
  severity: "error",
  summary: "_GLIBCXX_USE_CXX11_ABI of a target differs from torch's, or between parts that are linked together.",
  check: (context) => mergeByLocation([...againstTorch(libstdcxxAbi, context), ...insideProject(libstdcxxAbi, context)]),
};
