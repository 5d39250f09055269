import { askFits } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { inside } from "./words.ts";

/** Of a name that a library of torch has, which the file does not load or the linker was not given. */
export function notLinked(matter: Matter, evidence: { readonly sure?: boolean; readonly because?: readonly string[] } = {}): Judgement {
  const { life, knowledge: { history }, error, file, name } = matter;
  const home = life.homes[0] ?? "libtorch";
  const isLink = error.when === "link";
  return {
    cause: "library-not-linked",
    about: ofTorchLibraries.has(home) ? "TORCH_LIBRARIES" : home,
    confidence: evidence.sure === true ? "certain" : isLink || home === "libtorch_python" ? "likely" : "possible",
    headline: isLink ? `${name} is in ${home}, which ${inside(file)} is not linked with.` : `${file} needs ${home} for ${name}, and neither loads it nor was linked with it.`,
    because: [
      ...(evidence.because ?? [`Official wheels of torch export it from ${life.homes.map((one) => `${one}.so`).join(" or ")} (${history.source}).`]),
      ...(home === "libtorch_python" ? ["TORCH_LIBRARIES of find_package(Torch) does not contain libtorch_python."] : /cuda/.test(home) ? ["A torch for CPUs has no such library."] : []),
      "This is no matter of _GLIBCXX_USE_CXX11_ABI.",
    ],
    fixes: [...howToLink(home, isLink), ...(isLink || evidence.sure === true || home !== "libtorch_python" ? [] : ["If torch was not imported before it: import torch first."])],
    needs: evidence.sure === true ? [] : isLink ? [`Whether the link line names ${home} (-l${home.slice(3)}), after the objects that need it.`] : [...(/cuda/.test(home) ? ["Whether the torch that runs it is built with CUDA: python -c \"import torch; print(torch.version.cuda)\"."] : []), askFits(matter)],
  };
}

/** Which TORCH_LIBRARIES of find_package(Torch) brings in every build: what lacks one of them lacks most often all. */
const ofTorchLibraries: ReadonlySet<string> = new Set(["libtorch", "libtorch_cpu", "libc10"]);

function howToLink(home: string, isLink: boolean): readonly string[] {
  if (home === "libtorch_python") {
    return ["Link it as well: find_library(TORCH_PYTHON_LIBRARY torch_python PATHS \"${TORCH_INSTALL_PREFIX}/lib\") and target_link_libraries(TARGET PRIVATE ${TORCH_LIBRARIES} ${TORCH_PYTHON_LIBRARY}); torch.utils.cpp_extension does so by itself."];
  }
  const cuda = /cuda/.test(home) ? ["Use a torch that is built with CUDA, and CUDAExtension or ${TORCH_LIBRARIES} of that torch."] : [];
  return [...cuda, `Link the target to \${TORCH_LIBRARIES} after find_package(Torch); by hand ${isLink && ofTorchLibraries.has(home) ? "-ltorch -ltorch_cpu -lc10" : `-l${home.slice(3)}`}${isLink ? " after the objects that need it" : ""}.`];
}
