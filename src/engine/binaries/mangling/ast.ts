/**
 * The syntax tree of a mangled name. Words are those of the Itanium C++ ABI, chapter 5
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling). A substitution is no node: it is the node it stands for,
 * so a tree is a graph without cycles in which nodes are shared.
 */

/** <source-name>; `internal` where an L says that the entity has internal linkage. */
export interface Identifier { readonly kind: "identifier"; readonly text: string; readonly internal: boolean; readonly discriminator: string }
/** <operator-name> of two letters. */
export interface OperatorName { readonly kind: "operator"; readonly code: string }
/** cv <type>: a conversion function. */
export interface Conversion { readonly kind: "conversion"; readonly type: Node }
/** li <source-name> */
export interface LiteralOperator { readonly kind: "literal-operator"; readonly text: string }
/** v <digit> <source-name> */
export interface VendorOperator { readonly kind: "vendor-operator"; readonly arity: string; readonly text: string }
/** C1, C2, D0 ...; `of` is the class name as a demangler prints it; `inherited` the base class of CI1 and CI2. */
export interface SpecialMember { readonly kind: "constructor" | "destructor"; readonly variant: string; readonly of: string; readonly inherited: Node | undefined }
/** Ut <number> _ */
export interface UnnamedType { readonly kind: "unnamed"; readonly number: string }
/** Ul <signature> E <number> _; `head` holds the declarations of explicit template parameters. */
export interface Lambda { readonly kind: "lambda"; readonly head: readonly Node[]; readonly parameters: readonly Node[]; readonly number: string }
/** DC <source-name>+ E */
export interface StructuredBinding { readonly kind: "bindings"; readonly names: readonly Node[] }
/** B <source-name> */
export interface Tagged { readonly kind: "tagged"; readonly name: Node; readonly tag: string }
/** St */
export interface Std { readonly kind: "std" }
/** Sa, Sb, Ss, Si, So, Sd */
export interface Abbreviation { readonly kind: "abbreviation"; readonly letter: string }
export interface Member { readonly kind: "member"; readonly scope: Node; readonly name: Node }
/** A member whose initializer is the scope of a lambda: <prefix> M. */
export interface Initializer { readonly kind: "initializer"; readonly of: Node }
export interface TemplateId { readonly kind: "template"; readonly name: Node; readonly args: readonly Node[] }
/** Qualifiers between the N and the prefix: those of the function that the name is of. */
export interface ThisQualified { readonly kind: "this-qualified"; readonly qualifiers: string; readonly reference: string; readonly name: Node }
/** Z <encoding> E ...; without an entity a string literal. */
export interface LocalName { readonly kind: "local"; readonly within: Node; readonly entity: Node | undefined; readonly discriminator: string; readonly defaultArgument: string | undefined }

/** A function: its name and its bare function type. */
export interface FunctionEncoding { readonly kind: "encoding"; readonly name: Node; readonly marksReturn: boolean; readonly returns: Node | undefined; readonly parameters: readonly Node[]; readonly constraint: Node | undefined }
/** <special-name>; `detail` is what stands between the code and the target: call offsets, a sequence number. */
export interface SpecialName { readonly kind: "special"; readonly code: string; readonly detail: string; readonly target: Node; readonly base: Node | undefined; readonly tail: string }

export interface Builtin { readonly kind: "builtin"; readonly code: string }
export interface VendorType { readonly kind: "vendor-type"; readonly text: string; readonly args: readonly Node[] | undefined }
/** `qualifiers` in the order of the name: r, V, K. */
export interface Qualified { readonly kind: "qualified"; readonly qualifiers: string; readonly type: Node }
export interface VendorQualified { readonly kind: "vendor-qualified"; readonly text: string; readonly args: readonly Node[] | undefined; readonly type: Node }
/** P, R, O; C and G: complex and imaginary. */
export interface Indirect { readonly kind: "indirect"; readonly code: "P" | "R" | "O" | "C" | "G"; readonly type: Node }
export interface ExceptionSpecification { readonly code: "Do" | "DO" | "Dw"; readonly operands: readonly Node[] }
export interface FunctionType {
  readonly kind: "function"; readonly qualifiers: string; readonly exceptions: ExceptionSpecification | undefined; readonly transactionSafe: boolean; readonly externC: boolean;
  readonly returns: Node; readonly parameters: readonly Node[]; readonly reference: string;
}
export interface ArrayType { readonly kind: "array"; readonly dimension: string | Node; readonly type: Node }
export interface VectorType { readonly kind: "vector"; readonly dimension: string | Node; readonly type: Node }
export interface MemberPointer { readonly kind: "member-pointer"; readonly owner: Node; readonly type: Node }
/** Dp <type>, sp <expression> */
export interface Expansion { readonly kind: "expansion"; readonly code: "Dp" | "sp"; readonly pattern: Node }
/** T_, T0_, TL0__ ...: what stands between the T and the last underscore. */
export interface TemplateParameter { readonly kind: "parameter"; readonly number: string }
export interface Decltype { readonly kind: "decltype"; readonly code: "Dt" | "DT"; readonly expression: Node }
/** Ts, Tu, Te */
export interface Elaborated { readonly kind: "elaborated"; readonly code: string; readonly name: Node }
/** J <template-arg>* E; older compilers wrote an I. */
export interface ArgumentPack { readonly kind: "pack"; readonly letter: string; readonly args: readonly Node[] }
/** X <expression> E */
export interface ComputedArgument { readonly kind: "computed"; readonly expression: Node }
/** Ty, Tn <type>, Tt <decl>* E, Tp <decl>: an explicit template parameter. */
export interface ParameterDeclaration { readonly kind: "declaration"; readonly code: string; readonly operands: readonly Node[] }

/** L <type> <value> E */
export interface Literal { readonly kind: "literal"; readonly type: Node; readonly value: string }
/** L <mangled-name> E */
export interface ExternalName { readonly kind: "external"; readonly prefix: string; readonly encoding: Node }
/** Any operator with its operands; `form` tells apart the ways to write one: pp_ and pp, a list of cv. */
export interface Operation { readonly kind: "operation"; readonly code: string; readonly form: string; readonly operands: readonly Node[] }
/** il ... E, tl <type> ... E */
export interface Braced { readonly kind: "braced"; readonly type: Node | undefined; readonly elements: readonly Node[] }
export interface NewExpression { readonly kind: "new"; readonly code: string; readonly placement: readonly Node[]; readonly type: Node; readonly initializer: readonly Node[] | undefined; readonly initializerCode: string }
/** sr <type> <name>; with `levels` in place of the type sr <name>+ E <name>, whose names are no candidates for substitution. */
export interface Unresolved { readonly kind: "unresolved"; readonly scope: Node | undefined; readonly levels: readonly Node[]; readonly name: Node }
/** on <operator-name> */
export interface OperatorReference { readonly kind: "operator-reference"; readonly name: Node }
/** dn <type or name>: ~T */
export interface DestructorReference { readonly kind: "destructor-reference"; readonly of: Node }
/** fl, fr, fL, fR */
export interface Fold { readonly kind: "fold"; readonly code: string; readonly operator: string; readonly operands: readonly Node[] }
/** fp <number> _, fL <level> p <number> _, fpT */
export interface FunctionParameter { readonly kind: "function-parameter"; readonly text: string }
/** rq, rQ: a requires expression. */
export interface Requires { readonly kind: "requires"; readonly code: string; readonly parameters: readonly Node[]; readonly requirements: readonly Node[] }
/** X <expression> [N] [R <constraint>], T <type>, Q <constraint> */
export interface Requirement { readonly kind: "requirement"; readonly code: string; readonly operands: readonly Node[]; readonly noexcept: boolean }
/** u <source-name> <template-arg>* E */
export interface VendorExpression { readonly kind: "vendor-expression"; readonly text: string; readonly args: readonly Node[] }

export type Node =
  | Identifier | OperatorName | Conversion | LiteralOperator | VendorOperator | SpecialMember | UnnamedType | Lambda | StructuredBinding
  | Tagged | Std | Abbreviation | Member | Initializer | TemplateId | ThisQualified | LocalName
  | FunctionEncoding | SpecialName
  | Builtin | VendorType | Qualified | VendorQualified | Indirect | FunctionType | ArrayType | VectorType | MemberPointer | Expansion
  | TemplateParameter | Decltype | Elaborated | ArgumentPack | ComputedArgument | ParameterDeclaration
  | Literal | ExternalName | Operation | Braced | NewExpression | Unresolved | OperatorReference | DestructorReference | Fold
  | FunctionParameter | Requires | Requirement | VendorExpression;

/** A whole symbol; `suffix` is what a compiler appended to the name of a clone: ".isra.0", ".cold". */
export interface MangledSymbol {
  readonly target: Node;
  readonly suffix: string;
}
