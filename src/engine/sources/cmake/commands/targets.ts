import type { Arg, Call, Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { noteOptions, noteTargetDefinitions } from "../observations/settings.ts";
import { appendProperty, createTarget, setProperty, targetsNamed } from "../properties.ts";
import type { Target } from "../target.ts";
import { knownPiece, value } from "../value.ts";
import type { Piece } from "../value.ts";
import { byKeyword, shown, textOf } from "./arguments.ts";

const kinds: Readonly<Record<string, Target["kind"]>> = { STATIC: "static", SHARED: "shared", MODULE: "module", OBJECT: "object", INTERFACE: "interface", UNKNOWN: "unknown" };
const libraryWords = new Set(["EXCLUDE_FROM_ALL", "GLOBAL", "WIN32", "MACOSX_BUNDLE", "THIN_LTO", "NO_EXTRAS", "OPT_SIZE", "LTO", "NOMINSIZE", "NOSTRIP", "NB_STATIC", "NB_SHARED", "STABLE_ABI", "FREE_THREADED", "NB_SUPPRESS_WARNINGS", "SYSTEM", "WITH_SOABI", "OPTIONS"]);

/** A command that makes a target: its default kind, and what it adds of its own. */
interface Maker {
  readonly kind: Target["kind"];
  readonly links?: readonly string[];
  readonly feature?: string;
  readonly language?: string;
}

const makers: Readonly<Record<string, Maker>> = {
  add_library: { kind: "unknown" },
  add_executable: { kind: "executable" },
  pybind11_add_module: { kind: "module", links: ["pybind11::module"] },
  nanobind_add_module: { kind: "module", links: ["nanobind"], feature: "cxx_std_17" },
  python_add_library: { kind: "module" },
  python2_add_library: { kind: "module" },
  python3_add_library: { kind: "module" },
  cuda_add_library: { kind: "unknown", language: "CUDA" },
  cuda_add_executable: { kind: "executable", language: "CUDA" },
  hip_add_library: { kind: "unknown", language: "HIP" },
  hip_add_executable: { kind: "executable", language: "HIP" },
  sycl_add_library: { kind: "unknown" },
};

function make(madeBy: string, maker: Maker): Handler {
  return (vm, call) => {
    const [first, ...rest] = call.args;
    if (first === undefined) return;
    return vm.inWorlds(first.pieces, (name) => {
      const words = rest.map(textOf);
      if (words[0] === "ALIAS") return vm.state.write(vm.globalProperties, `ALIAS ${name}`, value(rest[1]?.pieces ?? []));
      const kindWord = words.find((word) => word !== undefined && word in kinds);
      const imported = words.includes("IMPORTED");
      const kind = imported ? "imported" : kindWord !== undefined ? (kinds[kindWord] as Target["kind"]) : maker.kind === "unknown" ? defaultLibrary(vm) : maker.kind;
      const target = createTarget(vm, name, kind, madeBy, imported);
      const sources: Arg[] = [];
      let sabi: Arg | undefined;
      for (let index = 0; index < rest.length; index++) {
        const word = words[index];
        if (word === "USE_SABI") sabi = rest[++index];
        else if (word === undefined || (!(word in kinds) && word !== "IMPORTED" && !libraryWords.has(word))) sources.push(rest[index] as Arg);
      }
      appendProperty(vm, target.properties, "SOURCES", sources.map((arg) => arg.pieces), madeBy);
      if (sabi !== undefined) setProperty(vm, target.properties, "PY_SABI", sabi.pieces, madeBy);
      if (words.includes("STABLE_ABI")) setProperty(vm, target.properties, "PY_SABI", [knownPiece("3.12", vm.origin())], madeBy);
      if (maker.links !== undefined) appendProperty(vm, target.properties, "LINK_LIBRARIES", maker.links.map((link) => [knownPiece(link, vm.origin())]), madeBy);
      if (maker.feature !== undefined) appendProperty(vm, target.properties, "COMPILE_FEATURES", [[knownPiece(maker.feature, vm.origin())]], madeBy);
      if (maker.language !== undefined) setProperty(vm, target.properties, "EXTRA_LANGUAGE", [knownPiece(maker.language)], madeBy);
    });
  };
}

function defaultLibrary(vm: Interpreter): Target["kind"] {
  return /^(1|ON|TRUE|YES)$/i.test(vm.lookupSet("BUILD_SHARED_LIBS")?.pieces.map((piece) => piece.text).join("") ?? "") ? "shared" : "static";
}

const customTarget: Handler = () => "normal";

/** target_compile_definitions and its kin: `PRIVATE` sets the target's own property, `INTERFACE` that of its users, `PUBLIC` both. */
function targetProperty(property: string): Handler {
  return (vm, call) => {
    const [first, ...rest] = call.args;
    if (first === undefined) return;
    if (property === "COMPILE_DEFINITIONS") noteTargetDefinitions(vm, call, rest);
    if (property === "COMPILE_OPTIONS") noteOptions(vm, call, rest);
    return vm.inWorlds(first.pieces, (name) => {
      const targets = targetsNamed(vm, name);
      const what = call.command.name;
      let scope = "PUBLIC";
      let before = false;
      const groups: { scope: string; items: (readonly Piece[])[] }[] = [];
      for (const arg of rest) {
        const word = arg.argument.kind === "unquoted" || arg.argument.kind === "quoted" ? textOf(arg) : undefined;
        if (word === "PRIVATE" || word === "PUBLIC" || word === "INTERFACE" || word === "LINK_PRIVATE" || word === "LINK_PUBLIC" || word === "LINK_INTERFACE_LIBRARIES") {
          scope = word === "LINK_PRIVATE" ? "PRIVATE" : word === "LINK_PUBLIC" ? "PUBLIC" : word === "LINK_INTERFACE_LIBRARIES" ? "INTERFACE" : word;
        } else if (word === "BEFORE") before = true;
        else if (word !== "SYSTEM" && word !== "AFTER") {
          const last = groups.at(-1);
          if (last?.scope === scope) last.items.push(arg.pieces);
          else groups.push({ scope, items: [arg.pieces] });
        }
      }
      for (const target of targets) {
        for (const group of groups) {
          if (group.scope !== "INTERFACE") appendProperty(vm, target.properties, property, group.items, what, before);
          if (group.scope !== "PRIVATE") appendProperty(vm, target.properties, property === "SOURCES" ? "INTERFACE_SOURCES" : `INTERFACE_${property}`, group.items, what, before);
          else if (property === "LINK_LIBRARIES" && target.kind === "static") appendProperty(vm, target.properties, "LINK_ONLY_LIBRARIES", group.items, what);
        }
      }
    });
  };
}

/** The older cuda_add_library takes its options from CUDA_NVCC_FLAGS; swig makes a module out of an interface file. */
const swigAddLibrary: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, [], ["TYPE", "LANGUAGE", "OUTPUT_DIR"], ["SOURCES"]);
  const name = textOf(parsed.positional[0]);
  if (name === undefined) return;
  const target = createTarget(vm, name, kinds[shown(parsed.values.get("TYPE")?.[0])] ?? "module", "swig_add_library");
  appendProperty(vm, target.properties, "SOURCES", (parsed.values.get("SOURCES") ?? []).map((arg) => arg.pieces), "swig_add_library");
};

const swigLink: Handler = (vm, call: Call) => targetProperty("LINK_LIBRARIES")(vm, call);

export const targetCommands: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...Object.entries(makers).map(([name, maker]): [string, Handler] => [name, make(name, maker)]),
  ["add_custom_target", customTarget], ["swig_add_library", swigAddLibrary], ["swig_link_libraries", swigLink],
  ["target_compile_definitions", targetProperty("COMPILE_DEFINITIONS")], ["target_compile_options", targetProperty("COMPILE_OPTIONS")],
  ["target_compile_features", targetProperty("COMPILE_FEATURES")], ["target_include_directories", targetProperty("INCLUDE_DIRECTORIES")],
  ["target_link_libraries", targetProperty("LINK_LIBRARIES")], ["target_sources", targetProperty("SOURCES")],
  ["target_link_options", () => "normal"], ["target_link_directories", () => "normal"], ["target_precompile_headers", () => "normal"],
]);
