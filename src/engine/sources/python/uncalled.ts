import { externalBases } from "./evaluation/calls.ts";
import { memberOf } from "./evaluation/attributes.ts";
import { isExtensionClass } from "./evaluation/extension-classes.ts";
import type { Arguments } from "./evaluation/call-types.ts";
import type { Interpreter } from "./evaluation/interpreter.ts";
import { Scope } from "./evaluation/scope.ts";
import type { ClassValue, FunctionValue, ObjectValue, Value } from "./evaluation/values.ts";
import { always, unknown } from "./evaluation/values.ts";
import type { Place, SourceFile } from "./source-file.ts";

/** Functions of one file that are run although nothing in it calls them. */
const maximumRuns = 300;

/** Extensions for which `build_extension` is run. */
const maximumExtensions = 50;

/** Steps that one of them may take. */
const stepsPerFunction = 20_000;

const noArguments = (): Arguments => ({ positional: [], keywords: new Map(), open: false });

/**
 * Runs `build_extensions` of the project's own build_ext classes on the extensions that were made: such
 * classes change compile arguments just before the compiler is called.
 */
export function runBuilders(interpreter: Interpreter, builders: readonly Value[]): void {
  for (const builder of builders) {
    if (builder.kind !== "class") continue;
    const member = memberOf(interpreter, builder, "build_extensions");
    const single = memberOf(interpreter, builder, "build_extension");
    const place = placeOf(builder);
    const extensions = interpreter.objects.filter((object) => (typeof object.type === "string" ? [object.type] : externalBases(object.type)).some(isExtensionClass));
    const self = instance(interpreter, builder, place);
    self.attributes.set("extensions", interpreter.newList("list", extensions.map((value) => ({ value, conditions: always })), place));
    if (member?.kind === "function") interpreter.call({ ...member, self }, noArguments(), place);
    if (single?.kind !== "function") continue;
    for (const extension of compiled(extensions).slice(0, maximumExtensions)) {
      const isDone = interpreter.within(stepsPerFunction, () => { interpreter.call({ ...single, self }, { ...noArguments(), positional: [extension] }, place); });
      if (!isDone) interpreter.cut("steps", `${single.name}()`);
    }
  }
}

/** Extensions that have something to compile, and one of each class that leaves that to another tool. */
function compiled(extensions: readonly ObjectValue[]): readonly ObjectValue[] {
  const classes = new Set<ObjectValue["type"]>();
  return extensions.filter((extension) => {
    const sources = extension.attributes.own("sources", always);
    if (sources === undefined || sources.kind !== "list" || sources.elements.length > 0) return true;
    return !classes.has(extension.type) && classes.add(extension.type);
  });
}

/** Runs what is left: methods of commands, functions that other files call. Their arguments are unknown. */
export function runUncalled(interpreter: Interpreter, file: SourceFile): void {
  const selves = new Map<ClassValue, ObjectValue>();
  let runs = 0;
  for (const callee of [...interpreter.functions]) {
    if (callee.file !== file || interpreter.called.has(callee.node) || runs >= maximumRuns || interpreter.exhausted) continue;
    runs++;
    const place: Place = { file, start: callee.node.start, end: callee.node.start };
    if (!interpreter.within(stepsPerFunction, () => { interpreter.call(bound(interpreter, callee, selves, place), noArguments(), place); })) interpreter.cut("steps", `${callee.name}()`);
  }
}

function bound(interpreter: Interpreter, callee: FunctionValue, selves: Map<ClassValue, ObjectValue>, place: Place): FunctionValue {
  if (callee.owner === undefined || callee.binding === "static") return callee;
  const known = selves.get(callee.owner) ?? instance(interpreter, callee.owner, place);
  selves.set(callee.owner, known);
  return { ...callee, self: known };
}

/** An object of a class without knowing how it was made. It is no extension of the project. */
function instance(interpreter: Interpreter, type: ClassValue, place: Place): ObjectValue {
  const self: ObjectValue = { kind: "object", type, attributes: new Scope(undefined, always), conditions: always, place };
  const initialise = memberOf(interpreter, type, "__init__");
  if (initialise?.kind === "function") interpreter.call({ ...initialise, self }, { ...noArguments(), open: true }, place);
  if (self.attributes.own("extensions", always) === undefined) self.attributes.set("extensions", unknown("self.extensions"));
  return self;
}

function placeOf(type: ClassValue): Place {
  return { file: type.file, start: type.node.nameStart, end: type.node.nameStart + type.name.length };
}
