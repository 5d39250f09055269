/** The syntax tree of Python. Offsets are UTF-16 indices into the text, `end` exclusive. */

interface Node {
  readonly start: number;
  readonly end: number;
}

export type Expression =
  | Name | StringLiteral | FormattedString | NumberLiteral | Constant | Collection | DictDisplay | Binary | Unary
  | BooleanOperation | Comparison | Call | Attribute | Subscript | Slice | Conditional | Lambda | Comprehension | Starred
  | NamedExpression | Awaiting | Unreadable;

export interface Name extends Node { readonly type: "name"; readonly id: string }
export interface StringLiteral extends Node { readonly type: "string"; readonly value: string }
export interface FormattedString extends Node {
  readonly type: "fstring";
  readonly parts: readonly (string | { readonly expression: Expression; readonly conversion: string; readonly format: string })[];
}
export interface NumberLiteral extends Node { readonly type: "number"; readonly value: number }
export interface Constant extends Node { readonly type: "constant"; readonly value: "True" | "False" | "None" | "..." }
export interface Collection extends Node { readonly type: "list" | "tuple" | "set"; readonly elements: readonly Expression[] }
export interface DictDisplay extends Node {
  readonly type: "dict";
  /** Without a key: `**value`. */
  readonly entries: readonly { readonly key: Expression | undefined; readonly value: Expression }[];
}
export interface Binary extends Node { readonly type: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
export interface Unary extends Node { readonly type: "unary"; readonly operator: "not" | "-" | "+" | "~"; readonly operand: Expression }
/** `a and b and c`. */
export interface BooleanOperation extends Node { readonly type: "boolean"; readonly operator: "and" | "or"; readonly values: readonly Expression[] }
export interface Comparison extends Node { readonly type: "comparison"; readonly left: Expression; readonly rest: readonly { readonly operator: string; readonly right: Expression }[] }
export interface Argument extends Node {
  readonly name?: string;
  /** Where the keyword stands. */
  readonly nameRange?: Node;
  readonly star?: "*" | "**";
  readonly value: Expression;
}
export interface Call extends Node { readonly type: "call"; readonly callee: Expression; readonly arguments: readonly Argument[] }
export interface Attribute extends Node { readonly type: "attribute"; readonly object: Expression; readonly name: string; readonly nameStart: number }
export interface Subscript extends Node { readonly type: "subscript"; readonly object: Expression; readonly index: Expression }
export interface Slice extends Node { readonly type: "slice"; readonly lower?: Expression; readonly upper?: Expression; readonly step?: Expression }
export interface Conditional extends Node { readonly type: "conditional"; readonly test: Expression; readonly then: Expression; readonly otherwise: Expression }
export interface Lambda extends Node { readonly type: "lambda"; readonly parameters: readonly Parameter[]; readonly body: Expression }
export interface Comprehension extends Node {
  readonly type: "comprehension";
  readonly makes: "list" | "set" | "dict" | "generator";
  readonly element: Expression;
  /** The value of a dict comprehension, whose `element` is the key. */
  readonly value?: Expression;
  readonly clauses: readonly { readonly target: Expression; readonly iterable: Expression; readonly tests: readonly Expression[] }[];
}
export interface Starred extends Node { readonly type: "starred"; readonly stars: "*" | "**"; readonly value: Expression }
/** `name := value`. */
export interface NamedExpression extends Node { readonly type: "walrus"; readonly target: Expression; readonly value: Expression }
/** `await x`, `yield x`, `yield from x`. */
export interface Awaiting extends Node { readonly type: "await" | "yield"; readonly value?: Expression }
export interface Unreadable extends Node { readonly type: "unreadable" }

export interface Parameter extends Node {
  readonly name: string;
  readonly star: "" | "*" | "**";
  readonly default?: Expression;
}

export type Statement =
  | ExpressionStatement | Assign | AugmentedAssign | Return | Simple | Raise | Delete | Assert | Import | ImportFrom | ScopeDeclaration
  | If | For | While | Try | With | FunctionDefinition | ClassDefinition | Match | BrokenStatement;

export interface ExpressionStatement extends Node { readonly type: "expression"; readonly value: Expression }
/** Also an annotated assignment; without a value it only declares. */
export interface Assign extends Node { readonly type: "assign"; readonly targets: readonly Expression[]; readonly value?: Expression }
export interface AugmentedAssign extends Node { readonly type: "augmented"; readonly target: Expression; readonly operator: string; readonly value: Expression }
export interface Return extends Node { readonly type: "return"; readonly value?: Expression }
export interface Simple extends Node { readonly type: "pass" | "break" | "continue" }
export interface Raise extends Node { readonly type: "raise"; readonly value?: Expression }
export interface Delete extends Node { readonly type: "delete"; readonly targets: readonly Expression[] }
export interface Assert extends Node { readonly type: "assert"; readonly test: Expression }
export interface ImportedName extends Node { readonly name: string; readonly as?: string }
export interface Import extends Node { readonly type: "import"; readonly names: readonly ImportedName[] }
export interface ImportFrom extends Node { readonly type: "import-from"; readonly module: string; readonly level: number; readonly names: readonly ImportedName[]; readonly all: boolean }
export interface ScopeDeclaration extends Node { readonly type: "global" | "nonlocal"; readonly names: readonly string[] }
export interface If extends Node { readonly type: "if"; readonly test: Expression; readonly body: readonly Statement[]; readonly otherwise: readonly Statement[] }
export interface For extends Node { readonly type: "for"; readonly target: Expression; readonly iterable: Expression; readonly body: readonly Statement[]; readonly otherwise: readonly Statement[] }
export interface While extends Node { readonly type: "while"; readonly test: Expression; readonly body: readonly Statement[]; readonly otherwise: readonly Statement[] }
export interface Handler extends Node { readonly catches?: Expression; readonly name?: string; readonly body: readonly Statement[] }
export interface Try extends Node { readonly type: "try"; readonly body: readonly Statement[]; readonly handlers: readonly Handler[]; readonly otherwise: readonly Statement[]; readonly finally: readonly Statement[] }
export interface With extends Node { readonly type: "with"; readonly items: readonly { readonly context: Expression; readonly target?: Expression }[]; readonly body: readonly Statement[] }
export interface FunctionDefinition extends Node {
  readonly type: "function";
  readonly name: string;
  readonly nameStart: number;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}
export interface ClassDefinition extends Node {
  readonly type: "class";
  readonly name: string;
  readonly nameStart: number;
  readonly bases: readonly Argument[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}
export interface Match extends Node { readonly type: "match"; readonly subject: Expression; readonly cases: readonly { readonly pattern: Expression; readonly guard?: Expression; readonly body: readonly Statement[] }[] }
export interface BrokenStatement extends Node { readonly type: "broken"; readonly message: string }

export interface SyntaxProblem extends Node { readonly message: string }

export interface Module {
  readonly text: string;
  readonly body: readonly Statement[];
  readonly problems: readonly SyntaxProblem[];
  /** Where reading stopped, in a file with more tokens than are read. */
  readonly cutAt?: number;
}
