import { otherStringAbi } from "./binaries/libstdcxx-abi.ts";
import { withBuilt } from "./binaries/report.ts";
import type { Rule } from "./rule.ts";
import { againstTorch } from "./libstdcxx/againstTorch.ts";
import { insideProject } from "./libstdcxx/insideProject.ts";
import { mergeByLocation } from "./support.ts";

export const libstdcxxAbi: Rule = {
  name: "libstdcxx-abi",
  severity: "error",
  summary: "_GLIBCXX_USE_CXX11_ABI of a target differs from torch's, between parts that are linked together, or in a built file.",
  check: (context) => withBuilt(libstdcxxAbi, context, mergeByLocation([...againstTorch(libstdcxxAbi, context), ...insideProject(libstdcxxAbi, context)]), otherStringAbi),
};
