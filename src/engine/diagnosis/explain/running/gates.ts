/** Packages that compare versions themselves and say so: what they were built for, and what they met. */
import { isOfFfmpeg } from "../loading/elfFiles.ts";
import { clueOf, textAt, verdict } from "../reading.ts";
import type { Explanation } from "../types.ts";
import { localLabel, publicVersion } from "../../../model/index.ts";
import { recogniserOf } from "./sayings.ts";
import type { Saying } from "./sayings.ts";
import { installLine, torchOf } from "./torchBuilds.ts";

/** xformers/_cpp_lib.py, `xFormersWasBuiltForException`-like texts of 0.0.17 to 0.0.30. */
const xformers: Saying = {
  pattern: /xFormers (?:can't load C\+\+\/CUDA extensions\. xFormers )?was built for:/,
  read(said) {
    const rest = [said.text, ...[1, 2, 3, 4].map((by) => textAt(said.log, said.at + by))];
    const torch = /PyTorch {1,2}(?<built>\d[\w.+]*) with (?:CUDA (?<cuda>\w+)|CPU only|[\w ]{1,20}) \(you have (?<has>\d[\w.+]*)/;
    const at = rest.findIndex((line) => torch.test(line));
    const { built, has } = torch.exec(rest[at] ?? "")?.groups ?? {};
    const python = rest.map((line) => /Python {1,2}(?<built>\d[\d.]*) \(you have (?<has>\d[\d.]*)\)/.exec(line)?.groups).find((one) => one !== undefined);
    const last = said.at + Math.max(at, 0);
    return clueOf(said, () => {
      if (built === undefined || has === undefined) {
        return verdict("version-gate", "likely", "xFormers was built for another torch than the one that runs.", ["It compares both itself when it is imported."], { fixes: ["Install the xformers release that was built for this torch, from the same index."], needs: ["The lines behind: PyTorch … (you have …)"] });
      }
      return xformersVerdict(built, has, python);
    }, { last, words: built === undefined ? said.match[0] : `xFormers was built for PyTorch ${built} (you have ${has ?? ""})`, weight: "warning", subject: { package: "xformers", module: "xformers" } });
  },
};

function xformersVerdict(built: string, has: string, python: { readonly [name: string]: string | undefined } | undefined): Explanation {
  const [wants, runs] = [localLabel(built), localLabel(has)];
  const sameRelease = publicVersion(built) === publicVersion(has);
  if (sameRelease && wants === runs) {
    return verdict("version-gate", "possible", `xFormers was built for this very torch, ${built}, and its library did not load all the same.`, [
      python === undefined ? undefined : `It was built with Python ${python["built"] ?? ""}, and ${python["has"] ?? ""} runs; another patch release of Python does no harm.`,
      "xFormers prints this text for every error of loading its library.",
    ], { needs: ["The error itself: XFORMERS_MORE_DETAILS=1"] });
  }
  const isCpu = runs === "cpu" && wants !== "cpu";
  const line = installLine({ torch: built }, wants);
  return verdict("version-gate", "certain", `xFormers was built for torch ${built}, and torch ${has} runs.`, [
    "It compares both itself and names them; its operators stay away, and it goes on without them.",
    sameRelease ? (isCpu ? "The release agrees, but this torch is a build without CUDA." : "The release agrees, but the builds are for different CUDA versions.") : "Its C++ extension is bound to one release of torch.",
  ], {
    fixes: [
      ...(isCpu ? [`Install the CUDA build of torch: ${line}`] : []),
      ...(sameRelease ? [] : [`Install the xformers release that was built for torch ${publicVersion(has) ?? has}, from the same index as torch.`]),
      ...(isCpu ? [] : [`Or install the torch that it was built for: ${line}`]),
    ],
    copy: line,
  });
}

/** dgl: graphbolt, sparse and the tensor adapter, one file for each exact release of torch (dgl/graphbolt/__init__.py). */
const dgl: Saying = {
  pattern: /(?:Cannot find|Unable to locate the) DGL C\+\+ (?<part>\w+) library at (?<path>[^"'\n]{0,400}?(?:lib)?(?<lib>graphbolt|dgl_sparse|tensoradapter)_pytorch_(?<version>[\w.+]+?)\.(?:so|dylib|dll))/i,
  read(said) {
    const { part = "", path = "", version = "" } = said.match.groups ?? {};
    return clueOf(said, () => {
      const plain = publicVersion(version);
      return verdict("version-gate", "certain", `This dgl has no ${part} library for torch ${version}.`, [
        `dgl brings one file for each release of torch that it was built for, by its exact version (${path.split(/[\\/]/).at(-1) ?? path}), and there is none for the torch that runs.`,
        /post/.test(version) ? `${version} is conda's name for a build of its own: dgl's files carry the plain number.` : undefined,
      ], {
        fixes: [
          "Install a torch for which the folder has a file (list the folder), or the dgl that was built for this torch.",
          ...(plain === undefined || !/post/.test(version) ? [] : [`Take torch ${plain.replace(/\.post\d+$/, "")} from pip.`]),
        ],
        needs: [`The versions for which there are files: ls ${path.replace(/[\\/][^\\/]*$/, "")}`],
      });
    }, { subject: { package: "dgl", module: "dgl" }, words: said.match[0] });
  },
};

/** bitsandbytes/cextension.py: one file for each CUDA version. */
const bitsandbytes: Saying = {
  pattern: /(?:(?<kind>Configured (?:CUDA|ROCm|XPU)) binary not found at|Could not find the bitsandbytes (?:CUDA|ROCm) binary at(?: (?:Posix|Windows)Path\(['"]?)?) ?(?<path>\S{0,400}?libbitsandbytes_(?<label>(?:cuda|rocm|hip)\d+|xpu)\w*\.(?:so|dll|dylib))/,
  read(said) {
    const { path = "", label = "" } = said.match.groups ?? {};
    const version = label.replace(/^[a-z]+/, "").replace(/(\d)$/, ".$1");
    return clueOf(said, (knowledge) => verdict("version-gate", "certain", `This bitsandbytes has no library for ${label.startsWith("cuda") ? "CUDA" : label.startsWith("xpu") ? "XPU" : "ROCm"}${version === "" ? "" : ` ${version}`}.`, [
      `bitsandbytes brings one file for each CUDA version and takes the one of torch's CUDA: ${path.split(/[\\/]/).at(-1) ?? path} is not among them.`,
      torchOf(knowledge) === undefined ? undefined : `torch here is ${torchOf(knowledge) ?? ""}.`,
      "Neither torch nor the C++ ABI is at fault.",
    ], {
      fixes: [
        "Install a newer bitsandbytes, which has a file for that CUDA version.",
        "Or set BNB_CUDA_VERSION to a version of the same CUDA major for which there is a file (list the folder), or build bitsandbytes from source.",
      ],
      copy: "pip install --upgrade bitsandbytes",
    }), { subject: { package: "bitsandbytes", module: "bitsandbytes" }, words: said.match[0] });
  },
};

/** k2/__init__.py. */
const k2: Saying = {
  pattern: /(?<name>\w[\w-]{0,40}) was built using (?<what>PyTorch|CUDA) (?<built>\d[\w.+]*)/,
  read(said) {
    const { name = "", what = "", built = "" } = said.match.groups ?? {};
    const behind = `${said.text.slice(said.match[0].length, 400)}\n${textAt(said.log, said.at + 1)}`;
    const has = new RegExp(`But you are using ${what} (\\d[\\w.+]*\\w)`).exec(behind)?.[1];
    if (has === undefined) return undefined;
    const isNext = !said.text.includes("But you are using");
    return clueOf(said, () => {
      const line = what === "PyTorch" ? installLine({ torch: built }, localLabel(built)) : undefined;
      return verdict("version-gate", "certain", `${name} was built for ${what === "PyTorch" ? "torch" : what} ${built}, and ${has} runs.`, [
        `${name} compares both itself when it is imported, and refuses any difference of release.`,
      ], {
        fixes: [`Install the ${name} wheel that was built for ${what === "PyTorch" ? "torch" : what} ${has} (its index names both).`, ...(line === undefined ? [`Or the build of torch for CUDA ${built}.`] : [`Or install the torch that it was built for: ${line}`])],
        ...(line === undefined ? {} : { copy: line }),
      });
    }, { last: said.at + (isNext ? 1 : 0), words: `${said.match[0]}, but you are using ${what} ${has}`, subject: { package: name } });
  },
};

/** torchcodec/_core/ops.py: it tries its libraries for FFmpeg 4 to 8 and prints, after this, what each of them said. */
const torchcodec: Saying = {
  pattern: /Could not load libtorchcodec\. Likely causes:/,
  read(said) {
    const { log, at } = said;
    const lines = Array.from({ length: Math.min(log.lines.length - at - 1, 400) }, (_, by) => textAt(log, at + 1 + by));
    const end = lines.findIndex((line) => line.includes("[end of libtorchcodec loading traceback]"));
    const tried = lines.slice(0, end < 0 ? lines.length : end).filter((line) => /cannot open shared object file|undefined symbol|[Ss]ymbol not found|Library not loaded|Could not find module|WinError/.test(line));
    const subject = { subject: { package: "torchcodec", module: "torchcodec" }, words: said.match[0] };
    // What is none of FFmpeg's was met by the library whose FFmpeg is there.
    if (tried.some((line) => !isOfFfmpeg(line))) return clueOf(said, loaderSays, { ...subject, weight: "consequence" });
    return clueOf(said, tried.length > 0 ? withoutFfmpeg : loaderSays, subject);
  },
};

function withoutFfmpeg(): Explanation {
  return verdict("library-missing", "certain", "torchcodec finds no FFmpeg that it can use.", ["It tries its libraries for one major version of FFmpeg after the other, and each of them lacks a library of FFmpeg.", "Neither torch nor an ABI is at fault."], {
    fixes: ["Install FFmpeg with its shared libraries (conda install -c conda-forge ffmpeg, or the distribution's package), not only its program, in a version that this torchcodec supports."],
  });
}

function loaderSays(): Explanation {
  return verdict("version-gate", "possible", "torchcodec could not load its library: FFmpeg is missing, or it was built for another torch.", ["It tries its libraries for FFmpeg 4 to 8 one after the other and prints what each of them said.", "Where all of them lack libavutil or libavcodec, FFmpeg is what is missing; where one lacks a symbol of torch, the versions do not go together."], {
    fixes: ["Install FFmpeg's libraries (conda install ffmpeg, or the distribution's package), not only its program.", "Install the torchcodec that was released for this torch (its README has the table)."],
    needs: ["The lines between \"[start of libtorchcodec loading traceback]\" and its end."],
  });
}

/** A package that names what it needs: "requires torch>=2.6, but found 2.4.1". */
const requires: Saying = {
  pattern: /(?<name>[\w.-]{2,40}) requires (?:at least )?(?:PyTorch|torch)(?: version)? ?(?<wants>(?:[<>=~!]{1,2} ?)?\d[\w.+]*)(?:[^\n]{0,20}?)(?:but|;|, )[^\n]{0,40}?(?:you have|found|is installed|got|installed(?: version)?(?: is)?|current(?: version)?(?: is)?)[^\n\d]{0,30}(?<has>\d[\w.+]*\w)/,
  read(said) {
    const { name = "", wants = "", has = "" } = said.match.groups ?? {};
    // pip says the like of its resolution; that is a matter of installing.
    if (/which is incompatible/.test(said.text)) return undefined;
    return clueOf(said, () => verdict("torch-requirement", "certain", `${name} asks for torch ${wants.trim()}, and ${has} runs.`, ["It compares both itself."], {
      fixes: [`Install a torch that ${name} takes, with what belongs to it, or a release of ${name} for torch ${has}.`],
    }), { subject: { package: name }, words: said.match[0] });
  },
};

export const gatesRecogniser = recogniserOf(
  /xFormers|DGL C\+\+|binary not found at|bitsandbytes (?:CUDA|ROCm) binary|was built using|load libtorchcodec|requires (?:at least )?(?:PyTorch|torch)/i,
  [xformers, dgl, bitsandbytes, k2, torchcodec, requires],
);
