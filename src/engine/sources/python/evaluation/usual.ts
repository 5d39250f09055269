import type { Place } from "../source-file.ts";
import { locationOf } from "../source-file.ts";
import { join } from "./conditions.ts";
import type { Branching, Conditions, ListValue, TextValue, UnknownValue, UsualText, Value } from "./values.ts";
import { always, followed, render } from "./values.ts";

/** What `str(value)` is when environment variables are left alone, for a value that is not known. */
export function usualText(value: UnknownValue, place: Place): UsualText | undefined {
  const { usual } = value;
  if (usual === undefined || followed(usual) === "torch" || (usual.kind !== "text" && usual.kind !== "number" && usual.kind !== "boolean") || (usual.kind === "text" && !usual.known)) return undefined;
  return { value: usual.kind === "text" ? usual.value : render(usual), because: [leftAlone(value.text, usual, place)] };
}

/** The test that something is what it usually is: in the words of a comparison, so that both are the same test. */
function leftAlone(name: string, usual: Value, place: Place): Branching {
  const test = `${name} == ${render(usual)}`;
  return { text: test, id: test, branch: 0, location: locationOf(place), byDefault: true };
}

/** The elements that a list usually has, when it has any, and the test that says so. */
export function usualList(value: UnknownValue): { readonly list: ListValue; readonly because: Branching } | undefined {
  const { usual } = value;
  if (usual?.kind !== "list" || !usual.elements.some((element) => element.value.kind !== "text" || element.value.value !== "")) return undefined;
  return { list: usual, because: leftAlone(value.text, usual, usual.place) };
}

/** Whether a way is one on which somebody chose otherwise than the variable is left alone that `because` names. */
export function isChosen(because: Branching, conditions: Conditions): boolean {
  const variable = /os\.environ\.get\("[^"]*"/.exec(because.id)?.[0] ?? because.id;
  return conditions.some((one) => one.byDefault === false && one.id.includes(variable));
}

/** What several texts behind each other usually are; undefined when one of them is not known at all. */
export function joinUsual(texts: readonly TextValue[]): UsualText | undefined {
  if (texts.every((text) => text.known)) return undefined;
  let value = "";
  let because: Conditions = always;
  for (const text of texts) {
    if (!text.known && text.usual === undefined) return undefined;
    value += text.usual?.value ?? text.value;
    because = join(because, text.usual?.because ?? always);
  }
  return { value, because };
}
