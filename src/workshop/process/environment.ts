/** Environments: reading, comparing and showing them. */
import { delimiter } from "node:path";
import type { Variables } from "./types.ts";

/** The value of a variable; Windows does not tell `Path` from `PATH`. */
export function variable(environment: Variables, name: string): string | undefined {
  if (process.platform !== "win32") return environment[name];
  const key = Object.keys(environment).find((one) => one.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}

/** The environment with a variable set, or removed by `undefined`, whatever its spelling on Windows. */
export function withVariable(environment: Variables, name: string, value: string | undefined): Variables {
  const same = (one: string): boolean => (process.platform === "win32" ? one.toUpperCase() === name.toUpperCase() : one === name);
  const rest = Object.entries(environment).filter(([one]) => !same(one));
  return Object.fromEntries(value === undefined ? rest : [...rest, [Object.keys(environment).find(same) ?? name, value]]);
}

const secretName = /TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|KEY|CREDENTIAL/i;

/** Whether the value of a variable of this name should not be shown to anybody, nor written down. */
export function isSecret(name: string): boolean {
  return secretName.test(name);
}

const hidden = "(not shown)";

/** The value of a variable as it may be shown: not at all when its name looks secret, and without the user and password of an address. */
export function shown(name: string, value: string): string {
  return isSecret(name) ? hidden : value.replace(/(:\/\/)[^/@\s]+@/g, `$1${hidden}@`);
}

export interface EnvironmentChange {
  readonly name: string;
  readonly kind: "set" | "unset" | "changed";
  /** Absent when it was not set; a secret is "(not shown)". */
  readonly before?: string;
  readonly after?: string;
  /** For a list of folders: its entries that came, and that went. Both empty: only the order is another. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

function isList(name: string, ...values: string[]): boolean {
  return /(?:PATH|DIRS)$/i.test(name) || values.some((value) => value.split(delimiter).length > 1 && value.split(delimiter).every((entry) => entry === "" || /^(?:\/|[A-Za-z]:\\)/.test(entry)));
}

/** What differs in `b` from `a`, by name. Secrets are told apart but not shown. */
export function environmentDifference(a: Variables, b: Variables): EnvironmentChange[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return names.flatMap((name): EnvironmentChange[] => {
    const before = a[name];
    const after = b[name];
    if (before === after) return [];
    if (before === undefined) return [{ name, kind: "set", after: shown(name, after ?? "") }];
    if (after === undefined) return [{ name, kind: "unset", before: shown(name, before) }];
    const change: EnvironmentChange = { name, kind: "changed", before: shown(name, before), after: shown(name, after) };
    if (isSecret(name) || !isList(name, before, after)) return [change];
    const [old, now] = [before.split(delimiter), after.split(delimiter)];
    return [{ ...change, added: now.filter((entry) => !old.includes(entry)), removed: old.filter((entry) => !now.includes(entry)) }];
  });
}
