import type { Place } from "../source-file.ts";
import { choose, hold, overlay } from "./alternatives.ts";
import { beyond, compatible, join, opposite } from "./conditions.ts";
import type { Conditions, DictValue, Element, ListValue, Step, Value } from "./values.ts";
import { always, followed, render, unknown } from "./values.ts";
import { isChosen, usualList } from "./usual.ts";
import { Ways } from "./ways.ts";

const limits = { elements: 4_000 };

/** Lists and dicts, whose elements depend on the conditions under which they were put there. */
export class Containers extends Ways {
  newList(makes: ListValue["makes"], elements: Element[], place: Place, steps: readonly Step[] = []): ListValue {
    if (elements.length > limits.elements) this.cut("elements");
    return { kind: "list", makes, elements: elements.slice(0, limits.elements), base: this.stack, place, steps: [...steps], held: 0 };
  }

  newDict(place: Place): DictValue {
    return { kind: "dict", entries: [], keys: new Set(), open: false, base: this.stack, place, steps: [] };
  }

  /** Adds to a list as the program would here. */
  append(list: ListValue, value: Value, more: Conditions = always): void {
    this.change(list, (one) => { this.#push(one, { value, conditions: more }); });
  }

  /** Changes a list, and those that are the same one under conditions. */
  change(list: ListValue, change: (list: ListValue) => void): void {
    change(list);
    if (list.links === undefined) return;
    const done = new Set([list]);
    const waiting: { readonly list: ListValue; readonly conditions: Conditions }[] = [{ list, conditions: always }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const { list: other, conditions } of next.list.links ?? []) {
        const both = join(next.conditions, conditions);
        if (done.has(other) || !compatible(next.conditions, conditions) || !this.holds(both)) continue;
        done.add(other);
        this.spend(1 + both.length);
        this.under(both, () => { change(other); });
        waiting.push({ list: other, conditions: both });
      }
    }
  }

  /** Adds an element of another list; the same object where nothing about it changes. */
  #push(list: ListValue, element: Element): void {
    if (list.elements.length >= limits.elements) {
      this.cut("elements");
      return;
    }
    hold(element.value);
    // A list that was made here has the conditions in force as its base.
    const conditions = list.base === this.stack ? beyond(element.conditions, list.base) : beyond(join(this.conditions, element.conditions), list.base);
    list.elements.push(conditions === element.conditions ? element : { value: element.value, conditions });
  }

  /** Elements that can be there, with what they depend on. */
  elementsOf(list: ListValue): readonly Element[] {
    return list.elements.filter((element) => this.holds(element.conditions));
  }

  /** An element that stands for any number of them. */
  spread(value: Value): Value {
    return value.kind === "text" || value.kind === "unknown" ? value : unknown(`*${render(value)}`, followed(value));
  }

  /** Runs `body` for each element that is known, or once with an unknown one. */
  iterate(iterable: Value, body: (item: Value, known: boolean) => void): void {
    if (iterable.kind === "choice") {
      for (const one of iterable.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.iterate(one.value, body); });
    } else if (iterable.kind === "list") {
      for (const element of [...iterable.elements]) {
        if (!this.holds(element.conditions) || this.exhausted) continue;
        this.under(element.conditions, () => { body(element.value, true); });
      }
    } else if (iterable.kind === "dict" && !iterable.open) {
      for (const entry of [...iterable.entries]) if (this.holds(entry.conditions)) this.under(entry.conditions, () => { body(entry.key, true); });
    } else {
      body(unknown(`each of ${render(iterable)}`, followed(iterable)), false);
    }
  }

  extend(list: ListValue, value: Value): void {
    if (value.kind === "choice") {
      for (const one of value.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.extend(list, one.value); });
    } else if (value.kind === "list") {
      const added = this.elementsOf(value);
      this.spend(added.length >> 2);
      const elements = added.map((element): Element => {
        const changed = this.withSteps(element.value, value.steps);
        return changed === element.value ? element : { value: changed, conditions: element.conditions };
      });
      this.change(list, (one) => { for (const element of elements) this.#push(one, element); });
    } else if (value.kind === "dict" || value.kind === "none") {
      // Keys are no flags, and None would have ended the build.
    } else {
      const usual = value.kind === "unknown" ? usualList(value) : undefined;
      const rest = value.kind === "text" && value.known ? value : unknown(`*${render(value)}`, followed(value));
      if (usual === undefined || isChosen(usual.because, this.stack) || !this.holds([usual.because])) this.append(list, rest);
      else {
        this.under([usual.because], () => { this.extend(list, usual.list); });
        this.append(list, rest, [opposite(usual.because)]);
      }
    }
  }

  withSteps(value: Value, steps: readonly Step[]): Value {
    if (steps.length === 0 || value.kind !== "text" || value.steps.length > 6) return value;
    const added = steps.filter((step) => !value.steps.some((one) => one.place.start === step.place.start && one.place.file === step.place.file));
    return added.length === 0 ? value : { ...value, steps: [...value.steps, ...added] };
  }

  setEntry(dict: DictValue, key: Value, value: Value, keyPlace: Place): void {
    if (key.kind !== "text" && key.kind !== "number") {
      dict.open = true;
      return;
    }
    const conditions = beyond(this.conditions, dict.base);
    const same = (other: Value): boolean => other.kind === key.kind && "value" in other && other.value === key.value;
    if (dict.keys.has(key.value)) {
      const old = dict.entries.filter((entry) => same(entry.key));
      this.spend(dict.entries.length >> 4);
      const always = old.find((entry) => entry.conditions.length === 0);
      const entries = overlay(old, value, conditions, this).map((one) => {
        const before = old.find((entry) => entry.value === one.value) ?? (one.conditions.length === 0 ? always : undefined);
        return { key: before?.key ?? key, value: one.value, conditions: one.conditions, keyPlace: before?.keyPlace ?? keyPlace };
      });
      const at = old[0] === undefined ? dict.entries.length : dict.entries.indexOf(old[0]);
      dict.entries = [...dict.entries.slice(0, at).filter((entry) => !same(entry.key)), ...entries, ...dict.entries.slice(at).filter((entry) => !same(entry.key))];
      return;
    }
    if (dict.entries.length >= limits.elements) {
      this.cut("elements");
      return;
    }
    dict.keys.add(key.value);
    hold(value);
    dict.entries.push({ key, value, conditions, keyPlace });
  }

  merge(dict: DictValue, other: Value): void {
    if (other.kind === "choice") {
      for (const one of other.alternatives) if (this.holds(one.conditions)) this.under(one.conditions, () => { this.merge(dict, one.value); });
    } else if (other.kind === "dict") {
      dict.open ||= other.open;
      for (const entry of [...other.entries]) this.under(entry.conditions, () => { this.setEntry(dict, entry.key, entry.value, entry.keyPlace); });
    } else dict.open = true;
  }

  /** Entries of a dict under a key, where they can be. The last wins. */
  entry(dict: DictValue, key: string | number): Value | undefined {
    if (!dict.keys.has(key)) return undefined;
    const found = dict.entries.filter((entry) => "value" in entry.key && entry.key.value === key && this.holds(entry.conditions));
    return choose(found.map(({ value, conditions }) => ({ value, conditions })), this.stack);
  }
}
