/** Answers that are kept: hundreds of targets are checked again after each key stroke, and few of them have changed. */
import type { DeclaredBody } from "../model/index.ts";
import { ReachCache } from "../sources/cpp/index.ts";
import type { RuleContext } from "./rule.ts";

/** `make`, worked out once for each object as long as it lives. For objects that do not change and answers that depend on them alone. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = { value: make(key) }));
    return found.value;
  };
}

/** Caches of contexts that bring none: they last for one check. */
const own = once<RuleContext, ReachCache>(() => new ReachCache());

/**
 * `read`, worked out once for each target until a source changes or files come or go. For answers that depend on the
 * target, its sources and which files exist, and on nothing else of the context.
 */
export function onceForSources<T>(read: (context: RuleContext, body: DeclaredBody) => T): (context: RuleContext, body: DeclaredBody) => T {
  return (context, body) => (context.reach ?? own(context)).remember(body.target, read, () => read(context, body));
}
