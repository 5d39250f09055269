import type { Node } from "./ast.ts";
import { type Cursor, fail } from "./cursor.ts";
import { readExpression, readPrimary } from "./read-expressions.ts";
import { readParameterDeclaration, readType } from "./read-types.ts";

/** I <template-arg>* E */
export function readTemplateArguments(cursor: Cursor): readonly Node[] {
  cursor.enter();
  // The names of arguments must not be taken for that of a constructor's class.
  const lastName = cursor.lastName;
  const args: Node[] = [];
  cursor.expect("I");
  while (!cursor.eat("E")) args.push(readTemplateArgument(cursor));
  cursor.lastName = lastName;
  cursor.leave();
  return args;
}

export function readTemplateArgument(cursor: Cursor): Node {
  cursor.enter();
  const argument = readArgument(cursor);
  cursor.leave();
  return argument;
}

function readArgument(cursor: Cursor): Node {
  const character = cursor.peek();
  switch (character) {
    case "X": {
      cursor.at++;
      const expression = readExpression(cursor);
      cursor.expect("E");
      return { kind: "computed", expression };
    }
    case "L": return readPrimary(cursor);
    case "I": case "J": {
      cursor.at++;
      const args: Node[] = [];
      while (!cursor.eat("E")) args.push(readTemplateArgument(cursor));
      return { kind: "pack", letter: character, args };
    }
    case "T": {
      const next = cursor.next();
      // A declaration before its argument: written where the parameter's kind cannot be told otherwise.
      if (next !== "" && "yntpk".includes(next)) {
        const declaration = readParameterDeclaration(cursor);
        return { kind: "declaration", code: "", operands: [declaration, readTemplateArgument(cursor)] };
      }
      return readType(cursor);
    }
    case "": return fail();
    default: return readType(cursor);
  }
}

/** Q <expression> */
export function readConstraint(cursor: Cursor): Node {
  cursor.expect("Q");
  return readExpression(cursor);
}
