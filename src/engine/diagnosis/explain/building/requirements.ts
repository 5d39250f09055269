/** What pip and uv refuse to install together, or at all, where torch is one of them. */
import { localLabel, publicVersion, valueOf } from "../../../model/index.ts";
import { companionFor, installLine, torchesFor } from "../running/torchBuilds.ts";
import { joinWords } from "../../../rules/support.ts";
import { textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { isNear, joined, printed } from "./reading.ts";

/** Distributions whose versions go with torch's. */
const companion = /^(?:torchvision|torchaudio|torchtext)$/;

/** pip/_internal/resolution/resolvelib/factory.py. */
const noVersion = printed(/Could not find a version that satisfies the requirement (torch[\w-]*|xformers|triton|functorch|pyg-lib)\s?((?:[=<>!~]{1,3}[\w.+*!,<>=~ -]{1,80})?)/, ({ match, log, at, text }) => {
  const [, name = "", wanted = ""] = match;
  const offered = /\(from versions: ([^)]{0,4000})/.exec(joined(log, at, 12))?.[1];
  const isNone = offered === undefined || offered.trim() === "none";
  return { words: text.slice(0, 160), subject: { package: name }, explain: (knowledge) => noSuchVersion(name, /==\s?([\w.+!]+)/.exec(wanted)?.[1], offered === undefined ? undefined : isNone, knowledge) };
});

const noDistribution = printed(/No matching distribution found for (torch[\w-]*|xformers|triton|functorch|pyg-lib)\s?((?:==[\w.+!]{1,60})?)/, ({ match, log, at, text }) => (isNear(log, at, 6, 0, /Could not find a version that satisfies the requirement/) ? undefined : {
  words: text, subject: { package: match[1] ?? "" },
  explain: (knowledge) => noSuchVersion(match[1] ?? "", match[2]?.replace("==", "") || undefined, undefined, knowledge),
}));

/** uv's resolver, crates/uv-resolver/src/pubgrub/report.rs. */
const uvNoVersion = printed(/(?:Because |And because |\b)there (?:is|are) no versions? of (torch[\w-]*|xformers|triton)\s?(?:==([\w.+!]{1,60}))?/, ({ match, text }) => ({
  words: text, subject: { package: match[1] ?? "" },
  explain: (knowledge) => noSuchVersion(match[1] ?? "", match[2], undefined, knowledge),
}));

const uvNoWheel = printed(/Because (torch[\w-]*|xformers|triton)(?:[=<>]{1,2}([\w.+!]{1,60}))? has no wheels with a matching (Python (?:implementation|version|ABI)|platform|ABI) tag(?: \(e\.g\., `([^`]{1,60})`\))?/, ({ match, log, at }) => {
  const text = joined(log, at, 3);
  return { words: text.slice(0, 240), subject: { package: match[1] ?? "" }, explain: (knowledge) => noWheelFor(match[1] ?? "", match[2], match[3] ?? "", match[4], knowledge) };
});

/** Two requirements that exclude each other: pip's line "Cannot install", uv's "Because ... depends on". */
const conflict = printed(/Cannot install (.{1,600}?) because these package versions have conflicting dependencies|Because (\S{1,120}) depends on (torch[\w-]*\S{0,60}) and (?:you require|\S{1,80} depends on) (torch[\w-]*\S{0,60}),? we can conclude/, ({ log, at, match, text }) => {
  const reasons = match[1] === undefined ? [text] : reasonsOf(log, at);
  const mine = reasons.filter((one) => /\btorch(?:vision|audio|text|data)?\b/.test(one));
  return mine.length === 0 ? undefined : { words: text.slice(0, 240), explain: (knowledge) => conflictOf(mine, [match[2], match[3], match[4]], knowledge) };
});

/** pip check, and the warning at the end of an installation. */
const brokenPair = printed(/^\s*(?:ERROR: )?([A-Za-z][\w.-]{0,80}) (\d[\w.+!-]{0,60}) (?:requires|has requirement) (torch[\w-]*)([^;]{0,80}?)(?:;[^,]{0,120})?, but you(?: have|'ll have) (torch[\w-]*) (\d[\w.+!]{0,60})(?: which is incompatible)?/, ({ match, text }) => {
  const [, name = "", version = "", needed = "", range = "", other, has = ""] = match;
  return other !== needed ? undefined : { weight: "warning", words: text, subject: { package: name }, explain: ({ catalogue }) => {
    const pair = needed === "torch" ? companionFor(catalogue, name, has) : undefined;
    return verdict(companion.test(name) ? "package-pair" : "torch-requirement", "certain", `${name} ${version} asks for ${needed}${range.trim()}, and ${needed} ${has} is installed now.`, ["The last installation replaced one of the two. pip only warns; what was compiled for the other release fails at import or later."], {
      fixes: [
        ...(pair === undefined ? [`Install the ${name} that was made for ${needed} ${has}, or go back to the ${needed} that it asks for.`] : [`Install the pair: \`${pair.line}\`.`]),
        "Install them in one command, so that the installer chooses versions that go together.",
      ],
      ...(pair === undefined ? {} : { copy: pair.line }),
    });
  } };
});

/** A wheel whose name and metadata tell different versions; local labels added by hand do that. */
const inconsistent = printed(/(?:Requested|Requirement) ([\w.-]{1,80}).{0,300} has inconsistent (version|name): (?:expected|filename has) ['"]?([^'",\s]{1,80})['"]?, but metadata has ['"]?([^'",\s]{1,80})/, ({ match, text }) => ({
  words: text, subject: { package: match[1] ?? "" },
  explain: () => verdict("install-refused", "certain", `The file of ${match[1] ?? ""} says ${match[3] ?? ""} by its name and ${match[4] ?? ""} by its metadata, and pip refuses it.`, ["The wheel was renamed, or its build put a local label (+cu128torch2.8) into one of the two. Nothing was loaded: ABI has no part in it."], { fixes: ["Ask for the version that the metadata has, or take another file of the project's releases. Do not rename wheels."] }),
}));

const hashes = printed(/THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE|Hash mismatch for `([^`]{1,120})`/, ({ match, log, at, text }) => {
  const name = match[1] ?? /^\s*([A-Za-z][\w.-]{0,80})(?:==| from )/.exec(textAt(log, at + 1))?.[1] ?? /\s([\w.-]{1,80})(?:==\S{1,40})? from https?:/.exec(joined(log, at, 4))?.[1];
  return { words: text, subject: name === undefined ? {} : { package: name.split("==")[0] ?? name }, explain: () => verdict("install-refused", "certain", `The file that the index serves${name === undefined ? "" : ` for ${name}`} is not the one that was locked.`, ["The same version has different files on PyPI and on download.pytorch.org (and for other CUDA versions); a mirror, a nightly that was replaced or a broken download differ as well. Nothing was loaded: ABI has no part in it."], { fixes: ["Lock again against the index that is used, with all platforms; clear the installer's cache (`pip cache purge`, `uv cache clean torch`) if the download was broken. Do not switch the check off."] }) };
});

const managed = printed(/^\s*(?:error: |× )?(?:externally-managed-environment|This environment is externally managed)/, ({ log, at, text }) => (/This env/.test(text) && isNear(log, at, 3, 0, /externally-managed-environment/) ? undefined : {
  words: text,
  explain: () => verdict("install-refused", "certain", "The system's Python lets nobody but its package manager install into it.", ["It is no matter of torch or ABI (PEP 668)."], { fixes: ["Make an environment: python3 -m venv .venv && . .venv/bin/activate, and install torch and what is built against it there."], copy: "python3 -m venv .venv && . .venv/bin/activate" }),
}));

export const requirementRecognisers: readonly Recogniser[] = [noVersion, noDistribution, uvNoVersion, uvNoWheel, conflict, brokenPair, inconsistent, hashes, managed];

function noSuchVersion(name: string, version: string | undefined, isNone: boolean | undefined, knowledge: Knowledge): Explanation {
  const { catalogue } = knowledge;
  const label = version === undefined ? undefined : localLabel(version);
  const release = name === "torch" && version !== undefined ? catalogue.torchRelease(version) : undefined;
  const torches = version === undefined || !companion.test(name) ? [] : torchesFor(catalogue, name, version);
  const known = release ?? torches.at(-1);
  const python = pythonOf(knowledge);
  const asked = `${name}${version === undefined ? "" : ` ${version}`}`;
  if (label !== undefined && (known === undefined || known.variants.some((one) => one.label === label))) {
    const line = installLine({ [name]: version ?? "" }, label);
    return verdict("torch-requirement", "likely", `${asked} is not on the index that was asked: builds with a label (+${label}) are kept on download.pytorch.org.`, ["PyPI takes no versions with local labels, so it has only the default build of each release.", ...pythonNote(known?.pythons, python)], { fixes: [`\`${line}\` (uv: a [[tool.uv.index]] with that address).`], copy: line, needs: ["Which index was asked, and which Python installs: `python -VV`."] });
  }
  if (label !== undefined && known !== undefined) {
    const labels = [...new Set(known.variants.map((one) => one.label))];
    return verdict("torch-requirement", "certain", `There is no build +${label} of ${name} ${publicVersion(version ?? "") ?? ""}.`, [`That release has ${joinWords(labels)}.`], { fixes: [`Ask for one of these builds, or for a release that has +${label}.`] });
  }
  if (known !== undefined) {
    return verdict("torch-requirement", "likely", `${asked} exists, but not for the Python or the platform that installs.`, [
      ...(release === undefined ? [] : [`torch ${release.version} has wheels for Python ${joinWords(release.pythons)}.`]),
      ...(python === undefined ? [] : [`The environment compared with has Python ${python}.`]),
      isNone === true ? "\"from versions: none\": no file of any version is for this Python and platform (32-bit, musl, Intel Macs, a Python that is too new), or the index has none." : "The versions that pip lists are those with a file for this Python and platform.",
    ], { fixes: [release === undefined ? `Take the ${name} of a torch that has wheels for this Python.` : `Use a Python of that list, or a release of torch that has wheels for yours.`], needs: ["Which Python: `python -VV`, and `pip debug --verbose` for the platform."] });
  }
  return verdict("torch-requirement", version === undefined ? "possible" : "likely", version === undefined ? `The index has no ${name} for this Python and platform.` : `${asked} is no release that Abiding knows, and the index that was asked has none.`, [isNone === true ? "\"from versions: none\": no file of any version is for this Python and platform, or the index cannot be reached or is another." : "A nightly is kept only for weeks, on download.pytorch.org/whl/nightly; a typing error in the version looks the same.", ...pythonNote(undefined, python)], {
    fixes: [`Ask for a version that the index lists: \`pip index versions ${name}\`.`],
    needs: ["Which index was asked, and which Python installs: `python -VV`."],
  });
}

function pythonNote(pythons: readonly string[] | undefined, python: string | undefined): readonly string[] {
  return pythons === undefined || python === undefined || pythons.some((one) => python.startsWith(`${one}.`)) ? [] : [`It has wheels for Python ${joinWords(pythons)}; the environment compared with has ${python}.`];
}

function pythonOf({ environment }: Knowledge): string | undefined {
  return environment === undefined ? undefined : valueOf(environment.body.facts, "python-version");
}

function noWheelFor(name: string, version: string | undefined, tag: string, mine: string | undefined, { catalogue }: Knowledge): Explanation {
  const release = name === "torch" && version !== undefined ? catalogue.torchRelease(version) : undefined;
  return verdict("torch-requirement", "certain", `${name}${version === undefined ? "" : ` ${version}`} has no wheel for this ${tag === "platform" ? "platform" : "Python"}${mine === undefined ? "" : ` (${mine})`}.`, release === undefined ? [] : [`torch ${release.version} has wheels for Python ${joinWords(release.pythons)}.`], {
    fixes: [tag === "platform" ? "Take a release with a wheel for this platform, or limit the environments that uv resolves for (tool.uv.environments)." : "Use a Python that it has wheels for (uv venv --python 3.12), or another release."],
  });
}

/** The lines below "The conflict is caused by:". */
function reasonsOf(log: Log, at: number): readonly string[] {
  const reasons: string[] = [];
  for (let index = at + 1; index < Math.min(log.lines.length, at + 60); index += 1) {
    const line = textAt(log, index).trim();
    if (/depends on|The user requested/.test(line)) reasons.push(line);
    else if (/^To fix this|^ERROR: ResolutionImpossible/.test(line)) break;
  }
  return reasons;
}

/** pip's reason of a requirement that takes one release of torch alone. */
const pinned = /^([\w.-]{1,80}) (\d[\w.+]{0,40}) depends on torch==([\w.+]{1,40})/;

function conflictOf(reasons: readonly string[], named: readonly (string | undefined)[], { catalogue }: Knowledge): Explanation {
  const all = [...reasons, ...named.flatMap((one) => one ?? [])].join(" ");
  const wanted = /(?:requested|you require) torch==([\w.+]+\d)/.exec(all)?.[1];
  const pins = wanted === undefined ? [] : reasons.flatMap((reason) => {
    const [, name, version, torch] = pinned.exec(reason) ?? [];
    return name === undefined || version === undefined || torch === undefined ? [] : [{ reason, name, version, torch }];
  });
  // What asks for the torch that is wanted is not what disagrees.
  const disagreeing = reasons.filter((one) => !pins.some(({ reason, torch }) => reason === one && torch === wanted));
  const other = /\b(torchvision|torchaudio|torchtext)(?: |==)(\d[\w.+]*)/.exec([...disagreeing, ...named.flatMap((one) => one ?? [])].join(" "))?.[1];
  const culprit = pins.find(({ torch }) => torch !== wanted);
  const pair = wanted === undefined || other === undefined ? undefined : companionFor(catalogue, other, wanted);
  return verdict(other === undefined ? "torch-requirement" : "package-pair", "certain", pair === undefined ? culprit === undefined ? "Requirements ask for different versions of torch, and no installation satisfies all of them." : `${culprit.name} ${culprit.version} asks for torch ${culprit.torch}, and torch ${wanted ?? ""} is requested: no installation satisfies both.` : `${other ?? ""} of that version belongs to another torch than ${wanted ?? ""}.`, reasons.slice(0, 6).map((one) => (/[.!]$/.test(one) ? one : `${one}.`)), {
    fixes: [
      ...(pair === undefined ? ["Let one of them go: take a version of the package that names your torch, or the torch that it names. Packages with compiled code are bound to one minor release of torch for a reason."] : [`Install the pair: \`${pair.line}\`.`]),
      "Do not install past it with --no-deps: what was compiled for the other torch fails at import.",
    ],
    ...(pair === undefined ? {} : { copy: pair.line }),
  });
}
