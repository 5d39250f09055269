import type { Catalogue } from "../../../catalogue/index.ts";
import { livesOfFile, livesOfLog } from "./evidence.ts";
import { isIn, isInAll } from "./life.ts";
import type { Life } from "./life.ts";
import { askFits, askTorch } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { notLinked } from "./linking.ts";
import { inside, isBetweenReleases, range, shown, torches } from "./words.ts";

/** What the text alone says of a C++ name of torch that a loader or a linker did not find. */
export function torchByText(matter: Matter): Judgement {
  const { life, knowledge, error } = matter;
  if (!life.isRecorded) {
    return unrecorded(matter);
  }
  if (life.either.length === 0) {
    return neverExported(matter);
  }
  if (life.wants !== undefined) {
    return withString(matter);
  }
  if (life.isByName && (isInAll(life, knowledge.history) || (error.when === "link" && isStillThere(matter)))) {
    return error.when === "link" ? { ...notLinked(matter), confidence: "possible" } : otherParameters(matter);
  }
  const running = runningHas(matter);
  if (livesInOptional(life) && (error.when === "link" || (running !== false && life.homes.includes("libtorch_python")))) {
    return mayBeNotLinked(matter);
  }
  return isInAll(life, knowledge.history) && !metTorch(error) ? everywhere(matter) : drift(matter);
}

/** dyld names the library in which it looked: torch's was there. */
function metTorch({ from = "" }: Matter["error"]): boolean {
  return /[\\/]lib(?:c10|torch(?:_\w+)?)\.dylib$/.test(from);
}

/** Libraries of torch that a build may leave out: TORCH_LIBRARIES has no libtorch_python, a CPU torch no CUDA. */
function livesInOptional({ homes }: Life): boolean {
  return homes.length > 0 && homes.every((one) => /^lib(?:torch_python|(?:c10|torch)_(?:cuda|hip|xpu))/.test(one));
}

/** A torch that people run is rather newer than older than the releases that have a name: one that is still there was not lost by a version. */
function isStillThere({ life, knowledge: { history } }: Matter): boolean {
  return life.either.at(-1) === history.releases.at(-1);
}

/** Releases that have it, and whose recorded wheel has the other std::string than its user asks for. */
function withOtherString({ life, knowledge: { history } }: Matter): readonly string[] {
  return life.either.filter((one) => history.libstdcxxAbiOf(one) !== life.wants);
}

function withString(matter: Matter): Judgement {
  const { error, life } = matter;
  if (error.when === "link" && linksNoTorch(matter)) {
    return notLinked(matter);
  }
  const running = runningHas(matter);
  const others = withOtherString(matter).length;
  // What no official release of its time has in this spelling was built with another torch than those.
  const isForeign = others === life.either.length;
  const isDrift = running === undefined ? others === 0 || !(isStillThere(matter) || isForeign) : !running;
  return isDrift ? drift(matter) : otherString(matter);
}

/** Every release has the name, and with which parameters this one is cannot be compared with what is recorded of Linux. */
function otherParameters({ error, file, name, life, knowledge: { history } }: Matter): Judgement {
  return {
    cause: "torch-drift",
    confidence: "possible",
    headline: `${file} was probably built for another torch than the one that loads it, which lacks ${name}.`,
    because: [`Every recorded release exports a function of that name from ${life.homes.join(" or ")} (${history.source}); which ones with these parameters, the records of Linux do not tell.`, ...(error.system === "linux" ? [] : ["Outside of Linux there is no _GLIBCXX_USE_CXX11_ABI that could differ."])],
    fixes: ["Rebuild it against the torch that runs it, in a clean build folder; of a package, take the wheel that was released for that torch."],
    needs: [askTorch],
  };
}

/** Whether the release that the text names as installed has it; undefined: it names none, or one that is between releases. */
function runningHas({ life, knowledge: { history }, evidence: { running } }: Matter): boolean | undefined {
  return running === undefined || isBetweenReleases(running.torch) ? undefined : isIn(numberOf(running.torch), life, history);
}

/** What is in libtorch_python or a CUDA library in some releases only: left out of the link, or of another torch. */
function mayBeNotLinked(matter: Matter): Judgement {
  const { life, knowledge: { history }, error } = matter;
  const judgement = notLinked(matter);
  return isInAll(life, history) ? judgement : {
    ...judgement,
    confidence: isStillThere(matter) ? judgement.confidence : "possible",
    because: [...(judgement.because ?? []), `They have it so in torch ${range(life.either, history.releases)}: a ${error.when === "link" ? "libtorch" : "torch"} of another version would not have it either.`, ...overloadWords(life, history.releases)],
    needs: [...(judgement.needs ?? []), error.when === "link" ? "Whether headers and libraries are those of one torch." : askTorch],
  };
}

/** The other std::string: what was compiled with the other _GLIBCXX_USE_CXX11_ABI than torch. */
function otherString(matter: Matter): Judgement {
  const { life, knowledge: { history, catalogue }, evidence, file, name, error } = matter;
  const wants = life.wants ?? 0;
  const has = wants === 0 ? 1 : 0;
  const isAll = isInAll(life, history);
  const isLink = error.when === "link";
  const other = isLink ? "the libtorch that is linked" : "the torch that loads it";
  const own = life.releases.length === 0 ? "" : `Official wheels of torch ${range(life.releases, history.releases)} export it in this spelling`;
  const turned = life.twin === undefined ? "" : `${own === "" ? "official wheels export it " : ""}of torch ${range(life.twin.releases, history.releases)} in the other`;
  const ranges = [own, turned].filter((one) => one !== "").join(", ");
  const abi = evidence.running === undefined ? undefined : evidence.running.abi ?? officialAbi(evidence.running.torch, catalogue);
  const isSame = abi === wants;
  return {
    cause: "libstdcxx-abi",
    // Torches of the old std::string are old ones: one that is older than the name explains it as well.
    confidence: !life.isByName && (isAll || abi === has || (wants === 0 && isStillThere(matter))) ? "likely" : "possible",
    headline: isAll || abi === has
      ? `${file} was compiled with _GLIBCXX_USE_CXX11_ABI=${wants}, and ${other} is built with ${has}.`
      : `${file} was compiled with _GLIBCXX_USE_CXX11_ABI=${wants} for ${torches(life.either, history.releases)}; ${other} is built with ${has}, or is another version.`,
    because: [
      `${name} takes or returns ${wants === 0 ? "the old std::string (ABI 0)" : "std::__cxx11::string (ABI 1)"}: that is what ${inside(file)} asks for, not what torch has.`,
      ...(life.isByName ? [`Official wheels of torch ${range(life.either, history.releases)} export a function of that name (${history.source}); of one with these parameters, its records do not tell.`] : []),
      ...(ranges === "" ? [] : [`${ranges.charAt(0).toUpperCase()}${ranges.slice(1)} (${history.source}).`]),
      ...(evidence.running === undefined ? [] : [`The text names torch ${evidence.running.torch}${abi === undefined ? "" : evidence.running.abi === 1 ? " of conda-forge, which is built with _GLIBCXX_USE_CXX11_ABI=1" : `, whose official wheel is built with _GLIBCXX_USE_CXX11_ABI=${abi}${isSame ? ": then the one that is loaded is another build, such as conda-forge's or one of its own" : ""}`}.`]),
      ...wheelWords(matter),
      "The ABI belongs to a build and not to a version: of 2.6.0 the wheels for CUDA 12.6, ROCm, XPU and aarch64 have 1 and the others 0; conda-forge's and NVIDIA's builds have 1.",
    ],
    fixes: isLink
      ? [
        "Compile with what torch was built with: link the target to ${TORCH_LIBRARIES} of find_package(Torch), whose flags carry it, or use torch.utils.cpp_extension, and delete a _GLIBCXX_USE_CXX11_ABI of your own.",
        wants === 1 ? "Of a separate libtorch take the archive libtorch-cxx11-abi-shared-with-deps (since 2.7 every archive is such)." : "If other libraries need the old ABI, a libtorch before 2.7 without cxx11-abi in its name has it.",
      ]
      : [
        "Rebuild it against the torch that runs it, in a clean build folder, and delete a hard-coded _GLIBCXX_USE_CXX11_ABI: torch.utils.cpp_extension and TorchConfig.cmake set torch's.",
        `Of a package that is released for both, take the wheel with cxx11abi${has === 1 ? "TRUE" : "FALSE"} in its name.`,
      ],
    needs: isLink ? ["Which libtorch is linked: its lib/libc10.so shows its ABI (abiding inspect lib/libc10.so)."] : [askTorch, askFits(matter)],
  };
}

/** Another version of torch. */
function drift(matter: Matter): Judgement {
  const { life, knowledge, file, name, error, evidence } = matter;
  const { history } = knowledge;
  const all = history.releases;
  const rest = livesOfFile(error, knowledge).filter((one) => one.either.length > 0 && one.either.length < all.length);
  const common = life.either.filter((release) => rest.every((one) => one.either.includes(release)));
  const releases = common.length > 0 ? common : life.either;
  const running = evidence.running;
  const has = running === undefined || life.isByName ? undefined : isIn(numberOf(running.torch), life, history);
  if (running !== undefined && has === true) {
    return isBetweenReleases(running.torch) ? otherBuild(matter, running.torch) : hasIt(matter, running.torch);
  }
  const isLink = error.when === "link";
  const other = isLink ? "the libtorch that is linked" : "the torch that loads it";
  const [newest, oldest] = [all.at(-1) ?? "", all[0] ?? ""];
  const side = running !== undefined ? `torch ${running.torch}, which the text names, is not one of them` : life.isByName && !error.isDemangled && error.system === "linux" ? `${other} is another one` : releases.includes(newest) ? `${other} is older` : releases.includes(oldest) ? `${other} is newer` : `${other} is older or newer`;
  const cached = cachedBuild(matter);
  // Without import torch the loader takes a libtorch of the system, which is an old one: Debian's, or a toolkit's.
  const mayBeAlone = running === undefined && error.when === "load" && error.system === "linux" && !cached && !releases.includes(oldest) && life.homes.some((one) => /^lib(?:c10|torch|torch_cpu)$/.test(one));
  return {
    cause: cached ? "stale-build" : "torch-drift",
    confidence: life.isByName ? "possible" : "likely",
    headline: `${isLink ? `${file} was compiled with headers of` : `${file} was built for`} ${torches(releases, all)}; ${side}${mayBeAlone ? ", or it was loaded without import torch" : ""}.`,
    because: [
      `Official wheels of torch ${range(life.either, all)} export ${name}${life.isByName ? " or an overload of it" : life.wants === undefined ? "" : ", in the spelling of their std::string"}, those of other recorded releases do not (${history.source}).`,
      ...overloadWords(life, all),
      ...(mayBeAlone ? ["A process that has not imported torch prints the same, where the loader finds a libtorch of the system, of LD_LIBRARY_PATH or of another program: those are mostly older."] : []),
      ...(rest.length > 0 && common.length > 0 ? [`All ${rest.length + 1} names of torch that the text shows of it are together in torch ${range(common, all)}.`] : []),
      ...wheelWords(matter),
      ...(cached ? ["It lies in the cache of torch.utils.cpp_extension.load, which is kept by Python and CUDA and not by torch: it was built before torch was changed."] : []),
      ...(life.wants === undefined && !life.isByName ? ["No std::string is part of it: _GLIBCXX_USE_CXX11_ABI has nothing to do with it."] : [`It also speaks of ${life.wants === 1 ? "std::__cxx11::string" : "the old std::string"}: a torch of another _GLIBCXX_USE_CXX11_ABI would not have it either.`].slice(life.isByName ? 1 : 0)),
    ],
    fixes: cached
      ? [`Delete its folder in the cache${error.file === undefined ? "" : ` (${folderOf(error.file)})`}; the next load() builds it for the torch that is there.`]
      : isLink
        ? ["Take headers and libraries of one torch: one Torch_DIR, no second libtorch in include or library paths, and a clean build folder."]
        : [
          "Rebuild it against the torch that runs it, in a clean build folder; of a package, take the wheel that was released for that torch.",
          `Or run it with a torch that it was built for: ${torches(releases, all)}.`,
          ...(mayBeAlone ? ["If torch was not imported before it: import torch first."] : []),
        ],
    needs: isLink
      ? ["Which torch the include folders belong to (torch/version.h), and which libtorch is linked."]
      : [askTorch, ...(running === undefined ? ["Whether torch was imported before it, and which libc10.so is in the process: grep libc10 /proc/PID/maps."] : []), askFits(matter)],
  };
}

function overloadWords({ overload, isByName }: Life, all: readonly string[]): readonly string[] {
  return overload === undefined || isByName ? [] : [`In torch ${range(overload.releases, all)} it is ${shown(overload.demangled)} instead.`];
}

/** What the name of a wheel in the text says. */
function wheelWords({ evidence: { builtFor }, life, knowledge: { history } }: Matter): readonly string[] {
  if (builtFor === undefined) {
    return [];
  }
  const fits = isIn(builtFor.torch, life, history) === true ? "" : isIn(builtFor.torch, life, history) === false ? ", which does not have it: then the file is of another build than that name" : "";
  return [`"${builtFor.words}" in the text says that it was built for torch ${builtFor.torch}${builtFor.abi === undefined ? "" : ` with _GLIBCXX_USE_CXX11_ABI=${builtFor.abi}`}${fits}.`];
}

/** Every recorded release has it: then it is not the version that is wrong. */
function everywhere(matter: Matter): Judgement {
  const { life, knowledge: { history }, error, file, name } = matter;
  if (error.when === "link" || livesInOptional(life)) {
    return notLinked(matter);
  }
  const all = history.releases;
  return {
    cause: "torch-not-loaded",
    confidence: "likely",
    headline: `${file} was loaded without its torch: ${name} is in ${life.either.length === all.length ? "every release" : `torch ${range(life.either, all)}`}, and not in the libc10 or libtorch that the loader found.`,
    because: [
      `Official wheels of torch ${range(life.either, all)} export it from ${life.homes.map((one) => `${one}.so`).join(" or ")} (${history.source}), so hardly the version of torch, and not _GLIBCXX_USE_CXX11_ABI explains it.`,
      "Either torch was not imported before, and the loader found no libtorch or another one (Debian's, one in LD_LIBRARY_PATH), or the file was not linked with that library.",
    ],
    fixes: ["import torch before it.", `If it is, link it with ${life.homes.map((one) => `-l${one.slice(3)}`).join(" ")} (find_package(Torch) and \${TORCH_LIBRARIES}, or torch.utils.cpp_extension).`],
    needs: ["Whether torch is imported first, and which libc10.so is in the process: grep libc10 /proc/PID/maps, or LD_DEBUG=libs.", askFits(matter)],
  };
}

/** The text names a release that has it. */
function hasIt(matter: Matter, torch: string): Judgement {
  const { life, knowledge: { history }, file, name, error } = matter;
  if (error.when === "link" || life.homes.includes("libtorch_python")) {
    return notLinked(matter);
  }
  return {
    cause: "torch-not-loaded",
    confidence: "possible",
    headline: `${file} did not meet the torch ${torch} that the text names: that release has ${name}.`,
    because: [
      `Official wheels of torch ${range(life.either, history.releases)} export it (${history.source}).`,
      "So another libtorch was loaded (torch was not imported first, or another one lies before it on the path), or this torch is another build than the official one.",
    ],
    fixes: ["import torch before it, in the environment in which torch is installed."],
    needs: [askTorch, "Which libc10.so is in the process: grep libc10 /proc/PID/maps, or LD_DEBUG=libs.", askFits(matter)],
  };
}

/** A build between two releases: a nightly, NVIDIA's, one from source. */
function otherBuild(matter: Matter, torch: string): Judgement {
  const { life, knowledge: { history }, file, name } = matter;
  return {
    cause: "torch-build",
    confidence: "likely",
    headline: `${file} was built for an official ${torches(life.either, history.releases)}; torch ${torch} is a build between two releases and lacks ${name}.`,
    because: [
      `Official wheels of torch ${range(life.either, history.releases)} export it (${history.source}); what a build with such a version has is not told by its number.`,
      ...overloadWords(life, history.releases),
    ],
    fixes: ["Rebuild it against that torch, or use the official release that it was built for."],
    needs: [askFits(matter)],
  };
}

/** The release by whose number a build goes: "2.8.0" of "2.8.0a0+5228986c39.nv25.06" and of "2.8.0+cu128". */
export function numberOf(torch: string): string {
  return /^\d+(?:\.\d+)*/.exec(torch)?.[0] ?? torch;
}

function neverExported(matter: Matter): Judgement {
  const { life, knowledge: { history }, file, name, error } = matter;
  const all = history.releases;
  if (life.homes.includes("libtorch_python") && error.system === "linux") {
    const judgement = notLinked(matter);
    return { ...judgement, because: [...(judgement.because ?? []), `No recorded release (torch ${all[0] ?? ""} to ${all.at(-1) ?? ""}) has it with these parameters: the headers are those of an older torch or of one that is not official.`, ...overloadWords(life, all)] };
  }
  return {
    cause: cachedBuild(matter) ? "stale-build" : "torch-drift",
    confidence: life.overload === undefined ? "possible" : "likely",
    headline: life.overload === undefined
      ? `${file} needs ${name}, which no recorded release of torch exports.`
      : `${file} was built for a torch older than ${all[0] ?? ""}, or for one that is not an official release: no other has ${name}.`,
    because: [
      `Of the official wheels of torch ${all[0] ?? ""} to ${all.at(-1) ?? ""} none exports it, in neither spelling of std::string (${history.source}).`,
      ...overloadWords(life, all),
      ...wheelWords(matter),
    ],
    fixes: ["Rebuild it against the torch that runs it, in a clean build folder; of a package, take the wheel that was released for that torch."],
    needs: ["Which torch it was built with: a release before the recorded ones, a nightly, ROCm or one of its own; or a source that defines it was left out.", ...(error.when === "load" ? [askFits(matter)] : [])],
  };
}

function unrecorded(matter: Matter): Judgement {
  const { file, name, error, knowledge: { history } } = matter;
  return {
    cause: error.when === "link" ? "library-not-linked" : "torch-drift",
    confidence: "possible",
    headline: error.when === "link"
      ? `${file} needs ${name} of torch, which no library on the link line defines.`
      : `${file} needs ${name} of torch, which the torch that loads it does not export: it was probably built for another version.`,
    because: [`Which releases export it is not recorded${history.releases.length === 0 ? "" : ": names of its kind are not in the table"}.`],
    fixes: error.when === "link" ? [] : ["Rebuild it against the torch that runs it, in a clean build folder."],
    needs: error.when === "link" ? ["Whether the target links ${TORCH_LIBRARIES}, and whether headers and libraries are those of one torch."] : [askTorch, askFits(matter)],
  };
}

/** What the official wheel of a version with its label is built with; undefined: not told, or its builds differ. */
function officialAbi(torch: string, catalogue: Catalogue): 0 | 1 | undefined {
  if (isBetweenReleases(torch)) {
    return undefined;
  }
  const label = torch.split("+")[1];
  const variants = (catalogue.torchRelease(torch)?.variants ?? []).filter((one) => one.platform.startsWith("linux") && (label === undefined || one.label === label));
  const abis = new Set(variants.map((one) => one.libstdcxxAbi));
  return abis.size === 1 ? [...abis][0] : undefined;
}

/** Whether the text shows names of torch as undefined that have no std::string and are in every release: then torch is not linked at all. */
function linksNoTorch({ error, knowledge, life }: Matter): boolean {
  return livesOfLog(error, knowledge).some((one) => one.wants === undefined && !one.isByName && isInAll(one, knowledge.history) && one.homes.some((home) => life.homes.includes(home)));
}

/** Where load() of torch.utils.cpp_extension builds (_get_build_directory): kept by Python and CUDA alone. */
export function cachedBuild({ error }: Pick<Matter, "error">): boolean {
  return /[\\/](?:\.cache[\\/])?torch_extensions[\\/]/.test(error.file ?? "");
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")));
}
