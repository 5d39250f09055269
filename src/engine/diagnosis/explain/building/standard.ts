/** C++ standards below what torch's headers demand, or above what they or the compiler take. */
import minimums from "../../../../../data/compiler-standards.json" with { type: "json" };
import type { Catalogue } from "../../../catalogue/index.ts";
import { valueOf } from "../../../model/index.ts";
import { minorOf, torchOf } from "../running/torchBuilds.ts";
import { textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import type { Command } from "./command.ts";
import { isNear, near, printed } from "./reading.ts";

/** c10/util/C++17.h, ATen/ATen.h, torch/all.h. */
const guard = printed(/(?:#error|(?<=\d: (?:fatal )?)error:)\s{0,4}:?\s{0,4}"?(?:C\+\+(\d\d) or later compatible compiler is required to use (PyTorch|ATen)|You need C\+\+(\d\d) to compile PyTorch)|static assertion failed:? .{0,20}(?:You need C\+\+(\d\d) to compile PyTorch)/, ({ log, at, match, text }) => {
  const needed = Number(match[1] ?? match[3] ?? match[4]);
  const command = commandOf(log, at);
  return { words: text.slice(0, 120), subject: command?.source === undefined ? {} : { file: command.source }, explain: (knowledge) => belowFloor(needed, command, knowledge, "certain", command === undefined && isByCMake(log, at)) };
});

/** What compilers say where a library or language feature of a newer standard is met; the standard is not translated. */
const onlyFrom = printed(/(?:only available (?:with|from)|nur mit|seulement disponible|仅在.{0,20}可用).{0,40}(?:-std=(?:c|gnu)\+\+(\w\w)|C\+\+(\d\d))|is a C\+\+(\d\d) extension|error C7555: .{0,80}|error C7582: .{0,80}|error STL\d+: .{0,60}C\+\+(\d\d)|error: namespace "std" has no member "(?:optional|variant|string_view|is_same_v|void_t|in_place(?:_\w+)?)"|(?:no member named|no template named|no type named) '(?:optional|variant|string_view|is_same_v|void_t|in_place(?:_\w+)?)' in namespace 'std'|['‘](?:optional|variant|string_view)['’] in namespace ['‘]std['’]|['‘](?:std::)?(?:is_same_v|void_t|conjunction_v|in_place(?:_\w+)?)['’] (?:is not a member of ['‘]std['’]|has not been declared)|['‘"](?:requires|concept)['’"](?: does not name a type| is undefined)|identifier "(?:requires|concept)" is undefined/, ({ log, at, match, text }) => {
  const line = textAt(log, at);
  if (/\bwarning\b|-W[a-z]|: Warnung|avertissement/i.test(line) && !/error/i.test(line)) {
    return undefined;
  }
  const command = commandOf(log, at);
  const inTorch = isNear(log, at, 14, 6, /[\\/]torch[\\/](?:include|headeronly)|[\\/](?:c10|ATen)[\\/]/);
  if (!inTorch && command?.torchRoot === undefined && command?.extension === undefined) {
    return undefined;
  }
  const needed = feature(match, text);
  return { words: text, subject: command?.source === undefined ? {} : { file: command.source }, explain: (knowledge) => belowFloor(needed, command, knowledge, inTorch && (command?.standards.at(-1) ?? 0) < needed ? "likely" : "possible", command === undefined && isByCMake(log, at)) };
});

/** A compiler older than the standard's name. */
const unknownStandard = printed(/unrecognized command[- ]line option ['‘"“](-std=(?:c|gnu)\+\+(\w\w))['’"”]|invalid value '((?:c|gnu)\+\+(\w\w))' in '-std=|nvcc fatal\s*: Value ['"](c\+\+(\w\w))['"] is not defined for option ['"]std['"]/, ({ log, at, match, text }) => {
  const flag = match[1] ?? `-std=${match[3] ?? match[5] ?? ""}`;
  const standard = Number((match[2] ?? match[4] ?? match[6] ?? "").replace("2a", "20").replace("2b", "23"));
  const isNvcc = match[5] !== undefined;
  const row = minimums.standards.find((one) => one.standard === standard);
  return {
    words: text,
    explain: () => verdict("host-compiler", "certain", `The compiler is too old for ${flag}${isNvcc ? ": nvcc does not know it" : ""}.`, [
      isNvcc ? "nvcc knows C++17 from CUDA 11 on and C++20 from CUDA 12 on." : row === undefined ? "Newer releases of the compiler know it." : `gcc knows it from ${row.gcc} on, clang from ${row.clang} on.`,
      ...(standard === 20 ? ["torch 2.12 and newer ask for C++20 by themselves, and the headers of 2.14 demand it."] : []),
    ], {
      fixes: [isNvcc ? "Build with a newer CUDA toolkit of torch's major version." : `Compile with ${row === undefined ? "a newer compiler" : `gcc ${row.gcc} or newer`}: CC and CXX, CUDAHOSTCXX for nvcc.`, "Do not lower the standard below what torch's headers demand: they would refuse it next."],
      needs: near(log, at, 200, 0, /\bg\+\+ \(.{0,60}\) \d/) === undefined ? ["Which compiler: `c++ --version`."] : [],
    }),
  };
});

/** Headers of torch up to 1.x in C++17 and newer: std::byte and std::data meet names of theirs (pytorch_cluster#229). */
const ambiguous = printed(/error C2872: ['"]?std['"]?: ambiguous symbol|error: reference to ['‘](?:byte|data|size)['’] is ambiguous/, ({ log, at, text }) => {
  if (!isNear(log, at, 20, 12, /[\\/](?:lib)?torch[\\/]include/)) {
    return undefined;
  }
  return { words: text, explain: (knowledge) => verdict("cxx-standard", "possible", "Headers of an old torch are compiled in a C++ standard that is newer than they are, or by a newer compiler.", ["torch up to 1.13 and 2.0 was written for C++14; names that a later standard brought into std collide with its own.", ...(torchOf(knowledge) === undefined ? [] : [`The torch compared with is ${torchOf(knowledge) ?? ""}.`])], { fixes: ["Compile with the standard of that release (-std=c++14 or /std:c++14), or build with a newer torch."], needs: ["Which torch the build saw, and the -std of the command line."] }) };
});

export const standardRecognisers: readonly Recogniser[] = [guard, onlyFrom, unknownStandard, ambiguous];

function feature(match: RegExpExecArray, text: string): number {
  const named = match[1] ?? match[2] ?? match[3] ?? match[4];
  const standard = named === undefined ? NaN : Number(named.replace("2a", "20").replace("1z", "17"));
  return Number.isNaN(standard) ? (/C7555|C7582|requires|concept/.test(text) ? 20 : 17) : standard;
}

/** Also for errors inside torch's headers that only a too low standard explains. */
export function belowFloor(needed: number, command: Command | undefined, knowledge: Knowledge, confidence: Explanation["confidence"], byCMake = false): Explanation {
  const { environment, catalogue } = knowledge;
  const asked = command?.standards.at(-1);
  const floor = environment === undefined ? undefined : valueOf(environment.body.facts, "cxx-standard-floor");
  const flag = command?.standardFlag ?? "";
  const low = asked !== undefined && asked < needed;
  const who = command === undefined ? "It" : /nvcc/.test(command.compiler) ? "nvcc" : "The C++ compiler";
  return verdict("cxx-standard", confidence, low ? `torch's headers demand C++${needed}, and ${flag} on the compiler's command line asks for less.` : `torch's headers demand C++${needed}, and the build compiles with less.`, [
    `Headers of ${releasesWithFloor(needed, catalogue)} demand it.`,
    ...(floor === undefined || floor === needed ? [] : [`${torchOf(knowledge) === undefined ? "The torch compared with" : `torch ${torchOf(knowledge) ?? ""}, which is compared with,`} demands C++${floor}: the build read the headers of another torch.`]),
    ...(low && command !== undefined ? [`${whence(command)} ${command.extension === undefined ? "" : "torch adds its own standard only where none is given, so the pinned one wins."}`.trim()] : []),
    ...(command !== undefined && asked === undefined ? [`${who} is given no -std at all, so its own default holds (C++17 for gcc 11 to 15).`] : []),
    ...(low || asked === undefined || asked < needed ? [] : [`The command line asks for C++${asked}, so the compiler itself may be too old to offer it (__cplusplus).`]),
  ], {
    fixes: command?.extension !== undefined || (command === undefined && !byCMake)
      ? [`Delete the ${low ? flag : "-std flag"} from extra_compile_args (the lists "cxx" and "nvcc"), CXXFLAGS and NVCC_APPEND_FLAGS: torch.utils.cpp_extension then chooses the right one. Or raise it to -std=c++${needed} in both.`, ...(command === undefined ? [`With CMake set CMAKE_CXX_STANDARD and CMAKE_CUDA_STANDARD to ${needed}.`] : [])]
      : [`Raise it to C++${needed}: CMAKE_CXX_STANDARD and CMAKE_CUDA_STANDARD, the CXX_STANDARD property of the target, or the -std flag of the build file.`],
    ...(low ? { copy: flag.replace(/\w\w$/, String(needed)) } : {}),
    needs: command === undefined ? ["The compiler's command line: which -std it is given."] : confidence === "certain" ? [] : ["Which torch the build saw: `pip show torch` there."],
  });
}

/** CMake's builds show no command lines unless they are asked to, but the objects that they make. */
function isByCMake(log: Log, at: number): boolean {
  return isNear(log, at, 400, 0, /^\[ *\d+%\] Building |^\[\d+\/\d+\] Building |CMakeFiles[\\/]/);
}

function whence(command: Command): string {
  if (command.standards.length > 1) {
    return `The command line holds ${command.standards.length} standards, and the last one counts.`;
  }
  return command.isGnuDialect ? "The gnu++ dialect is what CMake asks for by CMAKE_CXX_STANDARD or a target's CXX_STANDARD." : command.extension === undefined ? "The build files pin it." : "The project pins it in extra_compile_args, or the environment in CXXFLAGS.";
}

function releasesWithFloor(standard: number, catalogue: Catalogue): string {
  const having = catalogue.torchReleases.filter((one) => one.cxxStandardFloor === standard);
  const [first, last] = [having[0], having.at(-1)];
  if (first === undefined || last === undefined) {
    return "some releases of torch";
  }
  return last === catalogue.torchReleases.at(-1) ? `torch ${minorOf(first.version)} and newer` : `torch ${minorOf(first.version)} to ${minorOf(last.version)}`;
}
