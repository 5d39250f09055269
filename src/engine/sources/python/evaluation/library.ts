import type { Place } from "../source-file.ts";
import { systemName } from "./constants.ts";
import { isExtensionClass, setExtensionArguments } from "./extension-classes.ts";
import { fileFunctions } from "./file-functions.ts";
import type { Arguments } from "./call-types.ts";
import { isGuarded } from "./guarded-text.ts";
import type { Interpreter } from "./interpreter.ts";
import { withUsual } from "./operators.ts";
import { Scope } from "./scope.ts";
import { isSpread, truthOf } from "./truth.ts";
import type { ListValue, ObjectValue, UnknownValue, Value } from "./values.ts";
import { always, boolean, followed, none, number, render, text, unknown, usually } from "./values.ts";

/** A function of Python or of a library, given its arguments; undefined: not known after all. */
export type LibraryFunction = (interpreter: Interpreter, args: Arguments, place: Place) => Value | undefined;

/** Calls something outside the project. What is not known gives an unknown value that is named by the call. */
export function callExternal(interpreter: Interpreter, name: string, args: Arguments, place: Place): Value {
  const known = functions[name] ?? fileFunctions[name];
  const result = known?.(interpreter, args, place);
  if (result !== undefined) return result;
  if (isExtensionClass(name)) {
    const object: ObjectValue = { kind: "object", type: name, attributes: new Scope(undefined, interpreter.conditions), conditions: interpreter.conditions, place };
    setExtensionArguments(interpreter, object, args);
    if (interpreter.objects.length < 2_000) interpreter.objects.push(object);
    else interpreter.cut("calls");
    return object;
  }
  return unknown(`${name.replace(/^builtins\./, "")}(${args.positional.slice(0, 4).map(render).join(", ")})`, name.startsWith("torch.") ? "torch" : args.positional.map(followed).find((one) => one !== undefined));
}

function first(args: Arguments): Value {
  return args.positional[0] ?? unknown("nothing");
}

function environmentVariable(interpreter: Interpreter, args: Arguments): Value {
  const name = first(args);
  const fallback = args.positional[1] ?? args.keywords.get("default")?.value;
  if (name.kind !== "text" || !name.known) return unknown(`os.environ.get(${render(name)})`, "environment");
  const rendered = fallback === undefined ? `os.environ.get(${render(name)})` : `os.environ.get(${render(name)}, ${render(fallback)})`;
  const earlier = interpreter.environment.filter((one) => one.name === name.value && one.conditions.every((condition) => interpreter.stack.includes(condition))).at(-1);
  if (earlier !== undefined) return earlier.value;
  return withUsual(unknown(rendered, "environment"), fallback ?? none, (value) => value);
}

function newVersion(_: Interpreter, args: Arguments): Value | undefined {
  const value = first(args);
  if (value.kind === "version") return value;
  if (value.kind !== "text" || !value.known) return unknown(`Version(${render(value)})`, followed(value));
  return value.follows === undefined ? { kind: "version", text: value.value } : { kind: "version", text: value.value, follows: value.follows };
}

function toList(makes: ListValue["makes"]): LibraryFunction {
  return (interpreter, args, place) => {
    const list = interpreter.newList(makes, [], place);
    const source = args.positional[0];
    if (source === undefined) return list;
    if (source.kind === "dict") for (const entry of source.entries) interpreter.append(list, entry.key, entry.conditions);
    else interpreter.extend(list, source);
    if (makes === "set") list.elements = withoutRepeats(list.elements);
    return list;
  };
}

function withoutRepeats(elements: ListValue["elements"]): ListValue["elements"] {
  const seen = new Set<string>();
  return elements.filter((element) => {
    const key = `${render(element.value)} ${element.conditions.map((one) => one.id + String(one.branch)).join()}`;
    return !seen.has(key) && seen.add(key);
  });
}

function toNumber(parse: (text: string) => number): LibraryFunction {
  return (interpreter, args, place) => interpreter.lift(first(args), (value) => {
    if (value.kind === "unknown" && value.usual !== undefined) return withUsual(keepName(`int(${render(value)})`, value), value.usual, (usual) => toNumber(parse)(interpreter, { positional: [usual], keywords: new Map(), open: false }, place) ?? unknown("int"));
    if (value.kind === "number") return number(Math.trunc(value.value), value.follows);
    if (value.kind === "boolean") return number(value.value ? 1 : 0, value.follows);
    if (value.kind === "text" && value.known && /^\s*[-+]?\d/.test(value.value)) return number(parse(value.value), value.follows);
    return keepName(`int(${render(value)})`, value);
  });
}

/** An unknown value made from another one, with what is known about that one's origin and truth. */
function keepName(name: string, value: Value): UnknownValue {
  if (value.kind !== "unknown") return unknown(name, followed(value));
  return { ...unknown(name, value.follows), ...(value.truth === undefined ? {} : { truth: value.truth }) };
}

function pairs(interpreter: Interpreter, lists: readonly ListValue[], place: Place): Value {
  const result = interpreter.newList("list", [], place);
  const length = Math.min(...lists.map((list) => list.elements.length));
  for (let index = 0; index < length; index++) {
    const parts = lists.map((list) => list.elements[index]).filter((element) => element !== undefined);
    const conditions = parts.flatMap((part) => part.conditions);
    interpreter.append(result, interpreter.newList("tuple", parts.map((part) => ({ value: part.value, conditions: always })), place), conditions);
  }
  return result;
}

function quantified(all: boolean): LibraryFunction {
  return (_, args) => {
    const list = first(args);
    const rendered = `${all ? "all" : "any"}(${render(list)})`;
    if (list.kind !== "list") return unknown(rendered);
    const truths = list.elements.map((element) => isSpread(element.value) || element.conditions.length > 0 ? undefined : truthOf(element.value));
    if (truths.includes(!all)) return boolean(!all);
    return truths.includes(undefined) ? unknown(rendered) : boolean(all);
  };
}

function applied(keepArgument: boolean): LibraryFunction {
  return (interpreter, args, place) => {
    const [callee, iterable] = args.positional;
    if (callee === undefined || iterable === undefined) return undefined;
    const list = interpreter.newList("list", [], place);
    interpreter.iterate(iterable, (item, known) => {
      const result = callee.kind === "none" ? item : interpreter.call(callee, { positional: [item], keywords: new Map(), open: false }, place);
      if (!keepArgument) interpreter.append(list, known ? result : interpreter.spread(result));
      else {
        const { yes } = interpreter.split(result, place);
        if (yes !== undefined) interpreter.append(list, known ? item : interpreter.spread(item), yes);
      }
    });
    return list;
  };
}

const functions: Readonly<Record<string, LibraryFunction | undefined>> = {
  "os.environ.get": environmentVariable,
  "os.getenv": environmentVariable,
  "os.environ.copy": (interpreter, _, place) => ({ ...interpreter.newDict(place), open: true }),
  "os.environ.setdefault": (interpreter, args, place) => {
    const [name, value] = args.positional;
    if (name?.kind === "text" && value !== undefined) interpreter.environment.push({ name: name.value, value, place, conditions: interpreter.conditions });
    return environmentVariable(interpreter, args);
  },
  "os.putenv": (interpreter, args, place) => {
    const [name, value] = args.positional;
    if (name?.kind === "text" && value !== undefined) interpreter.environment.push({ name: name.value, value, place, conditions: interpreter.conditions });
    return none;
  },
  "platform.system": (interpreter, _, place) => systemName(interpreter, place),
  "torch.compiled_with_cxx11_abi": (interpreter) => {
    const abi = interpreter.context.torchLibstdcxxAbi;
    const value = unknown("torch.compiled_with_cxx11_abi()", "torch");
    return abi === undefined ? value : { ...value, truth: abi === 1 };
  },
  "torch.cuda.is_available": (interpreter) => interpreter.context.torchCudaVersion === null ? boolean(false, "torch") : unknown("torch.cuda.is_available()"),
  "packaging.version.parse": newVersion,
  "packaging.version.Version": newVersion,
  "pkg_resources.parse_version": newVersion,
  "pkg_resources.packaging.version.parse": newVersion,
  "distutils.version.LooseVersion": newVersion,
  "distutils.version.StrictVersion": newVersion,
  "looseversion.LooseVersion": newVersion,
  "torch.torch_version.TorchVersion": newVersion,
  "copy.copy": (interpreter, args, place) => copyOf(interpreter, first(args), place),
  "copy.deepcopy": (interpreter, args, place) => copyOf(interpreter, first(args), place),
  "itertools.chain": (interpreter, args, place) => {
    const list = interpreter.newList("list", [], place);
    for (const value of args.positional) interpreter.extend(list, value);
    return list;
  },
  "itertools.chain.from_iterable": (interpreter, args, place) => {
    const list = interpreter.newList("list", [], place);
    interpreter.iterate(first(args), (item) => { interpreter.extend(list, item); });
    return list;
  },
  "shlex.split": (interpreter, args, place) => {
    const split = (value: Value): Value => interpreter.call({ kind: "method", self: value, name: "split" }, { positional: [], keywords: new Map(), open: false }, place);
    return isGuarded(first(args)) ? split(first(args)) : interpreter.lift(first(args), split);
  },
  "builtins.str": (interpreter, args, place) => isGuarded(first(args)) ? first(args) : interpreter.lift(args.positional[0] ?? text("", place), (value) => value.kind === "unknown" ? { ...keepName(value.text, value), ...(value.usual === undefined ? {} : { usual: value.usual }) } : interpreter.asText(value, place)),
  "builtins.int": toNumber((value) => Number.parseInt(value, 10)),
  "builtins.float": toNumber(Number.parseFloat),
  "builtins.bool": (interpreter, args) => interpreter.lift(first(args), (value) => {
    const truth = truthOf(value);
    if (truth !== undefined && value.kind !== "unknown") return boolean(truth, followed(value));
    return withUsual(keepName(`bool(${render(value)})`, value), usually(value), (usual) => boolean(truthOf(usual) ?? false));
  }),
  "builtins.len": (interpreter, args) => interpreter.lift(first(args), (value) => {
    if (value.kind === "text" && value.known) return number(value.value.length);
    if (value.kind === "list" && value.elements.every((element) => element.conditions.length === 0 && !isSpread(element.value))) return number(value.elements.length);
    if (value.kind === "dict" && !value.open && value.entries.every((entry) => entry.conditions.length === 0)) return number(value.entries.length);
    const truth = truthOf(value);
    return { ...unknown(`len(${render(value)})`, followed(value)), ...(truth === undefined ? {} : { truth }) };
  }),
  "builtins.list": toList("list"),
  "builtins.tuple": toList("tuple"),
  "builtins.set": toList("set"),
  "builtins.frozenset": toList("set"),
  "builtins.sorted": toList("list"),
  "builtins.reversed": toList("list"),
  "builtins.dict": (interpreter, args, place) => {
    const dict = interpreter.newDict(place);
    const source = args.positional[0];
    if (source?.kind === "list") {
      for (const { value } of interpreter.elementsOf(source)) {
        const [key, item] = value.kind === "list" ? value.elements : [];
        if (key !== undefined && item !== undefined) interpreter.setEntry(dict, key.value, item.value, place);
      }
    } else if (source !== undefined) interpreter.merge(dict, source);
    for (const [name, { value, place: keyPlace }] of args.keywords) interpreter.setEntry(dict, text(name, keyPlace), value, keyPlace);
    dict.open ||= args.open;
    return dict;
  },
  "builtins.range": (interpreter, args, place) => {
    const bounds = args.positional.map((value) => value.kind === "number" ? value.value : undefined);
    const [from, to, step] = bounds.length === 1 ? [0, bounds[0], 1] : [bounds[0], bounds[1], bounds.length > 2 ? bounds[2] : 1];
    if (from === undefined || to === undefined || step === undefined || step === 0 || Math.abs((to - from) / step) > 1_000) return undefined;
    const list = interpreter.newList("list", [], place);
    for (let value = from; step > 0 ? value < to : value > to; value += step) interpreter.append(list, number(value));
    return list;
  },
  "builtins.enumerate": (interpreter, args, place) => {
    const list = first(args);
    if (list.kind !== "list") return undefined;
    const numbers = interpreter.newList("list", list.elements.map((_, index) => ({ value: number(index), conditions: always })), place);
    return pairs(interpreter, [numbers, list], place);
  },
  "builtins.zip": (interpreter, args, place) => {
    const lists = args.positional.filter((value) => value.kind === "list");
    return lists.length === args.positional.length && lists.length > 0 ? pairs(interpreter, lists, place) : undefined;
  },
  "builtins.map": applied(false),
  "builtins.filter": applied(true),
  "builtins.any": quantified(false),
  "builtins.all": quantified(true),
  "builtins.print": () => none,
  "builtins.getattr": (interpreter, args, place) => {
    const [object, name] = args.positional;
    if (object === undefined || name?.kind !== "text") return undefined;
    const value = interpreter.attribute(object, name.value, place);
    return value.kind === "external" && args.positional.length > 2 ? unknown(value.name, followed(value) ?? (value.name.startsWith("torch.") ? "torch" : undefined)) : value;
  },
  "builtins.setattr": (interpreter, args) => {
    const [object, name, value] = args.positional;
    if (object?.kind === "object" && name?.kind === "text" && value !== undefined) object.attributes.write(name.value, value, interpreter);
    return none;
  },
  "builtins.hasattr": (interpreter, args) => {
    const [object, name] = args.positional;
    if (object?.kind !== "object" || name?.kind !== "text" || typeof object.type !== "string") return undefined;
    return object.attributes.own(name.value, interpreter.stack) === undefined ? undefined : boolean(true);
  },
  "builtins.isinstance": (interpreter, args) => {
    const [value, type] = args.positional;
    if (value === undefined || type?.kind !== "external") return undefined;
    const kinds: Readonly<Record<string, readonly string[]>> = { "builtins.str": ["text"], "builtins.list": ["list"], "builtins.tuple": ["list"], "builtins.dict": ["dict"] };
    const wanted = kinds[type.name];
    if (wanted === undefined || value.kind === "unknown") return undefined;
    return interpreter.lift(value, (one) => {
      if (one.kind === "unknown") return unknown(`isinstance(${render(one)}, ${render(type)})`);
      return boolean(wanted.includes(one.kind) && (one.kind !== "list" || type.name.endsWith(one.makes)));
    });
  },
};

function copyOf(interpreter: Interpreter, value: Value, place: Place): Value {
  return interpreter.lift(value, (one) => {
    if (one.kind === "list") {
      const list = interpreter.newList(one.makes, [], place);
      interpreter.extend(list, one);
      return list;
    }
    if (one.kind === "dict") {
      const dict = interpreter.newDict(place);
      for (const entry of one.entries) interpreter.under(entry.conditions, () => { interpreter.setEntry(dict, entry.key, copyOf(interpreter, entry.value, place), entry.keyPlace); });
      dict.open = one.open;
      return dict;
    }
    return one;
  });
}
