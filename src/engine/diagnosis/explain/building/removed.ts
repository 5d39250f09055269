/** Sources that ask torch's headers for what they do not have: removed, moved, or not there yet. */
import { loadCatalogue } from "../../../catalogue/index.ts";
import type { RemovedApi } from "../../../catalogue/index.ts";
import { compareVersions } from "../../../model/index.ts";
import { minorOf, torchOf } from "../running/torchBuilds.ts";
import { textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge, Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import { missingHeader } from "./missingHeader.ts";
import { printed } from "./reading.ts";

/** "error", as gcc and MSVC print it in some languages; clang and nvcc are not translated. */
export const errorWord = String.raw`(?:error|Fehler|erreur|errore|erro|fel|błąd|ошибка|错误|錯誤|エラー|오류)`;

/** Where a compiler says that its message belongs: gcc and clang, nvcc, MSVC. */
export const position = String.raw`(?:^|[\s"'])((?:[A-Za-z]:)?[^\s:("']{1,400})(?::\d+:\d+|\(\d+(?:,\d+)?\))\s?: (?:catastrophic |fatal )?`;

/** Namespaces of torch whose members a project does not define. */
const torchNames = /^(?:at|c10|torch)(?:::|$)/;

const unknownName = printed(new RegExp(String.raw`${position}${errorWord}(?: #?\w{1,8}(?:-D)?)?\s?[:：] ?(.{1,400})`), ({ log, at, match, text }) => {
  const [, file = "", said = ""] = match;
  const name = nameIn(said);
  // What torch's own headers say to a compiler that cannot read them follows from something else.
  if (name === undefined || /[\\/]torch[\\/]include[\\/]/.test(file) || (name.scope === undefined && listed(name.name) === undefined)) {
    return undefined;
  }
  const command = commandOf(log, at);
  const subject = { file: command?.source ?? file };
  return { words: text, subject, explain: (knowledge) => explainName(name, knowledge) };
});

const goneHeader = missingHeader((header, { log, at }) => {
  const command = commandOf(log, at);
  return !/^(?:ATen|c10|caffe2|THC?|THCUNN|THNN|torch)\/./.test(header) || header === "torch/extension.h" || header === "torch/torch.h" || header === "torch/all.h" ? undefined : {
    words: textAt(log, at).trim(), subject: command?.source === undefined ? {} : { file: command.source },
    explain: (knowledge) => explainHeader(header, command?.torchRoot !== undefined, knowledge),
  };
});

/** A source with std's names given to headers whose c10::optional is still a class of its own. */
const ownOptional = printed(new RegExp(String.raw`${position}${errorWord}: could not convert .{0,200}\bstd::(?:nullopt|optional)\b.{0,300} to ['‘"](?:const )?c10::optional<`), ({ log, at, match, text }) => ({
  words: text, subject: { file: commandOf(log, at)?.source ?? match[1] ?? "" },
  explain: (knowledge) => {
    const torch = torchOf(knowledge);
    return verdict("removed-api", "likely", "The source gives std's optional to a torch that has one of its own: its headers are of before torch 2.2.", ["Since torch 2.2 c10::optional is only another name for std::optional; before, the two did not convert into each other.", ...(torch === undefined ? [] : [`The torch compared with is ${torch}.`])], {
      fixes: ["Build against torch 2.2 or newer, or against the torch that the project names.", "For an older torch write c10::optional and c10::nullopt in your own source."],
      needs: ["Which torch (or libtorch) the build saw."],
    });
  },
}));

export const removedRecognisers: readonly Recogniser[] = [goneHeader, ownOptional, unknownName];

/** A name that a compiler does not know, qualified where the message says so. */
interface UnknownName {
  readonly name: string;
  /** What the compiler looked in: "c10", "at::Tensor". */
  readonly scope?: string;
}

const quote = `[‘'"\`»„«“]`;
const quoted = String.raw`${quote}\s?(?:class |struct |const )*([\w:]{1,120})(?:<[^'’"]{0,200}>)?\s?[’'"\`«“»”]`;
const scoped: readonly (readonly [RegExp, name: 1 | 2])[] = [
  [new RegExp(String.raw`${quoted} has no member(?: named)? ${quoted}`), 2],
  [new RegExp(String.raw`(?:namespace|class|struct|enum) ${quoted} has no member ${quoted}`), 2],
  [new RegExp(String.raw`no (?:member|template|type) named ${quoted} in (?:namespace )?${quoted}`), 1],
  [new RegExp(String.raw`${quoted}:? is not a member of ${quoted}`), 1],
  [new RegExp(String.raw`${quoted} in namespace ${quoted} does not name a`), 1],
  // Translated: two quoted names, the second of which is torch's; gcc's word order is that of English but for members.
  [new RegExp(String.raw`^${quoted}[^‘'"»„«“]{2,60}${quoted}[^‘'"»„«“]{0,40}$`), 1],
];
const single = new RegExp(String.raw`(?:identifier|use of undeclared identifier|unknown type name)?\s*${quoted}`);

function nameIn(said: string): UnknownName | undefined {
  if (/DeprecatedTypeProperties['"’ ].{0,80}ScalarType/.test(said)) {
    return { name: "Tensor::type() as the type of an AT_DISPATCH macro" };
  }
  for (const [pattern, place] of scoped) {
    const match = pattern.exec(said);
    const [name, scope] = place === 1 ? [match?.[1], match?.[2]] : [match?.[2], match?.[1]];
    if (name !== undefined && scope !== undefined && torchNames.test(scope)) {
      return { name: name.slice(name.lastIndexOf(":") + 1), scope };
    }
  }
  const alone = single.exec(said)?.[1];
  return alone === undefined ? undefined : { name: alone };
}

/** A name that releases of torch had and newer ones do not: as it stands in the table, or THC's families of names. */
function listed(name: string): RemovedApi | undefined {
  return loadCatalogue().removedApis.find((api) => api.kind !== "header" && api.what === name);
}

/** std's own since torch 2.2; the aliases are hidden where C10_NODEPRECATED is defined (c10/util/Optional.h). */
const aliases: Readonly<Record<string, string>> = { optional: "std::optional", nullopt: "std::nullopt", nullopt_t: "std::nullopt_t", make_optional: "std::make_optional", string_view: "std::string_view", void_t: "std::void_t", is_same_v: "std::is_same_v" };

function explainName({ name, scope }: UnknownName, knowledge: Knowledge): Explanation {
  const full = scope === undefined ? name : `${scope}::${name}`;
  const removed = listed(full);
  if (removed !== undefined) {
    return gone(removed, knowledge);
  }
  if (scope === "c10" && aliases[name] !== undefined) {
    return verdict("removed-api", "likely", `The source uses ${full}, which torch has deprecated for ${aliases[name] ?? ""}.`, ["Since torch 2.2 it is only another name for that of std, and headers leave it out where C10_NODEPRECATED is defined or the alias has been taken away."], { fixes: [`Write ${aliases[name] ?? ""} instead (C++17, torch 2.2 or newer).`], needs: ["Which torch was built against, and whether C10_NODEPRECATED is defined."] });
  }
  const torch = torchOf(knowledge);
  return verdict("removed-api", "possible", `The source uses ${full}, which the headers of this torch do not have.`, ["Headers of torch change with every minor release: the name is of an older or of a newer torch than the one built against, or the header that declares it is not included.", ...(torch === undefined ? [] : [`The torch compared with is ${torch}.`])], {
    fixes: ["Build against a torch that the project names for this version of its sources, or take a version of the project that names this torch."],
    needs: ["Which torch was built against, and for which the sources were written (README, setup.py)."],
  });
}

function gone(api: RemovedApi, knowledge: Knowledge): Explanation {
  const torch = torchOf(knowledge);
  const stillHas = torch !== undefined && compareVersions(torch, api.removedIn) < 0;
  const replacement = api.replacement === undefined ? undefined : `Write ${api.replacement}${api.kind === "header" ? " in the #include" : ""} instead${api.replacementSince === undefined ? "" : ` (torch ${minorOf(api.replacementSince)} or newer has it)`}.`;
  return verdict("removed-api", stillHas ? "likely" : "certain", `${api.kind === "header" ? `The header ${api.what}` : api.what} is gone since torch ${api.removedIn}, and the source still uses it.`, [
    `Seen so in torch's releases: ${api.source}.`,
    ...(torch === undefined ? [] : [stillHas ? `torch ${torch}, which is compared with, still has it: the build read the headers of a newer one.` : `The torch compared with is ${torch}.`]),
  ], { fixes: [...(replacement === undefined ? [] : [replacement]), `Take a newer version of the project: sources that use it were written for a torch before ${minorOf(api.removedIn)}.`, `Or build them with a torch before ${minorOf(api.removedIn)}.`], needs: stillHas ? ["Which torch the build saw: `pip show torch` there."] : [] });
}

function explainHeader(header: string, sawTorch: boolean, knowledge: Knowledge): Explanation {
  const api = knowledge.catalogue.removedApis.find((one) => one.kind === "header" && (one.what === header || (one.what.endsWith("/") && header.startsWith(one.what))));
  if (api !== undefined) {
    return gone({ ...api, what: header }, knowledge);
  }
  const torch = torchOf(knowledge);
  if (/^THC\/|\.cuh$/.test(header)) {
    return verdict("headers-missing", "likely", `${header} is not found: only builds of torch for CUDA have it.`, ["torch's CPU wheels come without it, and a compiler that is given no include directory of a torch does not find it either.", ...(torch === undefined ? [] : [`The torch compared with is ${torch}.`])], { fixes: ["Build with a torch for CUDA, by CUDAExtension or CMake's find_package(Torch)."], needs: ["Which torch was built against: `pip show torch` in the environment of the build."] });
  }
  return sawTorch
    ? verdict("removed-api", "possible", `The source includes ${header}, which the headers of this torch do not have.`, ["torch's headers are on the include path, and this one is not among them: it is of a newer torch, of another build of it (CPU, CUDA, XPU), or of torch's own source tree.", ...(torch === undefined ? [] : [`The torch compared with is ${torch}.`])], { fixes: ["Build against the torch that the project names for this version of its sources."], needs: ["Which torch was built against: `pip show torch` in the environment of the build."] })
    : verdict("headers-missing", "likely", `The compiler is not told where torch's headers lie: ${header} is not found.`, ["No include directory of a torch stands on its command line."], { fixes: ["Build with torch.utils.cpp_extension, or with CMake's find_package(Torch) and target_link_libraries(... ${TORCH_LIBRARIES}), which bring the include directories."], needs: ["The compiler's command line: whether it names torch/include."] });
}
