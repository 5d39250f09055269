import type { Node, MangledSymbol } from "./ast.ts";
import { unlessUnreadable } from "./cursor.ts";
import { parseSymbol } from "./demangle.ts";
import { distinctNodes, encodeSymbol } from "./encode.ts";
import { nodesOf, rewrite, specialMemberOf } from "./tree.ts";

/*
 * The two ABIs of std::string in libstdc++: with _GLIBCXX_USE_CXX11_ABI=1 the classes below live in the inline namespace
 * std::__cxx11, and functions and variables whose type says so nowhere in their mangled name get the ABI tag cxx11
 * (https://gcc.gnu.org/onlinedocs/libstdc++/manual/using_dual_abi.html).
 */

/** Classes between _GLIBCXX_BEGIN_NAMESPACE_CXX11 and its end in the headers of libstdc++ 12, directly in std. */
const stdClasses: ReadonlySet<string> = new Set([
  "basic_string", "basic_stringbuf", "basic_istringstream", "basic_ostringstream", "basic_stringstream", "list", "_List_base",
  "collate", "collate_byname", "messages", "messages_byname", "moneypunct", "moneypunct_byname", "money_get", "money_put",
  "numpunct", "numpunct_byname", "time_get", "time_get_byname", "wstring_convert", "basic_regex", "match_results", "regex_iterator",
  "regex_token_iterator", "regex_traits", "sub_match",
]);

/** The same in std::filesystem. */
const filesystemClasses: ReadonlySet<string> = new Set([
  "path", "filesystem_error", "directory_entry", "directory_iterator", "recursive_directory_iterator", "_Dir",
]);

const std: Node = { kind: "std" };
const char: Node = { kind: "builtin", code: "c" };
const cxx11 = inStd(identifier("__cxx11"));
const charTraits: Node = { kind: "template", name: inStd(identifier("char_traits")), args: [char] };
const charAllocator: Node = { kind: "template", name: { kind: "abbreviation", letter: "a" }, args: [char] };
const newBasicString: Node = { kind: "member", scope: cxx11, name: identifier("basic_string") };
const newString: Node = { kind: "template", name: newBasicString, args: [char, charTraits, charAllocator] };
const oldBasicString: Node = { kind: "abbreviation", letter: "b" };
const oldString: Node = { kind: "abbreviation", letter: "s" };

function identifier(text: string): Node {
  return { kind: "identifier", text, internal: false, discriminator: "" };
}

function inStd(name: Node): Node {
  return { kind: "member", scope: std, name };
}

/**
 * Which std::string ABI the tokens of a tree speak of: 1 for std::__cxx11 and the tag cxx11; 0 for the classes that live
 * there, named outside of it. Sa, Si, So, Sd and Sb alone are in both.
 */
export function stringAbiOf(target: Node): 0 | 1 | "both" | undefined {
  let old = false;
  let new_ = false;
  for (const node of nodesOf(target)) {
    new_ ||= isNew(node);
    old ||= isOld(node);
  }
  return old && new_ ? "both" : old ? 0 : new_ ? 1 : undefined;
}

function isNew(node: Node): boolean {
  return node.kind === "tagged" ? node.tag === "cxx11" : node.kind === "member" && isIdentifier(node.name, "__cxx11") && isInStd(node.scope);
}

function isOld(node: Node): boolean {
  if (node.kind === "abbreviation") return node.letter === "s";
  if (node.kind === "template") return node.name.kind === "abbreviation" && node.name.letter === "b";
  return isOldMember(node);
}

/** A class of the two ABIs that stands directly in std or std::filesystem. */
function isOldMember(node: Node): node is Node & { kind: "member" } {
  if (node.kind !== "member" || node.name.kind !== "identifier") return false;
  if (node.scope.kind === "std") return stdClasses.has(node.name.text);
  return isFilesystem(node.scope) && filesystemClasses.has(node.name.text);
}

function isFilesystem(node: Node): boolean {
  return node.kind === "member" && node.scope.kind === "std" && isIdentifier(node.name, "filesystem");
}

function isInStd(node: Node): boolean {
  let scope = node;
  while (scope.kind === "member") scope = scope.scope;
  return scope.kind === "std";
}

function isIdentifier(node: Node, text: string): boolean {
  return node.kind === "identifier" && node.text === text;
}

/**
 * The same entity in the other std::string ABI; undefined when no token depends on it or tokens of both occur. From the new
 * to the old it is exact. From the old to the new a tag cannot be known, which the return type decides: see
 * `abiTwinCandidates`.
 */
export function abiTwin(symbol: string): string | undefined {
  // Most names have no token of either; those need no reading.
  if (!/cxx11|S[stb]/.test(symbol)) return undefined;
  const parsed = parseSymbol(symbol);
  const abi = parsed === undefined ? undefined : stringAbiOf(parsed.target);
  if (parsed === undefined || abi === undefined || abi === "both") return undefined;
  return unlessUnreadable(() => encodeChanged(parsed, abi === 1 ? toOld : toNew));
}

/**
 * What `abiTwin` says, and where the new ABI may add the tag cxx11 that spelling too: for a function or variable whose type
 * the name does not show. So a name without any mark (`Node::name() const` of the old ABI) has only the tagged candidate.
 */
export function abiTwinCandidates(symbol: string): readonly string[] {
  const parsed = parseSymbol(symbol);
  return (parsed === undefined ? undefined : unlessUnreadable(() => candidates(parsed))) ?? [];
}

function candidates(parsed: MangledSymbol): readonly string[] {
  const abi = stringAbiOf(parsed.target);
  if (abi === "both") return [];
  const twins: string[] = [];
  if (abi !== undefined) twins.push(encodeChanged(parsed, abi === 1 ? toOld : toNew));
  if (abi !== 1 && mayBeTagged(parsed.target)) twins.push(encodeChanged({ ...parsed, target: withTag(parsed.target) }, toNew));
  return twins;
}

function encodeChanged(symbol: MangledSymbol, change: (node: Node) => Node): string {
  const distinct = distinctNodes(symbol);
  const { root, replaced } = rewrite(symbol.target, change);
  const still = new Set<Node>();
  for (const node of distinct) still.add(replaced.get(node) ?? node);
  // A variable of the global namespace is mangled only for its tag.
  if (root.kind === "identifier" && !root.internal) return root.text;
  return encodeSymbol({ target: root, suffix: symbol.suffix }, still);
}

function toOld(node: Node): Node {
  if (node.kind === "tagged" && node.tag === "cxx11") return node.name;
  if (node.kind === "member" && node.scope.kind === "member" && isIdentifier(node.scope.name, "__cxx11") && isInStd(node.scope.scope)) {
    return node.scope.scope.kind === "std" && isIdentifier(node.name, "basic_string") ? oldBasicString : { ...node, scope: node.scope.scope };
  }
  if (node.kind === "template" && node.name === oldBasicString && areStringArguments(node.args)) return oldString;
  return node;
}

function areStringArguments(args: readonly Node[]): boolean {
  const [character, traits, allocator] = args;
  const isChar = (one: Node | undefined): boolean => one?.kind === "builtin" && one.code === "c";
  return args.length === 3 && isChar(character)
    && traits?.kind === "template" && isChar(traits.args[0]) && traits.name.kind === "member" && traits.name.scope.kind === "std" && isIdentifier(traits.name.name, "char_traits")
    && allocator?.kind === "template" && isChar(allocator.args[0]) && allocator.name.kind === "abbreviation" && allocator.name.letter === "a";
}

function toNew(node: Node): Node {
  if (node.kind === "abbreviation") return node.letter === "s" ? newString : node.letter === "b" ? newBasicString : node;
  if (!isOldMember(node)) return node;
  return { ...node, scope: node.scope.kind === "std" ? cxx11 : { kind: "member", scope: node.scope, name: identifier("__cxx11") } };
}

/** A tag makes up for a type that the name does not show: a return type, which templates show, or the type of a variable. */
function mayBeTagged(target: Node): boolean {
  if (target.kind === "special" || specialMemberOf(target) !== undefined) return false;
  return target.kind !== "encoding" || target.returns === undefined;
}

function withTag(target: Node): Node {
  switch (target.kind) {
    case "encoding": case "this-qualified": case "member": case "template": return { ...target, name: withTag(target.name) };
    case "local": return target.entity === undefined ? target : { ...target, entity: withTag(target.entity) };
    default: return { kind: "tagged", name: target, tag: "cxx11" };
  }
}
