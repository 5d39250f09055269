/** Signatures and arguments as pybind11 and nanobind print them when no overload fits. */

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly hasDefault: boolean;
}

export interface Overload {
  readonly parameters: readonly Parameter[];
  /** Takes further arguments: *args, **kwargs. */
  readonly isOpen: boolean;
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** Parts between commas outside brackets and quotes; undefined when brackets do not close: the text is cut or no list. */
export function splitList(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (quote !== "") {
      if (letter === "\\") at += 1;
      else if (letter === quote) quote = "";
    } else if ((letter === "'" || letter === '"') && !/\w/.test(text[at - 1] ?? "")) quote = letter;
    else if (letter === ">" && (text[at - 1] === "-" || open.at(-1) !== ">")) continue;
    else if (closing[letter] !== undefined) open.push(closing[letter]);
    else if (letter === open.at(-1)) open.pop();
    else if (letter === "," && open.length === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (open.length > 0 || quote !== "") return undefined;
  return [...parts, text.slice(start)].map((one) => one.trim()).filter((one) => one !== "");
}

/** "1. (self: m.A, arg0: int = 3) -> None", "1. f(x: int, /) -> None". */
export function parseOverload(line: string): Overload | undefined {
  const body = /^\s*\d+\. (?:[\w.]+)?\((.*)$/.exec(line)?.[1];
  const end = body === undefined ? -1 : endOfParameters(body);
  if (body === undefined || end < 0) return undefined;
  const parts = splitList(body.slice(0, end));
  if (parts === undefined) return undefined;
  const named = parts.filter((one) => !/^(?:[*/]|\*)/.test(one));
  return { parameters: named.map(parameterOf), isOpen: parts.some((one) => /^\*{1,2}\w/.test(one)) };
}

function endOfParameters(body: string): number {
  let depth = 1;
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === "(") depth += 1;
    else if (body[at] === ")" && (depth -= 1) === 0) return at;
  }
  return -1;
}

function parameterOf(text: string): Parameter {
  const named = /^(\w+): ?(.*)$/s.exec(text);
  const [type = "", ...rest] = (named?.[2] ?? text).split(/ ?= ?(?!=)/);
  return { name: named?.[1] ?? "", type: type.trim(), hasDefault: rest.length > 0 };
}

/** Written by Python or typing: what pybind11 prints for types that it converts by itself. */
const ofPython = /^(?:int|float|complex|str|bool|bytes|bytearray|list|dict|tuple|set|frozenset|object|None|handle|function|buffer|memoryview|capsule|module|type|array|slice|ellipsis|iterable|iterator|sequence|args|kwargs|date|datetime|timedelta|self|ndarray)$|^(?:list|dict|tuple|set|List|Dict|Tuple|Set|Optional|Union|Callable|Iterable|Iterator|Sequence|Mapping|Buffer|Annotated|Any|SupportsInt|SupportsFloat|SupportsIndex)\b|^(?:typing|collections|numpy|os|pathlib|datetime|scipy|builtins)\b|[|[]/;

/** The C++ name of a type that this module's registry did not know when the function was bound; what it knows is printed by its Python name. */
export function isCxxName(type: string): boolean {
  const plain = type.replace(/ const|const |[&*]| +$/g, "");
  return /::/.test(plain) || (!ofPython.test(plain) && /^[A-Za-z_]\w*(?:<.*>)?$/.test(plain));
}

/** "Graph" of "torch::jit::Graph", "Frame" of "pkg.mod.Frame". */
export function lastName(type: string): string {
  return /(\w+)$/.exec(type.replace(/<.*>$/, "").replace(/(?: const)?[ &*]*$/, ""))?.[1] ?? type;
}

/** Values of torch's own classes that do not show their class, by how their text begins. */
const torchTexts: readonly (readonly [RegExp, string])[] = [
  [/^(?:graph|fusion)\(/, "Graph"], [/^(?:tensor|Parameter containing|torch\.\w*Tensor)\b/, "Tensor"], [/^%?[\w.]+ defined in \(/, "Value"],
  [/^%[\w.]+ : .* = \w+::\w+/, "Node"], [/^__torch__\.[\w.]+$/, "ClassType"], [/^device\(type=/, "device"], [/^torch\.(?:float|bfloat|int|uint|long|half|double|bool|complex|q)\w*$/, "dtype"],
];

/** Names of C++ under which torch's Python classes are bound (torch/csrc/jit/python, torch/csrc/distributed/c10d/init.cpp). */
const torchClasses: Readonly<Record<string, RegExp>> = {
  StrongFunctionPtr: /^ScriptFunction$/, Function: /^ScriptFunction$/, Object: /^(?:ScriptObject|ScriptModule|RecursiveScriptModule)$/, Module: /^(?:ScriptModule|RecursiveScriptModule)$/,
  Store: /^(?:TCP|File|Hash|Prefix|Py)?Store$/, ProcessGroup: /^ProcessGroup\w*$/, Backend: /^(?:Backend|ProcessGroup\w*)$/, Type: /^\w+Type$/,
};

/** The class of a printed argument, or of a type's name as nanobind prints it; undefined: not told. */
function classOfArgument(text: string): string | undefined {
  const object = /^<(?:[\w.<>]*\.)?(\w+)(?: object)?(?: at 0x|\b.*\bat 0x)/.exec(text) ?? /^<(\w+)\.\w+: -?\d+>$/.exec(text) ?? /^(\w+)\.\w+$/.exec(text);
  return torchTexts.find(([begin]) => begin.test(text))?.[1] ?? object?.[1];
}

/** A value that Python writes as a literal. */
export function isLiteral(text: string): boolean {
  return /^(?:-?[\d.]|['"[{(]|b['"]|None$|True$|False$|nan$|-?inf$|array\(|<(?:function|class|module|built-in|lambda)|range\()/.test(text) || /^(?:int|float|str|bool|list|tuple|dict|NoneType|bytes|numpy\.\w+)$/.test(text);
}

/** Whether an argument is of the class that a parameter names. */
export function isOfClass(type: string, argument: string): boolean {
  const [wanted, given] = [lastName(type), classOfArgument(argument)];
  return given !== undefined && (wanted === given || torchClasses[wanted]?.test(given) === true);
}
