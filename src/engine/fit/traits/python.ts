import * as path from "node:path";
import { valueOf } from "../../model/index.ts";
import type { Comparison } from "./setting.ts";
import { known } from "./setting.ts";

/** The suffix in the name of an extension module against those that the interpreter accepts. */
export const pythonSuffix: Comparison = ({ built, environment }) => {
  const module = built.profile.modules.find((one) => one.suffix !== undefined);
  const theirs = known(environment.body, "python-suffix");
  const version = valueOf(environment.body.facts, "python-version") ?? "";
  if (module?.suffix === undefined || (theirs === undefined && version === "")) {
    return undefined;
  }
  const { suffix } = module;
  const evidence = [{ kind: "file" as const, path: built.path, what: "its file name" }, ...(theirs?.evidence ?? [])];
  const isFreeThreaded = theirs === undefined ? undefined : /^cpython-\d+t/.test(theirs.value);
  if (suffix === "abi3" || suffix === "abi3t") {
    if (isFreeThreaded === undefined) {
      return undefined;
    }
    // PEP 803: abi3t serves both kinds of interpreter from 3.15 on; free-threaded ones do not look for .abi3.so.
    const minor = Number(/^3\.(\d+)/.exec(version)?.[1] ?? "0");
    const agrees = suffix === "abi3" ? !isFreeThreaded : minor >= 15;
    const because = agrees
      ? `A Python ${version} looks for .${suffix}.so.`
      : suffix === "abi3" ? `A free-threaded Python does not look for .abi3.so files.` : `.abi3t.so is known to Python 3.15 and later; this is ${version}.`;
    return { trait: "python-suffix", built: suffix, installed: theirs?.value ?? version, agrees, weight: "error", because, evidence };
  }
  if (theirs === undefined) {
    const digits = /^cpython-3(\d+)(t?)/.exec(suffix);
    const minor = /^3\.(\d+)/.exec(version)?.[1];
    if (digits === null || minor === undefined) {
      return undefined;
    }
    const agrees = digits[1] === minor;
    return { trait: "python-suffix", built: suffix, installed: `Python ${version}`, agrees, weight: "error", because: agrees ? `The file is built for CPython 3.${minor}.` : `The file is built for CPython 3.${digits[1]}, and the interpreter is Python ${version}: it does not look for a file of that name.`, evidence };
  }
  // Debian's interpreter also takes the name without the platform; the ABI part decides.
  const agrees = suffix === theirs.value || theirs.value.startsWith(`${suffix}-`);
  const because = agrees
    ? `The interpreter looks for .${theirs.value}.so.`
    : `The interpreter looks for ${path.basename(built.path).replace(suffix, theirs.value)} and does not see ${path.basename(built.path)}: "No module named ...".`;
  return { trait: "python-suffix", built: suffix, installed: theirs.value, agrees, weight: "error", because, evidence };
};

/** Names by which a library of operators registers: torch.ops.load_library opens it under any name. */
const registersOperators = /^(?:_ZN5torch7LibraryC[12]E|_ZN3c1017RegisterOperators|aoti_torch_library_init_|torch_library_impl$)/;

/**
 * The module that a file defines against the name under which Python imports it, which is that of the file: "dynamic module
 * does not define module export function (PyInit_ops)". lib*.so is imported by nobody under its name, and names of modules
 * that are not ASCII are written otherwise (PEP 489).
 */
export const pythonModule: Comparison = ({ built: { path: file, profile }, unstableNames, stableNames }) => {
  const { modules, kind } = profile;
  const [first] = modules;
  const name = /^(?!lib)(\w+)(?:\.(?:cpython-3|pypy3|graalpy)[\w-]*|\.abi3t?)?\.so$/.exec(path.basename(file))?.[1];
  if (first === undefined || name === undefined || kind !== "python-module" || modules.some((one) => one.name === name || !/^Py(?:Init|ModExport)_/.test(one.entry))) {
    return undefined;
  }
  const isLoadedOtherwise = [...unstableNames, ...stableNames].some((one) => registersOperators.test(one));
  const entries = modules.map((one) => one.entry).join(", ");
  const because = `The file defines ${entries} and is named ${path.basename(file)}: import ${name} asks it for PyInit_${name} and stops with "dynamic module does not define module export function (PyInit_${name})". The name that its source gives to PYBIND11_MODULE or PyInit_, that of the target and that of the file must be one${isLoadedOtherwise ? "; as a library of operators (torch.ops.load_library) it loads" : ""}.`;
  return { trait: "python-module", built: entries, installed: `PyInit_${name}, by the name of the file`, agrees: false, weight: isLoadedOtherwise ? "warning" : "error", because, evidence: [{ kind: "file", path: file, what: `exports ${entries}` }] };
};

/** The level of the limited API that a module was built for against the interpreter. */
export const limitedApi: Comparison = ({ built, environment }) => {
  const mine = known(built, "python-limited-api");
  const version = known(environment.body, "python-version");
  const level = /^3\.(\d+)/.exec(mine?.value ?? "")?.[1];
  const minor = /^3\.(\d+)/.exec(version?.value ?? "")?.[1];
  if (mine === undefined || version === undefined || level === undefined || minor === undefined) {
    return undefined;
  }
  const agrees = Number(minor) >= Number(level);
  const because = agrees ? `The names of CPython that it needs are in the stable ABI since ${mine.value}.` : `The names of CPython that it needs are in the stable ABI only since ${mine.value}, and the interpreter is ${version.value}.`;
  return { trait: "python-stable-abi", built: mine.value, installed: version.value, agrees, weight: "error", because, evidence: [...mine.evidence, ...version.evidence] };
};
